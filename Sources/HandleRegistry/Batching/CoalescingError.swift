/// A request that was given up.
@usableFromInline
package struct CoalescingError: Error, Sendable, Equatable {
    @usableFromInline
    package enum Code: Sendable {
        /// Too many requests wait.
        case overloaded
        /// The deadline passed. If the request had begun, it goes on.
        case timedOut
    }

    @usableFromInline package let code: Code

    @usableFromInline init(code: Code) { self.code = code }
}
