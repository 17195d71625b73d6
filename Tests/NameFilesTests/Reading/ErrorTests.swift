import Foundation
import Testing

@testable import NameFiles

/// An input that can't be read gives an error of one sentence, which names the file and what to change.
@Suite struct ErrorTests {
    let scratch = Scratch()

    /// The message of the error when the file is read, with `FILE` in place of the path.
    private func error(_ name: String, _ bytes: [UInt8], _ selection: Selection = Selection()) throws -> String? {
        let path = try scratch.file(name, bytes)
        return message(path, selection)?.replacing(path, with: "FILE")
    }

    private func message(_ path: String, _ selection: Selection = Selection()) -> String? {
        do {
            return try FileReading(path, selection).error?.description
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("a.csv", "id,email\n1,x\n", Selection.Column.name("login"), "has no column login, only id, email"),
        (
            "a.csv", "id,email\n1,x\n", .usual,
            "has the columns id, email: choose one with --column NAME or --column NUMBER"
        ),
        (
            "a.csv", "1,alice,x\n", .usual,
            "has 3 columns, and begins with 1, alice, x: choose the column of the names, with --column NAME if that is a "
                + "header, else with --column NUMBER"
        ),
        ("a.csv", "1,alice\n", .number(3), "has no column 3: choose one of 1, alice, numbered 1 to 2"),
        ("a.csv", "alice\n", .number(0), "has no column 0: choose one of alice, which is number 1"),
        ("a.csv", "", .name("login"), "is empty, so it has no column login"),
        (
            "a.txt", "a\n", .name("login"),
            "is read as lines, which have no header and no columns: use --format csv if it has"
        ),
        (
            "a.txt", "a\n", .number(2),
            "is read as lines, which have no header and no columns: use --format csv if it has"
        ),
        (
            "a.jsonl", "{\"id\":1,\"x\":2}\n", .usual,
            "has only the fields id, x in its first objects: choose one with --column NAME"
        ),
        ("a.jsonl", "{}\n", .usual, "has no fields in its first objects: choose one with --column NAME"),
        (
            "a.jsonl", "{\n\"name\":\"a\"}", .usual,
            "does not begin with a JSON object in one line: write one a line, as jq -c does"
        ),
        (
            "a.jsonl", "{\"id\":1}\n", .number(1),
            "has no column numbers, as it is JSON: choose a field with --column NAME"
        ),
    ])
    func errorNamesTheColumnsOfTheFile(name: String, text: String, column: Selection.Column, expected: String) throws {
        #expect(try error(name, Array(text.utf8), Selection(columns: [column])) == "FILE \(expected)")
    }

