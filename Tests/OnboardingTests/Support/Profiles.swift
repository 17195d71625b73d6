import NIOConcurrencyHelpers
import Onboarding

/// A store of profiles in memory.
final class Profiles: Sendable {
    struct Full: Error {}

    private struct State {
        var profiles: [String: UserProfile] = [:]
        var saves = 0
        var failures: Int
    }

    private let state: NIOLockedValueBox<State>

    /// - Parameter failures: how many saves fail at first.
    init(failures: Int = 0) { state = NIOLockedValueBox(State(failures: failures)) }

    var all: [String: UserProfile] { state.withLockedValue(\.profiles) }
    /// The number of saves, failed ones included.
    var saves: Int { state.withLockedValue(\.saves) }

    func recover() { fail(0) }
    func fail(_ times: Int) { state.withLockedValue { $0.failures = times } }
    func remove(_ id: String) { state.withLockedValue { $0.profiles[id] = nil } }

    var store: ProfileStore {
        ProfileStore { [state] id in
            state.withLockedValue { $0.profiles[id] }
        } save: { [state] profile in
            try state.withLockedValue { state in
                state.saves += 1
                guard state.failures == 0 else {
                    state.failures -= 1
                    throw Full()
                }
                state.profiles[profile.userId] = profile
            }
        }
    }
}
