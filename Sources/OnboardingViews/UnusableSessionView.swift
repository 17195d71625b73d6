#if canImport(SwiftUI)
import Foundation
import Onboarding
import SwiftUI

/// A stored session that can't be used now: it is locked, or its profile can't be loaded. It stays stored.
struct UnusableSessionView: View {
    @Environment(AuthStateManager.self) private var manager
    @Environment(\.signInTexts) private var texts
    let error: any Error

    var body: some View {
        ContentUnavailableView {
            Label(isLocked ? texts.locked : texts.unknown, systemImage: isLocked ? "lock.fill" : "wifi.exclamationmark")
        } description: {
            Text(error.localizedDescription)
        } actions: {
            Button(isLocked ? texts.unlock : texts.tryAgain) { Task { await manager.checkAuthState() } }
                .buttonStyle(.borderedProminent)
            Button(texts.signOut) { Task { await manager.signOut() } }
        }
    }

    private var isLocked: Bool { error is LockedError }
}
#endif
