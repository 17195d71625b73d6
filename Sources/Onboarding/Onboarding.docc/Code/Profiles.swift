import Foundation
import Onboarding

extension ProfileStore {
    /// Keeps profiles on this device.
    static let onThisDevice = ProfileStore { userID in
        guard let data = UserDefaults.standard.data(forKey: "profile \(userID)") else { return nil }
        return try JSONDecoder().decode(UserProfile.self, from: data)
    } save: { profile in
        UserDefaults.standard.set(try JSONEncoder().encode(profile), forKey: "profile \(profile.userId)")
    }
}
