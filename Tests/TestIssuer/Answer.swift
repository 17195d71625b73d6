import Foundation

/// An answer of the issuer.
struct Answer: Sendable {
    var status: Int
    var type = "application/json"
    var fields: [(String, String)] = []
    var body = Data()

    static func json(_ status: Int = 200, _ value: some Encodable) -> Answer {
        Answer(status: status, body: encoded(value))
    }

    static func page(_ status: Int = 200, _ html: String) -> Answer {
        Answer(status: status, type: "text/html; charset=utf-8", body: Data(html.utf8))
    }

    static func redirect(to location: String) -> Answer {
        Answer(status: 302, type: "text/plain", fields: [("Location", location)])
    }

    /// An OAuth error (RFC 6749, 5.2).
    static func error(_ code: String, _ description: String, status: Int = 400) -> Answer {
        .json(status, ["error": code, "error_description": description])
    }
}
