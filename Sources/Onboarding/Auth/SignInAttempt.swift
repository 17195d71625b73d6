public import Observation
import Sessions

/// The progress of a button that signs in, or asks for something else of the issuer.
///
/// A person may close the sheet of a sign-in, and a newer sign-in supersedes an older one. Neither is an error to show.
@Observable @MainActor public final class SignInAttempt {
    /// Whether an attempt is under way. Disable the button meanwhile.
    public private(set) var isRunning = false
    /// The error of the last attempt; nil once a new one begins.
    public private(set) var error: (any Error)?

    /// No attempt yet.
    public init() {}

    /// Does nothing while an earlier attempt is running.
    /// - Parameter work: throws `CancellationError` when the person closed the sheet.
    public func run(_ work: @MainActor () async throws -> Void) async {
        guard !isRunning else { return }
        isRunning = true
        error = nil
        defer { isRunning = false }
        do {
            try await work()
        } catch is CancellationError {
        } catch let error as SessionError where error.code == .cancelled || error.code == .superseded {
        } catch {
            self.error = error
        }
    }
}
