import Foundation
import HandleRules
import HandleWords
import Seeds
import TestService
import TestSupport
import Testing

/// Words that match letter by letter in the commands, and the setting that leaves categories out.
@Suite struct OffensiveWordsCommandTests {
    private let folder = TestFolder("offensive")

    private func run(
        _ arguments: String..., on database: String? = nil, off: String = "", input: String = ""
    ) async throws -> Program.Result {
        var variables = ["HANDLES_WORDS_OFF": off]
        variables["DATABASE_URL"] = database
        return try await Program.run(arguments, in: folder.path, variables, input: input)
    }

    @Test func wordsAreAddedTestedAndImported() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let added = try await run("words", "add", "zyxwvu", "--category", "ours", "--match", "inside", on: database)
        #expect(added.status == 0 && added.output == "zyxwvu           added\n", "\(added.words)")
        let imported = try await run(
            "words", "import", "-", "--source", "list", on: database,
            input: "plkjhg\tours\twhole\nplk_jhg\tours\twhole\nfuck\toffensive\tnone\n")
        #expect(imported.status == 1)
        #expect(
            imported.output == """
                1      plkjhg           added
                2      plk_jhg          invalid: a word of the match whole is 3 to 15 of a–z
                3      fuck             removed

                """)
        let tested = try await run(
            "words", "test", "zyxwvu", "my_zyxwvus", "plkjhg_99", "sh1t", "xcuntx", "scunthorpe", "fuckyou",
            on: database)
        #expect(tested.status == 1)
        #expect(
            tested.output == """
                zyxwvu           zyxwvu (spelled: the word itself, ours) from admin
                my_zyxwvus       zyxwvu (inside: it contains the word, ours) from admin
                plkjhg_99        plkjhg (whole: with digits for letters, underscores, or a number behind it, ours) from list
                sh1t             shit (whole: with digits for letters, underscores, or a number behind it, offensive) \
                from built-in: English; insult
                xcuntx           cunt (inside: it contains the word, offensive) from built-in: English; insult
                scunthorpe       no reserved word (an innocent name) from built-in: place; contains cunt
                fuckyou          no reserved word

                """)
    }

    @Test func categoryThatIsOffHasNoEffectInAnyCommand() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let count = try ListedWord.list(parsing: Seeds.offensiveWords).count
        for off in ["", "offensive"] {
            let isFree = off == "offensive"
            let check = try await run("check", "fuckyou", on: database, off: off)
            #expect(check.status == (isFree ? 0 : 1), "\(check.output)")
            #expect(check.output.contains("can't be used") != isFree)
            let tested = try await run("words", "test", "fuckyou", "fuck", "scunthorpe", on: database, off: off)
            #expect(tested.status == (isFree ? 0 : 1), "\(tested.output)")
            let word = "fuck             no reserved word (HANDLES_WORDS_OFF) from built-in: English; insult\n"
            #expect(tested.output.contains(word) == isFree, "\(tested.output)")
            #expect(tested.output.contains("scunthorpe       no reserved word (an innocent name) from built-in"))
            for arguments in [["validate", "-"], ["validate", "--registry", "-"]] {
                let result = try await Program.run(
                    arguments, in: folder.path, ["DATABASE_URL": database, "HANDLES_WORDS_OFF": off], input: "fuckyou\n"
                )
                #expect(result.status == (isFree ? 0 : 1), "\(arguments): \(result.words)")
            }
            let list = try await run("words", "list", "--all", "--category", "offensive", on: database, off: off)
            #expect(list.output.contains("fuck ") != isFree)
            #expect(list.words.contains("; HANDLES_WORDS_OFF leaves out \(count) words") == isFree, "\(list.words)")
            let added = try await run(
                "words", "add", "zyxwvu", "--category", "offensive", "--match", "inside", "--dry-run", on: database,
                off: off)
            #expect(added.output == "zyxwvu           would be added\n")
            #expect(
                added.words.contains("HANDLES_WORDS_OFF has offensive, so its words have no effect here\n") == isFree)
        }
        let claimed = try await run("claim", "fuckyou", "--for", "org-1", on: database)
        #expect(claimed.status == 1)
        #expect(claimed.words == "handles: fuckyou: 'fuck' is a reserved word (offensive).\n")
    }
}
