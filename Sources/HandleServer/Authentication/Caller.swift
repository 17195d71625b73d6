import HandleCore
import HandleRegistry
import Identity

/// The caller of a request, with the rules of what it may do and for which owner.
enum Caller: Sendable, Hashable {
    /// Without a credential.
    case anyone
    case keyHolder(KeyHolder)
    /// With an identity token: a person who acts for themselves.
    case person(Person)

    /// What an answer may reveal. A person's own names apart, a token reveals no more than no credential.
    var audience: Audience {
        if case .keyHolder(let holder) = self, holder.may(.read) { .keyHolders } else { .anyone }
    }

    var person: Person? { if case .person(let person) = self { person } else { nil } }

    /// The actor of a change in the history, which can't be erased: of a person it says only that it was one. The event has
    /// the owner's mark.
    var actor: String {
        switch self {
        case .anyone: "anyone"
        case .keyHolder(let holder): holder.actor
        case .person: "person"
        }
    }

    /// Namespace of the caller's `Idempotency-Key`s. Ids of keys have no colon.
    var id: String {
        switch self {
        case .anyone: ""
        case .keyHolder(let holder): holder.id
        case .person(let person): "person:\(person.owner.id)"
        }
    }
}

// MARK: What a caller may do

extension Caller {
    /// Refuses a caller without a scope. A token allows for its own owner what the scope `claim` allows for every owner;
    /// the owner is checked by ``owner(_:needs:)``.
    func check(_ scope: KeyScope) throws(Problem) {
        switch self {
        case .anyone: throw .noKey
        case .keyHolder(let holder): guard holder.may(scope) else { throw .missingScope(scope, of: holder) }
        case .person: guard KeyScope.claim.includes(scope) else { throw .notForPersons(scope) }
        }
    }

    /// The names that the caller may release.
    var releaser: Releaser {
        switch self {
        case .person(let person): .owner(person.owner)
        case .keyHolder(let holder) where holder.may(.admin): .admin
        case .keyHolder, .anyone: .agent
        }
    }
}

// MARK: For which owner

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

    /// The owner that a list is about. `me` in the path is the token's own owner. An owner id of a token has a `|`, so it is
    /// never `me`; with a key `me` is an owner id like any other.
    func listedOwner(_ inPath: String) throws(Problem) -> Owner {
        try owner(person != nil && inPath == "me" ? nil : inPath, needs: .read)
    }

    /// The owner that availability is checked for; nil for a new owner. A token checks for its own owner. Other callers may
    /// name one only with the scope `read`, or they could find out who has a name.
    /// - Throws: ``Problem`` 400 when `named` is not a valid owner id.
    func askingOwner(_ named: String? = nil) throws(Problem) -> Owner? {
        let named = try named?.checkedAsOwner()
        return audience == .keyHolders ? named : person?.owner
    }
}

extension Problem {
    /// The call is for admins, or for callers that manage names of several owners.
    static func notForPersons(_ scope: KeyScope) -> Problem {
        forbidden(
            .missingScope,
            "This call needs a key with the scope '\(scope.rawValue)'; an identity token is not accepted.",
            scope)
    }

    /// A token asked for another owner's data.
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
