/// A value that is fetched: not begun, loading, or finished with a value or an error.
public enum Loadable<Value> {
    case notInitiated
    case loading
    case success(Value)
    case failure(any Error)

    /// The value, once it is loaded.
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }
}

extension Loadable: Sendable where Value: Sendable {}
