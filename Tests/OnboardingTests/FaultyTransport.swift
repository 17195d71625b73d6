import Foundation
import HandleClient
import NIOConcurrencyHelpers

/// A transport over a real one, or over none, that fails as a test wants it.
final class FaultyTransport: Transport {
    enum Fate: Sendable {
        case passes
        /// The service does not get the request.
        case unsent
        /// The service gets the request, and its answer is lost.
        case answerLost
        /// This is the answer; the service does not get the request.
        case answer(TransportAnswer)
        /// The service gets the request, and this is the answer.
        case answerReplaced(by: TransportAnswer)
    }

    private let real: any Transport
    private let fate: @Sendable (_ number: Int, TransportRequest) async -> Fate
    private let requests = NIOLockedValueBox<[TransportRequest]>([])

    /// - Parameter fate: of each request, which are counted from 0.
    init(
        over real: any Transport = URLSessionTransport(),
        _ fate: @escaping @Sendable (_ number: Int, TransportRequest) async -> Fate
    ) {
        self.real = real
        self.fate = fate
    }

    var seen: [TransportRequest] { requests.withLockedValue(\.self) }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let number = requests.withLockedValue { requests in
            requests.append(request)
            return requests.count - 1
        }
        switch await fate(number, request) {
        case .passes: return try await real.send(request)
        case .unsent: throw .unsent
        case .answerLost:
            try await readToEnd(real.send(request))
            throw .lost
        case .answer(let answer): return answer
        case .answerReplaced(let answer):
            try await readToEnd(real.send(request))
            return answer
        }
    }

    private func readToEnd(_ answer: TransportAnswer) async throws(TransportError) {
        do { for try await _ in answer.body {} } catch { throw .lost }
    }
}

extension TransportRequest {
    /// The name that is asked about.
    var typed: String {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "handle" }?.value ?? ""
    }

    var isClaim: Bool { method == "PUT" }
}

extension TransportAnswer {
    static func json(_ text: String, status: Int = 200, fields: [String: String] = [:]) -> TransportAnswer {
        TransportAnswer(status: status, fields: fields, body: Data(text.utf8))
    }

    static func problem(_ status: Int, _ code: String, fields: [String: String] = [:]) -> TransportAnswer {
        json(
            #"{"type":"/problems/\#(code)","title":"A title","status":\#(status),"detail":"A detail.","code":"\#(code)"}"#,
            status: status, fields: fields)
    }

    static func available(_ typed: String) -> TransportAnswer {
        json(
            #"{"input":"\#(typed)","handle":"\#(typed.lowercased())","display":"\#(typed)","status":"available","reasons":[],"suggestions":[]}"#
        )
    }

    static func taken(_ typed: String, suggestions: [String] = []) -> TransportAnswer {
        let names = suggestions.map { #"{"handle":"\#($0.lowercased())","display":"\#($0)","method":"affix"}"# }
        return json(
            #"{"input":"\#(typed)","handle":"\#(typed.lowercased())","display":"\#(typed)","status":"unavailable","reasons":[{"code":"taken","message":"This name is taken."}],"suggestions":[\#(names.joined(separator: ","))]}"#
        )
    }
}
