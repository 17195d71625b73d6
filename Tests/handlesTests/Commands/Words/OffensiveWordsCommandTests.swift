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

    @Test func wordsAreAddedTestedAndImported() async throws {
        let run = try await Commands(in: folder.path)
        let added = try await run("words", "add", "zyxwvu", "--category", "ours", "--match", "inside")
        #expect(added.status == 0 && added.output == "zyxwvu           added\n", "\(added.words)")
        let imported = try await run(
            "words", "import", "-", "--source", "list",
            input: "plkjhg\tours\twhole\nplk_jhg\tours\twhole\nfuck\toffensive\tnone\n")
        #expect(imported.status == 1)
        #expect(
            imported.output == """
                1      plkjhg           added
                2      plk_jhg          invalid: a word of the match whole is 3 to 15 of a–z
                3      fuck             removed

                """)
        let tested = try await run(
            "words", "test", "zyxwvu", "my_zyxwvus", "plkjhg_99", "sh1t", "xcuntx", "scunthorpe", "fuckyou")
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
        let run = try await Commands(in: folder.path)
        let count = try ListedWord.list(parsing: Seeds.offensiveWords).count
        for off in ["", "offensive"] {
            let (isFree, variables) = (off == "offensive", ["HANDLES_WORDS_OFF": off])
            let check = try await run("check", "fuckyou", with: variables)
            #expect(check.status == (isFree ? 0 : 1), "\(check.output)")
            #expect(check.output.contains("can't be used") != isFree)
            let tested = try await run("words", "test", "fuckyou", "fuck", "scunthorpe", with: variables)
            #expect(tested.status == (isFree ? 0 : 1), "\(tested.output)")
            let word = "fuck             no reserved word (HANDLES_WORDS_OFF) from built-in: English; insult\n"
            #expect(tested.output.contains(word) == isFree, "\(tested.output)")
            #expect(tested.output.contains("scunthorpe       no reserved word (an innocent name) from built-in"))
            for arguments in [["validate", "-"], ["validate", "--registry", "-"]] {
                let result = try await run(arguments, with: variables, input: "fuckyou\n")
                #expect(result.status == (isFree ? 0 : 1), "\(arguments): \(result.words)")
            }
            let list = try await run("words", "list", "--all", "--category", "offensive", with: variables)
            #expect(list.output.contains("fuck ") != isFree)
            #expect(list.words.contains("; HANDLES_WORDS_OFF leaves out \(count) words") == isFree, "\(list.words)")
            let added = try await run(
                "words", "add", "zyxwvu", "--category", "offensive", "--match", "inside", "--dry-run", with: variables)
            #expect(added.output == "zyxwvu           would be added\n")
            #expect(
                added.words.contains("HANDLES_WORDS_OFF has offensive, so its words have no effect here\n") == isFree)
        }
        let claimed = try await run("claim", "fuckyou", "--for", "org-1")
        #expect(claimed.status == 1)
        #expect(claimed.words == "handles: fuckyou: 'fuck' is a reserved word (offensive).\n")
    }
}
