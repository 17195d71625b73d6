import HandleRules
import HandleWords
import Testing

@testable import NameFiles

/// CSV and TSV are read as Python's `csv` module reads them.
@Suite struct SeparatedTests {
    struct Sample {
        var separator: UInt8
        var bytes: [UInt8]
    }

    struct Row: Equatable {
        var line: Int
        var fields: [[UInt8]]
    }

    static let samples: [Sample] = {
        var generator = SeededGenerator(seed: 7)
        return (0..<1000).map { index in
            let separator = [0x2C, 0x09, 0x3B, 0x7C, 0x20].map(UInt8.init)[index % 5]
            let mark: [UInt8] = index % 9 == 0 ? [0xEF, 0xBB, 0xBF] : []
            return Sample(
                separator: separator,
                bytes: mark + (index % 3 == 0 ? valid(separator, &generator) : damaged(separator, &generator)))
        }
    }()

    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func csvIsReadAsPythonReadsIt() throws {
        let scratch = Scratch()
        let expected = try Self.askPython(Self.samples)
        try #require(expected.count == Self.samples.count)
        var rows = 0
        for (index, (sample, expected)) in zip(Self.samples, expected).enumerated() {
            let path = try scratch.file("sample", sample.bytes)
            let most = (expected.map(\.fields.count).max() ?? 0) + 1
            // The last samples in chunks of every size.
            let some = [1, 2, 3, index % 64 + 1]
            for chunkSize in (index < Self.samples.count - 40 ? some : Array(1...64)) + [64 * 1024] {
                let found = try Self.rows(path, sample.separator, most: most, chunkSize: chunkSize)
                if found == expected { continue }
                Issue.record("\(found), not \(expected): sample \(index) in chunks of \(chunkSize): \(sample.bytes)")
            }
            rows += expected.count
        }
        #expect(rows > 5000)
    }

    @Test(arguments: [
        ("a,b\r\n\"x,y\",z\r\n", ["a|b", "x,y|z"]),
        ("a,\"b\"\"c\"\n", ["a|b\"c"]),
        ("a,\"b\"c\"d\"\n", ["a|bc\"d\""]),
        ("a,b\"c\"\n", ["a|b\"c\""]),
        ("a,\"b\rc\r\nd\"\re,f\n", ["a|b\rc\r\nd", "e|f"]),
        ("a,\n,b\n,", ["a|", "|b", "|"]),
        ("a,\"\"\n\"\",\"\"\"\"", ["a|", "|\""]),
    ])
    func quotesAreReadAsInRFC4180AndPython(text: String, records: [String]) throws {
        let scratch = Scratch()
        let selection = Selection(format: .csv, columns: [.number(1), .number(2)], header: false)
        #expect(try FileReading(scratch.file("a", text), selection).texts == records)
    }

    /// All fields of all records, and the first line of each. `most` is above the number of fields of every record.
    private static func rows(_ path: String, _ separator: UInt8, most: Int, chunkSize: Int) throws -> [Row] {
        let layout = Layout(
            format: .separated(by: separator), columns: Array(0..<most), fields: most, longestRecord: 1024 * 1024)
        let reading = try FileReading(path, layout: layout, chunkSize: chunkSize)
        #expect(!reading.faults.dropLast().contains(.unclosedQuote))
        return reading.entries.map { entry in
            let fields = entry.fields.compactMap { $0 }
            if case .ragged(let count, _) = entry.fault, count != fields.count { Issue.record("\(entry)") }
            let isBlank = fields.allSatisfy { $0.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) } }
            if isBlank != (entry.fault == .empty), entry.fault != .unclosedQuote { Issue.record("\(entry)") }
            return Row(line: entry.line, fields: fields)
        }
    }

    private static func askPython(_ samples: [Sample]) throws -> [[Row]] {
        var answer = try Python.run(
            """
            csv.field_size_limit(1 << 30)
            for item in inputs:
                separator, text = chr(item[0]), item[1:]
                if text.startswith(b'\\xef\\xbb\\xbf'): text = text[3:]
                file = io.TextIOWrapper(io.BytesIO(text), encoding='latin-1', newline='')
                reader, rows, line = csv.reader(file, delimiter=separator), [], 1
                for row in reader:
                    rows.append((line, row))
                    line = reader.line_num + 1
                number(len(rows))
                for line, row in rows:
                    number(line), number(len(row))
                    for field in row: put(field.encode('latin-1'))

            """, samples.map { [$0.separator] + $0.bytes })
        var files: [[Row]] = []
        while !answer.isAtEnd {
            files.append(
                (0..<answer.number()).map { _ in
                    let line = answer.number()
                    return Row(line: line, fields: (0..<answer.number()).map { _ in answer.string() })
                })
        }
        return files
    }

    /// A valid file.
    private static func valid(_ separator: UInt8, _ generator: inout SeededGenerator) -> [UInt8] {
        let lineEnd = ["\n", "\r\n", "\r"].randomElement(using: &generator) ?? "\n"
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let fields = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                let field = noise(separator, upTo: 12, &generator)
                let needsQuotes = field.contains { [separator, 0x22, 0x0A, 0x0D].contains($0) }
                guard needsQuotes || Bool.random(using: &generator) else { return field }
                return [0x22] + field.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
            }
            bytes += fields.joined(separator: [separator]) + Array(lineEnd.utf8)
        }
        return bytes
    }

    /// A file of random bytes, many of them special to CSV.
    private static func damaged(_ separator: UInt8, _ generator: inout SeededGenerator) -> [UInt8] {
        noise(separator, upTo: Bool.random(using: &generator) ? 300 : 20, &generator)
    }

    private static func noise(_ separator: UInt8, upTo most: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        let count = Int.random(in: 0...most, using: &generator)
        let quotes = Int.random(in: 0...3, using: &generator)
        while bytes.count < count {
            switch Int.random(in: 0..<24, using: &generator) {
            case 0..<quotes: bytes.append(0x22)
            case 4, 5: bytes.append(separator)
            case 6: bytes.append(0x0A)
            case 7: bytes.append(0x0D)
            case 8: bytes += [0x0D, 0x0A]
            case 9: bytes.append(0)
            case 10: bytes.append(UInt8.random(in: 0x80...0xFF, using: &generator))
            case 11 where Int.random(in: 0..<20, using: &generator) == 0: bytes += repeatElement(0x78, count: 200)
            case 12: bytes += [0x22, separator]
            default: bytes.append(UInt8.random(in: 0x61...0x7A, using: &generator))
            }
        }
        return bytes
    }
}
