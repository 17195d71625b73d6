/// The operations of clients on one name and their results, for a check that they are linearizable.
package struct History: Sendable {
    package struct Operation: Sendable {
        package enum Kind: Sendable, Hashable {
            case claim(by: String)
            case release
        }

        package enum Result: Sendable, Hashable {
            case done, already, refused
            /// No answer arrived: the operation may have taken effect at any time after its start, or never.
            case unknown
        }

        package let kind: Kind
        package let result: Result
        package let start: ContinuousClock.Instant
        package let end: ContinuousClock.Instant

        package init(
            _ kind: Kind, _ result: Result, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
        ) {
            self.kind = kind
            self.result = result
            self.start = start
            self.end = end
        }
    }

    package private(set) var operations: [Operation]

    package init(_ operations: [Operation] = []) { self.operations = operations }

    package mutating func append(_ operation: Operation) { operations.append(operation) }

    /// The state of the name by the specification.
    private enum State: Hashable {
        case free
        case claimed(String)
        case quarantined(String)

        /// The state after the operation; nil if the result is not possible in this state.
        func after(_ kind: Operation.Kind, _ result: Operation.Result) -> State? {
            switch (kind, result, self) {
            case (.claim(let owner), .done, .free): .claimed(owner)
            case (.claim(let owner), .done, .quarantined(let former)) where former == owner: .claimed(owner)
            case (.claim(let owner), .already, .claimed(let has)) where has == owner: self
            case (.claim(let owner), .refused, .claimed(let other)) where other != owner: self
            case (.claim(let owner), .refused, .quarantined(let other)) where other != owner: self
            case (.release, .done, .claimed(let owner)): .quarantined(owner)
            case (.release, .already, .quarantined), (.release, .refused, .free): self
            default: nil
            }
        }
    }

    /// Whether the operations are linearizable: there is an order, in which each takes effect between its start and its
    /// end, that makes every result right. This is Wing and Gong's search with Lowe's memory of the places that failed.
    ///
    /// An operation without an answer may be left out, and is interchangeable with the others of its kind that have
    /// begun. So a place counts how many of each kind it has used. A place that has used at least as many of every kind
    /// as one seen before, and is otherwise equal, is not searched again.
    package var isLinearizable: Bool {
        let known = operations.filter { $0.result != .unknown }.sorted { $0.start < $1.start }
        let unknown = Dictionary(grouping: operations.filter { $0.result == .unknown }, by: \.kind)
            .map { (kind: $0, starts: $1.map(\.start).sorted()) }
        /// A point of the search.
        struct Place {
            /// The answered operations that are placed: all before `first`, and `later` ones behind it.
            struct Known: Hashable {
                var first = 0
                var later: Set<Int> = []
                var state = State.free
            }
            var known = Known()
            /// How many operations without an answer are placed, by the index of their kind.
            var used: [Int]
        }
        var seen: [Place.Known: [[Int]]] = [:]
        var stack = [Place(used: unknown.map { _ in 0 })]
        while let place = stack.popLast() {
            guard place.known.first < known.count else { return true }
            let isNoBetter = seen[place.known, default: []].contains { zip($0, place.used).allSatisfy(<=) }
            if isNoBetter { continue }
            seen[place.known, default: []].append(place.used)

            // Of the operations not placed yet, the one that ends first must precede all that start after its end.
            var limit = known[place.known.first].end
            var candidates: [Int] = []
            for index in known.indices[place.known.first...] where !place.known.later.contains(index) {
                if known[index].start > limit { break }
                candidates.append(index)
                limit = min(limit, known[index].end)
            }
            for (number, (kind, starts)) in unknown.enumerated() {
                let used = place.used[number]
                guard used < starts.count, starts[used] <= limit, let state = place.known.state.after(kind, .done)
                else { continue }
                var next = place
                next.known.state = state
                next.used[number] += 1
                stack.append(next)
            }
            // The last place is searched next: answered operations in the order of their starts, usually the right one.
            for index in candidates.reversed() {
                guard let state = place.known.state.after(known[index].kind, known[index].result) else { continue }
                var next = place
                next.known.state = state
                next.known.later.insert(index)
                while next.known.later.remove(next.known.first) != nil { next.known.first += 1 }
                stack.append(next)
            }
        }
        return false
    }

    /// The same as ``isLinearizable``, by trying every order. Only for a few operations.
    package var hasAnOrder: Bool {
        func search(_ left: [Operation], _ state: State) -> Bool {
            if left.allSatisfy({ $0.result == .unknown }) { return true }
            return left.indices.contains { index in
                let operation = left[index]
                var others = left
                others.remove(at: index)
                // Another operation had ended before this one started, so it comes first.
                let isTooEarly = others.contains { $0.result != .unknown && $0.end < operation.start }
                guard !isTooEarly else { return false }
                let result = operation.result == .unknown ? .done : operation.result
                return state.after(operation.kind, result).map { search(others, $0) } ?? false
            }
        }
        return search(operations, .free)
    }
}

extension History {
    /// The operations around the first moment at which no order is possible, in words; nil if an order exists.
    package var firstFault: String? {
        guard !isLinearizable else { return nil }
        let ends = operations.map(\.end).sorted()
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if upTo(ends[middle]).isLinearizable { low = middle + 1 } else { high = middle }
        }
        let (begin, fault) = (operations.map(\.start).min() ?? ends[low], ends[low])
        return operations.filter { $0.start <= fault && $0.end >= fault - .milliseconds(200) }
            .sorted { $0.start < $1.start }
            .map { "\($0.start - begin) to \($0.end - begin): \($0.kind) \($0.result)" }.joined(separator: "\n")
    }

    /// The history up to a moment: operations that had no answer by then are unknown.
    private func upTo(_ moment: ContinuousClock.Instant) -> History {
        History(
            operations.filter { $0.start <= moment }.map {
                $0.end <= moment ? $0 : Operation($0.kind, .unknown, from: $0.start, to: $0.end)
            })
    }
}
