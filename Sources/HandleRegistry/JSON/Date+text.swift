import Postgres

package import struct FoundationEssentials.Date

/// Moments and days as text. (Foundation's formats end at milliseconds; the database counts microseconds.)
extension Date {
    /// RFC 3339 in UTC, with milliseconds, without the rest of the microseconds: `2026-11-21T10:00:00.123Z`.
    package var rfc3339: String { text(decimals: 3) }

    /// RFC 3339 in UTC, with microseconds: `2026-11-21T10:00:00.123456Z`.
    package var moment: String { text(decimals: 6) }

    /// - Parameter decimals: at most 6.
    private func text(decimals: Int) -> String {
        let (seconds, fraction) = microsecondsSince1970.flooredDivision(by: 1_000_000)
        let (days, second) = seconds.flooredDivision(by: 86400)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.digits(Int($0), 2) }
        return Self.text(ofDay: Int(days)) + "T"
            + clock.joined(separator: ":") + ".\(Self.digits(Int(fraction), 6).prefix(decimals))Z"
    }

    /// Parses the format of ``moment``, with up to six decimals; nil for other text, and after 9999-12-31T23:59:59Z.
    package init?(moment text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, let day = Self.day(bytes[..<10]), bytes[10] == UInt8(ascii: "T"),
            let hour = Self.number(bytes[11..<13]), let minute = Self.number(bytes[14..<16]),
            let second = Self.number(bytes[17..<19]), hour < 24, minute < 60, second < 60,
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), bytes.last == UInt8(ascii: "Z")
        else { return nil }
        var microseconds = 0
        let fraction = bytes[19..<(bytes.count - 1)]
        if !fraction.isEmpty {
            guard fraction.first == UInt8(ascii: "."), (2...7).contains(fraction.count),
                let digits = Self.number(fraction.dropFirst())
            else { return nil }
            microseconds = digits
            for _ in fraction.count..<7 { microseconds *= 10 }
        }
        let seconds = day * 86400 + hour * 3600 + minute * 60 + second
        self.init(microsecondsSince1970: Int64(seconds * 1_000_000 + microseconds))
        guard Date.writable.contains(self) else { return nil }
    }

    /// The first moment after a day in UTC, such as `2027-12-31`; on the last day of the year 9999 its last second. Nil
    /// if there is no such day.
    package init?(endOfDay text: String) {
        guard let start = Date(startOfDay: text) else { return nil }
        self = min(start.addingTimeInterval(86400), Date.writable.upperBound)
    }

    /// An end as text: a day in UTC is the last day, and another moment is RFC 3339. Nil for other text.
    package init?(end text: String) {
        guard let end = Date(endOfDay: text) ?? Date(moment: text) else { return nil }
        self = end
    }

    /// The text of an end that ``init(end:)`` reads as the same moment: the last day if the end is that of a day, and
    /// else the moment in milliseconds.
    package var end: String { Date(endOfDay: lastDay) == self ? lastDay : rfc3339 }

    /// The last day in UTC, such as `2027-12-31`, of a time that ends at this moment.
    package var lastDay: String {
        Self.text(ofDay: Int((microsecondsSince1970 - 1).flooredDivision(by: 86_400_000_000).0))
    }

    /// The first moment of a day in UTC; nil if there is no such day.
    package init?(startOfDay text: String) {
        guard let day = Self.day(Array(text.utf8)[...]) else { return nil }
        self.init(timeIntervalSince1970: Double(day * 86400))
    }

    /// - Parameter days: since 1970-01-01.
    private static func text(ofDay days: Int) -> String {
        let (year, month, day) = civil(fromDays: days)
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    /// Days since 1970-01-01; nil if there is no such day.
    private static func day(_ text: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(text)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            (1...12).contains(month), year > 0
        else { return nil }
        // Years are counted from March, so that a leap day is the last day of its year.
        let shifted = month > 2 ? year : year - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * ((month + 9) % 12) + 2) / 5
        let result = days + day - 1 - daysToEpoch
        return civil(fromDays: result) == (year, month, day) ? result : nil
    }

    /// From 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468
    /// The number of days in 400 years.
    private static let daysOfCycle = 146_097

    /// The date, from days since 1970-01-01.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let (cycle, rest) = (days + daysToEpoch).flooredDivision(by: daysOfCycle)
        let year = (rest - rest / 1460 + rest / 36524 - rest / 146_096) / 365
        let dayOfYear = rest - (365 * year + year / 4 - year / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (year + cycle * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { sum, byte in
            guard let sum, 0x30...0x39 ~= byte else { return nil }
            return sum * 10 + Int(byte - 0x30)
        }
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension FixedWidthInteger {
    /// The quotient rounded down, with a remainder that is not negative.
    fileprivate func flooredDivision(by divisor: Self) -> (Self, Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
