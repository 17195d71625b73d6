import HandleRules
import HandleWords
import TestSupport
import Testing

@Suite struct VectorTests {
    @Test func validNamesReadAsTheirDisplayHandle() {
        let cases = Vectors.read("valid")
        #expect(cases.count >= 16)
        for fields in cases {
            let reading = Reading(typed: fields[0])
            #expect(reading.display?.description == fields[1], "\(fields[0]): \(reading.reasons)")
            #expect(reading.handle?.description == fields[1].lowercased())
        }
    }

    @Test func invalidNamesHaveTheirReasons() {
        let cases = Vectors.read("invalid")
        #expect(cases.count >= 35)
        for fields in cases {
            let codes = Reading(typed: fields[0]).reasons.map(\.code.rawValue).joined(separator: ",")
            #expect(codes == fields[1], "\(fields[0])")
        }
    }
}
