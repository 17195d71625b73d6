import Foundation
import HandleRegistry
import HandleRules
import Seeds
import TestService
import TestSupport
import Testing

@Suite struct WordsCommandTests {
    private let folder = TemporaryFolder.make("words")

    @Test func wordsAreAddedListedTestedAndRemoved() async throws {
        let words = try await Commands("words", in: folder)
        let added = try await words(
            "add", "zyxwvu", "qwrtzp", "zyxwvu", "--category", "ours", "--match", "affix", "--comment",
            "two\u{202E}words",
            "--until", "2999-12-31")
        #expect(added.status == 0 && added.words.isEmpty)
        #expect(added.output == "zyxwvu           added\nqwrtzp           added\n")
        let tested = try await words("test", "zyxwvu", "ZYX_WVU", "real_zyxwvu", "authn", "johndoe")
        #expect(tested.status == 1)
        #expect(
            tested.output == """
                zyxwvu           zyxwvu (spelled: the word itself, ours) from admin: two\\u{202e}words
                ZYX_WVU          zyxwvu (looks: like the word to the eye, ours) from admin: two\\u{202e}words
                real_zyxwvu      zyxwvu (affix: with something before or after it, ours) from admin: two\\u{202e}words
                authn            authn (spelled: the word itself, accounts) from built-in: HTTP authentication
                johndoe          no reserved word

                """)
        #expect(try await words("test", "johndoe").status == 0)
        let removed = try await words("remove", "qwrtzp", "admin", "no_such_word")
        #expect(removed.status == 1)
        #expect(
            removed.output == """
                qwrtzp           removed
                admin            locked: 'admin' is of the core list (roles) and stays as it is
                no_such_word     no such reserved word

                """)
        let list = try await words("list")
        let lines = list.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines.first == "word    match  category  source  changed     until       by\(spaces(list.output))  comment")
        #expect(lines.last?.hasPrefix("zyxwvu  affix  ours      admin   20") == true)
        #expect(lines.last?.contains("  2999-12-31  cli:") == true)
        #expect(lines.last?.hasSuffix("two\\u{202e}words") == true)
        let json = try await words("list", "--json")
        #expect(
            json.output.contains(
                #"{"word":"qwrtzp","match":"none","category":"ours","source":"admin","comment":"","actor":"cli:"#))
        #expect(json.output.contains(#""until":"3000-01-01T00:00:00.000Z"}"#))
        let all = try await words("list", "--all", "--json")
        let (count, innocent) = (
            all.output.split(separator: "\n").count, all.output.ranges(of: #""match":"innocent""#).count
        )
        #expect(innocent > 50)
        let reserved = (count - innocent).formatted(.number.locale(Locale(identifier: "en")))
        #expect(all.words == "\(reserved) words are reserved, \(innocent) names are innocent\n")
        #expect(
            all.output.contains(
                #"{"word":"authn","match":"affix","category":"accounts","source":"built-in","comment":"HTTP authentication","actor":null,"changed_at":null,"until":null}"#
            ))
        let ours = try await words("list", "--all", "--category", "ours")
        #expect(ours.output.split(separator: "\n").count == 2)
        #expect(try await words("list", "--category", "nonsense").output.isEmpty)
    }

    /// The spaces by which the column of actors is wider than its title.
    private func spaces(_ table: String) -> String {
        let actor = table.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("cli:") } ?? ""
        return String(repeating: " ", count: max(0, actor.count - 2))
    }

    @Test func wordThatHitsNamesIsAddedOnlyWithConsent() async throws {
        let words = try await Commands("words", in: folder)
        _ = try await words.registry().claim("Sm1th", for: owner("user-1"))
        let preview = """
            1 name in use would be newly refused; owners keep their names:
              Sm1th            claimed by user-1 (smith)
            1 common name of people would be newly refused:
              smith            (smith)

            """
        let dry = try await words("add", "smith", "--category", "ours", "--dry-run")
        #expect(dry.status == 0 && dry.words == preview && dry.output == "smith            would be added\n")
        let refused = try await words("add", "smith", "--category", "ours")
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(
            refused.words == preview
                + "handles: names would be newly refused: confirm with --yes, as there is no terminal\n")
        let kept = try await words.typing("n\n", "add", "smith", "--category", "ours")
        #expect(kept.status == 1)
        #expect(kept.output == preview + "Make this change anyway? [y/N] n\nnothing was changed\n")
        #expect(try await words("test", "smith").status == 0)
        let added = try await words.typing("y\n", "add", "smith", "--category", "ours")
        #expect(added.status == 0 && added.output.hasSuffix("smith            added\n"))
        // Nothing changes, so no name is newly hit and there is no question.
        let again = try await words("add", "smith", "--category", "ours")
        #expect(again.status == 0 && again.words.isEmpty && again.output == "smith            same\n")
        // Refused already, so a wider match makes no difference.
        let wider = try await words("add", "smith", "--category", "ours", "--match", "affix")
        #expect(wider.status == 0 && wider.words.isEmpty && wider.output == "smith            changed\n")
        let locked = try await words("add", "admin", "--category", "ours")
        #expect(locked.status == 1 && locked.output.contains("locked: 'admin'"))
        // The owner keeps the name.
        let claimed = try await Program.run(
            ["claim", "sm1th", "--for", "user-1"], in: folder, ["DATABASE_URL": words.database])
        #expect(claimed.status == 0)
    }

    /// Nothing is refused, so there is nothing to confirm.
    @Test func wordThatFreesNamesIsChangedWithoutConsent() async throws {
        let words = try await Commands("words", in: folder)
        _ = try await words("add", "smith", "--category", "ours", "--match", "affix", "--yes")
        _ = try await words.registry().reserve("real_smith", Reservation(reason: "ours"))
        let freed = try await words("add", "smith", "--category", "ours", "--match", "exact")
        #expect(freed.status == 0 && freed.output == "smith            changed\n")
        #expect(
            freed.words == """
                1 name in use would no longer be refused:
                  real_smith       (smith)

                """)
    }

    private static let list = """
        # a list
        word,category,match,comment
        zyxwvu,ours,affix,"the ""first"", of two"
        qwrtzp , ours , exact

        Qwrtzp,ours,exact
        qwrtzp,ours,exact
        admin,ours,exact
        authn,accounts,affix,HTTP authentication
        plkjhg,ours,sideways
        plkjhg

        """

    @Test func wordListCanBeImportedRepeatedly() async throws {
        let words = try await Commands("words", in: folder)
        let file = "\(folder)/list.csv"
        try Self.list.write(toFile: file, atomically: true, encoding: .utf8)
        func report(_ zyxwvu: String, _ qwrtzp: String) -> String {
            """
            3      zyxwvu           \(zyxwvu)
            4      qwrtzp           \(qwrtzp)
            6      Qwrtzp           invalid: a word is 2 to 15 of a–z, 0–9 and _
            7      qwrtzp           invalid: the word is there twice
            8      admin            locked: 'admin' is of the core list (roles) and stays as it is
            9      authn            same
            10     plkjhg           invalid: a match is exact, lookalike, authority, affix, whole, inside, innocent or none
            11     plkjhg           invalid: needs word, category, match and maybe a comment between tabs

            """
        }
        let dry = try await words("import", file, "--source", "list-1", "--dry-run")
        #expect(dry.status == 1 && dry.output == report("would be added", "would be added"))
        #expect(dry.words == "2 would be added, 0 would be changed, 0 would be removed, 1 the same, 5 refused\n")
        #expect(try await words("list").output.isEmpty)
        let first = try await words("import", file, "--source", "list-1")
        #expect(first.status == 1 && first.output == report("added", "added"))
        _ = try await words("add", "qwrtzp", "--category", "other")
        let second = try await words("import", file, "--source", "list-1")
        #expect(second.output == report("same", "changed"))
        #expect(second.words == "0 added, 1 changed, 0 removed, 2 the same, 5 refused\n")
        let json = try await words("list", "--json")
        #expect(json.output.contains(#""source":"list-1","comment":"the \"first\", of two","actor":"cli:"#))
        let good = "zyxwvu\tours\taffix\tthe \"first\", of two\r\nqwrtzp\tours\texact\t\r\n"
        let third = try await words("import", "-", "--source", "list-2", input: good)
        #expect(third.status == 0 && third.words == "0 added, 0 changed, 0 removed, 2 the same, 0 refused\n")
    }

    @Test func importOfTheBuiltInListChangesNothing() async throws {
        let words = try await Commands("words", in: folder)
        let seeds = String(decoding: Seeds.reservedWords, as: UTF8.self)
        let imported = try await words("import", "-", "--source", "seeds", input: seeds)
        #expect(imported.status == 0, "\(imported.words)")
        #expect(
            imported.words.hasPrefix("0 added, 0 changed, 0 removed, 4,")
                && imported.words.hasSuffix(" the same, 0 refused\n"))
    }

    @Test(arguments: [
        "word;category;match\nzyxwvu;ours;affix;\"a; b\"\n", "zyxwvu|ours|affix|a; b\n", "zyxwvu,ours,affix,a; b\n",
        "zyxwvu;ours;affix;a, b, c\n",
    ])
    func importedListHasOneOfSeveralSeparators(_ text: String) async throws {
        let words = try await Commands("words", in: folder)
        let imported = try await words("import", "-", "--source", "x", input: text)
        #expect(imported.status == 0, "\(imported)")
        let listed = try await words("list", "--json").output
        #expect(listed.contains(#""word":"zyxwvu""#) && listed.contains(#""comment":"a"#), "\(listed)")
    }

    @Test(arguments: [("PK\u{3}\u{4}x", "save it as CSV first"), ("w\0o\0r\0d\0,\0a\0,\0b\0", "iconv -f UTF-16LE")])
    func listInAnotherFormatIsNamed(_ text: String, _ words: String) async throws {
        let result = try await Commands("words", in: folder, on: "host=/nonexistent")(
            "import", "-", "--source", "x", input: text)
        #expect(result.status == 65 && result.words.contains(words), "\(result.words)")
    }

    @Test func importThatHitsNamesNeedsConsent() async throws {
        let words = try await Commands("words", in: folder)
        let list = "smith\tours\texact\njones\tours\texact\n"
        let refused = try await words("import", "-", "--source", "x", input: list)
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(
            refused.words.contains(
                "2 common names of people would be newly refused:\n  jones            (jones)\n  smith "))
        #expect(try await words("test", "smith").status == 0)
        let imported = try await words("import", "-", "--source", "x", "--yes", input: list)
        #expect(
            imported.status == 0 && imported.output == "1      smith            added\n2      jones            added\n")
    }

    @Test(arguments: [
        ("", 65), ("# nothing\n\n", 65), ("word,category,match\n", 65), ("\u{1}\t\u{1b}[31m\texact\n", 1),
    ])
    func importWithoutAValidWordAddsNothing(_ text: String, _ status: Int) async throws {
        let words = try await Commands("words", in: folder)
        let result = try await words("import", "-", "--source", "x", input: text)
        #expect(result.status == status, "\(result)")
        #expect(status == 1 || result.words.contains("the input has no words: write one a line"))
        #expect(!result.output.contains("\u{1b}"))
        #expect(try await words("list").output.isEmpty)
    }

    @Test(arguments: [
        (["add", "zyx"], 64, "--category"), (["add", "--category", "x"], 64, "word"),
        (["add", "zyx", "--category", " "], 64, "--category needs a word"),
        (["add", "zyx", "--category", "a\u{1b}b"], 64, "--category is a few words in one line"),
        (["add", "zyx", "--category", "x", "--comment", "a\nb"], 64, "--comment is a few words"),
        (["add", "Zyx", "--category", "x"], 64, "'Zyx' is not a word: a word has 2 to 15"),
        (["add", "zyx", "--match", "affix"], 64, "--category"),
        (["add", "zyx", "--match", "innocent", "--category", ""], 64, "--category needs a word"),
        (
            ["add", "zyx", "--category", "x", "--match", "none"], 64,
            "- whole\n  - inside\n  - innocent\n"
        ),
        (["add", "zyx", "--category", "x", "--match", "fuzzy"], 64, "'fuzzy' is invalid for '--match"),
        (["add", "zyx", "zy1", "--category", "x", "--match", "inside"], 64, "'zy1' can't have the match inside"),
        (["add", "zy", "--category", "x", "--match", "whole"], 64, "such a word is 3 to 15 of a–z."),
        (["add", "zyx", "--category", "x", "--until", "soon"], 64, "--until is a day such as"),
        (["add", "zyx", "--category", "x", "--until", "2001-01-01"], 64, "--until is over already"),
        (["import", "x"], 64, "--source"), (["import", "--source", "x"], 64, "file"),
        (["import", "x", "--source", "built-in"], 64, "--source is the name of the list"),
        (["import", "x", "--source", ""], 64, "--source is the name of the list"),
        (["import", "/nonexistent", "--source", "x"], 66, "/nonexistent"), (["remove"], 64, "word"),
        (["test"], 64, "name"), (["list", "extra"], 64, "extra"), (["import", "/dev", "--source", "x"], 66, "/dev"),
    ])
    func wordsCommandsRefuseWrongOptions(_ arguments: [String], _ status: Int, _ message: String) async throws {
        let result = try await Program.run(["words"] + arguments + ["--data", folder + "/pg"], in: folder)
        #expect(result.status == status, "\(result.words)")
        #expect(result.words.contains(message), "\(result.words)")
    }

    @Test func wordListThatIsNotUTF8IsRefused() async throws {
        let file = "\(folder)/binary"
        try Data([0x61, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: file))
        let result = try await Commands("words", in: folder, on: "host=/nonexistent")(
            "import", file, "--source", "x")
        #expect(result.status == 65 && result.words.contains("is not UTF-8"))
    }
}
