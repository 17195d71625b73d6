/// How many different names look like another one: they share its look-alike key.
package struct SharedKeys: Sendable, Equatable {
    /// All different names.
    package private(set) var names = 0
    /// Those that look like another one.
    package private(set) var alike = 0
    /// The groups of names with the same key.
    package private(set) var groups = 0

    package init() {}

    /// Notes a new name.
    /// - Parameter others: the number of earlier names with the same key.
    mutating func note(besides others: Int) {
        names += 1
        switch others {
        case 0: break
        case 1:
            // The earlier name looks like another one from now on.
            alike += 2
            groups += 1
        default: alike += 1
        }
    }
}
