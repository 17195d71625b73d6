import NIOConcurrencyHelpers
import TestSupport

@testable import HandleRegistry

typealias TestCoalescer = Coalescer<String, Character, String, ManualClock>

/// Work that a test ends batch by batch. A request is a text; its weight is its length, and its keys are its capitals.
/// A request that begins with `!` fails, and one that begins with `?` can only be performed alone.
final class Workshop: Sendable {
    struct Failure: Error {}

    struct Begun: Sendable {
        let requests: [String]
        let isAlone: Bool
        fileprivate let end: CheckedContinuation<Void, Never>
    }

    private let batches = NIOLockedValueBox<(all: [[String]], open: [Begun])>(([], []))

    /// The batches begun so far; the request of one that is performed alone stands in brackets.
    var begun: [[String]] { batches.withLockedValue(\.all) }

    /// The batches under way, the oldest first.
    var open: [[String]] { batches.withLockedValue { $0.open.map(\.requests) } }

    func answers(to batch: TestCoalescer.Batch) async -> [TestCoalescer.Answer] {
        await withCheckedContinuation { end in
            let begun = Begun(requests: batch.requests, isAlone: batch.isAlone, end: end)
            batches.withLockedValue {
                $0.all.append(batch.isAlone ? batch.requests.map { "[\($0)]" } : batch.requests)
                $0.open.append(begun)
            }
        }
        return batch.requests.map { request in
            if request.hasPrefix("?"), !batch.isAlone { return .alone }
            return request.hasPrefix("!") ? .failure(Failure()) : .response(request.lowercased())
        }
    }

    /// Ends the batch of this request.
    func end(_ request: String) async throws {
        let begun = batches.withLockedValue { batches -> Begun? in
            let index = batches.open.firstIndex { $0.requests.contains(request) }
            return index.map { batches.open.remove(at: $0) }
        }
        begun?.end.resume()
    }

    /// Ends the oldest batch, once it has begun.
    func end() async throws {
        try await eventually("a batch is under way") { !open.isEmpty }
        batches.withLockedValue { $0.open.removeFirst() }.end.resume()
    }
}

extension CoalescerLimits {
    /// One batch at a time, and room for everything.
    static var one: CoalescerLimits { CoalescerLimits(batches: 1, batchWeight: 1000, waitingWeight: 1_000_000) }
}
