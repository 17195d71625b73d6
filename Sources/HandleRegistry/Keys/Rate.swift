/// A rate limit: a quota in a time window.
package struct Rate: Sendable, Hashable {
    /// At least 1. The whole quota may be used at once.
    package let quota: Int
    /// The window in whole seconds, at least 1. The quota refills evenly over it.
    package let seconds: Int

    /// Nil if one of the numbers is out of range.
    package init?(_ quota: Int, perSeconds seconds: Int) {
        guard Self.range.contains(quota), Self.range.contains(seconds) else { return nil }
        self.quota = quota
        self.seconds = seconds
    }

    /// Range of both numbers.
    private static let range = 1...1_000_000_000
}
