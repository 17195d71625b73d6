public import Foundation

/// The reason why a call ended without doing its work. More reasons may be added.
public struct DebouncingError: LocalizedError, Hashable, CustomStringConvertible {
    private enum Code: String { case superseded, overloaded }
    private let code: Code
    public var description: String { code.rawValue }

    /// A newer call with the same key superseded this one.
    public static let superseded = DebouncingError(code: .superseded)
    /// The maximum number of calls are waiting or working.
    public static let overloaded = DebouncingError(code: .overloaded)

    /// A sentence for the person, in English.
    public var errorDescription: String? {
        switch code {
        case .superseded: "A newer check has begun."
        case .overloaded: "The service has too much to do. Try again."
        }
    }
}
