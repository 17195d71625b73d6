import Testing

@testable import HandleRegistry

@Suite struct KeyGrantTests {
    @Test(arguments: ["signup", "report of 2027", "a", String(repeating: "x", count: 64), "Müller’s key", "鍵"])
    func keyGrantAcceptsAPrintableName(_ name: String) { #expect(KeyGrant(name: name, scopes: [.read]) != nil) }

    @Test(arguments: [
        "", " ", String(repeating: "x", count: 65), "a\nb", "a\u{1B}[1m", "a\u{202E}b", "admin", "a\u{0}",
    ])
    func keyGrantRejectsANameThatIsBlankTooLongUnprintableOrAdmin(_ name: String) {
        #expect(KeyGrant(name: name, scopes: [.read]) == nil)
    }

    @Test func keyGrantRequiresAScope() { #expect(KeyGrant(name: "signup", scopes: []) == nil) }

    @Test(
        arguments: [
            ([], []), ([.read], [.read]), ([.claim], [.read, .claim]),
            ([.moderate], [.read, .claim, .moderate]),
            ([.admin], KeyScope.allCases), ([.read, .claim], [.read, .claim]),
            ([.feed], [.feed]), ([.metrics], [.metrics]), ([.metrics, .read], [.read, .metrics]),
        ] as [([KeyScope], [KeyScope])])
    func keyHolderMayDoWhatItsScopesInclude(_ scopes: [KeyScope], _ allowed: [KeyScope]) {
        let holder = KeyHolder(id: "x", name: "x", scopes: Set(scopes))
        #expect(KeyScope.allCases.filter(holder.may) == allowed)
    }
}
