import HandleCore
import HandleRegistry
import NIOConcurrencyHelpers
import WireJSON

/// Measures the names of a chunk.
struct MeasureJob: RowJob {
    let words: ProposedWords
    let options: MeasureRun.Options
    private let total = NIOLockedValueBox(WordMeasurement())

    var width: Int { options.jobs * 2 }
    var memory: Int? { options.memory }

    init(words: ProposedWords, options: MeasureRun.Options) {
        (self.words, self.options) = (words, options)
    }

    /// The figures of the chunks that are finished.
    var measured: WordMeasurement { total.withLockedValue { $0 } }

    struct Work: Sendable {
        var measurement: WordMeasurement
        var report: ChunkReport
    }

    func perform(_ chunk: JudgedChunk) -> Work {
        var report = ChunkReport()
        var verdicts = chunk.rows.map { $0.kind == .unreadable ? RowVerdict.unreadable : .invalid }
        for name in chunk.names { verdicts[Int(name.row)] = .valid }
        for (index, verdict) in verdicts.enumerated() {
            report.counts.note(verdict, chunk.rows[index].duplicate)
            if verdict == .unreadable { report.counts.note(chunk.fault(index)) }
        }
        let rows = chunk.names.map { chunk.rows[Int($0.row)] }
        let measurement = words.measure(rows.map(\.letters.lowercased), places: rows.map(\.word)) { difference in
            write(difference, to: &report.rows)
        }
        return Work(measurement: measurement, report: report)
    }

    func finish(_ work: consuming Work) -> ChunkReport {
        let measurement = work.measurement
        total.withLockedValue { $0.add(measurement) }
        return work.report
    }

    /// The first line of the report of differences.
    var header: [UInt8] { options.isJSON ? [] : Array("name,change,word,way,category\n".utf8) }

    private func write(_ difference: WordMeasurement.Difference, to bytes: inout [UInt8]) {
        let change = difference.isRefused ? "refused" : "free"
        let (word, way) = (difference.word, difference.way.rawValue)
        if options.isJSON {
            var json = JSONWriter()
            json.object { json in
                json.member("name", difference.name)
                json.member("change", change)
                json.member("word", word.word)
                json.member("way", way)
                json.member("category", word.category)
            }
            bytes += json.bytes
        } else {
            bytes.append(contentsOf: "\(difference.name),\(change),\(word.word),\(way),".utf8)
            CSVText.append(Array(word.category.utf8)[...], to: &bytes, isRaw: false)
        }
        bytes.append(UInt8(ascii: "\n"))
    }
}
