import Debouncing
import HandleRules
import NIOConcurrencyHelpers
import TestSupport
import Testing

/// Most tests draw pictures. A column is a tick of a tenth of a second; the pause is three ticks. The rows are the
/// calls made, the calls that end as superseded, and the calls that are answered. Each letter is a call; `working` has
/// the ticks that its work takes.
@Suite struct DebouncerTests {
    private static let tick = Duration.milliseconds(100)

    private func newDebouncer(
        _ clock: ManualClock, _ limits: Debouncer<String, ManualClock>.Limits = .init()
    ) -> Debouncer<String, ManualClock> { Debouncer(pause: Self.tick * 3, clock: clock, limits: limits) }

    struct Picture {
        let typed___, dropped_, answered: String
        var working: [Character: Int] = [:]
    }

    @Test(arguments: [
        // The last call within the pause wins.
        Picture(
            typed___: "john---d--------",
            dropped_: "-joh------------",
            answered: "------n---d-----"),
        // A long word costs one look-up.
        Picture(
            typed___: "abcdefghijklmnopqrst----",
            dropped_: "-abcdefghijklmnopqrs----",
            answered: "----------------------t-"),
        // Calls far apart are all answered.
        Picture(
            typed___: "a----b----c----",
            dropped_: "---------------",
            answered: "---a----b----c-"),
        // A running call is superseded by a newer one.
        Picture(
            typed___: "a----b---------",
            dropped_: "-----a---------",
            answered: "--------b------", working: ["a": 4]),
        // A slow call is not answered after a newer one.
        Picture(
            typed___: "a----b---c-----",
            dropped_: "-----a---------",
            answered: "--------b---c--", working: ["a": 9]),
        // An answer just before a newer call counts.
        Picture(
            typed___: "a-----b--------",
            dropped_: "---------------",
            answered: "-----a---b-----", working: ["a": 2]),
    ])
    func callsEndAsInThePicture(_ picture: Picture) async {
        let clock = ManualClock()
        let debouncer = newDebouncer(clock)
        let log = NIOLockedValueBox<[(call: Character, wasAnswered: Bool)]>([])
        var (droppedSeen, answeredSeen) = ("", "")
        await withDiscardingTaskGroup { group in
            var issued = 0
            for letter in picture.typed___ {
                if letter != "-" {
                    issued += 1
                    let ticks = picture.working[letter] ?? 0
                    group.addTask {
                        let result = try? await debouncer.run("session") {
                            try await clock.sleep(until: clock.now.advanced(by: Self.tick * ticks))
                            return letter
                        }
                        log.withLockedValue { $0.append((letter, result == letter)) }
                    }
                }
                // Only the last call may still be running. It sleeps, in the pause or in its work.
                while true {
                    let (ended, sleepers) = (log.withLockedValue(\.count), clock.sleepers)
                    if ended == issued || (ended == issued - 1 && sleepers == 1) { break }
                    await Task.yield()
                }
                let events = log.withLockedValue { $0 }
                let new = events.dropFirst(droppedSeen.count { $0 != "-" } + answeredSeen.count { $0 != "-" })
                droppedSeen.append(new.first { !$0.wasAnswered }?.call ?? "-")
                answeredSeen.append(new.first { $0.wasAnswered }?.call ?? "-")
                clock.advance(by: Self.tick)
            }
        }
        #expect(droppedSeen == picture.dropped_)
        #expect(answeredSeen == picture.answered)
    }

    // MARK: Tests without pictures

