import HandleRegistry
import Testing

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4, and the empty message.
    @Test(arguments: [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func digestsAgreeWithTheStandard(_ text: String, _ count: Int, _ expected: String) {
        let message = Array(String(repeating: text, count: count).utf8)
        #expect(SHA256(message).hexadecimal == expected)
    }

    @Test(arguments: 0...130)
    func prefixAndContentAreHashedAsOneMessage(_ length: Int) {
        let message = (0..<UInt8(length)).map { $0 &* 7 &+ 3 }
        let whole = SHA256(message)
        for cut in 0...length {
            #expect(SHA256(Array(message[..<cut]), Array(message[cut...])) == whole)
        }
    }

    @Test func digestsAreEqualForEqualContentOnly() {
        #expect(SHA256([1]) == SHA256([1]))
        for other in UInt8(2)...255 { #expect(SHA256([1]) != SHA256([other])) }
    }

    @Test func hashingWorksOnManyThreadsAtOnce() async {
        let expected = SHA256(Array("abc".utf8))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (0..<200).allSatisfy { _ in SHA256(Array("abc".utf8)) == expected } } }
            for await isEqual in group { #expect(isEqual) }
        }
    }
}

extension SHA256 {
    fileprivate var hexadecimal: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
