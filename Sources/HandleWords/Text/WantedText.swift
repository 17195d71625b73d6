/// Finds the wanted name in typed text that has more than the name, such as an e-mail address or a URL.
///
/// Only repairs and suggestions are made from it. Whether a name is valid is for ``Reading`` alone to say.
enum WantedText {
    private typealias Text = ArraySlice<Unicode.Scalar>

    /// The wanted name in any script; empty when there is none, as in a telephone number.
    /// - Parameter typed: at most ``Transliteration/longestText`` bytes of UTF-8 are read.
    static func name(in typed: String) -> String {
        let start = String(decoding: typed.utf8.prefix(Transliteration.longestText), as: UTF8.self)
        let text = Normaliser.normalise(EncodedText.decoded(start)).filter { !leavesNoTrace($0) }
        let name = account(in: user(in: target(of: text[...])))
        return isTelephoneNumber(name) ? "" : string(name)
    }

    /// True for invisible characters, signs such as that of a trademark, and an accent in place of an apostrophe.
    private static func leavesNoTrace(_ scalar: Unicode.Scalar) -> Bool {
        "©®℗℠™´".unicodeScalars.contains(scalar) || scalar.properties.isDefaultIgnorableCodePoint
    }

    // MARK: URLs

    /// The last part of the path of a URL, or a name in its host if it has no path; other text as it is.
    private static func target(of text: Text) -> Text {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let scheme = string(text[..<colon]).lowercased()
        if ["acct", "mailto", "tel"].contains(scheme) { return text[colon...].dropFirst() }
        let start = text.indices.first { text[..<$0].suffix(3).elementsEqual("://".unicodeScalars) }
        guard start != nil || startsWithHost(text) else { return text }
        let parts = text[(start ?? text.startIndex)...].prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard parts.count < 2, let host = parts.first else { return parts.last ?? [] }
        if host.contains("@") { return host.prefix { $0 != "@" && $0 != ":" } }
        return host.prefix { $0 != ":" }.split(separator: ".").first { string($0).lowercased() != "www" } ?? []
    }

    /// Whether the text before the first slash is a host with a dot, as in `example.com/anna`.
    private static func startsWithHost(_ text: Text) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return false }
        let labels = text[..<slash].prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.count > 1 else { return false }
        return last.allSatisfy(\.properties.isAlphabetic)
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.properties.isAlphabetic || isDigit($0) || $0 == "-" }
            }
    }

    // MARK: Addresses

    /// The name beside an e-mail address, or the user in the address without a `+tag`; other text without an `@` in
    /// front.
    private static func user(in text: Text) -> Text {
        let text = text.drop { $0 == "@" }
        guard let at = text.firstIndex(of: "@") else { return text }
        let parts = text[..<at].split(separator: "<", maxSplits: 1)
        guard let name = parts.first, let user = parts.last else { return [] }
        if parts.count > 1, name.contains(where: \.properties.isAlphabetic) { return name }
        return user.prefix(1) + user.dropFirst().prefix { $0 != "+" }
    }

    /// The account in a Windows domain (`CORP\anna`); other text as it is. A sign after the backslash is only escaped.
    private static func account(in text: Text) -> Text {
        guard let last = text.split(separator: "\\").last, last.first != "'" else { return text }
        return last
    }

    // MARK: Telephone numbers

    /// Whether `text` is at least seven digits and punctuation.
    private static func isTelephoneNumber(_ text: Text) -> Bool {
        let others = text.filter { !isDigit($0) }
        return text.count - others.count >= 7 && !others.isEmpty
            && others.allSatisfy {
                $0.properties.isWhitespace || $0.properties.isDash || "+()[]./".unicodeScalars.contains($0)
            }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType == .decimal }

    private static func string(_ text: Text) -> String { String(String.UnicodeScalarView(text)) }
}
