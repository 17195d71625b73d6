import Glibc
import Postgres

package import struct FoundationEssentials.Date

/// Moments and days as text. (Foundation's formats end at milliseconds; the database counts microseconds.)
extension Date {
    /// RFC 3339 in UTC, with milliseconds, without the rest of the microseconds: `2026-11-21T10:00:00.123Z`.
    package var rfc3339: String { Self.text(microsecondsSince1970, 23) + "Z" }

    /// RFC 3339 in UTC, with microseconds: `2026-11-21T10:00:00.123456Z`.
    package var moment: String { Self.text(microsecondsSince1970, 26) + "Z" }

    /// The first characters of a moment in UTC: `2026-11-21T10:00:00.123456`. Long lists have millions of moments.
    private static func text(_ microseconds: Int64, _ count: Int) -> String {
        let (seconds, fraction) = microseconds.flooredDivision(by: 1_000_000)
        var (time, fields) = (time_t(seconds), tm())
        gmtime_r(&time, &fields)
        var text = Array("0000-00-00T00:00:00.000000".utf8)
        for (number, lastDigit) in [
            (fields.tm_year + 1900, 3), (fields.tm_mon + 1, 6), (fields.tm_mday, 9), (fields.tm_hour, 12),
            (fields.tm_min, 15), (fields.tm_sec, 18), (Int32(fraction), 25),
        ] {
            var (rest, place) = (number, lastDigit)
            // A year after 9999 loses its first digit.
            while rest > 0, place >= 0 {
                text[place] += UInt8(rest % 10)
                (rest, place) = (rest / 10, place - 1)
            }
        }
        return String(decoding: text[..<count], as: UTF8.self)
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
        let seconds = day + hour * 3600 + minute * 60 + second
        self.init(microsecondsSince1970: Int64(seconds * 1_000_000 + microseconds))
        guard Date.writable.contains(self) else { return nil }
    }

    /// Parses RFC 3339 with any offset from UTC, such as `2026-11-21T11:00:00+01:00`. Decimals after the sixth are left
    /// out. Nil for other text, for a leap second, and after 9999-12-31T23:59:59Z.
    package init?(rfc3339 text: String) {
        var bytes = Array(text.uppercased().utf8)
        var offset = 0
        if bytes.last != UInt8(ascii: "Z") {
            let zone = Array(bytes.suffix(6))
            guard zone.count == 6, let sign = [UInt8(ascii: "+"): 1, UInt8(ascii: "-"): -1][zone[0]],
                zone[3] == UInt8(ascii: ":"), let hour = Self.number(zone[1..<3]), let minute = Self.number(zone[4...]),
                hour < 24, minute < 60
            else { return nil }
            offset = sign * (hour * 3600 + minute * 60)
            bytes.replaceSubrange((bytes.count - 6)..., with: "Z".utf8)
        }
        let rest = bytes.dropFirst(26).dropLast()
        guard Self.number(rest.prefix(9)) != nil, rest.count <= 9 else { return nil }
        bytes.removeSubrange(rest.indices)
        guard let local = Date(moment: String(decoding: bytes, as: UTF8.self)) else { return nil }
        self.init(microsecondsSince1970: local.microsecondsSince1970 - Int64(offset) * 1_000_000)
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
    package var lastDay: String { Self.text(microsecondsSince1970 - 1, 10) }

    /// The first moment of a day in UTC; nil if there is no such day.
    package init?(startOfDay text: String) {
        guard let day = Self.day(Array(text.utf8)[...]) else { return nil }
        self.init(timeIntervalSince1970: Double(day))
    }

    /// The first second of a day, since 1970; nil if there is no such day.
    private static func day(_ text: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(text)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]), year > 0
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = timegm(&fields)
        // A day that does not exist has become one of another month.
        return fields.tm_mon == month - 1 && fields.tm_mday == day ? seconds : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { sum, byte in
            guard let sum, 0x30...0x39 ~= byte else { return nil }
            return sum * 10 + Int(byte - 0x30)
        }
    }
}

extension FixedWidthInteger {
    /// The quotient rounded down, with a remainder that is not negative.
    fileprivate func flooredDivision(by divisor: Self) -> (Self, Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
