import HandleServer
import Logging

/// The message at the start of the service: its address, the key, and commands to try.
struct Welcome {
    let configuration: ServerConfiguration
    let port: Int
    let key: FirstKey?
    /// Path of the generated key; set when the message goes into a log, where the key itself must not appear.
    let keyFile: String?

    private var address: String {
        let scheme = configuration.tls == nil ? "http" : "https"
        return "\(scheme)://\(ListeningAddress(host: configuration.host, port: port))"
    }

    /// Writes the message: the text, or its first line with the port and the place of the key to a JSON log.
    func say(asJSON isJSON: Bool) {
        guard isJSON else { return Output.note(text) }
        let key = key.map { $0.isOurs ? "in the file \(keyFile ?? "")" : "as configured" }
        Output.note(
            firstLine, .notice,
            ["port": .stringConvertible(port), "key": "\(key ?? "none, make keys with handles keys create")"])
    }

    private var firstLine: String { "handles is listening on \(address)" }

    private var text: String {
        let keyText = key.map { $0.isOurs ? keyFile.map { "$(cat '\($0)')" } ?? $0.text : "$HANDLES_ADMIN_KEY" }
        var lines = [firstLine]
        if let key {
            let ours = keyFile.map { "in the file \($0)" } ?? key.text
            lines.append("key for writing: \(key.isOurs ? ours : "as configured")")
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
