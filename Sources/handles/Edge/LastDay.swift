import ArgumentParser
import Foundation

/// The last day (UTC) on which something is in force.
enum LastDay {
    /// The moment after the last moment of a day.
    /// - Parameter option: what the day was given as, such as `--until`.
    static func parse(_ text: String, option: String) throws -> Date {
        let end = try Day.parse(text, option: option).addingTimeInterval(Day.length)
        guard end > Date.now else { throw ValidationError("\(option) is over already.") }
        return end
    }
}
