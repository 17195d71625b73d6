public import HandleRegistry
import Hummingbird

/// The keys that callers may show.
public struct AccessKeys: Sendable {
    private let first: [UInt8]?
    private let ring: KeyRing

    /// - Parameters:
    ///   - first: the first key, with every scope; nil when there are only those of the ring.
    ///   - ring: the keys that were made since.
    public init(first: String?, ring: KeyRing) {
        self.first = first.map { Array($0.utf8) }
        self.ring = ring
    }

    /// Who makes the request. One without a key is anyone; a key that is not known is refused.
    func audience(of request: Request) throws(Problem) -> Audience {
        guard let holder = try holder(of: request) else { return .anyone }
        return holder.may(.read) ? .keyHolders : .anyone
    }

    /// Refuses a request that shows no key, or one without the scope.
    /// - Returns: whose key it is.
    @discardableResult
    func require(_ scope: KeyScope, of request: Request) throws(Problem) -> KeyHolder {
        guard let holder = try holder(of: request) else { throw .noKey }
        guard holder.may(scope) else { throw .missingScope(scope, of: holder) }
        return holder
    }

    /// Whose key the request shows; nil when it shows none that is good.
    func knownHolder(of request: Request) -> KeyHolder? { try? holder(of: request) }

    /// Whose key the request shows; nil when it shows none.
    private func holder(of request: Request) throws(Problem) -> KeyHolder? {
        guard let header = request.headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .wrongKey }
        if let first, isSame(first, Array(parts[1].utf8)) { return .admin }
        switch ring.answer(to: String(parts[1])) {
        case .known(let holder): return holder
        case .unknown: throw .wrongKey
        case .notLoaded: throw .databaseUnavailable
        }
    }

    /// Takes as long for a key that is wrong at its end as for one that is wrong at its beginning.
    private func isSame(_ key: [UInt8], _ shown: [UInt8]) -> Bool {
        var difference = key.count ^ shown.count
        for (index, byte) in shown.enumerated() { difference |= Int(byte ^ key[index % key.count]) }
        return difference == 0
    }
}
