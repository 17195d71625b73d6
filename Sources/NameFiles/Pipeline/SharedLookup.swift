import HandleRegistry
import NIOConcurrencyHelpers

/// The look-up of all chunks. The first chunk decides how the registry is asked, and the others wait for that.
final class SharedLookup: Sendable {
    private let registry: Registry
    private let task = NIOLockedValueBox<Task<BulkLookup, any Error>?>(nil)

    init(_ registry: Registry) { self.registry = registry }

    /// - Throws: `PostgresError`; `CancellationError`.
    func lookup(expecting names: Int) async throws -> BulkLookup {
        let task = task.withLockedValue { task in
            let made = task ?? Task { [registry] in try await BulkLookup(registry, expectedNames: names) }
            task = made
            return made
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
