import CPlatform
import FoundationEssentials
import Glibc
import NameFiles
import TestSupport

@testable import NameFiles

/// A folder with the files of one test.
struct Scratch {
    let path = TemporaryFolder.make("batch")

    func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    func file(_ name: String, _ text: String) throws -> String { try file(name, text.utf8) }

    /// A pipe into which another process writes the bytes one at a time.
    func pipe(_ bytes: some Collection<UInt8>) throws -> String {
        let source = try file("source", bytes)
        let path = "\(path)/pipe"
        mkfifo(path, 0o600)
        system("dd if='\(source)' of='\(path)' bs=1 2> /dev/null &")
        return path
    }

    /// The bytes compressed, as one member.
    func gzip(_ bytes: some Collection<UInt8>) throws -> [UInt8] {
        let stream = gzopen("\(path)/member", "wb")
        gzwrite(stream, Array(bytes), UInt32(bytes.count))
        gzclose(stream)
        return try contents("member")
    }

    func contents(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }
}

/// The header and the records of a report, read with this project's own CSV reader.
struct CSVTable {
    let header: [UInt8]
    private(set) var rows: [[[UInt8]]] = []

    /// - Parameter columns: the number of columns; a record with another number throws ``Damaged``.
    init(_ path: String, columns: Int) throws {
        let reader = try ChunkReader(
            path: path, selection: Selection(format: .csv, columns: (1...columns).map { .number($0) }, header: true))
        header = Array((reader.layout.header ?? []).joined(separator: ",").utf8)
        while let chunk = try reader.next() {
            let records = Records(chunk, reader.layout)
            for record in 0..<records.count {
                if let fault = records.fault(record) { throw Damaged(row: rows.count, fault: fault) }
                rows.append((0..<columns).map { Array(records.bytes(of: record, column: $0) ?? []) })
            }
        }
    }

    struct Damaged: Error {
        let row: Int
        let fault: RecordFault
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: rows[row][column], as: UTF8.self) }
}
