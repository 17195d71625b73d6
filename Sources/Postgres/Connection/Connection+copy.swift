import CLibpq

extension Connection {
    /// Sends rows to their table.
    /// - Throws: the first fault, once the connection is idle again; otherwise like ``run(_:until:)``.
    func copy(_ rows: CopyRows, until deadline: ContinuousClock.Instant) async throws {
        guard PQsendQuery(wire.pointer, rows.sql) == 1 else { throw lost }
        try await flush(until: deadline)
        guard let start = try await nextResult(until: deadline) else { throw lost }
        defer { PQclear(start) }
        guard PQresultStatus(start) == PGRES_COPY_IN else {
            let fault = failure(of: start)
            try await receive(until: deadline) { _ in }
            throw fault
        }
        for start in stride(from: 0, to: rows.fields.bytes.count, by: Self.copiedAtOnce) {
            let end = min(start + Self.copiedAtOnce, rows.fields.bytes.count)
            try await put(until: deadline) { wire in
                rows.fields.bytes.withUnsafeBytes { buffer in
                    let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<end]).bindMemory(to: CChar.self)
                    return PQputCopyData(wire, piece.baseAddress, Int32(piece.count))
                }
            }
        }
        try await put(until: deadline) { wire in
            // A row of -1 fields marks the end.
            [CChar](repeating: -1, count: 2).withUnsafeBufferPointer { PQputCopyData(wire, $0.baseAddress, 2) }
        }
        try await put(until: deadline) { PQputCopyEnd($0, nil) }
        try await receive(until: deadline) { _ in }
    }

    /// The number of bytes given to libpq before they are sent, so that it does not buffer all of them.
    private static let copiedAtOnce = 256 * 1024

    /// Gives data to libpq and sends them.
    private func put(until deadline: ContinuousClock.Instant, _ body: (OpaquePointer) -> Int32) async throws {
        // 0 means that there is no room yet.
        var taken = body(wire.pointer)
        while taken == 0 {
            try await flush(until: deadline)
            taken = body(wire.pointer)
        }
        guard taken == 1 else { throw lost }
        try await flush(until: deadline)
    }
}
