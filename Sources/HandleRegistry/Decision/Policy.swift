/// The operator's settings for the life of a handle.
package struct Policy: Sendable {
    /// Default length of a hold.
    package var hold = Duration.seconds(600)
    /// Time after the end of a hold in which its owner may not hold the same handle again, so that a handle can't be
    /// held for ever.
    package var holdPause = Duration.seconds(600)
    /// Time for which a released handle is kept for its former owner; zero frees it at once.
    package var quarantine = Duration.seconds(30 * 86400)
    /// Handles in quarantine with which an owner can't get a further one; 0 for no limit. So quarantine can't be used to
    /// hoard handles, and no change frees a handle before its time.
    package var keptNames: Int64 = 3
    /// Handles that an owner may claim; 0 for no limit.
    package var perOwner: Int64 = 1
    /// The look-alikes that are refused.
    package var lookalikes = Lookalikes.protected
    /// Categories of reserved words that have no effect. Words of locked ones always have an effect.
    package var wordsOff: Set<String> = []

    package enum Lookalikes: String, Sendable, CaseIterable {
        /// Those of handles that are reserved, or were when their owner claimed them; and those of held and quarantined
        /// handles, until they lapse.
        case protected
        /// Those of every handle in use.
        case strict
    }

    /// Permitted lengths of a hold. Longer holds would be a way to hoard handles.
    package static let holdRange = Duration.seconds(1)...Duration.seconds(3600)
    /// Permitted lengths of an offer of a handle to others.
    package static let offerRange = Duration.seconds(1)...Duration.seconds(7 * 86400)
    /// Default length of an offer.
    static let offer = Duration.seconds(86400)

    package init() {}
}
