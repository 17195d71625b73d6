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

    /// The examples of RFC 4231, 4; that of 4.6 has only the first half of the code.
    @Test(arguments: [
        (bytes(0x0B, 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (bytes(0xAA, 20), bytes(0xDD, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (Array(1...25), bytes(0xCD, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (bytes(0x0C, 20), Array("Test With Truncation".utf8), "a3b6167473100ee06e0c796c2955552b"),
        (
            bytes(0xAA, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            bytes(0xAA, 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
                    + "be hashed before being used by the HMAC algorithm.").utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func codesOfMessagesAgreeWithTheStandard(_ key: [UInt8], _ message: [UInt8], _ expected: String) {
        #expect(SHA256(authenticating: message, with: key).hexadecimal.hasPrefix(expected))
    }

    private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }

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
