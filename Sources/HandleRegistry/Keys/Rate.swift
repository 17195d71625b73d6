/// How much may be asked in how much time.
package struct Rate: Sendable, Hashable {
    /// How much, at least 1; all of it may come at once.
    package let quota: Int
    /// In how much time, whole seconds, at least one; as it passes, as much is given back bit by bit.
    package let seconds: Int

    /// Nil when there is nothing to ask or no time for it.
    package init?(_ quota: Int, perSeconds seconds: Int) {
        guard Self.range.contains(quota), Self.range.contains(seconds) else { return nil }
        self.quota = quota
        self.seconds = seconds
    }

    /// What quotas and seconds may be.
    private static let range = 1...1_000_000_000
}