    @Test func callOfACancelledTaskDoesNoWorkAndSupersedesNoOther() async throws {
        let clock = ManualClock()
        let debouncer = newDebouncer(clock)
        let newer = Task { try await debouncer.run("key") { 2 } }
        try await eventually("the newer call waits") { clock.sleepers == 1 }
        let late = Task {
            // The task is cancelled before it makes the call.
            withUnsafeCurrentTask { $0?.cancel() }
            return try await debouncer.run("key") { 1 }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        clock.advance(by: Self.tick * 3)
        #expect(try await newer.value == 2)
        #expect(await debouncer.metrics.begun == 1)
        #expect(await debouncer.keys == 0)
    }

    @Test func lateCallWithALowerNumberIsSupersededEvenAfterTheAnswer() async throws {
        let clock = ManualClock()
        let debouncer = newDebouncer(clock)
        async let newer = debouncer.run("session", number: 2) { "joh" }
        while clock.sleepers == 0 { await Task.yield() }
        await #expect(throws: DebouncingError.superseded) {
            try await debouncer.run("session", number: 1) { "jo" }
        }
        clock.advance(by: .seconds(1))
        #expect(try await newer == "joh")
        await #expect(throws: DebouncingError.superseded) {
            try await debouncer.run("session", number: 1) { "jo" }
        }
        // A repeated number is answered: a request may be sent twice.
        async let again = debouncer.run("session", number: 2) { "joh" }
        while clock.sleepers == 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        #expect(try await again == "joh")
        #expect(await debouncer.metrics.begun == 2)
    }

    @Test func callsWithDifferentKeysAreIndependent() async throws {
        let clock = ManualClock()
        let debouncer = newDebouncer(clock)
        async let first = debouncer.run("one") { 1 }
        async let second = debouncer.run("two") { 2 }
        while clock.sleepers < 2 { await Task.yield() }
        clock.advance(by: .seconds(1))
        #expect(try await (first, second) == (1, 2))
    }

    @Test func cancelledCallEndsAtOnceAndFreesItsPlace() async throws {
        let clock = ManualClock()
        let debouncer = newDebouncer(clock, .init(calls: 1))
        let waiting = Task { try await debouncer.run("one") { "never" } }
        while clock.sleepers == 0 { await Task.yield() }
        await #expect(throws: DebouncingError.overloaded) {
            try await debouncer.run("two") { "no room" }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(clock.sleepers == 0)
        #expect(await debouncer.keys == 0)
        // The same while its work runs and ignores the cancellation.
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let working = Task {
            try await debouncer.run("two") {
                await Task { for await _ in gate {} }.value
                return "too late"
            }
        }
        while clock.sleepers == 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        while await debouncer.metrics.begun == 0 { await Task.yield() }
        working.cancel()
        await #expect(throws: CancellationError.self) { try await working.value }
        #expect(await debouncer.keys == 0)
        #expect(await debouncer.metrics.current == 0)
        opening.finish()
    }

    @Test func errorOfTheWorkReachesTheCaller() async {
        struct Fault: Error {}
        let clock = ManualClock()
        let debouncer = newDebouncer(clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: Fault.self) { try await debouncer.run("one") { throw Fault() } }
            }
            while clock.sleepers == 0 { await Task.yield() }
            clock.advance(by: .seconds(1))
        }
        #expect(await debouncer.keys == 0)
    }

    @Test func memoryStaysBoundedWithAnyNumberOfKeys() async throws {
        let debouncer = Debouncer<Int, ContinuousClock>(
            pause: .zero, clock: ContinuousClock(), limits: .init(calls: 100, rememberedKeys: 50))
        for key in 0..<20_000 { _ = try await debouncer.run(key, number: 1) { key } }
        #expect(await debouncer.keys == 50)
        for key in 0..<20_000 { _ = try await debouncer.run(key) { key } }
        #expect(await debouncer.keys <= 50)
        #expect(await debouncer.metrics.current == 0)
    }

    /// Keystrokes arrive in any order, and their answers take any time. No answer is delivered after a newer one, and
    /// the last keystroke is answered.
    @Test func noAnswerIsStaleInTenThousandOrders() async {
        var random = SeededGenerator(seed: 5)
        for round in 0..<10_000 {
            let clock = ManualClock()
            let debouncer = newDebouncer(clock)
            let seen = NIOLockedValueBox<[UInt64]>([])
            let ended = NIOLockedValueBox(0)
            let count = UInt64.random(in: 2...6, using: &random)
            // The clock stops until every call has ended or sleeps, so that the answers of two ticks are seen in order.
            func tick(_ issued: Int) async {
                while ended.withLockedValue(\.self) + clock.sleepers < issued { await Task.yield() }
                clock.advance(by: Self.tick)
            }
            await withDiscardingTaskGroup { group in
                var issued = 0
                for number in (1...count).shuffled(using: &random) {
                    let ticks = Int.random(in: 0...6, using: &random)
                    issued += 1
                    group.addTask {
                        let answer = try? await debouncer.run("session", number: number) {
                            try await clock.sleep(until: clock.now.advanced(by: Self.tick * ticks))
                            return number
                        }
                        if let answer { seen.withLockedValue { $0.append(answer) } }
                        ended.withLockedValue { $0 += 1 }
                    }
                    for _ in 0..<Int.random(in: 0...5, using: &random) { await tick(issued) }
                }
                while ended.withLockedValue(\.self) < issued { await tick(issued) }
            }
            let answers = seen.withLockedValue(\.self)
            #expect(answers == answers.sorted() && answers.last == count, "round \(round): \(answers) of \(count)")
        }
    }
}
