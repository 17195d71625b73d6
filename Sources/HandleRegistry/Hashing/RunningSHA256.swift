import CPlatform

/// SHA-256 of bytes that are added in parts.
package struct RunningSHA256: ~Copyable {
    private let state: OpaquePointer

    package init() {
        guard let state = cplatform_sha256_begin() else { preconditionFailure("libcrypto can't compute SHA-256") }
        self.state = state
    }

    package func add(_ bytes: some Collection<UInt8>) {
        let isDone = bytes.withContiguousStorageIfAvailable { cplatform_sha256_add(state, $0.baseAddress, $0.count) }
        guard let isDone else { return add(Array(bytes)) }
        precondition(isDone == 1, "libcrypto can't compute SHA-256")
    }

    /// The hash of all added bytes.
    ///
    /// A wrong hash could give one caller the rights or answers of another, so a failure ends the process. It happens when
    /// memory has run out, or when the system's policy forbids SHA-256.
    package consuming func end() -> SHA256 {
        let state = state
        discard self
        return SHA256(
            bytes: [UInt8](unsafeUninitializedCapacity: Int(CPLATFORM_SHA256_BYTES)) { digest, count in
                precondition(cplatform_sha256_end(state, digest.baseAddress) == 1, "libcrypto can't compute SHA-256")
                count = Int(CPLATFORM_SHA256_BYTES)
            })
    }

    deinit {
        var digest = [UInt8](repeating: 0, count: Int(CPLATFORM_SHA256_BYTES))
        _ = cplatform_sha256_end(state, &digest)
    }
}
