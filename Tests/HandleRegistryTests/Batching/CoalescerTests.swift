import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.timeLimit(.minutes(5))) struct CoalescerTests {
    private let clock = ManualClock()
    private let workshop = Workshop()

    private func coalescer(_ limits: CoalescerLimits = .one) -> TestCoalescer {
        TestCoalescer(
            of: "requests", limits, clock: clock, weight: \.count,
            keys: { $0.filter(\.isUppercase).map(\.self) },
            work: { [workshop] in await workshop.answers(to: $0) })
    }

    /// Adds a request and waits until the coalescer has it.
    private func add(
        _ request: String, to coalescer: TestCoalescer, within time: Duration = .seconds(5)
    ) async throws -> Task<String, any Error> {
        let before = coalescer.metrics.added
        let task = Task { try await coalescer.perform(request, until: clock.now.advanced(by: time)) }
        try await eventually("\(request) is added") { coalescer.metrics.added > before }
        return task
    }

    /// Adds a request and waits until it is in a batch of its own.
    private func begin(
        _ request: String, on coalescer: TestCoalescer, within time: Duration = .seconds(5)
    ) async throws -> Task<String, any Error> {
        let task = try await add(request, to: coalescer, within: time)
        try await eventually("\(request) begins") { workshop.open.contains([request]) }
        return task
    }

    /// The code of the error with which a request ends.
    private func code(of task: Task<String, any Error>) async -> PostgresError.Code? {
        guard case .failure(let error) = await task.result else { return nil }
        return (error as? PostgresError)?.code
    }

    @Test func requestsThatArriveDuringABatchArePerformedTogether() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer)
        var others: [Task<String, any Error>] = []
        for request in ["b", "cc", "d"] { others.append(try await add(request, to: coalescer)) }
        #expect(coalescer.metrics.waiting == 3)
        #expect(coalescer.metrics.waitingWeight == 4)
        try await workshop.end()
        #expect(try await first.value == "a")
        try await workshop.end()
        for (task, answer) in zip(others, ["b", "cc", "d"]) { #expect(try await task.value == answer) }
        #expect(workshop.begun == [["a"], ["b", "cc", "d"]])
        let metrics = coalescer.metrics
        #expect(metrics.batches == 2)
        #expect(metrics.callers == 4)
        #expect(metrics.weight == 5)
        #expect(metrics.waiting == 0)
    }

    @Test func batchHasAtMostItsWeightAndAHeavierRequestIsABatchOfItsOwn() async throws {
        var limits = CoalescerLimits.one
        limits.batchWeight = 3
        let coalescer = coalescer(limits)
        var tasks = [try await begin("a", on: coalescer)]
        for request in ["bb", "c", "ddddd", "e", "f"] { tasks.append(try await add(request, to: coalescer)) }
        for _ in 0..<4 { try await workshop.end() }
        for task in tasks { _ = try await task.value }
        #expect(workshop.begun == [["a"], ["bb", "c"], ["ddddd"], ["e", "f"]])
    }

    @Test func anotherBatchBeginsWhenEnoughWaits() async throws {
        var limits = CoalescerLimits.one
        (limits.batches, limits.weightForAnotherBatch) = (2, 3)
        let coalescer = coalescer(limits)
        var tasks = [try await begin("a", on: coalescer)]
        for request in ["b", "c"] { tasks.append(try await add(request, to: coalescer)) }
        #expect(coalescer.metrics.batches == 1)
        tasks.append(try await add("d", to: coalescer))
        try await eventually("another batch begins") { workshop.begun.count == 2 }
        tasks.append(try await add("eeeee", to: coalescer))
        #expect(coalescer.metrics.batches == 2)
        #expect(coalescer.metrics.waiting == 1)
        for _ in 0..<3 { try await workshop.end() }
        for task in tasks { _ = try await task.value }
        #expect(workshop.begun.filter { $0 != ["a"] } == [["b", "c", "d"], ["eeeee"]])
    }

    @Test func requestBeyondTheBoundIsRefusedUnlessNoneWaits() async throws {
        var limits = CoalescerLimits.one
        limits.waitingWeight = 3
        let coalescer = coalescer(limits)
        let first = try await begin("a", on: coalescer)
        let second = try await add("heavy", to: coalescer)
        let refused = Task { try await coalescer.perform("b", for: 3, until: clock.now.advanced(by: .seconds(5))) }
        #expect(await code(of: refused) == .overloaded)
        #expect(coalescer.metrics.refused == 3)
        for _ in 0..<2 { try await workshop.end() }
        #expect(try await [first.value, second.value] == ["a", "heavy"])
    }

    @Test func waiterLeavesAtItsDeadlineAndIsNotPerformed() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer, within: .seconds(60))
        let late = try await add("b", to: coalescer, within: .seconds(3))
        let later = try await add("c", to: coalescer, within: .seconds(7))
        let early = try await add("d", to: coalescer, within: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await code(of: early) == .timedOut)
        clock.advance(by: .seconds(2))
        #expect(await code(of: late) == .timedOut)
        #expect(coalescer.metrics.waiting == 1)
        for _ in 0..<2 { try await workshop.end() }
        #expect(try await [first.value, later.value] == ["a", "c"])
        #expect(workshop.begun == [["a"], ["c"]])
    }

    @Test func cancelledWaiterLeavesAtOnceAndIsNotPerformed() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer)
        let second = try await add("b", to: coalescer)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(coalescer.metrics.waiting == 0)
        #expect(coalescer.metrics.waitingWeight == 0)
        try await workshop.end()
        #expect(try await first.value == "a")
        #expect(workshop.begun == [["a"]])
    }

    @Test func cancelledCallerLeavesItsBatchAndTheOthersAreAnswered() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer)
        let (second, third) = (try await add("b", to: coalescer), try await add("c", to: coalescer))
        try await workshop.end()
        try await eventually("both are under way") { workshop.open == [["b", "c"]] }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await workshop.end()
        #expect(try await [first.value, third.value] == ["a", "c"])
    }

    @Test func callerThatIsCancelledBeforeIsNotPerformed() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer)
        let second = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await coalescer.perform("b", until: clock.now.advanced(by: .seconds(5)))
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await workshop.end()
        _ = try await first.value
        #expect(workshop.begun == [["a"]])
    }

    @Test func requestsWithACommonKeyAreNotUnderWayTogetherAndOthersPassThem() async throws {
        var limits = CoalescerLimits.one
        limits.batches = 3
        let coalescer = coalescer(limits)
        var tasks = [try await begin("aX", on: coalescer), try await add("bXY", to: coalescer)]
        for request in ["cY", "d"] { tasks.append(try await begin(request, on: coalescer)) }
        #expect(Set(workshop.open) == [["aX"], ["cY"], ["d"]])
        #expect(coalescer.metrics.waiting == 1)
        for _ in 0..<4 { try await workshop.end() }
        for task in tasks { _ = try await task.value }
        // It has waited for both keys.
        #expect(workshop.begun.last == ["bXY"])
    }

    @Test func requestThatCannotShareABatchIsPerformedAloneBeforeOthers() async throws {
        var limits = CoalescerLimits.one
        limits.alone = 1
        let coalescer = coalescer(limits)
        let first = try await begin("a", on: coalescer)
        let (second, third) = (try await add("?bX", to: coalescer), try await add("c", to: coalescer))
        try await workshop.end()
        try await eventually("both are under way") { workshop.open == [["?bX", "c"]] }
        let fourth = try await add("dX", to: coalescer)
        try await workshop.end()
        #expect(try await third.value == "c")
        try await eventually("the second is alone") { workshop.open == [["?bX"]] }
        // Its key is busy, so the fourth waits.
        #expect(coalescer.metrics.waiting == 1)
        try await workshop.end()
        #expect(try await second.value == "?bx")
        try await workshop.end()
        #expect(try await [first.value, fourth.value] == ["a", "dx"])
        #expect(workshop.begun == [["a"], ["?bX", "c"], ["[?bX]"], ["dX"]])
    }

    @Test func requestsAreAloneAtTheSameTimeUpToTheLimit() async throws {
        var limits = CoalescerLimits.one
        limits.alone = 2
        let coalescer = coalescer(limits)
        let first = try await begin("a", on: coalescer)
        var others: [Task<String, any Error>] = []
        for request in ["?b", "?c", "?d"] { others.append(try await add(request, to: coalescer)) }
        for _ in 0..<2 { try await workshop.end() }
        try await eventually("two are alone") {
            workshop.open == [["?b"], ["?c"]] || workshop.open == [["?c"], ["?b"]]
        }
        #expect(coalescer.metrics.waiting == 1)
        for _ in 0..<3 { try await workshop.end() }
        #expect(try await first.value == "a")
        for (task, answer) in zip(others, ["?b", "?c", "?d"]) { #expect(try await task.value == answer) }
    }

    @Test func requestThatWaitsToBePerformedAloneStillHasItsDeadline() async throws {
        var limits = CoalescerLimits.one
        limits.alone = 1
        let coalescer = coalescer(limits)
        let first = try await begin("?a", on: coalescer, within: .seconds(60))
        try await workshop.end()
        try await eventually("the first is alone") { workshop.begun.last == ["[?a]"] }
        let second = try await add("?b", to: coalescer, within: .seconds(3))
        try await eventually("the second is in a batch") { workshop.open == [["?a"], ["?b"]] }
        try await workshop.end("?b")
        try await eventually("the second waits again") { coalescer.metrics.waiting == 1 }
        clock.advance(by: .seconds(3))
        #expect(await code(of: second) == .timedOut)
        try await workshop.end()
        #expect(try await first.value == "?a")
        #expect(workshop.begun == [["?a"], ["[?a]"], ["?b"]])
    }

    @Test func callerLeavesABatchUnderWayAtItsOwnDeadline() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer, within: .seconds(60))
        let early = try await add("b", to: coalescer, within: .seconds(3))
        let later = try await add("c", to: coalescer, within: .seconds(5))
        try await workshop.end()
        try await eventually("both are under way") { workshop.open == [["b", "c"]] }
        clock.advance(by: .seconds(3))
        #expect(await code(of: early) == .timedOut)
        try await workshop.end()
        #expect(try await [first.value, later.value] == ["a", "c"])
    }

    @Test func impatientWaiterGetsABatchBesideOneThatHangs() async throws {
        var limits = CoalescerLimits.one
        (limits.batches, limits.weightForAnotherBatch, limits.patience) = (2, 10, .milliseconds(50))
        let coalescer = coalescer(limits)
        let first = try await begin("a", on: coalescer)
        clock.advance(by: .milliseconds(30))
        let second = try await add("b", to: coalescer)
        let third = try await add("c", to: coalescer)
        clock.advance(by: .milliseconds(49))
        #expect(coalescer.metrics.waiting == 2)
        clock.advance(by: .milliseconds(1))
        try await eventually("another batch begins") { workshop.open == [["a"], ["b", "c"]] }
        for _ in 0..<2 { try await workshop.end() }
        #expect(try await [first.value, second.value, third.value] == ["a", "b", "c"])
    }

    /// An alone request under way does not keep other requests from beginning.
    @Test func requestBeginsBesideOneThatIsAlone() async throws {
        var limits = CoalescerLimits.one
        limits.alone = 2
        let coalescer = coalescer(limits)
        let first = try await begin("?a", on: coalescer)
        try await workshop.end()
        try await eventually("the first is alone") { workshop.open == [["?a"]] }
        let second = try await add("b", to: coalescer)
        try await eventually("the second begins") { workshop.open == [["?a"], ["b"]] }
        for _ in 0..<2 { try await workshop.end() }
        #expect(try await [first.value, second.value] == ["?a", "b"])
    }

    @Test func errorOfTheWorkReachesOnlyItsCaller() async throws {
        let coalescer = coalescer()
        let first = try await begin("a", on: coalescer)
        let (second, third) = (try await add("!b", to: coalescer), try await add("c", to: coalescer))
        for _ in 0..<2 { try await workshop.end() }
        #expect(try await first.value == "a")
        await #expect(throws: Workshop.Failure.self) { try await second.value }
        #expect(try await third.value == "c")
    }
}

extension CoalescerMetrics {
    /// Requests that were accepted, as far as none has left.
    fileprivate var added: Int { waiting + callers }
}
