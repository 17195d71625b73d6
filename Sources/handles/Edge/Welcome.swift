import HandleServer

/// What the service says when it is up: where it is, the key, and three things to try.
struct Welcome {
    private let scheme: String
    private let host: String
    private let port: Int
    private let key: FirstKey?

    init(_ configuration: ServerConfiguration, port: Int, key: FirstKey?) {
        scheme = configuration.tls == nil ? "http" : "https"
        host = configuration.host
        self.port = port
        self.key = key
    }

    var text: String {
        let address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let keyText = key.map { $0.isOurs ? $0.text : "$HANDLES_ADMIN_KEY" }
        var lines = ["handles is listening on \(address)"]
        if let key {
            lines.append(key.isOurs ? "key for writing: \(key.text)" : "key for writing: as configured")
        } else {
            lines.append(
                "no first key: set HANDLES_ADMIN_KEY or HANDLES_ADMIN_KEY_FILE, or make keys with handles keys create")
        }
        lines += ["", "Try:", "  curl '\(address)/v1/availability?handle=JohnDoe'"]
        if let keyText {
            lines += [
                "  curl -X PUT '\(address)/v1/handles/JohnDoe' -H \"Authorization: Bearer \(keyText)\" "
                    + "-d '{\"owner\":\"user-1\"}'",
                "  curl '\(address)/v1/availability?handle=johndoe&name=John%20Doe'",
            ]
        } else {
            lines += [
                "  curl '\(address)/v1/availability?handle=admin'", "  curl '\(address)/readyz'",
            ]
        }
        return lines.joined(separator: "\n")
    }
}
