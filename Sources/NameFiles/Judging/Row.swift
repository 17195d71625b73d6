import HandleRules

/// The result for one record of the input. Kept small, as there are millions of them.
struct Row: Sendable {
    /// The name as spelled; empty if a character is not allowed or the name has more than 15.
    var letters = PackedASCII()
    /// Index of a reserved word in the list, or of the reading in ``JudgedChunk/readings``; -1 for neither.
    var place: Int32 = -1
    /// Index among the names that the registry knows, in ``JudgedChunk``; -1 for none.
    var known: Int32 = -1
    /// Number of characters of the name.
    var length: Int32 = 0
    /// The rules of form that the name breaks.
    var broken: Reading.Form = []
    var kind = Kind.plain
    var duplicate = Duplicate.none
    /// The line of the first row of which this one is a duplicate, from 1.
    var firstLine = 0

    enum Kind: UInt8, Sendable {
        /// Only letters, digits and underscores; the row itself has all data about the name.
        case plain
        /// Other characters; ``JudgedChunk/readings`` has the reading.
        case unusual
        /// The record is unreadable.
        case unreadable
        /// The record is blank.
        case blank
    }

    /// Index of the reserved word that matches the name.
    var word: Int? { kind == .plain && place >= 0 ? Int(place) : nil }
}

/// The relation of a name to an earlier name of the file.
package enum Duplicate: UInt8, Sendable, CaseIterable {
    case none
    /// The same display handle.
    case exact
    /// The same handle in other capitals.
    case capitals
    /// Another handle with the same look-alike key.
    case lookalike

    /// The code in reports.
    package var code: StaticString {
        switch self {
        case .none: ""
        case .exact: "exact"
        case .capitals: "capitals"
        case .lookalike: "lookalike"
        }
    }

    /// Whether both rows have the same handle, so that only one of them can get it.
    var isSameHandle: Bool { self == .exact || self == .capitals }
}
