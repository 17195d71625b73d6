import Foundation
import HandleRules

/// Calls that follow names.
extension RegistryClient {
    /// Follows a name in a link: to the claimed name, or to the one that took its place. It needs no key.
    public func resolve(_ handle: String) async throws(HandleClientError) -> HandleResolution {
        guard let answer = try await lookUp(handle) else { return .none }
        return try answer.read { (wire: HandleRecord.Wire) throws(Unreadable) in
            let display = try NameWire(handle: wire.handle, display: wire.display).name
            guard display.handle == Reading(folding: handle).handle else { throw Unreadable() }
            if wire.state == Handle.State.claimed.rawValue { return .found(display, owner: wire.owner) }
            guard wire.isMoved else { return .none }
            guard let to = wire.to, let until = try Moment.readIfPresent(wire.until) else { throw Unreadable() }
            return .moved(to: try to.name, until: until)
        }
    }

    /// Follows up to 1,000 names, and finds the names of up to 1,000 owners, such as the mentions and the authors of a
    /// page. Needs a key with the scope `read`.
    /// - Parameters:
    ///   - handles: the names as typed. A malformed one leads nowhere.
    ///   - owners: the owners' ids. An unknown owner has no names.
    public func resolve(
        handles: [String] = [], owners: [String] = []
    ) async throws(HandleClientError) -> HandleResolutions {
        let answer = try await send(
            Call(
                method: "POST", path: "/v1/handles/resolve",
                body: try Call.json(["handles": handles, "owners": owners])))
        return try answer.read { wire throws(Unreadable) in
            try HandleResolutions(wire, about: handles, owners)
        }
    }
}
