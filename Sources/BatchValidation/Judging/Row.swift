import HandleCore

/// What is known of one record of the input, in as few bytes as will do: there are millions of them.
struct Row: Sendable {
    /// The name as spelled, when each character is allowed and there are 15 at most; else empty.
    var letters = PackedASCII()
    /// The place of a reserved word in the list, or of the reading in ``JudgedChunk/readings``; -1 for neither.
    var place: Int32 = -1
    /// The place of what the registry knows in ``JudgedChunk``; -1 for nothing.
    var finding: Int32 = -1
    /// How many characters the name has.
    var length: Int32 = 0
    /// The rules of form that it breaks.
    var broken: Reading.Form = []
    var kind = Kind.plain
    var duplicate = Duplicate.none
    /// The line of the first row that this is a duplicate of, from 1.
    var firstLine = 0

    enum Kind: UInt8, Sendable {
        /// Letters, digits and underscores; what is known of the name is here.
        case plain
        /// Other characters: the reading is kept.
        case unusual
        /// The record could not be read.
        case unreadable
    }

    /// The place of the reserved word that the name is or is a disguise of.
    var word: Int? { kind == .plain && place >= 0 ? Int(place) : nil }
}

/// In what way a name has been in the file before.
package enum Duplicate: UInt8, Sendable, CaseIterable {
    case none
    /// The same display handle.
    case exact
    /// The same handle in other capitals.
    case capitals
    /// Another handle with the same look-alike key.
    case lookalike

    /// What reports call it.
    package var code: StaticString {
        switch self {
        case .none: ""
        case .exact: "exact"
        case .capitals: "capitals"
        case .lookalike: "lookalike"
        }
    }

    /// Whether the handle itself is the same, so that only one of the rows can have it.
    var isSameHandle: Bool { self == .exact || self == .capitals }
}
