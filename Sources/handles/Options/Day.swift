import ArgumentParser
import Foundation
import HandleRegistry

/// Days and times in the format of options and output, in UTC.
enum Day {
    /// The first moment of a day.
    /// - Parameter option: the option in the message, such as `--since`.
    static func parse(_ text: String, option: String) throws -> Date {
        guard let start = Date(startOfDay: text) else {
            throw ValidationError("\(option) is a day such as 2027-12-31.")
        }
        return start
    }

    /// The day of a moment: `2027-12-31`.
    static func text(_ date: Date) -> String { String(date.rfc3339.prefix(10)) }

    /// A date and time to the minute: `2027-12-31 23:59`.
    static func minute(_ date: Date) -> String { String(date.rfc3339.prefix(16)).replacing("T", with: " ") }
}
