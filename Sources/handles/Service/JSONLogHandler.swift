import Foundation
import HandleRegistry
import Logging

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
        Self.write(event.level, "\(event.message)", all)
    }

    /// Writes a line.
    static func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        var json = JSONWriter()
        json.object { json in
            json.member("time", Date.now.moment)
            json.member("level", level.rawValue)
            json.member("message", message)
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
                json.key(name: key)
                write(value, to: &json)
            }
        }
        json.newLine()
        // One write for each line, so that lines of other threads or of a parent process do not interleave.
        FileHandle.standardError.write(Data(json.bytes))
    }

    private static func write(_ value: Logger.MetadataValue, to json: inout JSONWriter) {
        switch value {
        case .stringConvertible(let number as any BinaryInteger): json.integer(number)
        case .stringConvertible(let number as Double): json.number(number)
        case .stringConvertible(let flag as Bool): json.boolean(flag)
        case .array(let values): json.array { json in for value in values { write(value, to: &json) } }
        case .dictionary(let members):
            json.object { json in
                for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                    json.key(name: key)
                    write(value, to: &json)
                }
            }
        default: json.string("\(value)")
        }
    }
}
