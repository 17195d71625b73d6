extension SHA256 {
    /// The size of the blocks that SHA-256 hashes, in bytes.
    private static let block = 64

    /// HMAC-SHA256 (RFC 2104): shows a holder of the key that `content` is from another holder.
    package init(authenticating content: [UInt8], with key: [UInt8]) {
        var block = key.count > Self.block ? SHA256(key).bytes : key
        block += [UInt8](repeating: 0, count: Self.block - block.count)
        let inner = SHA256(block.map { $0 ^ 0x36 }, content)
        self.init(block.map { $0 ^ 0x5C }, inner.bytes)
    }
}
