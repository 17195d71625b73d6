/// A request that was given up before it was performed.
package struct CoalescingError: Error, Sendable, Equatable {
    package enum Code: Sendable {
        /// Too many requests wait.
        case overloaded
        /// The deadline passed while the request waited.
        case timedOut
    }

    package let code: Code
}
