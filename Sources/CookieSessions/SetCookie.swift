import Foundation
import HTTPLoading

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A cookie as a server sets it (RFC 6265, 4.1 and 5.2). It is parsed here, because FoundationNetworking ignores
/// `Max-Age`: such a cookie never ends, and `Max-Age=0` does not delete it.
struct SetCookie: Equatable {
    let name: String
    let value: String
    /// A host alone, or a dot and a host, which includes the hosts below it.
    let domain: String
    let path: String
    let isSecure: Bool
    let isHTTPOnly: Bool
    let sameSite: String?
    /// By the device's clock; nil for the end of the browser's session.
    let end: Date?

    /// Every valid cookie in a `Set-Cookie` field.
    /// - Parameters:
    ///   - field: several cookies are joined with commas, as URLSession gives them.
    ///   - url: the URL of the request.
    ///   - now: the device's time.
    ///   - serverTime: the response's `Date`. The time from it to `Expires` is added to `now`, so that a wrong clock of
    ///     the device does not end a session.
    static func all(in field: String, from url: URL, now: Date, serverTime: Date?) -> [SetCookie] {
        separate(field).compactMap { SetCookie(reading: $0, from: url, now: now, serverTime: serverTime) }
    }

    /// Splits a field at each comma before a new cookie, but not at the comma in a date.
    static func separate(_ field: String) -> [Substring] {
        var cookies: [Substring] = []
        var start = field.startIndex
        for comma in field.indices where field[comma] == "," {
            let next = field[field.index(after: comma)...]
            let head = next.prefix { $0 != "=" && $0 != ";" && $0 != "," }
            guard head.endIndex < next.endIndex, next[head.endIndex] == "=",
                isName(head.drop { $0 == " " || $0 == "\t" })
            else { continue }
            cookies.append(field[start..<comma])
            start = field.index(after: comma)
        }
        return cookies + [field[start...]]
    }

    /// Services use more than the characters of a token, such as PHP's `prefs[x]`, and browsers accept them.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"=;,".utf8.contains($0) }
    }

    private init?(reading text: Substring, from url: URL, now: Date, serverTime: Date?) {
        guard text.utf8.count <= 4096, let host = url.host(percentEncoded: false)?.lowercased() else { return nil }
        // Control characters would get into a request's field.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard pair.count == 2, Self.isName(pair[0][...]) else { return nil }
        name = pair[0]
        value = pair[1]
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            // The last attribute of a kind counts.
            attributes[pair[0].lowercased()] = pair.count == 2 ? pair[1] : ""
        }
        guard let domain = Self.domain(attributes["domain"], for: host) else { return nil }
        self.domain = domain
        path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.directory(of: url)
        isSecure = attributes["secure"] != nil
        isHTTPOnly = attributes["httponly"] != nil
        sameSite = attributes["samesite"]
        let ends = attributes["max-age"].flatMap { Self.end(maxAge: $0, now: now) }
        let expires = attributes["expires"].flatMap(HTTPDate.read)
        end = ends ?? expires.map { now.addingTimeInterval($0.timeIntervalSince(serverTime ?? now)) }

        if isSecure, !url.isSafeForSecrets { return nil }
        if name.lowercased().hasPrefix("__secure-"), !isSecure { return nil }
        if name.lowercased().hasPrefix("__host-"), !isSecure || domain.hasPrefix(".") || path != "/" { return nil }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// - Returns: nil for a domain for which the host may not set cookies.
    private static func domain(_ attribute: String?, for host: String) -> String? {
        guard var wanted = attribute?.lowercased(), !wanted.isEmpty, wanted != "." else { return host }
        if wanted.hasPrefix(".") { wanted.removeFirst() }
        // An IP address has no hosts below it, and a single word is a top-level domain or the host itself.
        let isName = wanted.contains(".") && !wanted.allSatisfy { $0.isNumber || $0 == "." } && !wanted.contains(":")
        if host == wanted { return isName ? "." + wanted : host }
        return isName && host.hasSuffix("." + wanted) ? "." + wanted : nil
    }

    /// RFC 6265, 5.1.4.
    private static func directory(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func end(maxAge text: String, now: Date) -> Date? {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first),
            text.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }), text != "-"
        else { return nil }
        // The limit of browsers (RFC 6265bis, 5.5): 400 days.
        let seconds = Int64(text) ?? (first == UInt8(ascii: "-") ? 0 : .max)
        return seconds <= 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 400 * 86_400)))
    }
}
