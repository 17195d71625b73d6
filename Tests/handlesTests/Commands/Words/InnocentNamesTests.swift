import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

/// Innocent names and the kind `authority` in the commands for reserved words.
@Suite struct InnocentNamesTests {
    private let folder = TestFolder("innocent")

    @Test func innocentNameIsAddedTestedListedAndRemoved() async throws {
        let words = try await Commands("words", in: folder.path)
        _ = try await words("add", "zyxwvu", "--category", "ours", "--match", "authority", "--yes")
        let refused = try await words("test", "zyxwvu_team", "official_zyxwvu", "zyxwvu7")
        #expect(refused.status == 1)
        #expect(
            refused.output == """
                zyxwvu_team      zyxwvu (authority: with something that claims authority before or after it, ours) from admin
                official_zyxwvu  zyxwvu (authority: with something that claims authority before or after it, ours) from admin
                zyxwvu7          no reserved word

                """)
        let added = try await words(
            "add", "zyxwvu_team", "zyxwvu", "store", "admin", "--match", "innocent", "--comment", "a band")
        #expect(added.status == 1)
        #expect(
            added.output == """
                zyxwvu_team      added
                zyxwvu           reserved: 'zyxwvu' is a word itself (ours), so it can't be innocent
                store            reserved: 'store' is a word itself (payment), so it can't be innocent
                admin            locked: 'admin' is of the core list (roles) and stays as it is

                """)
        let tested = try await words("test", "zyxwvu_team", "Zyxwvu_Team")
        #expect(tested.status == 0)
        #expect(
            tested.output == """
                zyxwvu_team      no reserved word (an innocent name) from admin: a band
                Zyxwvu_Team      no reserved word (an innocent name) from admin: a band

                """)
        let listed = try await words("list", "--category", "innocent", "--json")
        #expect(
            listed.output.hasPrefix(
                #"{"word":"zyxwvu_team","match":"innocent","category":"innocent","source":"admin","comment":"a band","#)
        )
        let again = try await words("add", "zyxwvu_team", "--match", "innocent", "--comment", "a band")
        #expect(again.status == 0 && again.output == "zyxwvu_team      same\n")
        let removed = try await words("remove", "zyxwvu_team")
        #expect(removed.status == 0 && removed.output == "zyxwvu_team      removed\n")
        #expect(try await words("test", "zyxwvu_team").status == 1)
    }

    @Test func nameThatMustStayRefusedCannotBeInnocent() async throws {
        let words = try await Commands("words", in: folder.path)
        let disguise = try await words("add", "adm1n", "--match", "innocent")
        #expect(disguise.status == 1)
        #expect(
            disguise.output == """
                adm1n            locked: it imitates 'admin' of the core list (roles); handles reserve can keep it for an owner

                """)
        let stays = try await words("remove", "ballance")
        #expect(stays.status == 1)
        #expect(stays.output == "ballance         built in: an innocent name stays; words add can make it a word\n")
        _ = try await words("remove", "store")
        let off = try await words("add", "store", "--match", "innocent")
        #expect(off.status == 1)
        #expect(
            off.output == """
                store            built in: 'store' (payment) was taken off, and would be a word again as an innocent name

                """)
    }

    /// Without the innocent name, the owner's name would be refused to others.
    @Test func removalShowsThePreviewAndAsks() async throws {
        let words = try await Commands("words", in: folder.path)
        let registry = try words.registry()
        try await registry.change(.add("zebra", .affix))
        try await registry.change(.exempt("z3bra"))
        _ = try await registry.claim("z3bra", for: owner("user-1"))
        let preview = """
            1 name in use would be newly refused; owners keep their names:
              z3bra            claimed by user-1 (zebra)

            """
        let dry = try await words("remove", "z3bra", "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.words.hasSuffix(preview))
        #expect(dry.output == "z3bra            would be removed\n")
        let refused = try await words("remove", "z3bra")
        #expect(refused.status == 64)
        #expect(
            refused.words == dry.words
                + "handles: names would be newly refused: confirm with --yes, as there is no terminal\n")
        #expect(try await words("test", "z3bra").status == 0)
        let removed = try await words("remove", "z3bra", "z3bra", "Z3bra", "--yes")
        #expect(removed.status == 1)
        #expect(
            removed.output
                == "z3bra            removed\nz3bra            removed\nZ3bra            no such reserved word\n")
        // Nothing is refused without the word, so there is nothing to confirm.
        let word = try await words("remove", "zebra")
        #expect(word.status == 0 && word.output == "zebra            removed\n")
        #expect(word.words.contains("1 name in use would no longer be refused:"))
        let list = try await words("list", "--json")
        #expect(list.output.contains(#"{"word":"zebra","match":"none","category":"test","#))
    }

    @Test func listWithEveryKindIsImported() async throws {
        let words = try await Commands("words", in: folder.path)
        let list = try folder.file(
            "list.tsv",
            "zebra\tours\tauthority\nz3bra\tx\tinnocent\tan artist\nstore\tx\tnone\nokapi\tx\tnone\n"
                + "shop\tx\tinnocent\n")
        let good = try folder.file(
            "good.tsv", "zebra\tours\tauthority\nz3bra\tx\tinnocent\tan artist\nstore\tx\tnone\n")
        let imported = try await words("import", list, "--source", "brands")
        #expect(imported.status == 1)
        #expect(
            imported.output == """
                1      zebra            added
                2      z3bra            added
                3      store            removed
                4      okapi            no such reserved word
                5      shop             reserved: 'shop' is a word itself (payment), so it can't be innocent

                """)
        #expect(imported.words.hasSuffix("2 added, 0 changed, 1 removed, 0 the same, 2 refused\n"))
        for name in ["zebra", "zebra_team"] { #expect(try await words("test", name).status == 1) }
        #expect(try await words("test", "z3bra", "zebra9", "mystore", "store").status == 0)
        let repeated = try await words("import", good, "--source", "brands")
        #expect(repeated.status == 0)
        #expect(repeated.words == "0 added, 0 changed, 0 removed, 3 the same, 0 refused\n")
    }

    /// Both admins would be told that their change is made.
    @Test func nameThatBecomesAWordMeanwhileIsNotMadeInnocent() async throws {
        let words = try await Commands("words", in: folder.path)
        let session = try await LockingSession("words_version", by: "id", on: words.database)
        async let added = words("add", "zyxwvu", "qwrtzp", "--match", "innocent")
        // The command has compared its changes with the words, and waits.
        try await eventually("the command waits for the lock") { try await waitingForLocks(on: words.database) > 0 }
        try await session.letGo(
            after: """
                UPDATE words_version SET version = version + 1 WHERE id = 1;
                INSERT INTO reserved_words VALUES ('zyxwvu', 'x', 'affix', 'other', '', 'other', now(), NULL, 1)
                """)
        let result = try await added
        #expect(result.status == 1)
        #expect(
            result.output == """
                zyxwvu           reserved: 'zyxwvu' is a word itself (x), so it can't be innocent
                qwrtzp           added

                """)
        #expect(result.words == "the words were changed meanwhile; these changes are compared with them again\n")
        #expect(try await words("test", "zyxwvu").status == 1)
    }

    /// The words change after the first 500 rows, as if another admin had changed them. The others are compared again.
    @Test func importThatIsMadeInPartsReportsAllOfThem() async throws {
        let words = try await Commands("words", in: folder.path)
        try await execute(
            """
            CREATE FUNCTION change_words() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN UPDATE words_version SET version = version + 1; RETURN NULL; END';
            CREATE TRIGGER other_admin AFTER INSERT ON reserved_words FOR EACH ROW WHEN (NEW.word = 'word000x')
                EXECUTE FUNCTION change_words();
            """, on: words.database)
        let rows = (0...500).map { String(format: "word%03dx", $0) }
        let list = rows.map { "\($0)\tours\texact\n" }.joined()
        let imported = try await words("import", "-", "--source", "ours", input: list)
        #expect(imported.status == 0)
        #expect(
            imported.words == """
                the words were changed meanwhile; these changes are compared with them again
                501 added, 0 changed, 0 removed, 0 the same, 0 refused

                """)
        #expect(imported.output.split(separator: "\n").count { $0.hasSuffix(" added") } == 501)
        let listed = try await words("list", "--json")
        #expect(listed.output.split(separator: "\n").count == 501)
    }

    /// The row of a newer program may be a word that must be refused.
    @Test func commandsStopAtARowOfAnUnknownKind() async throws {
        let words = try await Commands("words", in: folder.path)
        try await execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
            INSERT INTO reserved_words VALUES ('store', 'payment', 'fuzzy', 'hand', '', 'hand', now(), NULL, 1);
            """, on: words.database)
        for arguments in [["check", "johndoe"], ["words", "list"], ["words", "add", "zork", "--category", "x"]] {
            let result = try await Program.run(arguments, in: folder.path, ["DATABASE_URL": words.database])
            #expect(result.status == 69, "\(result)")
            #expect(result.output.isEmpty)
            #expect(
                result.words.hasSuffix(
                    "the reserved word 'store' has the match 'fuzzy', which this program does not know)\n"),
                "\(result.words)")
        }
        // As in docs/admin.md.
        try await execute(
            """
            UPDATE reserved_words SET kind = 'exact', version = version + 1 WHERE word = 'store';
            UPDATE words_version SET version = version + 1;
            """, on: words.database)
        let listed = try await words("list", "--json")
        #expect(listed.output.hasPrefix(#"{"word":"store","match":"exact","#))
    }
}
