import Foundation
import TestSupport
import Testing

@testable import handles

@Suite struct WebhookTests {
    private let folder = TestFolder("webhook")

    /// The example of the libraries of Standard Webhooks.
    @Test func signatureAgreesWithStandardWebhooks() throws {
        let message = WebhookMessage(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Array(#"{"test": 2432232314}"#.utf8))
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        let secret = try WebhookSecret(file: folder.file("one", "\(Pusher.secret)\n"))
        #expect(secret.signature(of: message, at: 1_614_265_330) == signature)
        // Both secrets count while the receiver changes its secret.
        let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
        let both = try WebhookSecret(file: folder.file("two", "\(other)\n\n\(Pusher.secret)"))
        let signatures = both.signature(of: message, at: 1_614_265_330).split(separator: " ")
        #expect(signatures.count == 2 && signatures[0] != signatures[1] && signatures[1] == signature)
    }

    @Test(
        arguments: [
            ("https://app.example/hook", "https://app.example/hook", nil),
            ("HTTP://app.example:8080", "http://app.example:8080", nil),
            ("https://me:pass@app.example/a%20b?key=secret#part", "https://app.example/a%20b", "Basic bWU6cGFzcw=="),
            ("http://token@[::1]:9/", "http://[::1]:9/", "Basic dG9rZW46"),
        ] as [(String, String, String?)])
    func nameOfAnAddressHasNoSecrets(_ text: String, _ name: String, _ authorization: String?) throws {
        let address = try #require(WebhookAddress(text))
        #expect(address.name == name && address.authorization == authorization)
        #expect(address.url.user == nil && address.url.fragment == nil)
        #expect(address.url.query == (text.contains("?") ? "key=secret" : nil))
    }

    @Test func pausesDoubleUpToALimit() {
        let backOff = BackOff(first: .seconds(1), longest: .seconds(300))
        var generator = SystemRandomNumberGenerator()
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (1_000_000, 300)] {
            for _ in 0..<50 {
                let pause = backOff.pause(afterFailures: failures, using: &generator)
                #expect(pause >= .seconds(seconds) / 2 && pause <= .seconds(seconds), "\(failures): \(pause)")
            }
        }
        // A receiver may ask for a longer pause, up to the limit.
        #expect(backOff.pause(afterFailures: 1, asked: .seconds(60), using: &generator) == .seconds(60))
        #expect(backOff.pause(afterFailures: 1, asked: .seconds(86_400), using: &generator) == .seconds(300))
        #expect(backOff.pause(afterFailures: 3, asked: .zero, using: &generator) >= .seconds(2))
    }
}
