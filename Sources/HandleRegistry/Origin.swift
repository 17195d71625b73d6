import HandleCore

import struct FoundationEssentials.Date

/// From which state its owner got a name that is claimed or in quarantine: what was reserved for them protects its
/// look-alikes.
struct Origin: Sendable {
    /// An event, as far as it counts here.
    struct Step: Sendable {
        let from: State
        let to: State
        let at: Date
        let until: Date?
    }

    /// Nil as long as no step says it.
    private(set) var state: State?
    private var lapses: Date?

    /// Goes one event further.
    mutating func follow(_ step: Step) {
        let hasLapsed = lapses.map { $0 <= step.at } ?? false
        let from = hasLapsed ? .free : step.from
        if step.to == .claimed, from != .claimed, from != .quarantined { state = from }
        lapses = step.until
    }
}
