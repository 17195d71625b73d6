import Foundation

/// A browser that is signed in, as it is stored.
struct WebSession: Codable, Sendable {
    let person: Person
    /// Sent with every form of this session, so that a page of another site can't send one.
    let formToken: String
    let endsAt: Date
}

/// The person that the issuer has named.
struct Person: Codable, Sendable {
    /// `ISSUER|SUBJECT`: the owner in the registry, the same that the registry reads from an identity token.
    let owner: String
    /// How the page calls the account: its address, or the subject.
    let account: String
}
