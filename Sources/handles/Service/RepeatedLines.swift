import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Warnings and errors that are logged again and again, such as by every request while the database is away.
///
/// The first line of a kind is written at once. The following ones are counted; while there are more, a line every few
/// seconds repeats the last one with their number, `times`.
final class RepeatedLines<C: Clock>: Service where C.Duration == Duration {
    private enum Kind: Hashable {
        case line(Logger.Level, message: String, error: String)
        case others(Logger.Level)
    }

    private struct Count {
        var times = 0
        var last: (event: LogEvent, handler: any LogHandler)?
    }

    private let clock: C
    private let counts = NIOLockedValueBox<[Kind: Count]>([:])

    private static var interval: Duration { .seconds(5) }

    /// The most kinds that are told apart; further ones are counted together.
    private static var mostKinds: Int { 8 }

    init(clock: C) { self.clock = clock }

    /// Counts a line, unless it is the first one of its kind.
    /// - Returns: true if `handler` is to write it.
    func isFirst(_ event: LogEvent, _ handler: any LogHandler) -> Bool {
        let error = event.metadata?["error"].map { "\($0)" } ?? ""
        return counts.withLockedValue { counts in
            var kind = Kind.line(event.level, message: "\(event.message)", error: error)
            if counts[kind] == nil, counts.count >= Self.mostKinds { kind = .others(event.level) }
            guard let times = counts[kind]?.times else {
                counts[kind] = Count()
                return true
            }
            counts[kind] = Count(times: times + 1, last: (event, handler))
            return false
        }
    }

    /// Writes the counts, and forgets the kinds without a line since the last time.
    private func flush() {
        let counted = counts.withLockedValue { counts in
            let counted = counts.values.filter { $0.times > 0 }
            counts = counts.filter { $0.value.times > 0 }.mapValues { _ in Count() }
            return counted
        }
        for count in counted {
            guard let (last, handler) = count.last else { continue }
            var event = last
            event.metadata = (event.metadata ?? [:]).merging(["times": .stringConvertible(count.times)]) { $1 }
            handler.log(event: event)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                // A shutdown interrupts the sleep; the last counts are written then.
                try? await clock.sleep(for: Self.interval)
                flush()
            }
        }
    }
}

/// Passes lines to another handler; of repeated warnings and errors only the first one.
struct RepeatedLinesHandler<C: Clock>: LogHandler where C.Duration == Duration {
    var handler: any LogHandler
    let lines: RepeatedLines<C>

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }
    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }
    var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        if event.level < .warning || lines.isFirst(event, handler) { handler.log(event: event) }
    }
}
