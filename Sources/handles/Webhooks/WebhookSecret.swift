import Foundation
import HandleRegistry

/// The keys with which messages are signed, as Standard Webhooks defines them: `whsec_` and 24 to 64 bytes in Base64.
struct WebhookSecret {
    private let keys: [[UInt8]]

    private static let prefix = "whsec_"
    private static let sizes = 24...64

    /// Reads a file with one key a line. Each key makes a signature, so that a receiver can change its key at any time
    /// while both are there.
    /// - Throws: `RecordsError` if the file can't be read; ``CommandFault`` with exit status 65 for other content. No
    ///   message quotes it.
    init(file path: String) throws {
        let lines = try TextFile.read(path).split(whereSeparator: \.isNewline).map { String($0).trimmed }
            .filter { !$0.isEmpty }
        guard !lines.isEmpty else { throw Self.fault(path, "is empty") }
        keys = try lines.map { line in
            guard line.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(line.dropFirst(Self.prefix.count)))
            else { throw Self.fault(path, "has a line that is not a secret") }
            guard Self.sizes.contains(key.count) else {
                throw Self.fault(path, "has a secret of \(key.count) bytes")
            }
            return Array(key)
        }
    }

    private static func fault(_ path: String, _ what: String) -> CommandFault {
        CommandFault(
            .unreadableData,
            "\(TextFile.name(of: path)) \(what): a secret is \(prefix) and then \(sizes.lowerBound) to "
                + "\(sizes.upperBound) random bytes in Base64; "
                + "echo \"\(prefix)$(openssl rand -base64 32)\" makes one")
    }

    /// The field `webhook-signature`.
    /// - Parameter time: of the attempt, in seconds since 1970.
    func signature(of message: WebhookMessage, at time: Int) -> String {
        let content = Array("\(message.id).\(time).".utf8) + message.body
        return keys.map { "v1," + Data(SHA256(authenticating: content, with: $0).bytes).base64EncodedString() }
            .joined(separator: " ")
    }
}
