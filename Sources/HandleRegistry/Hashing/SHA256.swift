import CPlatform

/// SHA-256 (FIPS 180-4), computed by the system's libcrypto.
package struct SHA256: Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Hashes `content`.
    package init(_ content: [UInt8]) { self.init([], content) }

    /// Hashes `prefix` followed by `content`, without joining them. The prefix is a salt, or the previous hash of a
    /// chain.
    package init(_ prefix: [UInt8], _ content: [UInt8]) {
        bytes = [UInt8](unsafeUninitializedCapacity: Int(CPLATFORM_SHA256_BYTES)) { digest, count in
            let isDone = prefix.withUnsafeBufferPointer { prefix in
                content.withUnsafeBufferPointer { content in
                    cplatform_sha256(
                        prefix.baseAddress, prefix.count, content.baseAddress, content.count, digest.baseAddress)
                }
            }
            // A wrong hash could give one caller the rights or answers of another, so the process must end. This
            // happens when memory has run out, or when the system's policy forbids SHA-256.
            precondition(isDone == 1, "libcrypto can't compute SHA-256")
            count = Int(CPLATFORM_SHA256_BYTES)
        }
    }
}

extension SHA256: Equatable {
    /// Compares in constant time, so that response times don't let a caller find a hash byte by byte.
    package static func == (left: SHA256, right: SHA256) -> Bool {
        left.bytes.withUnsafeBufferPointer { left in
            right.bytes.withUnsafeBufferPointer { right in
                cplatform_equal(left.baseAddress, right.baseAddress, Int(CPLATFORM_SHA256_BYTES)) == 1
            }
        }
    }
}

extension [UInt8] {
    /// Two lowercase digits for each byte.
    package var hexadecimal: String { map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }
}
