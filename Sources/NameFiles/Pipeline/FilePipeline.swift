import NIOConcurrencyHelpers

/// Works through a file chunk by chunk. Several chunks are worked on at a time, and their results come in the order of
/// the file.
///
/// A chunk is read, parsed beside others, arranged in the order of the file (line numbers, duplicates), performed beside
/// others, and finished in the order of the file (the report). Memory does not grow with the file.
struct FilePipeline<Rows: Sendable, Results: Sendable> {
    private let reader: ChunkReader
    private let width: Int
    private let finishesAfterFault: Bool
    private let parse: @Sendable (Chunk) -> Rows
    private let perform: @Sendable (Rows) async throws -> Results

    /// The chunks that are being parsed, and before them those that are being performed, in the order of the file.
    private var parsing: [Task<Rows, Never>] = []
    private var performing: [Task<Results, any Error>] = []
    /// True if no more chunks are read. Those that were read are arranged and performed.
    private var isRead = false
    /// True once a chunk that is being performed fails, so that no further one begins.
    private let isFailing = NIOLockedValueBox(false)
    /// True if a failed chunk was waited for.
    private var hasFailed = false
    /// True if no more chunks are finished.
    private var isCut = false
    private var end = RunEnd.complete

    /// - Parameters:
    ///   - width: chunks performed at a time. At most twice as many are in memory, unless `finish` keeps more.
    ///   - finishesAfterFault: true to finish the chunks that were performed beside a failed one and come after it.
    ///   - parse: called for several chunks at a time.
    ///   - perform: called for several chunks at a time.
    init(
        _ reader: ChunkReader, width: Int, finishesAfterFault: Bool = false,
        parse: @escaping @Sendable (Chunk) -> Rows, perform: @escaping @Sendable (Rows) async throws -> Results
    ) {
        self.reader = reader
        self.width = max(1, width)
        self.finishesAfterFault = finishesAfterFault
        self.parse = parse
        self.perform = perform
    }

    /// Works through the file to its end, or to the chunk or fault at which the run stops. Chunks that are being
    /// performed then are waited for.
    /// - Parameters:
    ///   - arrange: called in the order of the file; its second argument is true once the whole file is read. An error
    ///     ends the run (``RunEnd/failed(_:)``).
    ///   - finish: called in the order of the file; returns false to stop.
    /// - Throws: the errors of `finish`.
    mutating func run(
        arrange: (inout Rows, Bool) throws -> Void = { _, _ in }, finish: (Results) async throws -> Bool
    ) async throws -> RunEnd {
        do {
            while true {
                readMore()
                if performing.count < width, !parsing.isEmpty {
                    await performNext(arrange)
                } else if !performing.isEmpty {
                    try await finishNext(finish)
                } else {
                    return end
                }
            }
        } catch {
            stop()
            for task in performing { _ = await task.result }
            throw error
        }
    }

    private mutating func readMore() {
        while !isRead, parsing.count + performing.count < 2 * width {
            do {
                try Task.checkCancellation()
                guard let chunk = try reader.next() else { return isRead = true }
                parsing.append(Task { [parse] in parse(chunk) })
            } catch is CancellationError {
                fail(CancellationError())
            } catch {
                // The chunks before this one are still performed and finished.
                (isRead, end) = (true, .failed(error))
            }
        }
    }

    /// Arranges the next chunk, and begins to perform it.
    private mutating func performNext(_ arrange: (inout Rows, Bool) throws -> Void) async {
        var rows = await parsing.removeFirst().value
        if Task.isCancelled { return fail(CancellationError()) }
        if isFailing.withLockedValue(\.self) { return endEarly() }
        do {
            try arrange(&rows, isRead)
        } catch {
            // The chunks before this one are still performed and finished.
            end = .failed(error)
            return endEarly()
        }
        performing.append(
            Task { [rows, perform, isFailing] in
                do {
                    return try await perform(rows)
                } catch {
                    isFailing.withLockedValue { $0 = true }
                    throw error
                }
            })
    }

    /// Waits for the first of the chunks that are being performed, and finishes it.
    private mutating func finishNext(_ finish: (Results) async throws -> Bool) async throws {
        let task = performing.removeFirst()
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        switch result {
        case .failure(let error):
            fail(error)
            if !finishesAfterFault { isCut = true }
        case .success(let results):
            if isCut { return }
            guard try await !finish(results) else { return }
            (isCut, end) = (true, .stopped)
            stop()
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

    /// No further chunk begins.
    private mutating func endEarly() {
        isRead = true
        parsing = []
    }

    private mutating func stop() {
        endEarly()
        for task in performing { task.cancel() }
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
