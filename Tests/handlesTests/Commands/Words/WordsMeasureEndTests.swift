import Foundation
import TestService
import TestSupport
import Testing

/// The limit of `handles words measure`, its wrong input and its faults.
@Suite struct WordsMeasureEndTests {
    private let folder = TestFolder("measure-end")

    @Test func shareAboveTheLimitEndsWithOne() async throws {
        // 57 of 10,000 names are disguises, which is 0.57 %.
        let names = try folder.file(
            "names.txt",
            (0..<57).map { "admin\($0)\n" }.joined() + (0..<9943).map { "qx\($0)y\n" }.joined())
        #expect(try await folder.measure(names, "--built-in", "--at-most", "0.57").status == 0)
        #expect(try await folder.measure(names, "--built-in", "--at-most", "100").status == 0)
        for (limit, allowed) in [("0.569", 56), ("0", 0)] {
            let result = try await folder.measure(names, "--built-in", "--at-most", limit)
            #expect(result.status == 1)
            #expect(result.output.contains("disguises     57  0.570\n"))
            #expect(
                result.words
                    == "handles: 57 of 10,000 names are refused as disguises or for a word inside, and --at-most allows \(allowed)\n"
            )
        }
        // The words of the list are judged, and not those in force.
        let list = try folder.file("list.tsv", "qxly\tours\tlookalike\n")
        let lookalike = try folder.file("lookalike.txt", "qx1y\njohndoe\n")
        #expect(try await folder.measure(lookalike, "--built-in", "--at-most", "1").status == 0)
        #expect(try await folder.measure(lookalike, "--built-in", "--at-most", "1", "--change", list).status == 1)
    }

    /// A wrong column or a damaged file would otherwise pass with the few names that are left.
    @Test(arguments: ["id,username\n1,johndoe\n2,janedoe\n3\n", "johndoe\nJane Doe\nJ. Doe\n"])
    func limitCountsOnlyForAFileWithFewBadRows(_ rows: String) async throws {
        let result = try await folder.measure("-", "--built-in", "--at-most", "1", input: rows)
        #expect(result.status == 65)
        #expect(
            result.words
                == "handles: too many rows are left out to compare the share with --at-most: is it the right column? "
                + "handles validate lists them\n")
        #expect(try await folder.measure("-", "--built-in", input: rows).status == 0)
    }

    @Test func rowsThatCannotBeAppliedAreListed() async throws {
        let list = try folder.file("list.tsv", "admin\troles\tnone\nblog\tx\tinnocent\nokapi\tx\tnone\n")
        let newly = try folder.file("newly.csv", "an older one\n")
        let result = try await folder.measure("-", "--built-in", "--change", list, "--newly", newly)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(
            result.words == """
                \(list), line 1: locked: 'admin' is of the core list (roles) and stays as it is
                \(list), line 2: reserved: 'blog' is a word itself (features), so it can't be innocent
                \(list), line 3: 'okapi' is not reserved, so it can't be taken off
                handles: correct these rows and try again

                """)
        #expect(try String(contentsOfFile: newly, encoding: .utf8) == "an older one\n")
        // Also when another list has such a row.
        let twice = try await folder.measure(
            "-", "--built-in", "--change", try folder.file("a.tsv", "okapi\tx\texact\n"), "--change",
            try folder.file("b.tsv", "okapi\tx\tinnocent\n"))
        #expect(twice.words.contains("b.tsv, line 1: reserved: 'okapi' is a word itself"))
        // A list is applied after those before it.
        let removed = try await folder.measure(
            "-", "--built-in", "--change", try folder.file("a.tsv", "okapi\tx\tinnocent\n"), "--change",
            try folder.file("b.tsv", "okapi\tx\tnone\n"), input: "okapi\n")
        #expect(removed.status == 0, "\(removed.words)")
        // A locked word may be listed as it is.
        let same = try folder.file("same.tsv", "admin\troles\taffix\n")
        #expect(try await folder.measure("-", "--built-in", "--change", same, input: "johndoe\n").status == 0)
    }

    @Test func damagedRowsAreListedBeforeTheDatabaseIsOpened() async throws {
        let list = try folder.file("list.tsv", "zebra\tours\tsideways\nzebra\tx\texact\nzebra\tx\texact\nx\n")
        let result = try await folder.measure("-", "--change", list, on: "host=/nonexistent")
        #expect(result.status == 65)
        #expect(
            result.words == """
                \(list), line 1: a match is exact, lookalike, authority, affix, whole, inside, innocent or none
                \(list), line 3: the word is there twice
                \(list), line 4: needs word, category, match and maybe a comment between tabs
                handles: correct these rows and try again

                """)
    }

    @Test func fileThatFailsLaterLeavesAnIncompleteReport() async throws {
        let names = try folder.file("names.txt", "zebra\n")
        let list = try folder.file("list.tsv", "zebra\tours\texact\n")
        let newly = try folder.file("newly.csv", "an older one\n")
        let missing = try await folder.measure(
            names, "\(folder.path)/nothing", "--built-in", "--change", list, "--newly", newly)
        #expect(missing.status == 66)
        #expect(missing.words == "handles: can't read \(folder.path)/nothing: No such file or directory\n")
        #expect(try String(contentsOfFile: newly, encoding: .utf8) == "an older one\n")
        // A folder can be opened, but not read.
        let opened = try await folder.measure(
            names, folder.path, "--built-in", "--change", list, "--newly", newly)
        #expect(opened.status == 66)
        #expect(try String(contentsOfFile: newly, encoding: .utf8) == "an older one\n")
        let cut = try folder.file("cut.csv", "id,username\n1,\"z3bra\n")
        let result = try await folder.measure(names, cut, "--built-in", "--change", list, "--newly", newly)
        #expect(result.status == 65)
        #expect(
            result.words
                == "\(newly) is incomplete\nhandles: \(cut) ends in the middle of a record: is it cut?\n")
        #expect(try String(contentsOfFile: newly, encoding: .utf8).hasSuffix("\nzebra,refused,zebra,spelled,ours\n"))
        // Also when no name was measured.
        let first = try await folder.measure(cut, "--built-in", "--change", list, "--newly", newly)
        #expect(first.words.hasPrefix("\(newly) is incomplete\n"))
        #expect(try String(contentsOfFile: newly, encoding: .utf8) == "name,change,word,way,category\n")
    }

    @Test func pipesAreReadOnce() async throws {
        let files = [
            try folder.file("names.txt", "zebra\nz3bra\n"), try folder.file("list.tsv", "zebra\tours\tlookalike\n"),
        ]
        let pipes = ["\(folder.path)/names", "\(folder.path)/list"]
        let writers = try zip(pipes, files).map { pipe, file in
            try #require(mkfifo(pipe, 0o600) == 0)
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: "/bin/sh")
            writer.arguments = ["-c", "exec cat '\(file)' > '\(pipe)'"]
            try writer.run()
            return writer
        }
        let result = try await folder.measure(pipes[0], "--built-in", "--change", pipes[1], "--json")
        // A writer would wait for ever if the program did not open its pipe.
        for writer in writers {
            writer.terminate()
            await writer.ended()
        }
        #expect(try result.json("refused", "all", "after") == 2)
    }

    @Test func inputThatCannotBeMeasuredIsRefused() async throws {
        let empty = try folder.file("empty.txt", "")
        let none = try await folder.measure(empty, "-", "--built-in", input: "_\n\n!!\n")
        #expect(none.status == 65)
        #expect(none.words == "handles: no well-formed name in \(empty), the input\n")
        let cut = try await folder.measure("-", "--built-in", input: "id,username\n1,johndoe\n2,\"jane\n")
        #expect(cut.status == 65)
        #expect(cut.output.isEmpty)
        #expect(cut.words.contains("the input ends in the middle of a record"))
        let missing = try await folder.measure("\(folder.path)/nothing", "--built-in")
        #expect(missing.status == 66)
        let noList = try await folder.measure("-", "--change", "\(folder.path)/nothing", on: "host=/nonexistent")
        #expect(noList.status == 66)
        let emptyList = try await folder.measure("-", "--built-in", "--change", empty)
        #expect(emptyList.status == 65)
        #expect(emptyList.words.contains("\(empty) has no words: write one a line"))
        let folderResult = try await folder.measure(folder.path, "--built-in")
        #expect(folderResult.status == 66)
        let full = try await folder.measure(
            "-", "--built-in", "--change", try folder.file("l.tsv", "zebra\tx\texact\n"), "--newly", "/dev/full",
            input: "zebra\n")
        #expect(full.status == 73)
        let unavailable = try await folder.measure("-", on: "host=/nonexistent", input: "johndoe\n")
        #expect(unavailable.status == 69)
    }

    @Test(arguments: [
        ([], "file"), (["-", "-"], "Only one file can be the standard input"),
        (["-", "--change", "-"], "Only one file can be the standard input"),
        (["-", "--newly", "x"], "--newly needs a list of --change"),
        (["-", "--at-most", "101"], "--at-most is a number of percent from 0 to 100"),
        (["-", "--at-most", "nan"], "--at-most is a number of percent from 0 to 100"),
        (["-", "--at-most=-1"], "--at-most is a number of percent from 0 to 100"),
        (["-", "--at-most", "some"], "--at-most"), (["-", "--jobs", "0"], "--jobs is a number from 1 to 1024"),
        (["-", "--memory", "1"], "--memory is a number of MiB"), (["-", "--separator", "ab"], "--separator"),
    ])
    func wrongOptionsAreRefused(_ arguments: [String], _ message: String) async throws {
        let result = try await Program.run(["words", "measure", "--built-in"] + arguments, in: folder.path)
        #expect(result.status == 64, "\(result.words)")
        #expect(result.words.contains(message), "\(result.words)")
    }

    @Test func listNamesAndReportAreNeverOverwritten() async throws {
        let names = try folder.file("names.txt", "zebra\n")
        let list = try folder.file("list.tsv", "zebra\tours\texact\n")
        for path in [names, list] {
            let result = try await folder.measure(names, "--built-in", "--change", list, "--newly", path)
            #expect(result.status == 64)
            #expect(result.words.contains("would overwrite the file that is read; give another --newly"))
        }
        #expect(try String(contentsOfFile: list, encoding: .utf8) == "zebra\tours\texact\n")
        let output = try folder.file("output", "")
        let process = Program.process(
            ["words", "measure", names, "--built-in", "--change", list, "--newly", output], in: folder.path)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        #expect(await process.ended() == 64)
        #expect(try String(contentsOfFile: output, encoding: .utf8).isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func interruptedMeasureSaysThatTheReportIsIncomplete(_ signal: Int32)
        async throws
    {
        let list = try folder.file("list.tsv", "zebra\tours\taffix\n")
        let newly = try folder.file("newly", "")
        let names = (0..<400_000).map { "zebra\($0 % 7)\n" }.joined()
        let (report, words) = try await Endless(
            in: folder.path, ["words", "measure", "-", "--built-in", "--change", list, "--newly", newly], names
        ).end(signal, afterBytes: 10_000, of: "newly")
        #expect(words == "\(newly) is incomplete\nhandles: interrupted\n")
        #expect(report.hasPrefix("name,change,word,way,category\nzebra0,refused,zebra,affix,ours\n"))
        #expect(report.hasSuffix(",ours\n"))
    }
}
