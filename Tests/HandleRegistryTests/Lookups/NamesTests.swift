import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct NamesTests {
    private func names(
        _ registry: Registry, after: String? = nil, _ set: (inout NameFilter) throws -> Void = { _ in }
    ) async throws -> [String] {
        var filter = NameFilter()
        try set(&filter)
        var names: [String] = []
        try await registry.names(matching: filter, after: after.map(handle)) { page in
            names += page.map(\.handle.description)
            return true
        }
        return names
    }

    @Test func namesInUseAreListedPageByPageInTheirOrder() async throws {
        let registry = try await freshRegistry()
        // More than two pages, every third free, and every second of the others one owner's.
        let expected = (1...33000).filter { $0 % 3 != 0 }
        func name(_ number: Int) -> String { "n" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number)" }
        try await insertNames((1...33000).map { name($0).uppercased() }, on: registry.database) { name in
            guard let number = Int(name.dropFirst()), number % 3 != 0 else { return nil }
            return number % 2 == 0 ? "many" : "one-\(number)"
        }
        #expect(try await names(registry) == expected.map(name))
        let theirs = try await names(registry) { $0.owner = try owner("many") }
        #expect(theirs == expected.filter { $0 % 2 == 0 }.map(name))
        #expect(theirs.count > 10_000)
        #expect(
            try await names(registry, after: "n016000") { $0.owner = try owner("many") }
                == expected.filter { $0 % 2 == 0 && $0 > 16000 }.map(name))
        #expect(try await names(registry, after: "n032990") == expected.filter { $0 > 32990 }.map(name))
        #expect(try await names(registry) { $0.prefix = "n0200" } == expected.filter { $0 / 100 == 200 }.map(name))
        #expect(try await names(registry) { $0.owner = try owner("one-7") } == ["n000007"])
        // The listing stops when the closure returns false.
        var pages = 0
        try await registry.names(matching: NameFilter()) { page in
            pages += 1
            return false
        }
        #expect(pages == 1)
    }

    @Test func listedNamesMatchEveryFilter() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "A Trade Mark", owner: owner("org")))
        _ = try await registry.reserve("acme_labs", Reservation(reason: "event"))
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.hold("john_held", for: owner("one"))
        _ = try await registry.claim("given_up", for: owner("one"))
        try await registry.release(handle("given_up"))
        _ = try await registry.claim("zeno", for: owner("two"))
        _ = try await registry.hold("lapsed", for: owner("three"))
        _ = try await registry.reserve("released", Reservation(reason: "trade"))
        try await registry.release(handle("released"))
        try await registry.execute("UPDATE names SET until = now() - interval '1s' WHERE handle = 'lapsed'")
        try await registry.execute(
            "UPDATE names SET changed_at = '2026-02-01T00:00:00Z' WHERE handle IN ('zeno', 'acme')")
        #expect(
            try await names(registry) == ["acme", "acme_labs", "given_up", "john_held", "johndoe", "zeno"])
        #expect(try await names(registry) { $0.states = [.held, .quarantined] } == ["given_up", "john_held"])
        #expect(try await names(registry) { $0.reason = "trade m" } == ["acme"])
        #expect(try await names(registry) { $0.reason = "%" } == [])
        #expect(try await names(registry) { $0.owner = try owner("org") } == ["acme"])
        #expect(try await names(registry) { $0.owner = try owner("one") } == ["john_held", "johndoe"])
        for (prefix, found) in [
            ("acme", ["acme", "acme_labs"]), ("acme_", ["acme_labs"]), ("john", ["john_held", "johndoe"]),
            ("johndoe", ["johndoe"]), ("johndoes", []), ("z", ["zeno"]), ("0", []), ("abcdefghijklmno", []),
        ] {
            #expect(try await names(registry) { $0.prefix = prefix } == found, "\(prefix)")
        }
        let day = Date(timeIntervalSince1970: 1_769_904_000)
        #expect(try await names(registry) { $0.before = day + 1 } == ["acme", "zeno"])
        #expect(try await names(registry) { $0.before = day } == [])
        #expect(
            try await names(registry) {
                $0.since = day
                $0.before = day + 1
                $0.states = [.claimed]
            } == ["zeno"])
        let past = Date(timeIntervalSince1970: 0)
        #expect(try await names(registry) { $0.endsSince = past } == ["given_up", "john_held"])
        #expect(try await names(registry) { $0.endsBefore = past } == [])
        #expect(try await names(registry, after: "acme") { $0.prefix = "acme" } == ["acme_labs"])
        #expect(try await names(registry, after: "zeno") == [])
        #expect(try await registry.history(of: handle("acme")).map(\.ownerID?.id) == ["org"])
    }

    @Test func namesAreFilteredByTheirLastDay() async throws {
        let registry = try await freshRegistry()
        for (name, end) in [
            "november": "2997-11-30", "first": "2997-12-01", "noon": "2997-12-31T12:00:00Z", "last": "2997-12-31",
            "january": "2998-01-01",
        ] {
            let reservation = Reservation(reason: "season", owner: try owner("org"), until: Date(end: end))
            _ = try await registry.reserve(name, reservation)
        }
        _ = try await registry.reserve("endless", Reservation(reason: "season", owner: try owner("org")))
        let (december, after) = (Date(startOfDay: "2997-12-01"), Date(startOfDay: "2998-01-01"))
        for owner in [nil, try owner("org")] {
            #expect(
                try await names(registry) {
                    ($0.owner, $0.endsSince, $0.endsBefore) = (owner, december, after)
                } == ["first", "last", "noon"])
            #expect(try await names(registry) { ($0.owner, $0.endsSince) = (owner, after) } == ["january"])
            #expect(try await names(registry) { ($0.owner, $0.endsBefore) = (owner, december) } == ["november"])
        }
    }

    @Test func lookalikesOfANameAreThoseInUse() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("one"))
        _ = try await registry.claim("4cme", for: owner("two"))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        func lookalikes(_ name: String) async throws -> [String] {
            try await registry.lookalikes(of: handle(name)).map { "\($0.handle) \($0.state)" }
        }
        #expect(try await lookalikes("acm3") == ["4cme claimed", "acme reserved", "acrne claimed"])
        #expect(try await lookalikes("acme") == ["4cme claimed", "acrne claimed"])
        try await registry.release(handle("acme"))
        #expect(try await lookalikes("4cme") == ["acrne claimed"])
        #expect(try await lookalikes("johndoe") == [])
    }
}
