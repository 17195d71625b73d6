import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct ReleaseIfVersionTests {
    @Test func releaseRefusesANameThatHasChangedSinceTheGivenVersion() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.recase(#require(DisplayHandle("JohnDoe")))
        let cause = Cause(by: Actor("admin", .admin))
        #expect(
            try await registry.perform(Release(handle("johndoe"), if: Precondition(versions: [1]), cause)).kind
                == .changed)
        #expect(try await registry.record(of: handle("johndoe"))?.state == .claimed)
        let release = Release(try handle("johndoe"), if: Precondition(versions: [2]), cause)
        #expect(try await registry.perform(release).kind == .done)
        // The same operation, repeated, finds its own change.
        #expect(try await registry.perform(release).kind == .done)
        #expect(
            try await registry.perform(Release(handle("johndoe"), if: Precondition(versions: [2]), cause)).kind
                == .changed)
    }
}
