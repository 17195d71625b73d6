/// Why a call ended without doing its work; more reasons may come.
public struct DebouncingError: Error, Hashable, Sendable, CustomStringConvertible {
    private enum Code: String { case superseded, overloaded }
    private let code: Code
    public var description: String { code.rawValue }

    /// A newer call with the same key took this one's place.
    public static let superseded = DebouncingError(code: .superseded)
    /// As many calls as allowed are waiting or working.
    public static let overloaded = DebouncingError(code: .overloaded)
}
