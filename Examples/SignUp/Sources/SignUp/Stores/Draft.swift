/// What a person has typed and not finished yet. It outlives a sign-out, a restart of this program and a lost answer.
struct Draft: Codable, Sendable, Equatable {
    /// As it was typed in the first step.
    var handle = ""
    /// The handle with its capitals that the person goes on with: the registry holds it for them.
    var held: String?
    /// As it was typed in the second step.
    var displayName = ""
    /// Whether the second step was sent. The rest is then done when the person comes back, or the page asks again.
    var isSent = false
    /// A claim whose answer is not known. It is repeated with its key until it is.
    var claim: Claim?

    struct Claim: Codable, Sendable, Equatable {
        let display: String
        let key: String
    }
}
