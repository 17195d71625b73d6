import HandleRules

/// The facts about a write that only its event has.
struct HistoryNote: Sendable {
    let action: Event.Action
    let cause: Cause
    /// The number of the change.
    let number: Int64
    /// The other handle of a rename, or the protected handle for which an exception is made.
    let related: Handle?

    init(_ action: Event.Action, _ cause: Cause, _ number: Int64, related: Handle? = nil) {
        self.action = action
        self.cause = cause
        self.number = number
        self.related = related
    }
}
