import CP256
import Testing

import HTTPLoading

@Suite struct SHA256Tests {
    /// The examples of FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func hashesAgreeWithTheStandard(_ message: String, _ hash: String) {
        let bytes = sha256(Array(message.utf8))
        #expect(bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() == hash)
    }

    @Test func hashesOfEveryLengthAgreeWithLibcrypto() {
        for length in 0...300 {
            let message = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
            var expected = [UInt8](repeating: 0, count: 32)
            #expect(cp256_sha256(message, message.count, &expected) == 1)
            #expect(sha256(message) == expected)
        }
    }
}
