import Testing

@testable import HandleCore

/// The disguises that `words measure --disguises` tries.
@Suite struct DisguiseSamplesTests {
    private func names(_ word: PackedASCII, _ kind: Disguise.Kind) -> [String] {
        let disguises = Disguise.all(of: ReservedWord(word: word, category: "test", match: .affix))
        return disguises.filter { $0.kind == kind }.map(\.name.description)
    }

    /// Words so short that there are no more disguises of the kind than are tried.
    @Test(arguments: [
        (Disguise.Kind.digit, "mail" as PackedASCII, ["m4il", "ma1l", "mai1"]), (.digits, "mail", ["m411"]),
        (.letter, "mail", ["mall", "maii"]), (.pair, "mail", ["rnail"]), (.pair, "warn", ["vvarn", "wam"]),
        (.pair, "cdr", ["ccir", "cclr"]), (.pair, "clvv", ["dvv", "clw"]),
        (.underscore, "mail", ["m_ail", "ma_il", "mai_l", "mail_"]),
        (.doubled, "mail", ["mmail", "maail", "maiil", "maill"]), (.doubled, "fee2", ["ffee2", "feee2", "fe2"]),
        (.mixture, "imu", ["1rnu"]), (.mixture, "bob", ["80b", "8o8", "b08"]),
    ])
    func disguisesOfAKindAreTheExpectedNames(_ kind: Disguise.Kind, _ word: PackedASCII, _ expected: [String]) {
        #expect(names(word, kind).sorted() == expected.sorted())
    }

    @Test func numbersAndAffixesAreAroundTheWord() {
        for name in names("mail", .number) {
            #expect(name.hasPrefix("mail") && name.dropFirst(4).contains(where: \.isNumber), "\(name)")
        }
        for name in names("mail", .prefix) { #expect(name.hasSuffix("mail"), "\(name)") }
        for name in names("mail", .suffix) { #expect(name.hasPrefix("mail"), "\(name)") }
        // Beside a short word, a weak affix needs an underscore.
        for name in names("bio", .prefix) where !name.hasSuffix("_bio") {
            #expect(["real", "official", "verified", "team", "support", "help", "staff"].contains(name.dropLast(3)))
        }
    }

    /// Of a word of the kind `authority`, all disguises with an affix fit among those that are tried: there are few.
    @Test func affixesOfAnAuthorityClaimIt() {
        for word: PackedASCII in ["routes", "code"] {
            let disguises = Disguise.all(of: ReservedWord(word: word, category: "test", match: .authority))
            let affixed = disguises.filter { [.prefix, .suffix].contains($0.kind) }.map(\.name.description)
            #expect(affixed.count == 8)
            for name in affixed {
                let rest = name.replacing("\(word)", with: "")
                #expect(Affixes.strong.contains { rest.replacing("_", with: "") == $0.description }, "\(name)")
                #expect(word == "routes" || rest.contains("_"), "\(name)")
            }
        }
    }

    @Test func disguisesThatTheMatchDoesNotPromiseToRefuseAreNotTried() {
        func kinds(_ word: PackedASCII, _ match: ReservedWord.Match) -> Set<Disguise.Kind> {
            Set(Disguise.all(of: ReservedWord(word: word, category: "test", match: match)).map(\.kind))
        }
        #expect(kinds("admin", .exact).isEmpty)
        #expect(kinds("admin", .lookalike) == [.digit, .digits, .letter, .pair, .mixture, .underscore])
        #expect(kinds("admin", .authority) == kinds("admin", .lookalike).union([.prefix, .suffix]))
        #expect(kinds("admin", .affix) == Set(Disguise.Kind.allCases))
        #expect(kinds("web2", .affix) == [.underscore, .doubled, .number, .prefix, .suffix])
        #expect(kinds("code", .authority) == [.prefix, .suffix])
        #expect(kinds("cli", .affix) == [.digit, .digits, .mixture, .underscore, .number, .prefix, .suffix])
    }

    @Test func disguisesAreLegalDifferentAndAlwaysTheSame() {
        for word: PackedASCII in ["administrator", "administrators1", "ad", "a_b", "official_admin"] {
            let listed = ReservedWord(word: word, category: "test", match: .affix)
            let all = Disguise.all(of: listed)
            #expect(all == Disguise.all(of: listed))
            for kind in Disguise.Kind.allCases {
                let names = all.filter { $0.kind == kind }.map(\.name)
                #expect(names.count <= Disguise.mostOfAKind)
                #expect(Set(names).count == names.count)
                for name in names {
                    #expect(name != word)
                    #expect(Handle(name) != nil, "\(name)")
                }
            }
        }
        #expect(Disguise.all(of: ReservedWord(word: "___", category: "test", match: .affix)).isEmpty)
        // As long as a handle may be, so nothing can be added.
        #expect(Disguise.all(of: ReservedWord(word: "administrators1", category: "test", match: .affix)).isEmpty)
    }

    /// Another version of the program must try the same names, so that figures can be compared.
    @Test func choiceOfDisguisesIsPinned() {
        #expect(names("moderator", .digit) == ["moderat0r", "moder4tor", "mod3rator", "modera7or"])
        #expect(names("moderator", .number) == ["moderator99", "moderator1234", "moderator1", "moderator_1990"])
        #expect(
            names("moderator", .suffix) == ["moderator_help", "moderator_staff", "moderatorltd", "moderatorinfo"])
    }
}
