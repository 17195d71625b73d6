package import Foundation

/// Dates in HTTP, from cookies, `Retry-After` and `Date`, in every form that servers write.
///
/// They are parsed as browsers parse the date of a cookie (RFC 6265, 5.1.1): the first part of each kind counts.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// - Returns: nil when the text is not a date.
    package static func read(_ text: some StringProtocol) -> Date? {
        var time: (Int, Int, Int)?
        var day: Int?, month: Int?, year: Int?
        // Every character but letters, digits and colons separates parts.
        for part in text.utf8.split(whereSeparator: { !isPart($0) }) {
            let part = String(decoding: part, as: UTF8.self)
            if time == nil, let found = timeOfDay(part) {
                time = found
            } else if day == nil, let found = number(part, 1...2) {
                day = found
            } else if month == nil, let found = months.firstIndex(of: part.prefix(3).lowercased()) {
                month = found + 1
            } else if year == nil, let found = number(part, 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let (hour, minute, second) = time, let day, let month, let year, year >= 1601 else { return nil }
        let components = DateComponents(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = calendar.date(from: components), calendar.component(.day, from: date) == day else {
            return nil
        }
        return date
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), 0x80...: true
        default: false
        }
    }

    private static func timeOfDay(_ part: String) -> (Int, Int, Int)? {
        let numbers = part.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 1...2) }
        guard numbers.count == 3, let hour = numbers[0], let minute = numbers[1], let second = numbers[2],
            hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour, minute, second)
    }

    /// The digits at the start of `part`, if their number is in `count`.
    private static func number(_ part: String, _ count: ClosedRange<Int>) -> Int? {
        let digits = part.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard count.contains(digits.count) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
