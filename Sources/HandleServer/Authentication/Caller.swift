import HandleRegistry
import HandleRules

/// The caller of a request, with the rules of what it may do and for which owner.
enum Caller: Sendable, Hashable {
    /// Without a credential.
    case anyone
    case keyHolder(KeyHolder)
    /// With an identity token: a person, acting only as the token's own owner.
    case person(Person)

    /// The level of detail in responses. Except for the person's own names, a token reveals no more than no credential.
    var audience: Audience {
        if case .keyHolder(let holder) = self, holder.may(.read) { .keyHolders } else { .anyone }
    }

    var person: Person? { if case .person(let person) = self { person } else { nil } }

    /// Namespace of the caller's `Idempotency-Key`s. Key ids have no colon, so no key shares the namespace of a person.
    var id: String {
        switch self {
        case .anyone: ""
        case .keyHolder(let holder): holder.id
        case .person(let person): "person:\(person.owner.id)"
        }
    }
}

// MARK: Rights of a caller

extension Caller {
    /// Refuses a caller without the scope. A token has the rights of the scope `claim`, but only for its own owner,
    /// which ``owner(_:needs:)`` checks.
    func check(_ scope: KeyScope) throws(Problem) {
        switch self {
        case .anyone: throw .noKey
        case .keyHolder(let holder): guard holder.may(scope) else { throw .missingScope(scope, of: holder) }
        case .person: guard KeyScope.claim.includes(scope) else { throw .notForPersons(scope) }
        }
    }

    /// The caller as the actor of a change, with its rights.
    ///
    /// The history can't be erased. So for a person it has only the word `person`; the event has the owner's mark.
    var actor: Cause.Actor {
        switch self {
        case .anyone: Cause.Actor("anyone", .agent)
        case .keyHolder(let holder): Cause.Actor(holder.actor, holder.may(.moderate) ? .admin : .agent)
        case .person(let person): Cause.Actor("person", .owner(person.owner))
        }
    }
}

// MARK: Owner of a request

extension Caller {
    /// The owner that a request acts for: the named one. A token may name only its own owner, or none.
    /// - Throws: ``Problem`` 400 when a key names no valid owner, 403 when a token names another owner.
    func owner(_ named: String?, needs scope: KeyScope) throws(Problem) -> Owner {
        guard let person else {
            guard let named else { throw .missingField("owner") }
            return try named.checkedAsOwner()
        }
        guard named.map(person.owner.id.isSame(as:)) ?? true else { throw .notYourOwn(scope) }
        return person.owner
    }

    /// The owner of a list of handles. With a token, `me` in the path is its own owner; a token's owner id has a `|`,
    /// so it is never `me` itself. With a key, `me` is an ordinary owner id.
    func listedOwner(_ inPath: String) throws(Problem) -> Owner {
        try owner(person != nil && inPath == "me" ? nil : inPath, needs: .read)
    }

    /// The owner that availability is checked for; nil for a new owner. A token checks for its own owner. Other callers
    /// may name an owner only with the scope `read`; otherwise they could find out which owner has a name.
    /// - Throws: ``Problem`` 400 when `named` is not a valid owner id.
    func askingOwner(_ named: String? = nil) throws(Problem) -> Owner? {
        let named = try named?.checkedAsOwner()
        return audience == .keyHolders ? named : person?.owner
    }
}

extension Problem {
    /// Refusal of a token at a call for admins or moderators, or for callers that manage names of several owners.
    static func notForPersons(_ scope: KeyScope) -> Problem {
        forbidden(
            .missingScope,
            "This call needs a key with the scope '\(scope.rawValue)'; an identity token is not accepted.",
            scope)
    }

    /// Refusal of a token that names another owner.
    static func notYourOwn(_ scope: KeyScope) -> Problem {
        forbidden(
            .notYourOwn,
            "An identity token is good for its own owner's handles only; for another owner, use a key with the scope "
                + "'\(scope.rawValue)'.", scope)
    }

    static let unusableSubject = Problem(
        .invalidOwner,
        "The token's 'iss' and 'sub', joined by '|', are the owner id, which must be \(Owner.rule).")

    static let keysUnavailable = Problem.unavailable(
        .keysUnavailable, "The signing keys of the token's issuer are not available at the moment; try again.")

    static func missingField(_ name: String) -> Problem {
        Problem(.missingField, "The field '\(name)' is missing.")
    }
}
