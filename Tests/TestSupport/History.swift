/// What clients did to one name and what they were told, for a check that it could have happened one after the other.
public struct History: Sendable {
    public struct Operation: Sendable {
        public enum Kind: Sendable, Hashable {
            case claim(by: String)
            case release
        }

        public enum Result: Sendable, Hashable {
            case done, already, refused
            /// No answer came: it may have happened at any time after it was asked for, or never.
            case unknown
        }

        public let kind: Kind
        public let result: Result
        public let start: ContinuousClock.Instant
        public let end: ContinuousClock.Instant

        public init(
            _ kind: Kind, _ result: Result, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
        ) {
            self.kind = kind
            self.result = result
            self.start = start
            self.end = end
        }
    }

    public private(set) var operations: [Operation]

    public init(_ operations: [Operation] = []) { self.operations = operations }

    public mutating func append(_ operation: Operation) { operations.append(operation) }

    /// What the name is, as the specification has it.
    private enum State: Hashable {
        case free
        case claimed(String)
        case quarantined(String)

        /// The state after the operation, when its result is possible here.
        func after(_ kind: Operation.Kind, _ result: Operation.Result) -> State? {
            switch (kind, result, self) {
            case (.claim(let owner), .done, .free): .claimed(owner)
            case (.claim(let owner), .done, .quarantined(let former)) where former == owner: .claimed(owner)
            case (.claim(let owner), .already, .claimed(let has)) where has == owner: self
            case (.claim(let owner), .refused, .claimed(let other)) where other != owner: self
            case (.claim(let owner), .refused, .quarantined(let other)) where other != owner: self
            case (.release, .done, .claimed(let owner)): .quarantined(owner)
            case (.release, .already, .quarantined), (.release, .refused, .free): self
            case (_, .unknown, _): after(kind, .done) ?? self
            default: nil
            }
        }
    }

    /// Whether there is an order of the operations, each somewhere between its start and its end, in which every result
    /// is right (linearizability; Wing and Gong's search with the states that failed remembered, after Lowe).
    public var isLinearizable: Bool {
        let operations = operations.sorted { $0.start < $1.start }
        struct Place: Hashable {
            var done: Set<Int>
            /// All operations before this one are done.
            var first: Int
            var state: State
        }
        var failed: Set<Place> = []
        var stack = [Place(done: [], first: 0, state: .free)]
        while let place = stack.popLast() {
            guard failed.insert(place).inserted else { continue }
            // Whoever ends first among those not done yet must come before all that start later.
            var limit: ContinuousClock.Instant?
            var candidates: [Int] = []
            var index = place.first
            while index < operations.count {
                defer { index += 1 }
                if place.done.contains(index) { continue }
                let operation = operations[index]
                if let limit, operation.start > limit { break }
                candidates.append(index)
                if operation.result != .unknown { limit = min(limit ?? operation.end, operation.end) }
            }
            // Only operations without an answer are left, and they may never have happened.
            if candidates.allSatisfy({ operations[$0].result == .unknown }), index >= operations.count { return true }
            for candidate in candidates {
                guard let state = place.state.after(operations[candidate].kind, operations[candidate].result) else {
                    continue
                }
                var next = Place(done: place.done, first: place.first, state: state)
                next.done.insert(candidate)
                while next.done.remove(next.first) != nil { next.first += 1 }
                stack.append(next)
            }
        }
        return false
    }
}
