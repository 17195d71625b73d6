/// The unfinished input of a person. It survives a sign-out, a restart of this program and a lost response.
struct Draft: Codable, Sendable, Equatable {
    /// The input of the first step, as typed.
    var handle = ""
    /// The display handle of the second step. The registry holds it for the person until the hold expires.
    var held: String?
    /// The input of the second step, as typed.
    var displayName = ""
    /// Whether the second step was submitted. The next request of the page then completes it.
    var isSent = false
    /// A claim without an answer. It is repeated with its key until there is an answer.
    var claim: Claim?

    struct Claim: Codable, Sendable, Equatable {
        let display: String
        let key: String
    }
}
