import Foundation
import HandleRules

/// Calls that change the registry. Each carries an `Idempotency-Key`: calls with the same key take effect once and get
/// the same answer for 24 hours. A caller that may repeat a call after a restart passes its own key; the default is a
/// new one.
extension RegistryClient {
    /// Keeps a name for an owner for a short time. If the owner holds it already, the same hold is returned.
    /// - Parameters:
    ///   - handle: the name; its capitals become the display handle.
    ///   - owner: `.me` for the person of the token.
    ///   - duration: 1 second to 1 hour, in whole seconds; nil for the default of the service.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func hold(
        _ handle: String, for owner: HandleOwner = .me, lasting duration: Duration? = nil,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleHold {
        let answer = try await send(
            Call(
                method: "POST", path: "/v1/holds",
                body: try Call.json([
                    "handle": handle, "owner": owner.id, "ttl_seconds": duration?.components.seconds,
                ]), idempotencyKey: idempotencyKey, success: [200, 201]))
        return try answer.read { wire throws(Unreadable) in try HandleHold(wire, of: Reading(folding: handle).handle) }
    }

    /// Claims a name for an owner. If the owner has it already, its record is returned unchanged.
    /// - Parameters:
    ///   - handle: the name; its capitals become the display handle.
    ///   - display: the same name in other capitals.
    ///   - owner: `.me` for the person of the token.
    ///   - hold: the secret of a hold or an offer; needed if another owner claims the name.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func claim(
        _ handle: String, display: String? = nil, for owner: HandleOwner = .me, hold: String? = nil,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "PUT", path: Self.path(of: handle),
            body: try Call.json(["display": display, "owner": owner.id, "hold": hold]), idempotencyKey: idempotencyKey,
            success: [200, 201])
        let record = try await record(call, Reading(folding: handle).handle)
        guard record.state == .claimed else { throw .unreadable(status: 200) }
        return record
    }

    /// Changes the capitals of a claimed name.
    /// - Parameters:
    ///   - handle: the name.
    ///   - display: the same name in other capitals.
    ///   - version: the version that the name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func recase(
        _ handle: String, as display: String, ifVersion version: Int? = nil,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "PATCH", path: Self.path(of: handle), body: try Call.json(["display": display]),
            idempotencyKey: idempotencyKey, version: version)
        return try await record(call, Reading(folding: handle).handle)
    }

    /// Gives an owner another name. The old one goes into quarantine in the same commit.
    /// - Parameters:
    ///   - handle: the present name.
    ///   - new: the new name; its capitals become the display handle.
    ///   - owner: `.me` for the person of the token.
    ///   - isForwarded: whether the old name leads to the owner's present one while it is in quarantine. Every caller
    ///     can see then that the names belong together, so ask the person.
    ///   - version: the version that the present name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    /// - Returns: the record of the new name.
    public func rename(
        _ handle: String, to new: String, for owner: HandleOwner = .me, forwarding isForwarded: Bool = false,
        ifVersion version: Int? = nil, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        try await rename(
            handle, to: new, ["owner": owner.id, "forward": isForwarded ? true : nil], version, idempotencyKey)
    }

    /// - Parameter members: those of the body besides the new name.
    func rename(
        _ handle: String, to new: String, _ members: [String: (any Encodable & Sendable)?], _ version: Int?,
        _ idempotencyKey: String
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "POST", path: Self.path(of: handle) + "/rename",
            body: try Call.json(members.merging(["to": new]) { $1 }), idempotencyKey: idempotencyKey, version: version)
        return try await record(call, Reading(folding: new).handle)
    }

    /// Ends the way from an old name to the owner's present one. The old name stays in quarantine. Nothing changes for
    /// a name that leads nowhere.
    /// - Parameters:
    ///   - handle: the old name.
    ///   - version: the version that the old name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    /// - Returns: the record of the old name.
    public func endForward(
        of handle: String, ifVersion version: Int? = nil, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "PATCH", path: Self.path(of: handle), body: try Call.json(["forward": false]),
            idempotencyKey: idempotencyKey, version: version)
        return try await record(call, Reading(folding: handle).handle)
    }

    /// Releases a name into quarantine.
    /// - Parameters:
    ///   - handle: the name.
    ///   - owner: the owner that the name must have; nil for any.
    ///   - version: the version that the name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func release(
        _ handle: String, of owner: String? = nil, ifVersion version: Int? = nil,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) {
        _ = try await send(
            Call(
                method: "DELETE", path: Self.path(of: handle),
                query: owner.map { [(name: "owner", value: $0)] } ?? [], idempotencyKey: idempotencyKey,
                version: version, success: [204]))
    }

    /// Offers a claimed name to another owner, which claims it with the secret. An earlier offer of the name ends.
    /// - Parameters:
    ///   - handle: the name.
    ///   - owner: the owner of the name; `.me` for the person of the token.
    ///   - duration: 1 second to 7 days, in whole seconds; nil for one day.
    ///   - version: the version that the name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func offer(
        _ handle: String, by owner: HandleOwner = .me, lasting duration: Duration? = nil,
        ifVersion version: Int? = nil, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleHold {
        let answer = try await send(
            Call(
                method: "POST", path: Self.path(of: handle) + "/offer",
                body: try Call.json(["owner": owner.id, "ttl_seconds": duration?.components.seconds]),
                idempotencyKey: idempotencyKey, version: version, success: [201]))
        return try answer.read { wire throws(Unreadable) in try HandleHold(wire, of: Reading(folding: handle).handle) }
    }

    /// Releases all names of an owner and erases the owner's id. Needs a key with the scope `admin`.
    public func forget(
        owner: String, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) {
        _ = try await send(
            Call(
                method: "DELETE", path: "/v1/owners/\(Call.encode(owner))", idempotencyKey: idempotencyKey,
                success: [204]))
    }

    /// A key for one write and its retries.
    public static func newIdempotencyKey() -> String { UUID().uuidString }
}

extension HandleOwner {
    /// The id as a member of a body; nil members are left out.
    var id: String? {
        switch self {
        case .me: nil
        case .id(let id): id
        }
    }
}
