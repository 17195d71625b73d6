import Foundation
import Logging
import WireJSON

/// Writes the log to the standard error, one object a line: `time`, `level`, `message` and the metadata.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.notice
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// The server's own request id in every line of a request. It is left out, because clients only know `request_id`.
    private static let serversOwn = "hb.request.id"

    func log(event: LogEvent) {
        var all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        all[Self.serversOwn] = nil
        var json = JSONWriter()
        json.object { json in
            json.member("time", Date.now.moment)
            json.member("level", event.level.rawValue)
            json.member("message", "\(event.message)")
            for (key, value) in all.sorted(by: { $0.key < $1.key }) {
                json.key(name: key)
                json.string("\(value)")
            }
        }
        // One write for each line, so that lines of other threads or of a parent process do not interleave.
        FileHandle.standardError.write(Data(json.bytes + [UInt8(ascii: "\n")]))
    }
}
