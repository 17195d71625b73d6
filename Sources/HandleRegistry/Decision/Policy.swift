/// The operator's settings for the life of a handle.
package struct Policy: Sendable {
    /// Default length of a hold.
    package var hold = Duration.seconds(600)
    /// Time after the end of a hold in which its owner may not hold the same handle again, so that a handle can't be
    /// held for ever.
    package var holdPause = Duration.seconds(600)
    /// Time for which a released handle is kept for its former owner; zero frees it at once.
    package var quarantine = Duration.seconds(30 * 86400)
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
    /// The most handles in quarantine for one owner; beyond that the oldest is freed.
    static let quarantinedPerOwner = 3

    package init() {}
}
