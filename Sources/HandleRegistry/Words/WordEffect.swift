package import HandleRules

/// The effect of a change of a reserved word or innocent name.
package enum WordEffect: Sendable, Equatable {
    /// There was no such word or name.
    case added
    /// It was there with another category, kind, comment or end.
    case changed
    case removed
    /// It is there already, or taken off already, as wanted.
    case same
    /// The word is in the locked core and stays as it is.
    case locked(ReservedWord)
    /// The name can't be innocent, because it is a word itself.
    case reserved(ReservedWord)
    /// The name can't be innocent, because it is a built-in word that was taken off, and would be one again.
    case takenOff(ReservedWord)
    /// The name can't be innocent, because it imitates a word of the locked core.
    case imitates(ReservedWord)
    /// The innocent name is built in and stays.
    case builtInInnocent
    /// There is nothing to take off, and there never was.
    case unknown

    /// True if the change has to be made.
    package var isNew: Bool {
        switch self {
        case .added, .changed, .removed: true
        case .same, .locked, .reserved, .takenOff, .imitates, .builtInInnocent, .unknown: false
        }
    }
}
