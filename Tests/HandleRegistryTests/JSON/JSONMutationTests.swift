import Foundation
import HandleRegistry
import HandleRules
import Testing

/// Mutated JSON, compared with Foundation. Foundation reads all text that is accepted, as the same value; text that
/// Foundation refuses is refused.
@Suite struct JSONMutationTests {
    private static let seeds = [
        #"{"display":"JohnDoe","owner":"user-1","hold":null}"#, #"{"handles":["a","ß",",","\u00e9","\ud83d\ude00"]}"#,
        #"{"a":{"b":[1,-2.5e+3,true,false,null,{}]},"\u0061b":[[],[{}]],"é":"\\\"\/\b\f\n\r\t"}"#, " [ 0 , -0 , 10 ] ",
    ].map { Array($0.utf8) }

    /// Bytes that have a meaning in JSON, so that more mutations are nearly valid.
    private static let telling =
        Array("{}[]:,\"\\ \n\t0123456789+-.eEutrfalsn/'".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xEF, 0xFF]

    private func mutated(_ seed: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let byte = Self.telling.randomElement(using: &generator) ?? 0
            let end = min(bytes.count, place + Int.random(in: 1...8, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.insert(byte, at: place)
            case 1 where place < bytes.count: bytes[place] = byte
            case 2: bytes.removeSubrange(place..<end)
            default:
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            }
        }
        return bytes
    }

    @Test(arguments: 0..<4) func acceptedTextIsReadByFoundationAsTheSameValue(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var taken = 0
        for round in 0..<10_000 {
            let bytes = mutated(Self.seeds[round % Self.seeds.count], using: &generator)
            for strictness in [JSONValue.Strictness.callers, .issuers] {
                guard let read = try? JSONValue(reading: bytes, strictness) else { continue }
                taken += 1
                let about = Comment(rawValue: String(decoding: bytes, as: UTF8.self))
                let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
                #expect(value != nil || hasHugeNumber(bytes), about)
                if let value, strictness == .callers { #expect(foundation(read) == value as? NSObject, about) }
            }
        }
        // Enough mutations must still be valid JSON.
        #expect(taken > 500)
    }

    private func foundation(_ value: JSONValue) -> NSObject {
        switch value {
        case .null: NSNull()
        case .boolean(let truth): NSNumber(value: truth)
        case .number(let digits): NSNumber(value: Int(digits) ?? .max)
        case .string(let text): NSString(string: text)
        case .array(let values): NSArray(array: values.map(foundation))
        case .object(let members):
            NSDictionary(dictionary: Dictionary(uniqueKeysWithValues: members.map { ($0.name, foundation($0.value)) }))
        }
    }

    /// JSON allows numbers of any size; Foundation does not.
    private func hasHugeNumber(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(/[eE][+-]?[0-9]{3}/)
    }
}
