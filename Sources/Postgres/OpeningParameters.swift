import CLibpq
import Glibc

/// What a connection is opened with: the caller's string as it is, then what this client can't do without.
struct OpeningParameters {
    private let conninfo: String
    /// The host to connect to, when the string names several.
    private var host: [(keyword: String, value: String)] = []
    /// How long to wait for this host when there are others.
    private(set) var patience = Duration.seconds(2)

    private init(_ conninfo: String) { self.conninfo = conninfo }

    /// One for each host that the string names.
    ///
    /// libpq goes on to the next host when one refuses, but when one is silent only where it may block, for as long as
    /// `connect_timeout` says. So the hosts are tried here. Where their order is not all that counts
    /// (`prefer-standby`), or what is left out means something, libpq has all of them at once.
    static func perHost(_ conninfo: String) -> [OpeningParameters] {
        let whole = OpeningParameters(conninfo)
        let given = Conninfo.options(of: conninfo) ?? [:]
        func value(_ keyword: String, _ variable: String) -> String? {
            given[keyword] ?? getenv(variable).map { String(cString: $0) }
        }
        let lists = [("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT")].map { keyword, variable in
            let values = value(keyword, variable)?.split(separator: ",", omittingEmptySubsequences: false) ?? []
            return (keyword: keyword, values: values.map(String.init))
        }
        let count = max(lists[0].values.count, lists[1].values.count)
        guard count > 1, value("service", "PGSERVICE") == nil,
            value("target_session_attrs", "PGTARGETSESSIONATTRS") != "prefer-standby",
            lists.allSatisfy({ $0.values.isEmpty || $0.values.count == count || $0.keyword == "port" }),
            [0, 1, count].contains(lists[2].values.count), !lists.contains(where: { $0.values.contains("") })
        else { return [whole] }
        return (0..<count).map { index in
            var one = whole
            for list in lists where !list.values.isEmpty {
                one.host.append((list.keyword, list.values[list.values.count == 1 ? 0 : index]))
            }
            if let seconds = value("connect_timeout", "PGCONNECT_TIMEOUT").flatMap({ Int($0) }), seconds > 0 {
                // As libpq takes it.
                one.patience = .seconds(max(2, min(seconds, 3600)))
            }
            return one
        }
    }

    func start() -> OpaquePointer? {
        // With `expand_dbname` a `dbname` that is a connection string or URL is taken apart by libpq itself; what
        // comes after it counts more.
        let parameters =
            [("dbname", conninfo)] + host + [("fallback_application_name", "handles"), ("client_encoding", "UTF8")]
        return withCStrings(parameters.map(\.0)) { keywords in
            withCStrings(parameters.map(\.1)) { values in
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
                guard let address = list.baseAddress else { preconditionFailure("the list has its final nil at least") }
                return body(address)
            }
        }
    }
}
