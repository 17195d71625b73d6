import HandleCore
import HandleRegistry
import Hummingbird
import Identity

/// What the calls about one name ask: which, for whom, and with how many suggestions.
struct AvailabilityQuestion: Sendable {
    let caller: Caller
    let handle: String
    let name: String?
    let owner: Owner?
    let suggestions: Int?

    var audience: Audience { caller.audience }

    /// - Throws: ``Problem`` 400 that says which parameter is missing or wrong; 401 for a wrong key or token.
    init(_ request: Request, _ query: Query, _ authenticator: Authenticator) async throws(Problem) {
        caller = try await authenticator.caller(of: request)
        handle = try query.require("handle").checkedAsTypedHandle()
        suggestions = try query.integer("suggestions", in: Registry.suggestionRange)
        name = query["name"]
        guard name.map({ $0.unicodeScalars.count <= RequestLimits.nameLength }) ?? true else {
            throw Problem(.inputTooLong, "'name' is too long; the limit is \(RequestLimits.nameLength) characters.")
        }
        let named = try query["owner"]?.checkedAsOwner()
        // Without a key nobody may ask as somebody else, or they could find out who has what.
        owner = caller.audience == .keyHolders ? named : caller.person?.owner
    }

    /// - Parameter session: the typing session of the one who asks, if there is one.
    func ask(_ registry: Registry, session: String? = nil) async throws -> Availability {
        try await registry.availability(
            of: handle, name: name, for: owner, suggestions: suggestions, session: session ?? owner?.id)
    }
}
