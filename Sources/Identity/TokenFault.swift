/// Why an identity token is not believed: for the log. The caller is told the same in every case but the last two.
package enum TokenFault: String, Error {
    case tooLong
    /// Not three parts in base64url, or a header or claims that are not JSON objects as they should be.
    case malformed
    /// A `typ` that is no identity token's, or an extension that has to be understood.
    case otherKind
    case unknownIssuer
    /// No key of the issuer has this `kid` and this algorithm.
    case unknownKey
    case wrongSignature
    case otherAudience
    case expired
    case notYetValid
    /// It is good for longer than any token should be.
    case longLived
    /// The issuer's keys have never been read.
    case keysNotLoaded
    /// Issuer and subject make no owner's id.
    case unusableSubject
}
