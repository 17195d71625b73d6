/// What an operator may set about the life of a handle.
public struct Policy: Sendable {
    /// How long a hold lasts when nothing else is asked for.
    public var hold = Duration.seconds(600)
    /// How long a released name is kept from others; zero frees it at once.
    public var quarantine = Duration.seconds(30 * 86400)

    /// How long a hold may be asked to last. Longer ones would be a way to hoard names.
    public static let holdRange = Duration.seconds(1)...Duration.seconds(3600)

    public init() {}
}
