import Testing

@testable import HandleRules

@Suite struct PackedASCIITests {
    @Test func packedASCIIKeepsUpToFifteenBytes() throws {
        for length in 0...15 {
            let text = String("abcdefghijklmno".prefix(length))
            let packed = try #require(PackedASCII(text.utf8))
            #expect(packed.count == length)
            #expect(packed.description == text)
            for (index, byte) in text.utf8.enumerated() { #expect(packed[index] == byte) }
            #expect(packed[length] == 0)
        }
    }

    @Test func packedASCIIRefusesASixteenthByteAndOtherCharacters() {
        #expect(PackedASCII("abcdefghijklmnop".utf8) == nil)
        #expect(PackedASCII("é".utf8) == nil)
    }

    @Test func packedASCIIOrdersLikeItsBytes() {
        let names = ["", "a", "a0", "aa", "abcdefgh", "abcdefgh0", "abcdefghi", "abcdefghijklmno", "b", "z_"]
        let packed = names.compactMap { PackedASCII($0.utf8) }
        #expect(packed.shuffled().sorted() == packed)
        #expect(Set(packed).count == names.count)
    }

    @Test func lowercasedChangesASCIICapitalsOnly() {
        for byte in UInt8(0)..<0x80 {
            for position in [0, 6, 7, 8, 14] {
                var bytes = [UInt8](repeating: UInt8(ascii: "Q"), count: 15)
                bytes[position] = byte
                let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                #expect(PackedASCII(bytes)?.lowercased[position] == (isCapital ? byte + 32 : byte))
            }
        }
    }

    @Test func packedASCIISlicesAndJoinsLikeAnArray() throws {
        let bytes = Array("abcdefghijklmno".utf8)
        for count in 0...15 {
            let packed = try #require(PackedASCII(bytes.prefix(count)))
            for start in 0...count {
                for length in 0...15 {
                    let expected = PackedASCII(bytes.prefix(count).dropFirst(start).prefix(length))
                    #expect(packed.slice(from: start, length: length) == expected)
                }
                let head = packed.slice(from: 0, length: start)
                #expect(head.joined(with: packed.slice(from: start)) == packed)
                #expect(packed.hasPrefix(head))
            }
        }
        #expect(PackedASCII("abcdefgh".utf8)?.joined(with: "abcdefgh") == nil)
        #expect(("abc" as PackedASCII).hasPrefix("abd") == false)
        #expect(("ab" as PackedASCII).hasPrefix("abc") == false)
    }
}
