import CLibpq
import Glibc

/// The parameters of a new connection: the caller's string unchanged, and then the settings that this client requires.
struct OpeningParameters {
    private let conninfo: String
    /// The host to connect to, when the string names several.
    private var host: [(keyword: String, value: String)] = []
    /// The timeout for this host when there are others.
    private(set) var patience = Duration.seconds(2)

    private init(_ conninfo: String) { self.conninfo = conninfo }

    /// Parameters for each host that the string names.
    ///
    /// libpq tries the next host when one refuses. But if a host does not answer, libpq does so only in blocking mode,
    /// after `connect_timeout`. So the hosts are tried here, one by one. libpq gets all of them at once if more than
    /// their order matters (`prefer-standby`), or if empty entries have a meaning.
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
                // The same limits as in libpq.
                one.patience = .seconds(max(2, min(seconds, 3600)))
            }
            return one
        }
    }

    func start() -> OpaquePointer? {
        // With `expand_dbname` libpq parses a `dbname` that is a connection string or URL. Later parameters take
        // precedence.
        let parameters =
            [("dbname", conninfo)] + host + [("fallback_application_name", "handles"), ("client_encoding", "UTF8")]
        let (keywords, values) = (parameters.map { strdup($0.0) }, parameters.map { strdup($0.1) })
        defer { for string in keywords + values { free(string) } }
        return PQconnectStartParams(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    }
}
