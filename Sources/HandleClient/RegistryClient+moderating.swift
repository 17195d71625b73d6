public import Foundation
import HandleRules

/// Calls of moderators. They need a key with the scope `moderate`, and each is recorded with its reason. They also work
/// on names of locked owners.
extension RegistryClient {
    /// Gives a name to an owner, in whatever state it is. Neither a previous owner nor a reservation keeps a right to it.
    /// - Parameters:
    ///   - handle: the name; its capitals become the display handle.
    ///   - owner: the new owner.
    ///   - previous: the owner that the name must have, or must have had before its quarantine; nil for any.
    ///   - reason: for the history of the name.
    ///   - version: the version that the name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func assign(
        _ handle: String, to owner: String, from previous: String? = nil, reason: String,
        ifVersion version: Int? = nil, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "POST", path: Self.path(of: handle) + "/assign",
            body: try Call.json(["to": owner, "from": previous, "reason": reason]), idempotencyKey: idempotencyKey,
            version: version)
        return try await record(call, Reading(folding: handle).handle)
    }

    /// Reserves a name, so that no other owner gets it.
    /// - Parameters:
    ///   - handle: the name; its capitals become the display handle.
    ///   - owner: the owner that may claim it; nil for none.
    ///   - until: the end of the reservation; nil for no end.
    ///   - taking: whether a name in use is taken from its owner. Otherwise it is refused as `taken`.
    ///   - reason: for the record and the history of the name.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func reserve(
        _ handle: String, for owner: String? = nil, until: Date? = nil, taking: Bool = false, reason: String,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        let call = Call(
            method: "POST", path: "/v1/reservations",
            body: try Call.json([
                "handle": handle, "owner": owner, "until": until?.ISO8601Format(), "take": taking ? true : nil,
                "reason": reason,
            ]), idempotencyKey: idempotencyKey, success: [200, 201])
        return try await record(call, Reading(folding: handle).handle)
    }

    /// Gives an owner another name, and reserves the old one, so that the owner can't go back to it.
    /// - Parameters:
    ///   - handle: the present name.
    ///   - new: the new name; its capitals become the display handle.
    ///   - owner: the owner of the present name.
    ///   - reason: for the history of both names.
    ///   - version: the version that the present name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    /// - Returns: the record of the new name.
    public func rename(
        _ handle: String, to new: String, for owner: String, takingBecause reason: String,
        ifVersion version: Int? = nil, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleRecord {
        try await rename(
            handle, to: new, ["owner": owner, "take": true, "reason": reason], version, idempotencyKey)
    }

    /// Makes a name free at once, also one in quarantine.
    /// - Parameters:
    ///   - handle: the name.
    ///   - owner: the owner that the name must have, or must have had before its quarantine; nil for any.
    ///   - version: the version that the name must have; nil for any.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func releaseAtOnce(
        _ handle: String, of owner: String? = nil, ifVersion version: Int? = nil,
        idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) {
        _ = try await send(
            Call(
                method: "DELETE", path: Self.path(of: handle),
                query: [(name: "quarantine", value: "false")] + (owner.map { [(name: "owner", value: $0)] } ?? []),
                idempotencyKey: idempotencyKey, version: version, success: [204]))
    }

    /// Locks an owner: it can't get, change, offer or release names. A second lock replaces the first.
    /// - Parameters:
    ///   - owner: the owner, which needs no name.
    ///   - until: the end of the lock; nil for no end.
    ///   - reason: for the history of the owner.
    ///   - idempotencyKey: the same for a repetition of this call.
    public func lock(
        owner: String, until: Date? = nil, reason: String, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) -> HandleOwnerLock {
        let call = Call(
            method: "PUT", path: Self.lockPath(of: owner),
            body: try Call.json(["until": until?.ISO8601Format(), "reason": reason]), idempotencyKey: idempotencyKey,
            success: [200, 201])
        return try await lock(call, owner)
    }

    /// Ends the lock of an owner, if there is one.
    public func unlock(
        owner: String, idempotencyKey: String = newIdempotencyKey()
    ) async throws(HandleClientError) {
        _ = try await send(
            Call(
                method: "DELETE", path: Self.lockPath(of: owner), idempotencyKey: idempotencyKey, success: [204]))
    }

    /// Whether an owner is locked, and why.
    public func lock(of owner: String) async throws(HandleClientError) -> HandleOwnerLock {
        try await lock(Call(path: Self.lockPath(of: owner)), owner)
    }

    private static func lockPath(of owner: String) -> String { "/v1/owners/\(Call.encode(owner))/lock" }

    private func lock(_ call: Call, _ owner: String) async throws(HandleClientError) -> HandleOwnerLock {
        try await send(call).read { wire throws(Unreadable) in try HandleOwnerLock(wire, of: owner) }
    }
}
