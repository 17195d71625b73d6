import HandleRules

/// The rows of several chunks, in lots.
///
/// The lots are in alphabetical order of the handles, with the first row of each look-alike key. Two passes go through
/// the handles: names that come one after the other between others fill index pages to the half, and the second pass
/// fills the rest. The look-alikes of earlier rows are in further lots, in the order of the file. Inside each lot, the
/// rows are in the order of the file.
struct ReserveLots: Sendable {
    /// The position of a row.
    struct Place: Sendable, Comparable {
        let chunk: Int32
        let row: Int32

        static func < (left: Place, right: Place) -> Bool { (left.chunk, left.row) < (right.chunk, right.row) }
    }

    /// Rows that are reserved together.
    struct Lot: Sendable {
        let places: [Place]
        /// True if the rows are look-alikes of earlier rows.
        let areLookalikes: Bool
    }

    private var lots: [Lot] = []
    /// The number of rows.
    let count: Int

    /// - Parameter size: rows of a lot.
    init(_ chunks: [JudgedChunk], size: Int) {
        var named: [(handle: PackedASCII, place: Place)] = []
        named.reserveCapacity(chunks.reduce(0) { $0 + $1.names.count })
        var lookalikes: [Place] = []
        for (index, chunk) in chunks.enumerated() {
            for name in chunk.names {
                let row = chunk.rows[Int(name.row)]
                let place = Place(chunk: Int32(truncatingIfNeeded: index), row: name.row)
                switch row.duplicate {
                case .none: named.append((row.letters.lowercased, place))
                case .lookalike: lookalikes.append(place)
                case .exact, .capitals: break
                }
            }
        }
        named.sort { $0.handle < $1.handle }
        // 11 of 20, then the others.
        let isInFirstPass = { $0 * 11 % 20 < 11 }
        let order = named.indices.filter(isInFirstPass) + named.indices.filter { !isInFirstPass($0) }
        count = named.count + lookalikes.count
        for (places, areLookalikes) in [(order.map { named[$0].place }, false), (lookalikes, true)] {
            for start in stride(from: 0, to: places.count, by: size) {
                let lot = places[start..<min(start + size, places.count)].sorted()
                lots.append(Lot(places: lot, areLookalikes: areLookalikes))
            }
        }
    }

    /// Reserves the rows lot by lot, until one fails or the task is cancelled.
    /// - Parameters:
    ///   - width: lots reserved at a time. Lots of look-alikes are reserved one by one, once all others are done.
    ///   - finish: called with each lot that is done, and the result.
    /// - Throws: the error that ended the run.
    func run<Result: Sendable>(
        width: Int, reserve: @escaping @Sendable (Lot) async throws -> Result, finish: (Lot, Result) -> Void
    ) async throws {
        var fault: (any Error)?
        var (next, running) = (0, 0)
        await withTaskGroup(of: (Lot, Swift.Result<Result, any Error>).self) { group in
            while true {
                if next < lots.count, Task.isCancelled { fault = fault ?? CancellationError() }
                while fault == nil, next < lots.count, running < (lots[next].areLookalikes ? 1 : width) {
                    group.addTask { [lot = lots[next]] in
                        do {
                            return (lot, .success(try await reserve(lot)))
                        } catch {
                            return (lot, .failure(error))
                        }
                    }
                    next += 1
                    running += 1
                }
                guard let (lot, result) = await group.next() else { return }
                running -= 1
                switch result {
                case .success(let made): finish(lot, made)
                // An error tells more than an interruption.
                case .failure(let error): if fault == nil || fault is CancellationError { fault = error }
                }
            }
        }
        if let fault { throw fault }
    }
}
