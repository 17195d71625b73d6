/// What an operator may set about the life of a handle.
package struct Policy: Sendable {
    /// How long a hold lasts when nothing else is asked for.
    package var hold = Duration.seconds(600)
    /// How long after the end of a hold its owner may not hold the same name again, so that nobody holds one for ever.
    package var holdPause = Duration.seconds(600)
    /// How long a released name is kept from others; zero frees it at once.
    package var quarantine = Duration.seconds(30 * 86400)
    /// How many handles an owner may claim; 0 for no limit.
    package var perOwner: Int64 = 1
    /// Whose look-alikes can't be had.
    package var lookalikes = Lookalikes.protected

    package enum Lookalikes: String, Sendable, CaseIterable {
        /// Those of names that are reserved or were reserved for their owner, and, as long as they are, of names that are
        /// held or in quarantine.
        case protected
        /// Those of every name in use.
        case strict
    }

    /// How long a hold may be asked to last. Longer ones would be a way to hoard names.
    package static let holdRange = Duration.seconds(1)...Duration.seconds(3600)
    /// How many given-up names are kept for their former owner; beyond that the oldest goes free.
    static let quarantinedPerOwner = 3

    package init() {}
}
