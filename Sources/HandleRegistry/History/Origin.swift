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
    }

    /// Nil until an event shows it.
    private(set) var state: Handle.State?
    private var lapses: Date?

    /// Applies the next event.
    mutating func follow(_ step: Step) {
        let hasLapsed = lapses.map { $0 <= step.at } ?? false
        let from = hasLapsed ? .free : step.from
        if step.to == .claimed, from != .claimed, from != .quarantined { state = from }
        lapses = step.until
    }
}
