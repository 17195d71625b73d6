/// A request that was given up.
package struct CoalescingError: Error, Sendable, Equatable {
    package enum Code: Sendable {
        /// Too many requests wait.
        case overloaded
        /// The deadline passed. If the request had begun, it goes on.
        case timedOut
    }

    package let code: Code
}
