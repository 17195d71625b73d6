import Foundation
import HandleRules
import HandleWords
import Testing

@testable import HandleRegistry

/// The hashes that databases store, byte for byte: the library that computes them may be replaced, but no hash may
/// change. The expected values were made with Python's hashlib from the definitions in the doc comments.
@Suite struct StoredHashTests {
    private let salt = Array(UInt8(0)..<16)

    @Test func ownerMarkHasTheStoredValue() throws {
        #expect(try mark().description == "d9717b769db1501f8f551678f9f720e0149b5a059b397215a0fe4c2e39946b85")
    }

    @Test func requestFingerprintHasTheStoredValue() {
        let request = IdempotentRequest(
            key: "k", caller: "c", content: Array(#"PUT /v1/handles/johndoe {"owner":"user-1"}"#.utf8))
        #expect(
            request.fingerprint.hexadecimal == "8b483a56a9b9c6873e2c3aad341c3e58a3367bd4775cd51d75f37f294819c51b")
        #expect(
            request.salted(salt).fingerprint.hexadecimal
                == "a1e84e5601d4bcc2376889e743b1cf3a0b16306d5a6474cd55be01f4cd5d2dae")
    }

    @Test func eventChainHasTheStoredHashes() throws {
        let display = try #require(Reading(typed: "JohnDoe").display)
        let claimed = Event(
            version: 1, at: Date(timeIntervalSince1970: 1_700_000_000.123456), actor: "key:signup", action: .claimed,
            from: .free, to: .claimed, display: display, owner: try mark(), reason: nil, related: nil, until: nil)
        let first = ChainedEvent(claimed, after: nil).hash
        #expect(first.hexadecimal == "8d7521207c9a8eb3934e4ef55ada6751807a9391126a61ab4c019512d03645c5")
        let released = Event(
            version: 2, at: Date(timeIntervalSince1970: 1_700_000_001), actor: "cli:root", action: .released,
            from: .claimed, to: .quarantined, display: display, owner: try mark(), reason: "sold \"it\"\n",
            related: "acme", until: Date(timeIntervalSince1970: 1_702_592_001))
        #expect(
            ChainedEvent(released, after: first).hash.hexadecimal
                == "b3497475a212da63c1fb148ea667b5d0e915bd9c0de6f84fe42474b5098cdf0c")
    }

    private func mark() throws -> OwnerMark {
        OwnerMark(of: try #require(Owner("https://login.example|jürgen")), salt: salt)
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
