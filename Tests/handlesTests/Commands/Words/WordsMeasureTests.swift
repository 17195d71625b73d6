import Foundation
import HandleCore
import HandleRegistry
import TestService
import TestSupport
import Testing

/// The reports of `handles words measure`.
@Suite struct WordsMeasureTests {
    private let folder = TestFolder("measure")

    private static let names = "johndoe\nadmin\nadm1n\naddmin\nreal_admin\nstore\nst0re\nz3bra\nmarnie\nmamie\n"

    @Test func reportShowsTheRefusedNames() async throws {
        let result = try await folder.measure("-", "--built-in", "--keys", input: Self.names + "_x\n")
        #expect(result.status == 0)
        #expect(result.words.isEmpty)
        #expect(
            result.output == """
                10 names measured; left out: 1 malformed

                refused    names       %
                spelled        2  20.000
                looks          2  20.000
                doubled        1  10.000
                affix          1  10.000
                disguises      4  40.000
                all            6  60.000

                category  names       %
                roles         4  40.000
                payment       2  20.000

                word   category  names  examples
                admin  roles         4  adm1n, addmin, real_admin
                store  payment       2  st0re

                6 of 10 different names (60.000 %) look like another one

                """)
    }

    @Test func reportComparesTheWordsWithThoseOfAList() async throws {
        let names = try folder.file("names.txt", Self.names)
        let list = try folder.file(
            "list.tsv",
            "word\tcategory\tmatch\nzebra\tbrands\tlookalike\tours\nstore\tpayment\tnone\n")
        let newly = "\(folder.path)/newly.csv"
        let result = try await folder.measure(names, "--built-in", "--change", list, "--newly", newly)
        #expect(result.status == 0, "\(result.words)")
        #expect(
            result.output == """
                10 names measured

                refused    before  % before  after  % after
                spelled         2    20.000      1   10.000
                looks           2    20.000      2   20.000
                doubled         1    10.000      1   10.000
                affix           1    10.000      1   10.000
                disguises       4    40.000      4   40.000
                all             6    60.000      5   50.000

                category  before  % before  after  % after
                roles          4    40.000      4   40.000
                payment        2    20.000      0    0.000
                brands         0     0.000      1   10.000

                word   category  before  after  examples
                admin  roles          4      4  adm1n, addmin, real_admin
                store  payment        2      0  st0re
                zebra  brands         0      1  z3bra

                1 newly refused, 2 newly free
                name   change   word   way      category
                z3bra  refused  zebra  looks    brands
                store  free     store  spelled  payment
                st0re  free     store  looks    payment

                """)
        #expect(
            try String(contentsOfFile: newly, encoding: .utf8) == """
                name,change,word,way,category
                store,free,store,spelled,payment
                st0re,free,store,looks,payment
                z3bra,refused,zebra,looks,brands

                """)
    }

    @Test(arguments: [
        ("zebra\tours\tlookalike\n", "zebra\tours\texact\n", 1),
        ("zebra\tours\texact\n", "zebra\tours\tlookalike\n", 2),
        ("zebra\tours\tlookalike\n", "zebra\tours\tnone\n", 0),
        ("z3bra\tours\tlookalike\n", "z3bra\tx\tnone\n", 0),
        ("zebra\tours\tlookalike\n", "z3bra\tours\tinnocent\n", 1), ("z3bra\tx\tinnocent\n", "z3bra\tx\texact\n", 1),
    ])
    func lastListWithARowAboutAWordCounts(_ first: String, _ second: String, _ refused: Int) async throws {
        let names = try folder.file("names.txt", "zebra\nz3bra\n")
        // One of them from the standard input.
        let result = try await folder.measure(
            names, "--built-in", "--json", "--change", try folder.file("first.tsv", first), "--change", "-",
            input: second)
        #expect(try result.json("refused", "all", "after") == refused, "\(result.words)")
    }

    @Test func jsonHasEveryFigure() async throws {
        let list = try folder.file("list.tsv", "zebra\tours\tlookalike\n")
        let newly = "\(folder.path)/newly.ndjson"
        let result = try await folder.measure(
            "-", "--built-in", "--json", "--keys", "--disguises", "--change", list, "--newly", newly,
            input: Self.names + "_x\n")
        #expect(result.status == 0, "\(result.words)")
        #expect(
            result.output.hasPrefix(
                #"{"names":10,"malformed":1,"unreadable":0,"refused":{"all":{"before":6,"after":7},"#
                    + #""disguises":{"before":4,"after":5},"spelled":{"before":2,"after":2},"#
                    + #""looks":{"before":2,"after":3},"doubled":{"before":1,"after":1},"#
                    + #""authority":{"before":0,"after":0},"affix":{"before":1,"after":1},"#
                    + #""whole":{"before":0,"after":0},"inside":{"before":0,"after":0}},"categories":{"ours":{"before":0,"after":1},"#
                    + #""payment":{"before":2,"after":2},"roles":{"before":4,"after":4}},"words":[{"word":"admin","#
                    + #""category":"roles","names":{"before":4,"after":4},"examples":["adm1n","addmin","real_admin"]},"#
            ))
        #expect(result.output.contains(#""newly":{"refused":1,"free":0},"keys":{"names":10,"alike":6,"groups":3},"#))
        for kind in Disguise.Kind.allCases.map(\.rawValue) + ["all"] {
            let tries = try result.json("disguises", kind, "tries")
            let refused = try result.json("disguises", kind, "refused", "after")
            #expect(tries > 100)
            #expect((tries * 9 / 10...tries).contains(refused), "\(kind)")
        }
        #expect(
            try String(contentsOfFile: newly, encoding: .utf8)
                == #"{"name":"z3bra","change":"refused","word":"zebra","way":"looks","category":"ours"}"# + "\n")
    }

    @Test func disguisesAreShownByKind() async throws {
        let list = try folder.file("list.tsv", "store\tpayment\tnone\n")
        let result = try await folder.measure(
            "-", "--built-in", "--disguises", "--change", list, input: "johndoe\n")
        let table = result.output.split(separator: "\n").drop { !$0.hasPrefix("disguise ") }
        #expect(
            table.first?.split(separator: " ")
                == ["disguise", "tries", "before", "%", "before", "after", "%", "after", "not", "refused"])
        let rows = table.dropFirst().map { $0.split(separator: " ") }
        #expect(rows.compactMap(\.first).map(String.init) == Disguise.Kind.allCases.map(\.rawValue) + ["all"])
        // `store` has no pair, and no letter that looks like another.
        for row in rows where !["pair", "letter"].contains(row[0]) {
            // Those of the word that is taken off are tried too.
            #expect(row[2] != row[4], "\(row)")
            // The first that are not refused, each with its word.
            #expect(row[0] == "all" || row.last?.last == ")", "\(row)")
        }
    }

    @Test func tableOfDifferencesSaysThatItIsCut() async throws {
        let list = try folder.file("list.tsv", "zebra\tours\taffix\n")
        for (count, isCut) in [(20, false), (21, true)] {
            let names = (0..<count).map { "zebra\($0)\n" }.joined()
            let result = try await folder.measure("-", "--built-in", "--change", list, input: names)
            #expect(result.output.contains("\n\(count) newly refused, 0 newly free\n"))
            #expect(result.output.hasSuffix("\n…  (20 of each at most; --newly FILE gets all)\n") == isCut)
        }
    }

    /// As in docs/admin.md.
    @Test func listOfNamesInUseIsReadFromAPipe() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        _ = try await registry.reserve("real_admin", Reservation(reason: "ours"))
        let names = try await Program.run(["list", "--csv"], in: folder.path, ["DATABASE_URL": database])
        let result = try await folder.measure("-", "--json", on: database, input: names.output)
        #expect(try result.json("names") == 1)
        #expect(try result.json("refused", "affix", "after") == 1)
    }

    @Test func wordsInForceAreMeasured() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        try await registry.migrate()
        try await registry.putWords([.add("zebra", .affix)])
        let list = try folder.file("list.csv", "zebra,ours,none\nokapi,ours,exact\n")
        let names = "zebra99\nokapi\n"
        let now = try await folder.measure("-", "--json", on: database, input: names)
        #expect(try now.json("refused", "all", "after") == 1)
        let proposed = try await folder.measure(
            "-", "--json", "--change", list, "--newly", "\(folder.path)/newly", on: database, input: names)
        #expect(try proposed.json("newly", "refused") == 1)
        #expect(try proposed.json("newly", "free") == 1)
        // Nothing is changed.
        #expect(try await folder.measure("-", "--json", on: database, input: names).output == now.output)
    }

    @Test func categoryCannotControlTheTerminal() async throws {
        let list = try folder.file("list.tsv", "zebra\ta\u{202E}b\texact\n")
        let newly = "\(folder.path)/newly"
        let result = try await folder.measure("-", "--built-in", "--change", list, "--newly", newly, input: "zebra\n")
        #expect(result.output.contains("zebra  a\\u{202e}b"))
        #expect(
            try String(contentsOfFile: newly, encoding: .utf8).hasSuffix("zebra,refused,zebra,spelled,a\\u{202e}b\n"))
    }
}

extension TestFolder {
    /// Runs `handles words measure`.
    func measure(
        _ arguments: String..., on database: String? = nil, input: String = ""
    ) async throws -> Program.Result {
        let environment = database.map { ["DATABASE_URL": $0] } ?? [:]
        return try await Program.run(["words", "measure"] + arguments, in: path, environment, input: input)
    }
}

extension Program.Result {
    /// A number in the JSON object of the output.
    func json(_ path: String...) throws -> Int {
        var value: Any? = try JSONSerialization.jsonObject(with: Data(output.utf8))
        for key in path { value = (value as? [String: Any])?[key] }
        return try #require(value as? Int, "\(path) in \(output)")
    }
}
