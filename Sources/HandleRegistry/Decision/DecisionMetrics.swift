package import HandleRules
import NIOConcurrencyHelpers

/// Counters of the decisions of checks.
package final class DecisionMetrics: Sendable {
    private let state = NIOLockedValueBox<(available: Int, refused: [Reason.Code: Int])>((0, [:]))

    func note(_ decision: Decision) { note(CollectionOfOne(decision)) }

    func note(_ decisions: some Collection<Decision>) {
        state.withLockedValue { state in
            for decision in decisions {
                if let reason = decision.reasons.first {
                    state.refused[reason.code, default: 0] += 1
                } else {
                    state.available += 1
                }
            }
        }
    }

    /// Handles that were available.
    package var available: Int { state.withLockedValue(\.available) }

    /// Handles that were not available, by the first reason.
    package var refused: [Reason.Code: Int] { state.withLockedValue(\.refused) }
}
