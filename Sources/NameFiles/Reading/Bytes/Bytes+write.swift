import Glibc

extension Collection<UInt8> {
    /// Writes all bytes to a file, also when the system takes them in parts.
    /// - Returns: false on failure, with the reason in `errno`.
    package func writeAll(to descriptor: Int32) -> Bool {
        withContiguousStorageIfAvailable { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        } ?? Array(self).writeAll(to: descriptor)
    }
}
