/// The reason why an identity token is invalid, for the log. Callers get the same answer in every case but three: an
/// unknown issuer, and the last two.
package enum TokenFault: String, Error {
    case tooLong
    /// Not three parts in base64url, or a header or claims that are not JSON objects of the expected form.
    case malformed
    /// A `typ` other than that of an identity token, or a critical extension.
    case otherKind
    case unknownIssuer
    /// The issuer has no key with this `kid` and this algorithm.
    case unknownKey
    case wrongSignature
    case otherAudience
    case expired
    case notYetValid
    /// Its lifetime exceeds the maximum.
    case longLived
    /// The issuer's keys have never been read.
    case keysNotLoaded
    /// Issuer and subject are not valid as an owner's id.
    case unusableSubject
}
