package import HandleRegistry

/// The lines of the registry's archive.
package func lines(_ registry: Registry, withHistory: Bool = false) async throws -> [String] {
    var bytes: [UInt8] = []
    _ = try await registry.export(withHistory: withHistory) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}

/// The discrepancies that `verify` reports, each as its subject and kind.
package func discrepancies(_ registry: Registry) async throws -> [String] {
    var found: [String] = []
    _ = try await registry.verify { found.append("\($0.subject) \($0.kind.rawValue)") }
    return found
}
