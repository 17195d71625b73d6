import HandleCore
import HandleRegistry
import Identity

/// Who makes a request.
enum Caller: Sendable, Hashable {
    /// Somebody who shows nothing.
    case anyone
    case keyHolder(KeyHolder)
    /// Somebody who acts for themselves.
    case person(Person)

    /// What an answer may tell. A person's own names apart, they are told what anyone is.
    var audience: Audience {
        if case .keyHolder(let holder) = self, holder.may(.read) { .keyHolders } else { .anyone }
    }

    /// Who a person is.
    var person: Person? { if case .person(let person) = self { person } else { nil } }

    /// Who is said to have made a change. The history can't forget, so it says of a person only that it was one; the
    /// event has the owner's mark.
    var actor: String {
        switch self {
        case .anyone: "anyone"
        case .keyHolder(let holder): holder.actor
        case .person: "person"
        }
    }

    /// Whose a request with an `Idempotency-Key` is. Ids of keys have no colon.
    var id: String {
        switch self {
        case .anyone: ""
        case .keyHolder(let holder): holder.id
        case .person(let person): "person:\(person.owner.id)"
        }
    }

    /// Which names may be released.
    var releaser: Releaser {
        switch self {
        case .person(let person): .owner(person.owner)
        case .keyHolder(let holder) where holder.may(.admin): .admin
        case .keyHolder, .anyone: .agent
        }
    }

    /// Refuses who may not do what needs a scope. A person may do for themselves what a key with the scope `claim` may do
    /// for everybody; whether it is their own has to be asked besides.
    func check(_ scope: KeyScope) throws(Problem) {
        switch self {
        case .anyone: throw .noKey
        case .keyHolder(let holder): guard holder.may(scope) else { throw .missingScope(scope, of: holder) }
        case .person: guard KeyScope.claim.includes(scope) else { throw .notForPersons(scope) }
        }
    }

    /// Whom a request is for: the owner that it names, which for a person is nobody but themselves.
    /// - Parameter named: what the request says, if it says anything.
    func owner(_ named: String?, needs scope: KeyScope) throws(Problem) -> Owner {
        guard let person else {
            guard let named else { throw .missingField("owner") }
            return try named.checkedAsOwner()
        }
        guard named.map(person.owner.id.isSame(as:)) ?? true else { throw .notYourOwn(scope) }
        return person.owner
    }
}

extension Problem {
    /// The call is for admins, or for somebody who looks after the names of others.
    static func notForPersons(_ scope: KeyScope) -> Problem {
        forbidden(
            .missingScope,
            "This call needs a key with the scope '\(scope.rawValue)'; an identity token is not accepted.",
            scope)
    }

    /// What a person asked for is another's.
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
