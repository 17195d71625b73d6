import ArgumentParser
import Foundation
import HandleRegistry

/// The last day (UTC) on which something is in force, or the moment at which it ends.
enum LastDay {
    /// The first moment after the day.
    /// - Parameter option: the option in the message, such as `--until`.
    static func parse(_ text: String, option: String) throws -> Date {
        guard let end = Date(end: text) else {
            throw ValidationError("\(option) is a day such as 2027-12-31.")
        }
        guard end > Date.now else { throw ValidationError("\(option) is over already.") }
        return end
    }
}
