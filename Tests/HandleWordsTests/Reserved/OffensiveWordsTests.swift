import Seeds
import TestSupport
import Testing

@testable import HandleRules
@testable import HandleWords

/// The list of offensive words.
@Suite struct OffensiveWordsTests {
    private func list() throws -> [ListedWord] { try ListedWord.list(parsing: Seeds.offensiveWords) }

    @Test func wordsAreSortedAndSayTheirLanguagesAndTheirKind() throws {
        let list = try list()
        #expect(list.map(\.word.word) == list.map(\.word.word).sorted())
        #expect(list.count > 400)
        var languages: Set<Substring> = []
        for listed in list {
            #expect(listed.word.category == "offensive" && !listed.word.isLocked, "\(listed.word.word)")
            #expect(listed.word.match.isByLetters && listed.word.match.fits(listed.word.word), "\(listed.word.word)")
            let comment = listed.comment.split(separator: "; ")
            #expect(
                comment.count == 2 && ["insult", "slur", "hatred", "sexual"].contains(comment[1]), "\(listed.word.word)"
            )
            languages.formUnion(comment[0].split(separator: ", "))
        }
        #expect(languages.count > 20)
        #expect(languages.allSatisfy { $0.first?.isUppercase == true })
    }

    /// A word that contains one of the kind `inside` is refused without being listed.
    @Test func noWordContainsAnotherOne() throws {
        let list = try list().map(\.word)
        for word in list {
            let others = ReservedWords(list.filter { $0 != word })
            #expect(others.match(word.word) == nil, "\(word.word)")
        }
    }

    @Test func everyDisguiseThatTheMatchPromisesToRefuseIsRefused() throws {
        let words = try ReservedWords.listed()
        let innocent = Set(try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent]).map(\.word))
        var count = 0
        for word in try list().map(\.word) {
            for disguise in Disguise.all(of: word) where !innocent.contains(disguise.name) {
                #expect(words.match(disguise.name) != nil, "\(disguise.name) passes for \(word.word)")
                count += 1
            }
        }
        #expect(count > 6000)
    }

    /// Nor are those that two names or words make together.
    @Test(
        arguments: [
            "dick", "dickens", "gay", "gaylord", "fuchs", "fuchsia", "dikshit", "schwarzneger", "cockburn", "hancock",
            "essex", "sussex", "middlesex", "sextus", "penistone", "lightwater", "clitheroe", "shitara", "yoshitaka",
            "matsushita", "annahuynh", "nguyenhuylong", "marcojones", "franciscojones", "maricontreras", "mariconsuelo",
            "shapirocarl", "adamcik", "najembutt", "kontoleon", "vitturi", "mudakir", "salaudeen", "kanakenji",
            "minchiang",
            "bambangsatria", "bangsatrio", "elizalupan", "szalupa", "yarrakids", "rohitleroy", "whitler",
            "coachingadam", "techandjobs", "norwichservice", "huntermensch", "lapizdecolor", "tapizdeflores", "api2dev",
            "pi2device", "itzmrdragon", "djizzy", "jizzax", "koenig94", "cuz40", "pornchai", "siriporn", "analog",
            "canal",
            "ana1", "ana_1", "ana12", "pak1", "pak_7", "naz1", "shiba1", "konto1", "pics4", "pics4you", "picsart",
            "therapist",
            "grapefruit", "cumulus", "document", "nazira", "nazia", "snazzy", "titania", "pakistan", "suspicious",
            "class",
            "assassin", "pom", "hitchens", "xoxotara", "retardant", "assemblyat", "stefanculotta", "2mrdavid",
        ] as [PackedASCII])
    func namesOfPeopleAndOrdinaryWordsAreFree(_ name: PackedASCII) throws {
        let word = try ReservedWords.listed().match(name)
        #expect(word == nil || word?.isOffensive == false, "\(word.map { "\($0.word)" } ?? "")")
    }

    /// With the beginnings of such names that are listed.
    @Test(
        arguments: [
            "scunthorpe_utd", "dacunto", "anna_decunto", "fcunterhaching", "racuntiktok", "musicuntil", "epicuntold",
            "cuntrera99", "pussycat", "mypussywillow", "campussystem", "octopussy", "rabbitchaser", "orbitchart",
            "gambitchess", "fitbitcharge", "bitchat", "bitchain", "8bitcharacter", "8bitchip", "8bitchris",
            "girlwhoreads",
            "whoreallycares", "whoremembers", "whorescues", "girlwhoreviews", "whorecords", "guywhoreacts",
            "whoreports",
            "whoreplies", "whoresearches", "thakurvarun", "thakurwasim", "premierdance", "cormierdavid", "samierdal",
            "alperkeles", "cazzola", "azzi_cazzoli", "cazzolla", "cazzorla", "cazzouzi", "ericazzopardi",
            "koeniggabriel",
            "koeniggerd", "henniggabriel", "henniggerd", "honiggarten", "tischlampe", "musiktirol", "rajputtanay",
            "wolfgangbang", "masshole", "basshole", "dragheads", "dickheadley",
        ] as [PackedASCII])
    func namesThatCarryAWordAreFree(_ name: PackedASCII) throws {
        #expect(try ReservedWords.listed().match(name) == nil)
        #expect(
            ReservedWords(try list().map(\.word)).match(name) != nil, "\(name) needs no place")
    }

    @Test func wordsThatAreLeftToOperatorsAreFree() throws {
        let words = ReservedWords(try list().map(\.word))
        let rows = try Repository.text("docs/admin.md").split(separator: "\n").drop { !$0.hasPrefix("| left to you |") }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
        let names = rows.flatMap { $0.split(separator: "|")[0].matches(of: #/`([a-z]+)`/#).map(\.output.1) }
        #expect(names.count > 30)
        for name in names {
            #expect(words.match(try #require(PackedASCII(name.utf8))) == nil, "\(name)")
        }
    }

    /// Alone, two together, and with an initial.
    @Test func commonNamesAreFree() throws {
        let words = ReservedWords(
            try list().map(\.word),
            innocent: try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent]).map(\.word))
        let names = try ReservedWord.names(parsing: Seeds.commonNames)
        for name in names { #expect(words.match(name) == nil, "\(name)") }
        for initial in "abcdefghijklmnopqrstuvwxyz" {
            for name in names {
                let letters = PackedASCII("\(initial)\(name)".utf8)
                if let letters { #expect(words.match(letters) == nil, "\(letters)") }
            }
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50_000 {
            guard let first = names.randomElement(using: &random), let last = names.randomElement(using: &random),
                let letters = first.joined(with: last)
            else { continue }
            #expect(words.match(letters) == nil, "\(letters)")
        }
    }

    /// The person has just typed it. Callers with a key get it as a member of the reason.
    @Test func messageDoesNotRepeatTheWord() throws {
        for word in try list().map(\.word) {
            let message = Reason.reservedWord(word).message
            #expect(message == "This name can't be used; choose another.")
        }
        let admin = ReservedWord(word: "admin", category: "roles", match: .affix)
        #expect(Reason.reservedWord(admin).message == "This name is reserved; choose another.")
    }
}
