import Foundation

/// The fields of a form or a query. A repeated field counts as missing (RFC 6749, 3.1).
struct Form {
    private let fields: [String: [String]]

    init(_ text: String) {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(parts[0]), parts.count > 1 ? Self.decode(parts[1]) : "")
        }
        fields = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    }

    subscript(_ name: String) -> String? {
        guard let values = fields[name], values.count == 1 else { return nil }
        return values[0]
    }

    static func decode(_ text: Substring) -> String {
        let text = String(text).replacing("+", with: " ")
        return text.removingPercentEncoding ?? text
    }

    static func encode(_ pairs: [(String, String)]) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return pairs.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }.joined(separator: "&")
    }
}
