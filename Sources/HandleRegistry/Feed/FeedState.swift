/// Which events the feed has.
package struct FeedState: Sendable, Equatable {
    /// The number of the last event; numbers count from 1.
    package var seq: Int64
    /// Events up to this number are not kept any more.
    package var floor: Int64
    /// For how long events are kept; zero if the feed is off.
    package var kept: Duration

    package var isOn: Bool { kept > .zero }

    /// The number of the last event; nil if the feed is off.
    package var position: Int64? { isOn ? seq : nil }

    /// True if the feed has every event after the one with this number.
    package func has(after cursor: Int64) -> Bool { isOn && (floor...seq).contains(cursor) }
}
