/// The reason why a call ended without doing its work. More reasons may be added.
public struct DebouncingError: Error, Hashable, Sendable, CustomStringConvertible {
    private enum Code: String { case superseded, overloaded }
    private let code: Code
    public var description: String { code.rawValue }

    /// A newer call with the same key superseded this one.
    public static let superseded = DebouncingError(code: .superseded)
    /// The maximum number of calls are waiting or working.
    public static let overloaded = DebouncingError(code: .overloaded)
}
