import Onboarding
import SwiftUI

struct HomeView: View {
    @Environment(AuthStateManager.self) private var manager
    let profile: UserProfile

    var body: some View {
        Text("@\(profile.displayHandle)").font(.title)
        Text(profile.displayName)
        Button("Sign out") { Task { await manager.signOut() } }
    }
}
