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
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(date.tm_wday)]), \(two(date.tm_mday)) \(months[Int(date.tm_mon)]) \(date.tm_year + 1900)"
        return "\(day) \(two(date.tm_hour)):\(two(date.tm_min)):\(two(date.tm_sec)) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
