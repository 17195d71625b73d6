import Foundation
import HandleRules

/// Calls that read.
extension RegistryClient {
    /// Checks whether a name is available.
    /// - Parameters:
    ///   - typed: the text as typed.
    ///   - name: the person's name, used for suggestions; at most 256 characters.
    ///   - suggestions: how many to return, 0 to 20; nil for five when the name is unavailable.
    ///   - owner: the owner to check for; needs a key.
    public func availability(
        of typed: String, name: String? = nil, suggestions: Int? = nil, owner: String? = nil
    ) async throws(HandleClientError) -> HandleAvailability {
        let answer = try await send(
            Call(path: "/v1/availability", query: Self.question(typed, name, suggestions, owner)))
        return try answer.read { wire throws(Unreadable) in try HandleAvailability(wire, about: typed) }
    }

    /// Checks up to 1,000 names. The answers are in the same order and have no suggestions.
    public func availability(ofEach typed: [String]) async throws(HandleClientError) -> [HandleAvailability] {
        struct Wire: Decodable { let results: [HandleAvailability.Wire] }
        let answer = try await send(
            Call(method: "POST", path: "/v1/availability", body: try Call.json(["handles": typed])))
        return try answer.read { (wire: Wire) throws(Unreadable) in
            guard wire.results.count == typed.count else { throw Unreadable() }
            var all: [HandleAvailability] = []
            for (wire, typed) in zip(wire.results, typed) { all.append(try HandleAvailability(wire, about: typed)) }
            return all
        }
    }

    /// The live check: the service waits for the typing pause and answers only the last call of a session.
    /// ``HandleValidator`` waits on the client instead, which takes one request a word.
    /// - Parameters:
    ///   - typed: the text as typed.
    ///   - session: 1 to 128 printable ASCII characters, random for each form.
    ///   - number: the number of the keystroke; it must grow.
    ///   - name: the person's name, used for suggestions; at most 256 characters.
    ///   - suggestions: how many to return, 0 to 20; nil for five when the name is unavailable.
    ///   - owner: the owner to check for; needs a key.
    /// - Throws: the problem `.superseded` when a later call of the session has arrived.
    public func liveAvailability(
        of typed: String, session: String, number: Int, name: String? = nil, suggestions: Int? = nil,
        owner: String? = nil
    ) async throws(HandleClientError) -> HandleAvailability {
        let place = [(name: "session", value: session), (name: "seq", value: String(number))]
        let answer = try await send(
            Call(path: "/v1/availability/live", query: Self.question(typed, name, suggestions, owner) + place))
        struct Place: Decodable {
            let session: String
            let seq: Int
        }
        let answered = try answer.decode(Place.self)
        guard answered.session == session, answered.seq == number else { throw .unreadable(status: answer.status) }
        return try answer.read { wire throws(Unreadable) in try HandleAvailability(wire, about: typed) }
    }

    static func question(
        _ typed: String, _ name: String?, _ suggestions: Int?, _ owner: String?
    ) -> [(name: String, value: String)] {
        [("handle", typed), ("name", name), ("suggestions", suggestions.map(String.init)), ("owner", owner)]
            .compactMap { field, value in value.map { (name: field, value: $0) } }
    }

    /// The record of a name; nil when there is none that the caller may see. Links to a name follow
    /// ``resolve(_:)``, which also tells a caller without a key where a moved name leads.
    public func record(of handle: String) async throws(HandleClientError) -> HandleRecord? {
        guard let answer = try await lookUp(handle) else { return nil }
        return try answer.read { (wire: HandleRecord.Wire) throws(Unreadable) in
            guard let expected = Reading(folding: handle).handle else { throw Unreadable() }
            if wire.isMoved, wire.version == nil { return nil }
            return try HandleRecord(wire, of: expected)
        }
    }

    /// The answer about one name; nil when there is no record that the caller may see.
    func lookUp(_ handle: String) async throws(HandleClientError) -> ClientAnswer? {
        do throws(HandleClientError) {
            return try await send(Call(path: Self.path(of: handle)))
        } catch {
            guard error.problem?.code == .noSuchHandle else { throw error }
            return nil
        }
    }

    /// The names that an owner holds and has claimed, in alphabetical order.
    public func handles(of owner: HandleOwner) async throws(HandleClientError) -> [HandleRecord] {
        struct Wire: Decodable { let handles: [HandleRecord.Wire] }
        let id =
            switch owner {
            case .me: "me"
            case .id(let id): id
            }
        let answer = try await send(Call(path: "/v1/owners/\(Call.encode(id))/handles"))
        return try answer.read { (wire: Wire) throws(Unreadable) in
            var records: [HandleRecord] = []
            for record in wire.handles { records.append(try HandleRecord(record)) }
            return records
        }
    }

    static func path(of handle: String) -> String { "/v1/handles/\(Call.encode(handle))" }

    /// Makes a call that returns the record of `expected`.
    func record(_ call: Call, _ expected: Handle?) async throws(HandleClientError) -> HandleRecord {
        let answer = try await send(call)
        return try answer.read { wire throws(Unreadable) in
            guard let expected else { throw Unreadable() }
            return try HandleRecord(wire, of: expected)
        }
    }
}
