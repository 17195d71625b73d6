/// A value that is fetched: not begun, loading, or finished with a value or an error.
public enum Loadable<Value> {
    /// Not requested yet.
    case notInitiated
    /// The request is under way.
    case loading
    /// The last request succeeded.
    case success(Value)
    /// The last request failed.
    case failure(any Error)

    /// The value, once it is loaded.
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error, after a failure.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Whether a request is under way.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }
}

extension Loadable: Sendable where Value: Sendable {}
