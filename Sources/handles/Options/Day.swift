import ArgumentParser
import Foundation
import HandleRegistry

/// Days and times in the format of options and output, in UTC.
enum Day {
    private static let format = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()

    /// The first moment of a day.
    /// - Parameter option: the option in the message, such as `--since`.
    static func parse(_ text: String, option: String) throws -> Date {
        guard let start = Date(startOfDay: text) else {
            throw ValidationError("\(option) is a day such as 2027-12-31.")
        }
        return start
    }

    /// The day of a moment: `2027-12-31`.
    static func text(_ date: Date) -> String { date.ISO8601Format(format) }

    /// A date and time to the minute: `2027-12-31 23:59`.
    static func minute(_ date: Date) -> String {
        let text = date.ISO8601Format(.init(timeZone: .gmt))
        return String(text.prefix(16)).replacing("T", with: " ")
    }
}
