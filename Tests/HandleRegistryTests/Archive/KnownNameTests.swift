import Foundation
import HandleRegistry
import TestSupport
import Testing

/// Names of an archive that the registry has already.
@Suite struct KnownNameTests {
    /// A change of one member in the line of a name.
    struct Edit: Sendable, CustomTestStringConvertible {
        let name, member, before, after: String
        var testDescription: String { "\(member) of \(name)" }
    }

    private static let edits = [
        Edit(name: "johndoe", member: "display", before: #""JohnDoe""#, after: #""Johndoe""#),
        Edit(name: "brandx", member: "state", before: #""reserved""#, after: #""held""#),
        Edit(name: "johndoe", member: "owner", before: #""one""#, after: #""two""#),
        Edit(name: "johndoe", member: "since", before: #""20"#, after: #""19"#),
        Edit(name: "brandx", member: "reason", before: #""ours""#, after: #""theirs""#),
        Edit(name: "brandx", member: "until", before: #""3000"#, after: #""2999"#),
        Edit(name: "quiet_name", member: "owner", before: #""one""#, after: #""two""#),
    ]

    @Test(arguments: edits)
    func importRefusesANameThatDiffersInOneMember(_ edit: Edit) async throws {
        let registry = try await freshRegistry()
        for name in ["JohnDoe", "quiet_name"] { _ = try await registry.claim(name, for: owner("one")) }
        try await registry.release(handle("quiet_name"))
        let until = try #require(Date(endOfDay: "2999-12-31"))
        _ = try await registry.reserve("brandx", Reservation(reason: "ours", owner: owner("one"), until: until))
        let archive = try await lines(registry)

        let edited = archive.map { line in
            guard line.contains(#""handle":"\#(edit.name)""#) else { return line }
            return line.replacingOccurrences(
                of: #""\#(edit.member)":\#(edit.before)"#, with: #""\#(edit.member)":\#(edit.after)"#)
        }
        #expect(edited != archive)
        #expect(try await restore(archive, into: registry).refused == [])
        #expect(try await restore(edited, into: registry).refused == [edit.name])
        #expect(try await lines(registry) == archive)
    }
}
