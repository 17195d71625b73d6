import Foundation

/// The stored record of a signed-in browser.
struct WebSession: Codable, Sendable {
    let person: Person
    /// The CSRF token. Every form of this session contains it, so a page of another site can't send a valid form.
    let formToken: String
    let endsAt: Date
}

/// The person that the id token names.
struct Person: Codable, Sendable {
    /// `ISSUER|SUBJECT`: the owner in the registry, as the registry reads it from an identity token.
    let owner: String
    /// The account name that the pages show: the e-mail address, or the subject.
    let account: String
}