    /// One of the columns would be ignored.
    @Test(
        arguments: [
            ("handle,owner,owner\n", [.name("handle"), .name("owner")], "owner, with the numbers 2, 3", true),
            ("handle,owner,Owner\n", [.usual, .optional("owner")], "owner, with the numbers 2, 3", false),
            (
                "handle,reason,owner,reason,reason\n", [.number(1), .optional("reason")],
                "reason, with the numbers 2, 4, 5", false
            ),
            ("Until,handle,UNTIL\n", [.usual, .optional("until")], "Until, with the numbers 1, 3", false),
            ("handle,owner,handle\n", [.usual], "handle, with the numbers 1, 3", true),
            ("note,Note,x\n", [.name("NOTE")], "note, with the numbers 1, 2", true),
        ] as [(String, [Selection.Column], String, Bool)])
    func repeatedColumnIsRefusedWithItsPlaces(
        _ text: String, _ columns: [Selection.Column], _ places: String, _ mayChoose: Bool
    ) throws {
        let count = places.filter { $0 == "," }.count
        #expect(
            try error("a.csv", Array(text.utf8), Selection(columns: columns))
                == "FILE has \(count) columns called \(places): rename all but one"
                + (mayChoose ? ", or choose one by its number" : ""))
    }

    /// The capitals decide, or the number.
    @Test func repeatedColumnCanBeChosen() throws {
        let text = Array("handle,owner,Owner\n".utf8)
        for column in [Selection.Column.name("owner"), .name("Owner"), .number(2)] {
            #expect(try error("a.csv", text, Selection(columns: [.usual, column])) == nil)
        }
    }

    @Test func columnNameIsRefusedWithoutAHeader() throws {
        let selection = Selection(columns: [.name("id")], header: false)
        #expect(
            try error("a.csv", Array("1,2\n".utf8), selection)
                == "FILE is read without a header, so it has no column id: choose it with --column NUMBER")
    }

    @Test(arguments: [
        ([0xFF, 0xFE, 0x61, 0], "UTF-16, not UTF-8: convert it first, with iconv -f UTF-16 -t UTF-8"),
        ([0xFE, 0xFF, 0, 0x61], "UTF-16, not UTF-8: convert it first, with iconv -f UTF-16 -t UTF-8"),
        ([0xFF, 0xFE, 0, 0], "UTF-32, not UTF-8: convert it first, with iconv -f UTF-32 -t UTF-8"),
        ([0, 0, 0xFE, 0xFF], "UTF-32, not UTF-8: convert it first, with iconv -f UTF-32 -t UTF-8"),
        (Array("a\0n\0n\0a\0".utf8), "UTF-16LE, not UTF-8: convert it first, with iconv -f UTF-16LE -t UTF-8"),
        (Array("\0a\0n\0n\0a".utf8), "UTF-16BE, not UTF-8: convert it first, with iconv -f UTF-16BE -t UTF-8"),
        ([0xD0, 0xCF, 0x11, 0xE0, 1], "a workbook of an old Excel: save it as CSV first"),
        (
            Array("# export\nversion: 1\n\ndn: uid=jane,ou=people\nuid: jane\n".utf8),
            "LDIF: take the names from it, with sed -n 's/^uid: //p' (or sAMAccountName in place of uid)"
        ),
        (
            Array("-- a dump\nCOPY public.users (id, name) FROM stdin;\n1\tjane\n".utf8),
            "a dump in SQL: load it into a database, and export the table as CSV"
        ),
        (
            Array("REPLACE  INTO `users` VALUES (1,'jane');\n".utf8),
            "a dump in SQL: load it into a database, and export the table as CSV"
        ),
        (Array("<?xml version='1.0'?>\n".utf8), "XML or HTML: export the list as CSV or JSON"),
        (Array("%PDF-1.7".utf8), "a PDF: ask for the list as CSV"),
        ([0x50, 0x4B, 3, 4, 20], "a ZIP archive, as the workbooks of Excel are: save it as CSV first, or unzip it"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd: decompress it first, with zstd -dc"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed by xz: decompress it first, with xz -dc"),
    ])
    func encodingsAndCompressionsThatAreNotReadAreNamed(bytes: [UInt8], words: String) throws {
        #expect(try error("a.txt", bytes) == "FILE is \(words)")
    }

    @Test func firstRecordWithoutAnEndIsRefused() throws {
        let path = try scratch.file("a.csv", "id,\"name\n" + String(repeating: "1,alice\n", count: 100))
        for chunkSize in [1, 64, 4096] {
            let error = #expect(throws: RecordsError.self) {
                try FileReading(path, chunkSize: chunkSize, longestRecord: 100)
            }
            #expect(
                error?.description == "\(path) begins with a record of more than 100 bytes, so its columns can't be "
                    + "detected: close its quotes, or give its --format")
        }
    }

    @Test func filesThatCannotBeOpenedAreNamed() {
        #expect(message("/nonexistent/a.csv") == "can't read /nonexistent/a.csv: No such file or directory")
        #expect(message(scratch.path) == "can't read \(scratch.path): it is a directory, not a file")
        #expect(throws: RecordsError.self) { try ByteSource(path: "/nonexistent") }
    }

    @Test func headerCutByTruncatedGzipIsReportedAsCut() throws {
        let compressed = try scratch.gzip(Array("id,user".utf8)) + [0x1F, 0x8B]
        let path = try scratch.file("a.csv.gz", compressed)
        #expect(
            message(path, Selection(columns: [.name("username")]))
                == "\(path) is cut: its compressed data end in the middle; get the whole file again")
    }

    @Test(.timeLimit(.minutes(5))) func waitingForTheWriterOfAPipeEndsWhenTheTaskIsCancelled() async throws {
        let task = readPipe { task, _ in task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.timeLimit(.minutes(5))) func pipeMayBeOpenedBeforeItsWriter() async throws {
        let task = readPipe { _, path in
            let writer = open(path, O_WRONLY | O_CLOEXEC)
            write(writer, "x\ny\n", 4)
            close(writer)
        }
        #expect(try await task.value == 2)
    }

    /// Reads a pipe that has no writer, and runs `action` once the reader has opened it.
    private func readPipe(
        onceOpen action: @escaping @Sendable (Task<Int, any Error>, _ path: String) -> Void
    ) -> Task<Int, any Error> {
        let path = "\(scratch.path)/pipe"
        mkfifo(path, 0o600)
        let task = Task { try FileReading(path).entries.count }
        // On a separate thread: the blocking read occupies one of the threads that run tasks.
        Thread.detachNewThread {
            Self.waitUntilOpen(path)
            action(task, path)
        }
        return task
    }

    /// Waits until this process has a file open.
    private static func waitUntilOpen(_ path: String) {
        func isOpen(_ descriptor: Int32) -> Bool {
            var (file, opened) = (stat(), stat())
            return stat(path, &file) == 0 && fstat(descriptor, &opened) == 0 && file.st_ino == opened.st_ino
                && file.st_dev == opened.st_dev
        }
        while !(0..<4096).contains(where: isOpen) { usleep(1000) }
    }
}
