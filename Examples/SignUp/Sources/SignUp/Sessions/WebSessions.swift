import Foundation
import HandleClient
import Logging
import Sessions
import FileSessionStorage

/// The sessions of browsers. Each session is a folder with its record and the issuer's tokens. The folder's name is the
/// hash of the session's id.
///
/// If the store can't be read, calls throw: it is not known whether the browser is signed in.
actor WebSessions {
    enum Found {
        case nothing
        case live(WebSession)
        /// The session expired, or the issuer ended it. It is returned once, because the record is removed.
        case ended(WebSession, SignOutReason)
    }

    /// Most session controllers in memory. Others are read again when they are used.
    private static let mostInMemory = 10_000

    private let folder: URL
    private let backend: any AuthBackend
    private let life: Duration
    private let logger: Logger
    private var controllers: [String: SessionController] = [:]

    /// - Parameters:
    ///   - folder: contains only sessions.
    ///   - life: how long a session lasts after its sign-in.
    init(folder: URL, backend: any AuthBackend, life: Duration, logger: Logger) {
        self.folder = folder
        self.backend = backend
        self.life = life
        self.logger = logger
    }

    /// Begins a session with a new id. This prevents session fixation: an id from before the sign-in is not signed in.
    func begin(for person: Person, with tokens: AuthTokens) async throws -> (id: SessionID, endsAt: Date) {
        let id = SessionID()
        let session = WebSession(
            person: person, formToken: Secret.random(), endsAt: Date().addingTimeInterval(life / .seconds(1)))
        try records(id.hash).save(session)
        try await controller(of: id.hash).beginSession(with: tokens)
        return (id, session.endsAt)
    }

    /// The session with this id. If its tokens end soon, it refreshes them. A refused refresh ends the session.
    func find(_ id: SessionID) async throws -> Found {
        guard let session = try records(id.hash).load() else { return .nothing }
        guard session.endsAt > Date() else {
            await end(id)
            return .ended(session, .timedOut)
        }
        do throws(SessionError) {
            _ = try await controller(of: id.hash).token()
        } catch {
            switch error.code {
            case .signedOut, .noRefreshToken:
                try remove(id.hash)
                return .ended(session, .remote)
            // A sign-out in another tab happened meanwhile.
            case .superseded: return .nothing
            case .storeUnreadable, .storeDamaged: throw error
            // The session continues while the issuer is down.
            default: logger.warning("tokens were not renewed: \(error)")
            }
        }
        return .live(session)
    }

    /// The stored session with this id, without a request to the issuer; nil if there is none or it has expired.
    func peek(_ id: SessionID) throws -> WebSession? {
        guard let session = try records(id.hash).load(), session.endsAt > Date() else { return nil }
        return session
    }

    /// Ends a session here. Then revokes its tokens in the background, if the issuer can be reached.
    func end(_ id: SessionID) async {
        let controller = controller(of: id.hash)
        let tokens = await controller.clear()
        do {
            try remove(id.hash)
        } catch {
            logger.error("a session was not removed: \(error)")
        }
        if let tokens {
            // The browser does not wait for the issuer.
            Task {
                do throws(SessionError) {
                    try await controller.revoke(tokens)
                } catch {
                    logger.warning("tokens were not revoked: \(error)")
                }
            }
        }
    }

    /// Removes expired sessions.
    func sweep() {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return }
        for name in names where name.count == 64 {
            guard let session = try? records(name).load(), session.endsAt <= Date() else { continue }
            try? remove(name)
        }
    }

    private func records(_ hash: String) -> JSONFile<WebSession> {
        JSONFile(FileStorage(folder: folder.appending(component: hash), name: "record"))
    }

    private func controller(of hash: String) -> SessionController {
        if let controller = controllers[hash] { return controller }
        if controllers.count >= Self.mostInMemory, let other = controllers.keys.randomElement() {
            controllers[other] = nil
        }
        var configuration = SessionController.Configuration()
        // A browser waits for the page.
        configuration.limits.refresh = .seconds(5)
        let controller = SessionController(
            storage: FileStorage(folder: folder.appending(component: hash), name: "tokens"), backend: backend,
            configuration: configuration)
        controllers[hash] = controller
        return controller
    }

    private func remove(_ hash: String) throws {
        controllers[hash] = nil
        let path = folder.appending(component: hash)
        // The record is removed first: without it the session has ended, even if the rest can't be removed.
        try records(hash).clear()
        try? FileManager.default.removeItem(at: path)
    }
}
