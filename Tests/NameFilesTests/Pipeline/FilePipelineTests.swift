import NIOConcurrencyHelpers
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

/// Each chunk of the file holds its own number.
@Suite struct FilePipelineTests {
    private let scratch = Scratch()

    /// A chunk has two lines, because the format is detected in the first two.
    private func reader(_ chunks: Int) throws -> ChunkReader {
        let text = (0..<chunks).map { number in
            let digits = String(number)
            let line = String(repeating: "0", count: 7 - digits.count) + digits + "\n"
            return line + line
        }.joined()
        return try ChunkReader(
            path: scratch.file("numbers.txt", text.utf8), selection: Selection(format: .lines, header: false),
            chunkSize: 16)
    }

    private struct Fault: Error, Equatable {}

    private func pipeline(
        _ chunks: Int, width: Int, finishesAfterFault: Bool = false,
        perform: @escaping @Sendable (Int) async throws -> Int = { $0 }
    ) throws -> FilePipeline<Int, Int> {
        FilePipeline(
            try reader(chunks), width: width, finishesAfterFault: finishesAfterFault,
            parse: { Int(String(decoding: $0.bytes.prefix(7), as: UTF8.self)) ?? -1 }, perform: perform)
    }

    @Test(arguments: [1, 2, 7]) func resultsComeInTheOrderOfTheFile(_ width: Int) async throws {
        let performing = NIOLockedValueBox((now: 0, most: 0))
        var pipeline = try pipeline(300, width: width) { number in
            performing.withLockedValue { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<number % 5 { await Task.yield() }
            performing.withLockedValue { $0.now -= 1 }
            return number * 10
        }
        var arranged: [Int] = []
        var finished: [Int] = []
        let end = try await pipeline.run { number, _ in
            arranged.append(number)
        } finish: {
            finished.append($0)
            return true
        }
        #expect(end.isComplete)
        #expect(arranged == Array(0..<300))
        #expect(finished == (0..<300).map { $0 * 10 })
        #expect(performing.withLockedValue(\.most) <= width)
    }

    /// The chunks before the failed one are finished. Those beside it are waited for, and finished only if they don't
    /// depend on it.
    @Test(arguments: [false, true]) func faultOfAChunkEndsTheRun(_ finishesAfterFault: Bool) async throws {
        let performed = NIOLockedValueBox<Set<Int>>([])
        let hasFailed = NIOLockedValueBox(false)
        var pipeline = try pipeline(300, width: 3, finishesAfterFault: finishesAfterFault) { number in
            if number == 10 {
                hasFailed.withLockedValue { $0 = true }
                throw Fault()
            }
            if number == 9 || number == 11 { await waitUntil(hasFailed) }
            _ = performed.withLockedValue { $0.insert(number) }
            return number
        }
        var finished: [Int] = []
        let end = try await pipeline.run {
            finished.append($0)
            return true
        }
        guard case .failed(let error) = end else { throw Fault() }
        #expect(error is Fault)
        let all = performed.withLockedValue(\.self)
        #expect(finished == (finishesAfterFault ? all.sorted() : Array(0..<10)))
        #expect(all.isSuperset(of: 0..<10))
        // No more than twice the width are in memory.
        #expect((all.max() ?? 0) < 10 + 2 * 3)
    }

    /// No chunk begins after the cancellation. Those that have begun are finished.
    @Test func cancelledRunFinishesTheChunksThatHaveBegun() async throws {
        let performed = NIOLockedValueBox<[Int]>([])
        let (hasBegun, isCancelled) = (NIOLockedValueBox(false), NIOLockedValueBox(false))
        let finished = NIOLockedValueBox<[Int]>([])
        let end = NIOLockedValueBox<RunEnd?>(nil)
        let pipeline = try pipeline(300, width: 2) { number in
            performed.withLockedValue { $0.append(number) }
            guard number >= 10 else { return number }
            hasBegun.withLockedValue { $0 = true }
            await waitUntil(isCancelled)
            return number
        }
        let run = Task {
            var pipeline = pipeline
            let ended = try await pipeline.run { number in
                finished.withLockedValue { $0.append(number) }
                return true
            }
            end.withLockedValue { $0 = ended }
        }
        await waitUntil(hasBegun)
        run.cancel()
        isCancelled.withLockedValue { $0 = true }
        try await run.value
        guard case .interrupted = end.withLockedValue(\.self) else { throw Fault() }
        #expect(finished.withLockedValue(\.self) == performed.withLockedValue(\.self).sorted())
        #expect((finished.withLockedValue(\.last) ?? 0) <= 11)
    }
}

/// Waits for another task to set a flag.
private func waitUntil(_ flag: NIOLockedValueBox<Bool>) async {
    while !flag.withLockedValue(\.self) { await Task.yield() }
}

extension RunEnd {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
