import HandleRegistry
import Hummingbird

/// The keys that callers may show.
public struct AccessKeys: Sendable {
    private let admin: [UInt8]?

    /// - Parameter admin: the first key, with every scope; nil when writing is not possible.
    public init(admin: String?) { self.admin = admin.map { Array($0.utf8) } }

    /// Who makes the request. One without a key is anyone; a key that is not known is refused.
    func audience(of request: Request) throws(Problem) -> Audience {
        guard let header = request.headers[.authorization] else { return .anyone }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", let admin, isSame(admin, Array(parts[1].utf8)) else {
            throw .wrongKey
        }
        return .keyHolders
    }

    /// Refuses a request that shows no key.
    /// - Returns: whose key it is.
    @discardableResult
    func require(_ request: Request) throws(Problem) -> String {
        guard try audience(of: request) == .keyHolders else { throw .noKey }
        return "admin"
    }

    /// Takes as long for a key that is wrong at its end as for one that is wrong at its beginning.
    private func isSame(_ key: [UInt8], _ shown: [UInt8]) -> Bool {
        var difference = key.count ^ shown.count
        for (index, byte) in shown.enumerated() { difference |= Int(byte ^ key[index % key.count]) }
        return difference == 0
    }
}
