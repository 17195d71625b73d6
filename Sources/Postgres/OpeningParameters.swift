import CLibpq

/// What a connection is opened with: the caller's string as it is, then what this client can't do without.
struct OpeningParameters {
    private let conninfo: String

    init(_ conninfo: String) { self.conninfo = conninfo }

    func start() -> OpaquePointer? {
        // With `expand_dbname` a `dbname` that is a connection string or URL is taken apart by libpq itself.
        withCStrings(["dbname", "fallback_application_name", "client_encoding"]) { keywords in
            withCStrings([conninfo, "handles", "UTF8"]) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
    }

    private func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        // One after the other with a NUL behind each, and a null pointer at the end of the list.
        let bytes = strings.flatMap { $0.utf8CString }
        return bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            var pointers = strings.map { string -> UnsafePointer<CChar>? in
                defer { offset += string.utf8.count + 1 }
                return buffer.baseAddress?.advanced(by: offset)
            }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { list in
                // The list has its final nil at least, so there is an address.
                body(list.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
