import HandleClient
import HandleRules
import Sessions

/// Creates a profile without the steps of the onboarding.
extension AuthStateManager {
    /// A claim of one person with an unknown outcome.
    struct OpenClaim {
        let userID: String
        let display: DisplayHandle
        let idempotencyKey: String
    }

    /// Claims a handle and stores the profile, for an app with its own form. If it throws, it may be called again: a
    /// claim with a lost answer is repeated with its `Idempotency-Key`, and a successful claim is not undone.
    /// - Parameters:
    ///   - handle: the canonical handle.
    ///   - displayHandle: the same with the person's capitals.
    ///   - displayName: the person's name as shown to others; see ``DisplayName`` for its rules.
    /// - Throws: ``OnboardingError``; `HandleClientError`, with `reasons` if the name is unavailable; errors of the
    ///   store.
    public func createProfile(handle: String, displayHandle: String, displayName: String) async throws {
        guard let display = Reading(folding: displayHandle).display else {
            throw OnboardingError.malformedHandle(HandleFormatValidation(displayHandle))
        }
        guard Reading(folding: handle).handle == display.handle else { throw OnboardingError.displayMismatch }
        if let fault = DisplayName.fault(in: displayName) { throw OnboardingError.malformedDisplayName(fault) }
        guard let userID = auth.currentUser?.userID else { throw OnboardingError.notSignedIn }

        let claimed = try await claim(display, for: userID)
        let profile = UserProfile(
            userId: userID, handle: claimed.handle.description, displayHandle: claimed.description,
            displayName: DisplayName.trimmed(displayName))
        try await ownProfiles.save(profile)
        note(profile)
    }

    private func claim(_ display: DisplayHandle, for userID: String) async throws -> DisplayHandle {
        if let open = openClaim, open.userID == userID, open.display == display { return try await send(open) }
        // A claim with a lost answer, here or before a restart, may have succeeded. A person gets only one handle.
        let claimed = try await client(for: userID).handles(of: .me).filter { $0.state == .claimed }
        if let other = claimed.first, !claimed.contains(where: { $0.handle == display.handle }) {
            throw OnboardingError.hasHandle(other.display.description)
        }
        return try await send(
            OpenClaim(userID: userID, display: display, idempotencyKey: RegistryClient.newIdempotencyKey()))
    }

    private func send(_ claim: OpenClaim) async throws(HandleClientError) -> DisplayHandle {
        openClaim = claim
        do throws(HandleClientError) {
            let record = try await client(for: claim.userID).claim(
                claim.display.description, idempotencyKey: claim.idempotencyKey)
            forget(claim)
            return record.display
        } catch {
            // A problem without reasons says nothing about an earlier request with the same key.
            if !error.reasons.isEmpty { forget(claim) }
            throw error
        }
    }

    private func forget(_ claim: OpenClaim) {
        if openClaim?.idempotencyKey == claim.idempotencyKey { openClaim = nil }
    }
}
