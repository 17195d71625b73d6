import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct WriterTests {
    private typealias Kind = ChangeOutcome.Kind

    /// The state of a name before a change by its caller.
    enum Situation: CaseIterable {
        case free, held, heldByAnother, claimed, claimedByAnother, reserved, promised, quarantined,
            quarantinedForAnother
    }

    enum Engine: CaseIterable {
        case claim, assign, hold, rename, recase, release, reserve, take
    }

    /// The outcome of each change in each situation, in the order of ``Situation``.
    private static let outcomes: [Engine: [Kind]] = [
        .claim: [.done, .done, taken, .already, taken, taken, .done, .done, taken],
        .assign: [.done, .done, .done, .already, .done, .done, .done, .done, .done],
        .hold: [.done, .already, taken, taken, taken, taken, taken, taken, taken],
        .rename: [.done, .done, taken, taken, taken, taken, .done, .done, taken],
        .recase: [
            .notClaimed, .notClaimed, .notOwner, .done, .notOwner, .notOwner, .notClaimed, .notOwner, .notOwner,
        ],
        .release: [
            .notClaimed, .done, .notOwner, .done, .notOwner, .notOwner, .notOwner, .already, .notOwner,
        ],
        .reserve: [.done, taken, taken, taken, taken, .already, .already, taken, taken],
        .take: [.done, .done, .done, .done, .done, .already, .already, .done, .done],
    ]

    private static let taken = Kind.refused(.taken)

    /// A name in a situation, with owners that no other name has.
    private struct Case {
        let name: String
        /// A handle that the caller has claimed, to rename.
        let old: String
        let situation: Situation
        let caller: Owner
        let other: Owner

        init(_ index: Int) throws {
            name = distinctName(index)
            old = distinctName(index, prefix: "w")
            situation = Situation.allCases[index % Situation.allCases.count]
            caller = try owner("caller-\(index)")
            other = try owner("other-\(index)")
        }

        var isInUse: Bool { situation != .free }
    }

    private func write<C: Change>(_ changes: [C], by size: Int, _ registry: Registry) async throws -> [C.Outcome] {
        var outcomes: [C.Outcome] = []
        if size == 1 {
            for change in changes { outcomes.append(try await registry.perform(change)) }
            return outcomes
        }
        for start in stride(from: 0, to: changes.count, by: size) {
            outcomes += try await registry.writes.write(Array(changes[start..<min(start + size, changes.count)]))
        }
        return outcomes
    }

    /// Brings names into their situations.
    private func prepare(_ cases: [Case], _ registry: Registry) async throws {
        func names(_ situations: Situation...) -> [Case] { cases.filter { situations.contains($0.situation) } }
        let cause = Registry.testCause
        _ = try await registry.writes.write(
            names(.held).map { Hold($0.name, for: $0.caller, cause) }
                + names(.heldByAnother).map { Hold($0.name, for: $0.other, cause) })
        _ = try await registry.writes.write(
            names(.claimed, .quarantined).map { Claim($0.name, for: $0.caller, cause) }
                + names(.claimedByAnother, .quarantinedForAnother).map { Claim($0.name, for: $0.other, cause) })
        _ = try await registry.writes.write(
            names(.quarantined, .quarantinedForAnother).map { Release(try handle($0.name), cause) })
        _ = try await registry.writes.write(
            names(.reserved, .promised).map {
                try reserve($0, for: $0.situation == .promised ? $0.caller : nil)
            })
    }

    private func reserve(_ name: Case, for owner: Owner? = nil, taking: Bool = false) throws -> Reserve {
        Reserve(
            name: NameToReserve(
                try #require(DisplayHandle(name.name)), Reservation(reason: "test", owner: owner)),
            allowsLookalike: false, takes: taking, actor: "test", number: newChange())
    }

    /// The caller acts for itself.
    private func own(_ name: Case) -> Cause { Cause(by: Cause.Actor("person", .owner(name.caller))) }

    private func perform(_ engine: Engine, _ cases: [Case], by size: Int, _ registry: Registry) async throws -> [Kind] {
        let cause = Registry.testCause
        return switch engine {
        case .claim:
            try await write(cases.map { Claim($0.name, for: $0.caller, cause) }, by: size, registry).map(\.kind)
        case .assign:
            try await write(cases.map { Assign($0.name, to: $0.caller, cause) }, by: size, registry).map(\.kind)
        case .hold:
            try await write(cases.map { Hold($0.name, for: $0.caller, cause) }, by: size, registry).map(\.kind)
        case .rename:
            try await write(
                cases.map { Rename(try handle($0.old), to: $0.name, for: $0.caller, cause) }, by: size, registry
            ).map(\.kind)
        case .recase:
            try await write(
                cases.map { Recase(try #require(DisplayHandle($0.name.uppercased())), own($0)) }, by: size,
                registry
            ).map(\.kind)
        case .release:
            try await write(
                cases.map { Release(try handle($0.name), own($0)) }, by: size, registry
            ).map(\.kind)
        case .reserve:
            try await write(cases.map { try reserve($0) }, by: size, registry).map(\.outcome.kind)
        case .take:
            try await write(cases.map { try reserve($0, taking: true) }, by: size, registry).map(\.outcome.kind)
        }
    }

    @Test(arguments: Engine.allCases) func changeHasTheSameOutcomesInBatchesOfEverySize(_ engine: Engine) async throws {
        let registry = try await freshRegistry()
        for (range, size) in [(0..<18, 1), (18..<36, 2), (36..<540, 500)] {
            let cases = try range.map { try Case($0) }
            try await prepare(cases, registry)
            if engine == .rename {
                _ = try await registry.writes.write(cases.map { Claim($0.old, for: $0.caller, Registry.testCause) })
            }
            let kinds = try await perform(engine, cases, by: size, registry)
            let expected = try #require(Self.outcomes[engine])
            for (name, kind) in zip(cases, kinds) {
                let index = try #require(Situation.allCases.firstIndex(of: name.situation))
                #expect(kind == expected[index], "\(engine) of a name that is \(name.situation), \(size) at a time")
            }
        }
    }
}
