public import Foundation
public import HandleRules

/// The registry's record of a name that is held, claimed, reserved or in quarantine.
public struct HandleRecord: Sendable, Hashable {
    /// The canonical handle.
    public let handle: Handle
    /// The handle with the capitals that the owner has chosen.
    public let display: DisplayHandle
    /// Nil for a state that this version doesn't know.
    public let state: Handle.State?
    /// The owner's id; nil in quarantine, for a reservation without an owner, and for callers without a key.
    public let owner: String?
    /// Counts the changes of this name, for calls that expect a version.
    public let version: Int
    /// The time of the last change, by the clock of the service.
    public let changedAt: Date
    /// When the state ends; nil when it has no end.
    public let until: Date?
    /// The reason of a reservation.
    public let reason: String?
    /// The present name of the former owner, which lets this name lead there; nil for other names. The state is
    /// `.quarantined`.
    public let movedTo: DisplayHandle?

    /// A record as the service gives it, for tests.
    package init(
        _ display: DisplayHandle, _ state: Handle.State, owner: String? = nil, version: Int = 1, changedAt: Date
    ) {
        handle = display.handle
        self.display = display
        self.state = state
        self.owner = owner
        self.version = version
        self.changedAt = changedAt
        (until, reason, movedTo) = (nil, nil, nil)
    }

    /// - Throws: ``Unreadable``, also when it is not the record of `expected`.
    init(_ wire: Wire, of expected: Handle? = nil) throws(Unreadable) {
        guard let handle = Handle(wire.handle), let display = DisplayHandle(wire.display), display.handle == handle,
            expected == nil || handle == expected, let version = wire.version,
            let changedAt = wire.changed_at.flatMap(Moment.read), (wire.to != nil) == wire.isMoved
        else { throw Unreadable() }
        self.handle = handle
        self.display = display
        // A new case of the enum would break apps, and quarantine is the state of the record.
        state = wire.isMoved ? .quarantined : Handle.State(rawValue: wire.state)
        self.changedAt = changedAt
        owner = wire.owner
        self.version = version
        until = try Moment.readIfPresent(wire.until)
        reason = wire.reason
        movedTo = try wire.to.map { wire throws(Unreadable) in try wire.name }
    }

    struct Wire: Decodable {
        let handle: String
        let display: String
        let state: String
        let owner: String?
        /// Missing, as is the time, for a caller that may only follow a moved name.
        let version: Int?
        let changed_at: String?
        let until: String?
        let reason: String?
        let to: NameWire?

        var isMoved: Bool { state == "moved" }
    }
}

/// A name with its capitals.
struct NameWire: Decodable {
    let handle: String
    let display: String

    /// - Throws: ``Unreadable`` when the two differ by more than capitals.
    var name: DisplayHandle {
        get throws(Unreadable) {
            guard let name = DisplayHandle(display), name.handle == Handle(handle) else { throw Unreadable() }
            return name
        }
    }
}

/// A name that is kept for an owner for a short time, or that its owner offers to another one.
public struct HandleHold: Sendable, Hashable {
    /// The canonical handle.
    public let handle: Handle
    /// The handle with the capitals of the request.
    public let display: DisplayHandle
    /// The owner's id; for a person, the issuer and the subject of the token: `ISSUER|SUBJECT`.
    public let owner: String
    /// The end of the hold or offer, by the clock of the service.
    public let expiresAt: Date
    /// A claim with this secret succeeds for any owner. The owner itself doesn't need it.
    public let secret: String

    /// - Throws: ``Unreadable``, also when it is not the hold of `expected`.
    init(_ wire: Wire, of expected: Handle?) throws(Unreadable) {
        guard let handle = Handle(wire.handle), handle == expected, let display = DisplayHandle(wire.display),
            display.handle == handle, let expiresAt = Moment.read(wire.expires_at)
        else { throw Unreadable() }
        self.handle = handle
        self.display = display
        self.expiresAt = expiresAt
        owner = wire.owner
        secret = wire.hold
    }

    struct Wire: Decodable {
        let handle: String
        let display: String
        let owner: String
        let expires_at: String
        let hold: String
    }
}

extension HandleHold: CustomStringConvertible, CustomReflectable {
    /// Omits the secret.
    public var description: String { "\(handle) until \(expiresAt)" }
    public var customMirror: Mirror { Mirror(self, children: ["handle": handle, "expiresAt": expiresAt]) }
}

/// Times in RFC 3339, with or without fractions of a second.
enum Moment {
    private static let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }

    static func read(_ text: String) -> Date? {
        for style in styles { if let date = try? style.parse(text) { return date } }
        return nil
    }

    /// - Throws: ``Unreadable`` when it is no time.
    static func readIfPresent(_ text: String?) throws(Unreadable) -> Date? {
        guard let text else { return nil }
        guard let moment = read(text) else { throw Unreadable() }
        return moment
    }
}
