import Foundation
import HandleClient
import TestService

/// The outcome of a request.
enum Fate: Sendable {
    case passes
    /// The service does not get the request.
    case unsent
    /// The service gets the request, and its answer is lost.
    case answerLost
    /// This is the answer; the service does not get the request.
    case answer(TransportAnswer)
    /// The service gets the request, and the client gets this answer instead of the service's.
    case answerReplaced(by: TransportAnswer)
}

extension ScriptedTransport {
    /// A transport over a real one that fails as a test requires.
    /// - Parameter fate: the outcome of each request; requests are numbered from 0.
    static func faulty(_ fate: @escaping @Sendable (_ number: Int, TransportRequest) async -> Fate) -> ScriptedTransport
    {
        let real = URLSessionTransport.patient
        return ScriptedTransport { number, request throws(HandleClientError) in
            switch await fate(number, request) {
            case .passes: return try await real.send(request)
            case .unsent: throw .unreachable
            case .answerLost:
                try await readToEnd(real.send(request))
                throw .answerLost
            case .answer(let answer): return answer
            case .answerReplaced(let answer):
                try await readToEnd(real.send(request))
                return answer
            }
        }
    }

    private static func readToEnd(_ answer: TransportAnswer) async throws(HandleClientError) {
        do { for try await _ in answer.body {} } catch { throw .answerLost }
    }
}

extension TransportRequest {
    /// The name that the request checks.
    var typed: String { self[query: "handle"] ?? "" }

    var isClaim: Bool { method == "PUT" }
}
