package import Foundation

extension Process {
    /// The exit status of the program, or the number of the signal that ended it; nil while it runs.
    ///
    /// `isRunning` can become false far too late: Foundation waits until every copy of a certain socket is closed, and
    /// a process that was started at the same moment has a copy until it ends.
    package var endStatus: Int32? {
        var information = siginfo_t()
        let isOurs = waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
        if isOurs { return information._sifields._sigchld.si_pid == 0 ? nil : information._sifields._sigchld.si_status }
        // Foundation has reaped the process. Next it stores the status, and then it sets `isRunning` to false.
        while isRunning { usleep(100) }
        return terminationStatus
    }

    /// Waits for the end of the program and returns its ``endStatus``.
    ///
    /// It waits on a thread of its own. `waitUntilExit` would block one of the few threads that run tests, and on a
    /// thread without a run loop it is a busy loop, which delays the other tests.
    @discardableResult package func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var status = endStatus
                while status == nil {
                    usleep(5000)
                    status = endStatus
                }
                continuation.resume(returning: status ?? -1)
            }
        }
    }
}
