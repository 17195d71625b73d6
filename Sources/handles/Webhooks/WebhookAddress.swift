import Foundation

/// The address of a receiver of webhooks.
struct WebhookAddress {
    static let rule = "an address such as https://app.example/hook"

    /// Without user info and fragment.
    let url: URL
    /// The field `Authorization` for a user and a password in the address; nil if it has none.
    let authorization: String?
    /// The address without its secrets: user info and query are left out.
    let name: String

    /// Nil for a text that is not an HTTP address.
    init?(_ text: String) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else { return nil }
        authorization = parts.user.map { user in
            "Basic " + Data("\(user):\(parts.password ?? "")".utf8).base64EncodedString()
        }
        (parts.scheme, parts.user, parts.password, parts.fragment) = (scheme, nil, nil, nil)
        guard let url = parts.url else { return nil }
        self.url = url
        parts.query = nil
        name = parts.string ?? host
    }
}
