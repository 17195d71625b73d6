import CLibpq

/// Connection strings and URLs, as libpq reads them.
package enum Conninfo {
    /// The fault of a connection string or URL, as the end of a sentence; nil when a connection can be attempted.
    ///
    /// No part of the text is quoted: if it can't be parsed, any part may be the password. libpq's own messages do
    /// quote it, and libpq takes parts of a password with an @ or a / for a host or a port.
    package static func objection(to text: String) -> String? {
        // libpq would take the URL of another database for the name of one.
        guard isURL(text) || !text.contains(#/^[A-Za-z][A-Za-z0-9+.-]*:\/\//#) else {
            return "is not a URL of PostgreSQL, which begins with postgresql:// or postgres://"
        }
        guard isConninfo(text) else { return nil }
        guard let given = options(of: text) else {
            return isURL(text)
                ? "is a URL that can't be read: in its user and password write % as %25, @ as %40, : as %3A, / as %2F, ? as "
                    + "%3F, [ as %5B and ] as %5D"
                : "can't be read: it is keyword=value pairs, and a value with a space stands in single quotes"
        }
        let ports = given["port"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        let arePorts = ports.allSatisfy { $0.isEmpty || UInt16($0).map { $0 > 0 } ?? false }
        let isSplit = isURL(text) && ["host", "dbname"].contains { given[$0]?.contains("@") == true }
        guard !arePorts || isSplit else { return nil }
        return isURL(text)
            ? "is a URL with a port or host that is none: if they are a part of the password, write @ in it as %40, / as %2F "
                + "and : as %3A"
            : "has a port that is not a number from 1 to 65535"
    }

    private static func isURL(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Whether libpq takes a text for more than the name of a database.
    private static func isConninfo(_ text: String) -> Bool { isURL(text) || text.contains("=") }

    /// The options of a text, by keyword; nil when it can't be parsed. The bare name of a database has none.
    static func options(of text: String) -> [String: String]? {
        guard isConninfo(text) else { return [:] }
        guard let options = PQconninfoParse(text, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            given[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        return given
    }
}
