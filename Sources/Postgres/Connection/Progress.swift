import CLibpq

/// Passes on what a script tells while it runs. libpq calls it on the thread that reads from the server.
final class Progress {
    private let report: ((String) -> Void)?

    init(report: ((String) -> Void)?) { self.report = report }

    func follow(_ connection: OpaquePointer) {
        guard report != nil else { return }
        PQsetNoticeReceiver(
            connection,
            { context, notice in
                guard let context, let notice else { return }
                Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().take(notice)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func leave(_ connection: OpaquePointer) { clibpq_silence_notices(connection) }

    /// The server raises the other levels by itself: that a table exists already, for instance.
    private func take(_ notice: OpaquePointer) {
        guard let severity = clibpq_severity(notice), String(cString: severity) == "INFO",
            let message = clibpq_message(notice)
        else { return }
        report?(String(cString: message))
    }
}
