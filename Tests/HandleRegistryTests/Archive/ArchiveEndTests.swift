import Foundation
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// The checks that a whole archive must pass: its `end` line has the counts and the hash of the lines before it.
@Suite struct ArchiveEndTests {
    private func archive() async throws -> [String] {
        let registry = try await freshRegistry()
        for name in ["JohnDoe", "janeroe"] { _ = try await registry.claim(name, for: owner("user-1")) }
        try await registry.release(handle("johndoe"))
        _ = try await registry.reserve("acme", Reservation(reason: "brand", owner: owner("user-2")))
        try await registry.change(.add("launch", .exact))
        return try await lines(registry, withHistory: true)
    }

    private func check(_ lines: [String]) throws {
        var check = ArchiveCheck()
        for (index, line) in lines.enumerated() { try check.take(Array(line.utf8)[...], number: index + 1) }
        try check.finish(lines: lines.count)
    }

    @Test func endLineCountsTheLinesBeforeIt() async throws {
        let lines = try await archive()
        let end = try #require(lines.last)
        #expect(end.hasPrefix(#"{"kind":"end","words":1,"locks":0,"names":3,"events":4,"sha256":""#))
        try check(lines)
    }

    @Test func truncatedArchiveIsRefusedWhereverItIsCut() async throws {
        let lines = try await archive()
        let registry = try await freshRegistry()
        for count in 1..<lines.count {
            #expect(throws: ArchiveImport.Fault.self) { try check(Array(lines[..<count])) }
            await #expect(throws: ArchiveImport.Fault.self) { try await take(Array(lines[..<count]), into: registry) }
        }
        #expect(throws: ArchiveImport.Fault.self) { try check(lines + [lines[1]]) }
        await #expect(throws: ArchiveImport.Fault.self) { try await take(lines + [lines[1]], into: registry) }
    }

    @Test func archiveWithAChangedOrMissingLineIsRefused() async throws {
        let lines = try await archive()
        for index in lines.indices.dropLast() {
            var changed = lines
            changed[index] += " "
            #expect(throws: ArchiveImport.Fault.self) { try check(changed) }
            changed.remove(at: index)
            #expect(throws: ArchiveImport.Fault.self) { try check(changed) }
        }
        for counts in [#""names":4"#, #""names":\(Int.max),"events":\(Int.max)"#] {
            let end = lines[lines.count - 1].replacing(#""names":3"#, with: counts)
            #expect(throws: ArchiveImport.Fault.self) { try check(lines.dropLast() + [end]) }
        }
        let registry = try await freshRegistry()
        let fewer = Array(lines[..<1] + lines[2...])
        await #expect(throws: ArchiveImport.Fault.self) { try await take(fewer, into: registry) }
    }

    /// Histories that `verify` would report for ever, because events can't be changed.
    @Test(arguments: [
        ("begins later", #"^(.*"kind":"event","handle":"janeroe","version":)1,"#, "$1" + "5,"),
        ("leaves a version out", #"^(.*"kind":"event","handle":"johndoe","version":)2,"#, "$1" + "3,"),
        ("begins elsewhere", #"("version":2,.*"from":)"claimed""#, "$1" + #""held""#),
        ("goes back in time", #"("handle":"johndoe","version":2,"at":")20"#, "$1" + "19"),
        ("ends in another state", #"("handle":"janeroe","display":"janeroe","state":)"claimed""#, "$1" + #""held""#),
        ("ends in another spelling", #"("kind":"name","handle":"johndoe","display":)"JohnDoe""#, "$1" + #""Johndoe""#),
        ("ends with another owner", #"("kind":"name","handle":"janeroe".*"owner":)"user-1""#, "$1" + #""thief""#),
        ("ends with another reason", #"("kind":"name","handle":"acme".*"reason":)"brand""#, "$1" + #""ours""#),
        ("ends at another time", #"("kind":"name","handle":"janeroe".*"since":")20"#, "$1" + "21"),
    ])
    func archiveWithAnInvalidHistoryIsRefused(_ what: String, _ pattern: String, _ replacement: String) async throws {
        let lines = try await archive()
        let changed = lines.map { $0.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression) }
        #expect(zip(lines, changed).count { $0 != $1 } == 1, "\(what)")
        let registry = try await freshRegistry()
        await #expect(throws: ArchiveImport.Fault.self, "\(what)") { try await take(changed, into: registry) }
        for name in ["johndoe", "janeroe", "acme"] { #expect(try await registry.record(of: handle(name)) == nil) }
        #expect(try await discrepancies(registry).isEmpty)
    }
}
