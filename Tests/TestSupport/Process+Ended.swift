package import Foundation

extension Process {
    /// The program's status once it has ended, or the number of the signal that ended it; nil while it runs.
    ///
    /// `isRunning` may say so far too late: it waits until nobody has a certain socket any more, and whatever was started at
    /// the same moment keeps a copy of it for as long as it lives.
    package var endStatus: Int32? {
        var information = siginfo_t()
        let isOurs = waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
        if isOurs { return information._sifields._sigchld.si_pid == 0 ? nil : information._sifields._sigchld.si_status }
        // Foundation has noticed the end too.
        return isRunning ? nil : terminationStatus
    }

    /// Waits for the end of the program and returns its ``endStatus``.
    ///
    /// It keeps none of the few threads that run tests, as `waitUntilExit` does, which also computes all the time on a
    /// thread without a run loop: those beside it would be late.
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
