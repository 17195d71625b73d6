#if canImport(SwiftUI)
import Foundation
public import Onboarding
public import SwiftUI

/// The first view of an app: it shows the app's own content once a person is signed in and has a profile. Until then it
/// shows the progress, the lock, the welcome or the onboarding.
///
/// It restores the session when it appears, and follows sign-outs elsewhere. It needs the `AuthStateManager` in the
/// environment.
///
/// ```swift
/// AuthGuardView { profile in Text("@\(profile.displayHandle)") }
///     .environment(manager)
/// ```
public struct AuthGuardView<Content: View, Welcome: View>: View {
    @Environment(AuthStateManager.self) private var manager
    @Environment(\.signInTexts) private var texts
    private let content: (UserProfile) -> Content
    private let welcome: () -> Welcome

    /// - Parameters:
    ///   - content: the app, for the profile of the signed-in person.
    ///   - welcome: the view for signing in.
    public init(
        @ViewBuilder content: @escaping (UserProfile) -> Content, @ViewBuilder welcome: @escaping () -> Welcome
    ) {
        self.content = content
        self.welcome = welcome
    }

    public var body: some View {
        // The stack keeps the tasks while the state changes.
        ZStack { screen }
            .announcing(message)
            .task { await manager.checkAuthState() }
            .task { await manager.observeAuthState() }
    }

    /// The text of the progress or the failure. It is announced here, because a view that appears announces no text.
    private var message: String? {
        guard case .initializing = manager.state else { return nil }
        return manager.error?.localizedDescription ?? texts.waiting
    }

    @ViewBuilder private var screen: some View {
        switch manager.state {
        case .initializing:
            if let error = manager.error { UnusableSessionView(error: error) } else { ProgressView(texts.waiting) }
        case .unauthenticated: welcome()
        case .authenticatedNoProfile: OnboardingView()
        case .authenticated(let profile): content(profile)
        }
    }
}

extension AuthGuardView where Welcome == WelcomeView<AppleSignInButton> {
    /// Shows a ``WelcomeView`` with Sign in with Apple.
    public init(@ViewBuilder content: @escaping (UserProfile) -> Content) {
        self.init(content: content) { WelcomeView() }
    }
}
#endif
