import HandleRegistry
import HandleRules

/// Some rows for each reason, fault and kind of duplicate: the first ones, in the order of the file.
///
/// Memory does not grow with the file. The rows are the same for any size of its chunks.
struct Examples: Sendable {
    enum Topic: Hashable, Sendable {
        case reason(Reason.Code)
        /// By the code of the fault.
        case fault(String)
        case duplicate(Duplicate)
    }

    struct Row: Sendable {
        let line: Int
        let record: Int
        /// The beginning of the name, as in the file.
        let input: [UInt8]
        /// The numbers of the reason, in words.
        let detail: String
    }

    /// Rows that are kept for a topic. Their names differ, unless they can't be read.
    static let most = 10
    /// Bytes of a name that are kept; a page shows fewer.
    private static let longest = 4 * HTML.longest + 4

    private var rows: [Topic: [Row]] = [:]
    private var counts: [Topic: Int] = [:]
    /// The repairs of rows that are kept, by record.
    private var repairs: [Int: DisplayHandle] = [:]
    private lazy var records = Set(rows.values.joined().map(\.record))
    /// Refused rows for which a repair was looked for.
    private(set) var repairable = 0
    /// Those for which one was found.
    private(set) var repaired = 0

    /// Number of rows; a row with several invalid characters counts once.
    subscript(topic: Topic) -> Int { counts[topic, default: 0] }

    func rows(of topic: Topic) -> [Row] { rows[topic, default: []] }

    func repair(of row: Row) -> DisplayHandle? { repairs[row.record] }

    /// Rows with a repair, one of each topic.
    var repairedRows: [Row] {
        let rows = rows.values.compactMap { $0.first { repairs[$0.record] != nil } }
        return Dictionary(rows.map { ($0.record, $0) }) { first, _ in first }.values.sorted { $0.record < $1.record }
    }

    /// The codes of the faults of rows.
    var faults: [String] { counts.keys.compactMap { if case .fault(let code) = $0 { code } else { nil } }.sorted() }

    /// Adds a row that is refused or a duplicate.
    mutating func add(_ index: Int, _ verdict: RowVerdict, of chunk: JudgedChunk, _ policy: Policy) {
        func add(_ topic: Topic, _ detail: String) {
            counts[topic, default: 0] += 1
            guard rows(of: topic).count < Self.most else { return }
            let input = Array(chunk.input(index).prefix(Self.longest))
            keep(Row(line: chunk.line(index), record: chunk.record(index), input: input, detail: detail), for: topic)
        }
        switch verdict {
        case .invalid, .unavailable:
            var last: Reason.Code?
            chunk.decision(index, policy)?.forEachReason { reason in
                if reason.code != last { add(.reason(reason.code), reason.detail) }
                last = reason.code
            }
        case .unreadable: add(.fault(chunk.fault(index).code), chunk.fault(index).detail)
        default: break
        }
        let row = chunk.rows[index]
        if row.duplicate != .none { add(.duplicate(row.duplicate), "first in line \(row.firstLine)") }
    }

    /// Adds those of a later part of the file.
    mutating func add(_ later: Examples) {
        counts.merge(later.counts, uniquingKeysWith: +)
        for (topic, rows) in later.rows { for row in rows { keep(row, for: topic) } }
        (repairable, repaired) = (repairable + later.repairable, repaired + later.repaired)
        guard !later.repairs.isEmpty else { return }
        let kept = Set(rows.values.joined().map(\.record))
        repairs.merge(later.repairs.filter { kept.contains($0.key) }) { first, _ in first }
    }

    private mutating func keep(_ row: Row, for topic: Topic) {
        let kept = rows(of: topic)
        let isFault = if case .fault = topic { true } else { false }
        guard kept.count < Self.most, isFault || !kept.contains(where: { $0.input == row.input }) else { return }
        rows[topic, default: []].append(row)
    }

    /// Notes the result of the search for a repair, once all rows of a part are added.
    mutating func note(_ repair: DisplayHandle?, record: Int) {
        repairable += 1
        guard let repair else { return }
        repaired += 1
        if records.contains(record) { repairs[record] = repair }
    }
}

extension Reason {
    fileprivate var detail: String {
        switch self {
        case .tooShort(let length), .tooLong(let length): length.counted("character")
        case .invalidCharacter(let character):
            character.codepoint + (character.name.map { " \($0)" } ?? "")
        case .reservedWord(let word): "\(word.word) (\(word.category))"
        case .lookalike(let original): "like \(original)"
        case .taken(let state): state.rawValue
        case .leadingUnderscore, .allDigits, .ownerFull, .tooManyChanges, .ownerLocked: ""
        }
    }
}

extension RecordFault {
    fileprivate var detail: String {
        switch self {
        case .ragged(let fields, let expected): "\(fields.counted("field")), not \(expected)"
        case .tooLong(let bytes): bytes.counted("byte")
        case .notText(_, let kind): kind.description
        default: ""
        }
    }
}
