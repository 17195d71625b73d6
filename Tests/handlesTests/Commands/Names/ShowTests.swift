import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

@Suite struct ShowTests {
    private let folder = TemporaryFolder.make("show")

    @Test func showPrintsTheDecisionAndTheLookalikes() async throws {
        let show = try await Commands("show", in: folder)
        let registry = try show.registry()
        _ = try await registry.claim("acrne", for: owner("user-1"))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark", owner: Owner("org-1")))
        let acme = try await show("@Acme")
        #expect(acme.status == 0 && acme.words.isEmpty)
        #expect(acme.output.contains("\nowner     org-1\n"))
        #expect(
            acme.output.contains(
                "\ndecision  unavailable: This name is reserved.\nalike     acrne (claimed, user-1)\n\n"))
        #expect(acme.output.contains("by test  for org-1  – trademark\n"))
        let twin = try await show("acm3")
        #expect(twin.status == 1 && twin.words == "handles: acm3 is free\n")
        #expect(
            twin.output == """
                handle    acm3
                state     free
                decision  unavailable: This looks too much like acme.
                alike     acme (reserved, org-1)
                alike     acrne (claimed, user-1)

                """)
        let word = try await show("adm1n")
        #expect(
            word.status == 1 && word.output.contains("decision  unavailable: 'admin' is a reserved word (roles).\n"))
        #expect(try await show("johndoe").output.hasSuffix("decision  available\n"))
        let json = try await show("--json", "acm3")
        #expect(json.status == 1)
        #expect(
            json.output
                == #"{"handle":"acm3","state":"free","decision":{"status":"unavailable","reasons":[{"code":"lookalike","#
                + #""message":"This looks too much like a name that is protected; choose another.","original":"acme"}]},"#
                + #""lookalikes":["acme","acrne"],"history":[]}"# + "\n")
        let invalid = try await show("x!")
        #expect(invalid.status == 1 && invalid.output.isEmpty && !invalid.words.isEmpty)
        try await registry.release(handle("acme"))
        let free = try await show("acme")
        #expect(free.status == 1 && free.output.contains("reserved → free"))
        #expect(free.output.contains("decision  available\nalike     acrne (claimed, user-1)\n\n"))
    }
}
