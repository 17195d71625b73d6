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
        let hash = RunningSHA256()
        hash.add(prefix)
        hash.add(content)
        self = hash.end()
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
