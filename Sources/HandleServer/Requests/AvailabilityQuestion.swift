import HandleRegistry
import HandleRules
import Hummingbird

/// The parameters of a call about one name: the name, the owner, and the number of suggestions.
struct AvailabilityQuestion: Sendable {
    let caller: Caller
    let handle: String
    let name: String?
    let owner: Owner?
    let suggestions: Int?

    var audience: Audience { caller.audience }

    /// - Throws: ``Problem`` 400 that names the missing or invalid parameter.
    init(_ query: Query, of caller: Caller) throws(Problem) {
        self.caller = caller
        handle = try query.require("handle").checkedAsTypedHandle()
        suggestions = try query.integer("suggestions", in: Registry.suggestionRange)
        name = query["name"]
        guard name.map({ $0.unicodeScalars.count <= RequestLimits.nameLength }) ?? true else {
            throw Problem(.inputTooLong, "'name' is too long; the limit is \(RequestLimits.nameLength) characters.")
        }
        owner = try caller.askingOwner(query["owner"])
    }

    /// The question for the registry, without the owner.
    /// - Parameter session: the typing session; nil for none.
    func asked(in session: String? = nil) -> NameQuestion {
        NameQuestion(handle, name: name, suggestions: suggestions, session: session ?? owner?.id)
    }

    /// - Parameter session: the typing session; nil for none.
    func ask(_ registry: Registry, session: String? = nil) async throws -> Availability {
        try await registry.availability(of: asked(in: session), for: owner)
    }

    func response(to availability: Availability) -> Response.Plain {
        .json(headers: .age(asOf: availability.asOf)) {
            $0.write(availability.decision, about: handle, suggestions: availability.suggestions, for: audience)
        }
    }
}
