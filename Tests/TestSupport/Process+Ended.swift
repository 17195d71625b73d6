package import Foundation

extension Process {
    /// Waits for the end of the program and returns its status, or the number of the signal that ended it.
    ///
    /// It keeps none of the few threads that run tests, as `waitUntilExit` does, which also computes all the while on a
    /// thread without a run loop: those beside it would be late.
    @discardableResult package func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                while isRunning { usleep(5000) }
                continuation.resume(returning: terminationStatus)
            }
        }
    }
}
