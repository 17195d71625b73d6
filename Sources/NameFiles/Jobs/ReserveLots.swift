import HandleRules

/// The rows of several chunks, in lots.
///
/// The lots are in alphabetical order of the handles, with the first row of each look-alike key. Two passes go through
/// the handles: names that come one after the other between others fill index pages to the half, and the second pass
/// fills the rest. The look-alikes of earlier rows are in further lots, in the order of the file. Inside each lot, the
/// rows are in the order of the file.
struct ReserveLots: Sendable {
    /// Rows that are reserved together.
    struct Lot: Sendable {
        /// The rows of each chunk.
        var rows: [[Int32]]
        var count = 0
        /// True if the rows are look-alikes of earlier rows.
        let areLookalikes: Bool
    }

    private var lots: [Lot] = []
    /// The number of rows.
    let count: Int

    /// - Parameters:
    ///   - works: of the chunks. The rows get their lots there.
    ///   - size: rows of a lot.
    init(_ works: inout [ReserveWork], size: Int) {
        let (named, lookalikes) = (Self.named(&works), Self.lookalikes(works))
        count = named.count + lookalikes.count
        for (rows, areLookalikes) in [(named, false), (lookalikes, true)] {
            for start in stride(from: 0, to: rows.count, by: size) {
                for row in rows[start..<min(start + size, rows.count)] {
                    works[Int(row.chunk)].lots[Int(row.row)] = Int32(truncatingIfNeeded: lots.count)
                }
                lots.append(Lot(rows: works.map { _ in [] }, areLookalikes: areLookalikes))
            }
        }
        for (chunk, work) in works.enumerated() {
            for row in work.lots.indices {
                guard let lot = work.lot(of: row) else { continue }
                lots[lot].rows[chunk].append(Int32(truncatingIfNeeded: row))
                lots[lot].count += 1
            }
        }
    }

    private typealias Place = (chunk: Int32, row: Int32)

    /// The first row of each look-alike key: 11 of 20 in alphabetical order, then the others.
    private static func named(_ works: inout [ReserveWork]) -> [Place] {
        var named: [(handle: PackedASCII, place: Place)] = []
        named.reserveCapacity(works.reduce(0) { $0 + $1.named.count })
        for index in works.indices {
            let chunk = Int32(truncatingIfNeeded: index)
            for (handle, row) in works[index].named { named.append((handle, (chunk, row))) }
            works[index].named = []
        }
        named.sort { $0.handle < $1.handle }
        let isInFirstPass = { $0 * 11 % 20 < 11 }
        return (named.indices.filter(isInFirstPass) + named.indices.filter { !isInFirstPass($0) }).map {
            named[$0].place
        }
    }

    private static func lookalikes(_ works: [ReserveWork]) -> [Place] {
        works.enumerated().flatMap { index, work in
            work.lookalikes.map { (Int32(truncatingIfNeeded: index), $0) }
        }
    }

    private struct Ended: Sendable {
        let lot: Int
        let result: Result<[LotLines], any Error>

        init(_ lot: Int, _ body: () async throws -> [LotLines]) async {
            self.lot = lot
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
        }
    }

    /// Reserves the rows lot by lot, until one fails or the task is cancelled.
    /// - Parameters:
    ///   - width: lots reserved at a time. Lots of look-alikes are reserved one by one, once all others are done.
    ///   - progress: called with the number of rows that are done.
    /// - Returns: the lines of each lot, nil for those that were not reserved; and the error that ended the run.
    func run(
        width: Int, reserve: @escaping @Sendable (Lot) async throws -> [LotLines], progress: (Int) -> Void
    ) async -> (lines: [[LotLines]?], fault: (any Error)?) {
        var lines = [[LotLines]?](repeating: nil, count: lots.count)
        var fault: (any Error)?
        var (next, running, done) = (0, 0, 0)
        await withTaskGroup(of: Ended.self) { group in
            while true {
                if next < lots.count, Task.isCancelled { fault = fault ?? CancellationError() }
                while fault == nil, next < lots.count, running < (lots[next].areLookalikes ? 1 : width) {
                    group.addTask { [next, lot = lots[next]] in await Ended(next) { try await reserve(lot) } }
                    next += 1
                    running += 1
                }
                guard let ended = await group.next() else { return }
                running -= 1
                switch ended.result {
                case .success(let made):
                    lines[ended.lot] = made
                    done += lots[ended.lot].count
                    progress(done)
                case .failure(let error):
                    // An error tells more than an interruption.
                    if fault == nil || fault is CancellationError { fault = error }
                }
            }
        }
        return (lines, fault)
    }
}

/// A chunk. Its rows are reserved together with those of other chunks.
struct ReserveWork: Sendable {
    let chunk: JudgedChunk
    /// The first row of each look-alike key in the file. Empty once the rows have lots.
    fileprivate(set) var named: [(handle: PackedASCII, row: Int32)]
    /// The look-alikes of earlier rows.
    fileprivate let lookalikes: [Int32]
    /// The lot of each row; -1 for a row without a well-formed name, and for one with the name of an earlier row.
    fileprivate(set) var lots: [Int32]
    /// The lines of each lot; nil for a lot that was not reserved.
    var parts: [LotLines?] = []

    init(_ chunk: consuming JudgedChunk) {
        var named: [(handle: PackedASCII, row: Int32)] = []
        named.reserveCapacity(chunk.names.count)
        var lookalikes: [Int32] = []
        for name in chunk.names {
            let row = chunk.rows[Int(name.row)]
            switch row.duplicate {
            case .none: named.append((row.letters.lowercased, name.row))
            case .lookalike: lookalikes.append(name.row)
            case .exact, .capitals: break
            }
        }
        (self.named, self.lookalikes) = (named, lookalikes)
        lots = [Int32](repeating: -1, count: chunk.rows.count)
        chunk.names = []
        self.chunk = chunk
    }

    /// The lot of a row; nil for a row without a name to reserve.
    func lot(of row: Int) -> Int? { lots[row] < 0 ? nil : Int(lots[row]) }
}

/// The lines of the report for the rows of a chunk that are in one lot, in the order of the file.
struct LotLines: Sendable {
    private(set) var report = ChunkReport()
    /// The end of each line.
    private var ends: [Int32] = []

    init(_ rows: ArraySlice<RowResult>, _ reporter: ChangeReporter) {
        ends.reserveCapacity(rows.count)
        for row in rows {
            reporter.add(row, to: &report)
            ends.append(Int32(truncatingIfNeeded: report.rows.count))
        }
    }

    var lines: some Sequence<ArraySlice<UInt8>> {
        ends.indices.lazy.map { index in
            report.rows[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
        }
    }
}
