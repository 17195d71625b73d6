import HandleRules

import struct FoundationEssentials.Date

/// The state from which the owner of a claimed or quarantined handle got it. If it was `reserved`, look-alikes of the
/// handle are refused.
struct Origin: Sendable {
    /// The fields of an event that count here.
    struct Step: Sendable {
        let from: Handle.State
        let to: Handle.State
        let at: Date
        let until: Date?
        /// True if the event put the handle back to what it was before the event before.
        let isRevert: Bool
    }

    /// Nil until an event shows it.
    private(set) var state: Handle.State?
    /// The same before the last event.
    private var before: Handle.State?
    private var lapses: Date?

    /// Applies the next event.
    mutating func follow(_ step: Step) {
        defer { lapses = step.until }
        (before, state) = (state, step.isRevert ? before : state)
        if step.isRevert { return }
        let hasLapsed = lapses.map { $0 <= step.at } ?? false
        let from = hasLapsed ? .free : step.from
        if step.to == .claimed, from != .claimed, from != .quarantined { state = from }
    }
}

extension Origin {
    /// - Parameter events: those of a handle, oldest first.
    init(of events: [Event]) {
        self.init()
        for event in events {
            follow(
                Step(
                    from: event.from, to: event.to, at: event.at, until: event.until,
                    isRevert: event.action == .reverted))
        }
    }
}
