import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import Postgres
import Testing

@Suite struct MomentTests {
    @Test func momentAgreesWithFoundation() throws {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for days in stride(from: -140_000, to: 2_900_000, by: 997) {
            let date = Date(timeIntervalSince1970: Double(days) * 86400 + 3661)
            #expect(date.rfc3339 == date.ISO8601Format(format))
            #expect(date.moment == date.ISO8601Format(format).dropLast() + "000Z")
            #expect(Date(moment: date.moment) == date)
        }
    }

    /// Up to the last day, 9999-12-31.
    @Test func everyWrittenMomentCanBeRead() throws {
        var random = SeededGenerator(seed: 7)
        let days = (0..<2000).map { _ in Int.random(in: -719_162...2_932_896, using: &random) } + [-719_162, 2_932_896]
        for day in days {
            let start = Date(timeIntervalSince1970: Double(day) * 86400)
            #expect(Date(moment: start.moment) == start)
            let text = String(start.moment.prefix(10))
            let end = try #require(Date(endOfDay: text))
            #expect(Date(startOfDay: text) == start && Date(moment: end.moment) == end)
            let within = start.addingTimeInterval(.random(in: 0..<86399, using: &random))
            let read = try #require(Date(moment: within.moment))
            #expect(read.moment == within.moment && read.microsecondsSince1970 == within.microsecondsSince1970)
        }
        #expect(Date(endOfDay: "9999-12-31")?.moment == "9999-12-31T23:59:59.000000Z")
        #expect(Date(moment: "9999-12-31T23:59:59.5Z") == nil)
    }

    @Test(arguments: [
        ("2027-12-31", "2028-01-01T00:00:00.000Z", "2027-12-31"),
        ("2028-02-29", "2028-03-01T00:00:00.000Z", "2028-02-29"),
        ("9999-12-31", "9999-12-31T23:59:59.000Z", "9999-12-31"),
        ("1969-12-31", "1970-01-01T00:00:00.000Z", "1969-12-31"),
        ("2028-01-01T00:00:00Z", "2028-01-01T00:00:00.000Z", "2027-12-31"),
        ("2028-01-01T10:30:00.500Z", "2028-01-01T10:30:00.500Z", "2028-01-01T10:30:00.500Z"),
    ])
    func endIsWrittenAsItsLastDayOrElseAsAMoment(_ text: String, _ moment: String, _ written: String) throws {
        let end = try #require(Date(end: text))
        #expect(end.rfc3339 == moment && end.end == written && Date(end: written) == end)
        #expect(end.lastDay == written.prefix(10))
    }

    @Test(arguments: ["", "2027-02-29", "2027-12-31 ", "2027-12-31T00:00", "31.12.2027", "2028-01-01T00:00:00+01:00"])
    func otherTextIsNoEnd(_ text: String) { #expect(Date(end: text) == nil) }

    @Test func millisecondsAreRoundedDown() throws {
        let texts: [Int64: String] = [
            -1: "1969-12-31T23:59:59.999Z", 0: "1970-01-01T00:00:00.000Z", 999: "1970-01-01T00:00:00.000Z",
            1000: "1970-01-01T00:00:00.001Z", 123_999: "1970-01-01T00:00:00.123Z",
            999_999: "1970-01-01T00:00:00.999Z", 1_000_000: "1970-01-01T00:00:01.000Z",
        ]
        for (microseconds, text) in texts {
            #expect(Date(microsecondsSince1970: microseconds).rfc3339 == text)
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 9.2e12, -2.2e11, .greatestFiniteMagnitude])
    func dateOutOfRangeDoesNotTrap(_ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.moment.count == 27)
        var parameters = Parameters()
        parameters.add(date)
    }

    @Test func momentKeepsMicroseconds() throws {
        for microsecond in stride(from: 0, to: 1_000_000, by: 12_347) {
            let text = "2026-11-21T23:59:59." + String(String(1_000_000 + microsecond).dropFirst()) + "Z"
            #expect(Date(moment: text)?.moment == text)
        }
        #expect(Date(moment: "2026-11-21T10:00:00Z")?.moment == "2026-11-21T10:00:00.000000Z")
        #expect(Date(moment: "2026-11-21T10:00:00.5Z")?.moment == "2026-11-21T10:00:00.500000Z")
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:00:00", "2026-13-01T10:00:00Z", "2026-02-30T10:00:00Z", "2026-11-21 10:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00.1234567Z",
        "2026-11-21T10:00:00+01:00", "2026-11-21T1x:00:00Z", "0000-01-01T00:00:00Z",
    ])
    func malformedMomentIsRejected(_ text: String) { #expect(Date(moment: text) == nil) }

    @Test(arguments: [
        ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000000Z"),
        ("2026-11-21t10:00:00.5z", "2026-11-21T10:00:00.500000Z"),
        ("2026-11-21T10:00:00+00:00", "2026-11-21T10:00:00.000000Z"),
        ("2026-11-21T10:00:00.25+01:30", "2026-11-21T08:30:00.250000Z"),
        ("2026-12-31T23:00:00-01:00", "2027-01-01T00:00:00.000000Z"),
        ("2026-11-21T10:00:00.123456789Z", "2026-11-21T10:00:00.123456Z"),
        ("2026-11-21T10:00:00.1234567+00:00", "2026-11-21T10:00:00.123456Z"),
    ])
    func rfc3339IsReadWithAnyOffset(_ text: String, _ moment: String) {
        #expect(Date(rfc3339: text)?.moment == moment)
    }

    @Test(arguments: [
        "", "Z", "+01:00", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21T10:00:00+0100", "2026-11-21T10:00:00+24:00",
        "2026-11-21T10:00:00.123456x9Z", "2026-11-21T10:00:00.Z", "9999-12-31T23:59:59-01:00",
        "0001-01-01T00:00:00+01:00",
        "2026-11-21T10:00:00 +01:00", "tomorrow",
    ])
    func otherTextIsNotRFC3339(_ text: String) { #expect(Date(rfc3339: text) == nil) }

    @Test func endOfADayIsTheStartOfTheNext() throws {
        #expect(Date(endOfDay: "2027-12-31")?.moment == "2028-01-01T00:00:00.000000Z")
        #expect(Date(endOfDay: "2028-02-29")?.moment == "2028-03-01T00:00:00.000000Z")
        for text in ["2027-02-29", "2027-12-32", "2027-00-10", "27-12-31", "2027-1-1", "tomorrow", "", "2027/12/31"] {
            #expect(Date(endOfDay: text) == nil, "\(text)")
        }
    }
}
