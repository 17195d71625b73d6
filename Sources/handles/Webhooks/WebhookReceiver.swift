import Foundation
import FoundationNetworking
import HTTPLoading
import HandleServer

/// Sends messages to a receiver. Only the configured address gets them: redirects are not followed.
///
/// Each message has a connection of its own. libcurl would repeat a request when a reused connection closes without an
/// answer, and the repetition has only a part of the body.
struct WebhookReceiver: Sendable {
    enum Reply: Sendable, Equatable {
        case accepted
        /// The receiver wants no more messages: 410.
        case gone
        /// Anything else: what happened, and the pause that the receiver asks for.
        case failed(String, retryAfter: Duration? = nil)
    }

    /// For a whole answer.
    static let limit = Duration.seconds(20)
    /// The part of an answer that is read. A receiver that sends more finds the connection closed.
    private static let mostBytes = 64 * 1024

    private let request: URLRequest
    private let secret: WebhookSecret
    /// Its own timeout is never the first.
    private let loader = HTTPLoader(timeout: limit * 2, longest: mostBytes)

    init(_ address: WebhookAddress, _ secret: WebhookSecret) {
        self.secret = secret
        var request = URLRequest(url: address.url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        request.setValue("handles/\(Version.current)", forHTTPHeaderField: "user-agent")
        if let authorization = address.authorization {
            request.setValue(authorization, forHTTPHeaderField: "authorization")
        }
        self.request = request
    }

    /// Sends a message once.
    func send(_ message: WebhookMessage) async -> Reply {
        let time = Int(Date.now.timeIntervalSince1970)
        var request = request
        request.setValue(message.id, forHTTPHeaderField: "webhook-id")
        request.setValue("\(time)", forHTTPHeaderField: "webhook-timestamp")
        request.setValue(secret.signature(of: message, at: time), forHTTPHeaderField: "webhook-signature")
        request.httpBody = Data(message.body)
        let end = ContinuousClock.now + Self.limit
        switch await begin(request, until: end) {
        case .answer(let answer):
            // The status counts, however the rest of the answer ends.
            _ = await firstResult(of: { await Self.read(answer) }, orOf: { await Self.wait(until: end) })
            return Self.reply(answer.answer)
        case .late: return .failed("it did not answer within \(Self.limit.components.seconds) seconds")
        case .fault(.unsent):
            return .failed("there is no connection to it\(isEncrypted ? ", or its certificate is not valid" : "")")
        case .fault: return .failed("the connection to it was lost")
        }
    }

    private enum Beginning: Sendable {
        case answer(HTTPStream)
        case fault(LoadError)
        case late
    }

    private var isEncrypted: Bool { request.url?.scheme?.lowercased() == "https" }

    /// Sends a request, and waits for the first part of the answer.
    private func begin(_ request: URLRequest, until end: ContinuousClock.Instant) async -> Beginning {
        let loader = loader
        let beginning = await firstResult {
            do throws(LoadError) {
                return Beginning.answer(try await loader.open(request))
            } catch {
                return .fault(error)
            }
        } orOf: {
            await Self.wait(until: end)
            return .late
        }
        return beginning ?? .fault(.cancelled)
    }

    private static func wait(until end: ContinuousClock.Instant) async {
        // Interrupted when the result is not needed any more.
        try? await ContinuousClock().sleep(until: end)
    }

    private static func read(_ answer: HTTPStream) async {
        var count = 0
        do {
            for try await part in answer.parts {
                count += part.count
                if count > mostBytes { return }
            }
        } catch {
            // The answer has ended early, and its status counts.
        }
    }

    private static func reply(_ answer: HTTPLoading.HTTPAnswer) -> Reply {
        switch answer.status {
        case 200..<300: .accepted
        case 410: .gone
        default: .failed("it answers with status \(answer.status)", retryAfter: answer.retryAfter)
        }
    }
}
