import Glibc
import NIOConcurrencyHelpers

/// The header `Date` (RFC 9110, 5.6.7), written once a second.
final class DateField: Sendable {
    private let last = NIOLockedValueBox((second: time_t.min, text: ""))

    /// - Parameter now: seconds since 1970.
    func text(at now: time_t = time(nil)) -> String {
        last.withLockedValue { last in
            if last.second != now { last = (now, Self.format(now)) }
            return last.text
        }
    }

    private static func format(_ second: time_t) -> String {
        var (second, date) = (second, tm())
        gmtime_r(&second, &date)
        // The names are English, because the program sets no locale.
        return String(unsafeUninitializedCapacity: 32) { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &date)
            }
        }
    }
}
