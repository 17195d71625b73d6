import Foundation
package import HandleClient
import NIOConcurrencyHelpers

/// A transport for requests of the real client. A test gives the answers.
package final class ScriptedTransport: Transport {
    private let requests = NIOLockedValueBox<[TransportRequest]>([])
    private let answer: @Sendable (_ number: Int, TransportRequest) async throws(HandleClientError) -> TransportAnswer

    /// - Parameter answer: the answer to a request; `number` counts the requests from 0.
    package init(
        _ answer:
            @escaping @Sendable (_ number: Int, TransportRequest) async throws(HandleClientError) -> TransportAnswer
    ) {
        self.answer = answer
    }

    package var seen: [TransportRequest] { requests.withLockedValue(\.self) }

    package func send(_ request: TransportRequest) async throws(HandleClientError) -> TransportAnswer {
        let number = requests.withLockedValue { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await answer(number, request)
    }
}

extension TransportRequest {
    /// The value of a header field.
    package subscript(field name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The value of a parameter of the query.
    package subscript(query name: String) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }
}

extension TransportAnswer {
    package static func json(_ text: String, status: Int = 200, fields: [String: String] = [:]) -> TransportAnswer {
        TransportAnswer(status: status, fields: fields, body: Data(text.utf8))
    }

    /// A problem document of the service.
    package static func problem(_ status: Int, _ code: String, fields: [String: String] = [:]) -> TransportAnswer {
        json(
            #"{"type":"/problems/\#(code)","title":"A title","status":\#(status),"detail":"A detail.","code":"\#(code)"}"#,
            status: status, fields: fields)
    }

    /// The answer that the requested name is available.
    package static func available(_ request: TransportRequest) -> TransportAnswer {
        available(name: request[query: "handle"] ?? "")
    }

    package static func available(name typed: String) -> TransportAnswer { decision(typed) }

    /// The answer that a name is taken.
    package static func taken(_ typed: String, suggestions: [String] = []) -> TransportAnswer {
        let names = suggestions.map { #"{"handle":"\#($0.lowercased())","display":"\#($0)","method":"affix"}"# }
        return decision(typed, status: "unavailable", reasons: taken, suggestions: names.joined(separator: ","))
    }

    package static let taken = #"{"code":"taken","message":"This name is taken."}"#

    /// The answer to a check. Its handle is the typed name unless it is given.
    package static func decision(
        _ typed: String, handle: String? = nil, display: String? = nil, status: String = "available",
        reasons: String = "", suggestions: String = "", code: Int = 200
    ) -> TransportAnswer {
        let names = #""handle":"\#(handle ?? typed.lowercased())","display":"\#(display ?? typed)""#
        return json(
            #"{"input":"\#(typed)",\#(names),"status":"\#(status)","reasons":[\#(reasons)],"suggestions":[\#(suggestions)]}"#,
            status: code)
    }
}
