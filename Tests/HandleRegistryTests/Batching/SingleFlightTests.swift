import HandleRegistry
import NIOConcurrencyHelpers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SingleFlightTests {
    private struct Failure: Error {}

    private let flight = SingleFlight<Int>()
    private let runs = NIOLockedValueBox(0)

    /// A run that ends when `end` finishes. Its value is its number.
    private func run(until end: AsyncStream<Never>) async throws -> Int {
        try await flight.run { [runs] in
            let number = runs.withLockedValue { runs in
                runs += 1
                return runs
            }
            for await _ in end {}
            return number
        }
    }

    @Test func concurrentCallersShareOneRun() async throws {
        let (end, ending) = AsyncStream<Never>.makeStream()
        let callers = (0..<20).map { _ in Task { try await run(until: end) } }
        try await eventually("all have joined") { flight.callers == 20 }
        ending.finish()
        for caller in callers { #expect(try await caller.value == 1) }
        #expect(try await run(until: end) == 2)
    }

    @Test func cancelledCallerLeavesAtOnceAndTheRunGoesOn() async throws {
        let (end, ending) = AsyncStream<Never>.makeStream()
        let first = Task { try await run(until: end) }
        try await eventually("the run has begun") { runs.withLockedValue(\.self) == 1 }
        let second = Task { try await run(until: end) }
        try await eventually("the second has joined") { flight.callers == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        ending.finish()
        #expect(try await second.value == 1)
    }

    @Test func failedRunFailsItsCallersAndTheNextOneBeginsAnew() async throws {
        await #expect(throws: Failure.self) { try await flight.run { throw Failure() } }
        #expect(try await flight.run { 7 } == 7)
    }

    @Test func runBeginsOnlyIfItMay() async throws {
        #expect(try await flight.run(if: { false }, { 1 }) == nil)
        #expect(flight.callers == 0)
        #expect(try await flight.run(if: { true }, { 2 }) == 2)
        let (end, ending) = AsyncStream<Never>.makeStream()
        let first = Task { try await run(until: end) }
        try await eventually("the run has begun") { runs.withLockedValue(\.self) == 1 }
        // A run that is under way is joined in any case.
        let second = Task { try await flight.run(if: { false }, { 3 }) }
        try await eventually("the second has joined") { flight.callers == 3 }
        ending.finish()
        #expect(try await first.value == 1)
        #expect(try await second.value == 1)
    }
}
