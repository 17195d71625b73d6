#if canImport(SwiftUI)
public import SwiftUI

/// The landing view without a session: a title, a sentence and the buttons for signing in.
///
/// ```swift
/// WelcomeView()  // Sign in with Apple
/// let backend = try OpenIDBackend(issuer: issuer, clientID: "app", redirectURI: redirectURI)
/// WelcomeView { OpenIDSignInButton(backend: backend) }
/// ```
public struct WelcomeView<Buttons: View>: View {
    @Environment(\.signInTexts) private var texts
    private let buttons: Buttons

    /// - Parameter buttons: the ways to sign in. Show only those that the app's backend supports.
    public init(@ViewBuilder buttons: () -> Buttons) { self.buttons = buttons() }

    public var body: some View {
        // Large texts need to scroll.
        ScrollView {
            VStack {
                Text(texts.welcome)
                    .font(.largeTitle)
                    .accessibilityAddTraits(.isHeader)
                Text(texts.welcomeText)
                    .padding()
                buttons
            }
            .padding()
        }
        .multilineTextAlignment(.center)
        .defaultScrollAnchor(.center)
    }
}

extension WelcomeView where Buttons == AppleSignInButton {
    /// Shows Sign in with Apple.
    public init() { self.init { AppleSignInButton() } }
}
#endif
