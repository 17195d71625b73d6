/// Works through a file chunk by chunk. Several chunks are worked on at a time, and their results come in the order of
/// the file.
///
/// A chunk is read, parsed beside others, arranged in the order of the file (line numbers, duplicates), performed beside
/// others, and finished in the order of the file (the report). Memory does not grow with the file.
package struct FilePipeline<Rows: Sendable, Results: Sendable> {
    private let reader: ChunkReader
    private let width: Int
    private let finishesAfterFault: Bool
    private let parse: @Sendable (Chunk) -> Rows
    private let perform: @Sendable (Rows) async throws -> Results

    /// Parsed chunks that wait for the chunks before them.
    private var parsed = ReorderBuffer<Rows>()
    /// Arranged chunks that wait to be performed, and the number of the first one.
    private var arranged: [Rows] = []
    private var nextToPerform = 0
    private var performing = 0
    /// Performed chunks that wait for the chunks before them; nil for a chunk that failed.
    private var performed = ReorderBuffer<Results?>()
    /// Chunks read so far.
    private var taken = 0
    private var intake = Intake.open
    /// True if a chunk has failed.
    private var hasFailed = false
    /// True if no more chunks are finished.
    private var isCut = false
    private var end = RunEnd.complete

    private enum Intake {
        case open
        /// No more chunks are read. Those that were read are arranged and performed.
        case ended
        /// No more chunks are arranged.
        case closed
    }

    /// - Parameters:
    ///   - width: chunks performed at a time. At most twice as many are in memory, unless `finish` keeps more.
    ///   - finishesAfterFault: true to finish the chunks that were performed beside a failed one and come after it.
    ///   - parse: called for several chunks at a time.
    ///   - perform: called for several chunks at a time.
    package init(
        _ reader: ChunkReader, width: Int, finishesAfterFault: Bool = false,
        parse: @escaping @Sendable (Chunk) -> Rows, perform: @escaping @Sendable (Rows) async throws -> Results
    ) {
        self.reader = reader
        self.width = max(1, width)
        self.finishesAfterFault = finishesAfterFault
        self.parse = parse
        self.perform = perform
    }

    private enum Step: Sendable {
        case parsed(Int, Rows)
        case performed(Int, Result<Results, any Error>)
    }

    /// Works through the file to its end, or to the chunk or fault at which the run stops. Chunks that are being
    /// performed then are waited for.
    /// - Parameters:
    ///   - arrange: called in the order of the file; its second argument is true once the whole file is read. An error
    ///     ends the run (``RunEnd/failed(_:)``).
    ///   - finish: called in the order of the file; returns false to stop.
    /// - Throws: the errors of `finish`.
    package mutating func run(
        arrange: (inout Rows, Bool) throws -> Void = { _, _ in }, finish: (Results) async throws -> Bool
    ) async throws -> RunEnd {
        try await withThrowingTaskGroup(of: Step.self) { group in
            while true {
                performMore(&group)
                readMore(&group)
                guard let step = try await group.next() else { break }
                switch step {
                case .parsed(let number, let rows):
                    parsed.put(rows, at: number)
                    arrangeMore(arrange)
                case .performed(let number, let result):
                    performing -= 1
                    if case .failure(let error) = result { fail(error) }
                    performed.put(try? result.get(), at: number)
                    try await finishMore(finish)
                    if case .stopped = end { group.cancelAll() }
                }
            }
        }
        return end
    }

    private mutating func readMore(_ group: inout ThrowingTaskGroup<Step, any Error>) {
        while intake == .open, taken - performed.next < 2 * width {
            do {
                try Task.checkCancellation()
                guard let chunk = try reader.next() else { return intake = .ended }
                group.addTask { [taken, parse] in .parsed(taken, parse(chunk)) }
                taken += 1
            } catch is CancellationError {
                fail(CancellationError())
            } catch {
                // The chunks before this one are still performed and finished.
                (intake, end) = (.ended, .failed(error))
            }
        }
    }

    private mutating func arrangeMore(_ arrange: (inout Rows, Bool) throws -> Void) {
        while var rows = parsed.takeNext() {
            if intake == .closed { continue }
            do {
                try arrange(&rows, intake == .ended)
                arranged.append(rows)
            } catch {
                // The chunks before this one are still performed and finished.
                (intake, end) = (.closed, .failed(error))
            }
        }
    }

    private mutating func performMore(_ group: inout ThrowingTaskGroup<Step, any Error>) {
        if Task.isCancelled, !arranged.isEmpty { fail(CancellationError()) }
        while performing < width, !arranged.isEmpty {
            let rows = arranged.removeFirst()
            group.addTask { [nextToPerform, perform] in
                do {
                    return .performed(nextToPerform, .success(try await perform(rows)))
                } catch {
                    return .performed(nextToPerform, .failure(error))
                }
            }
            nextToPerform += 1
            performing += 1
        }
    }

    private mutating func finishMore(_ finish: (Results) async throws -> Bool) async throws {
        while !isCut, let results = performed.takeNext() {
            if let results {
                guard try await !finish(results) else { continue }
                (isCut, end) = (true, .stopped)
                endEarly()
            } else {
                isCut = !finishesAfterFault
            }
        }
    }

    /// Ends the run, because a chunk has failed or the task is cancelled. The first error of a chunk wins over a
    /// cancellation and over an error of reading.
    private mutating func fail(_ error: any Error) {
        // A run that has stopped cancels the chunks that are being performed.
        if case .stopped = end { return }
        if !hasFailed { end = RunEnd(error) }
        hasFailed = hasFailed || !(error is CancellationError)
        endEarly()
    }

    private mutating func endEarly() {
        intake = .closed
        arranged = []
    }
}

/// The way in which a run over a file ends.
package enum RunEnd: Sendable {
    case complete
    /// `finish` has returned false.
    case stopped
    case interrupted
    /// The rest of the file could not be read or performed.
    case failed(any Error)

    init(_ error: any Error) { self = error is CancellationError ? .interrupted : .failed(error) }

    /// This end if it is a failure; otherwise the end because of an error.
    func or(_ error: any Error) -> RunEnd { if case .failed = self { self } else { RunEnd(error) } }

    /// True if all readable rows were performed, or those up to the one at which the run was to stop.
    var hasPerformedAll: Bool {
        switch self {
        case .complete, .stopped: true
        case .interrupted: false
        case .failed(let error): error is RecordsError
        }
    }
}
