package import Foundation

extension URL {
    /// Whether secrets may be sent to this address: over TLS, or within the machine.
    package var isSafeForSecrets: Bool {
        guard let host = host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return false }
        switch scheme?.lowercased() {
        case "https": return true
        case "http": return host == "localhost" || host == "[::1]" || host == "::1" || Self.isLoopback(host)
        default: return false
        }
    }

    /// 127.0.0.0/8.
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
