import HandleRules

/// The salted hash (SHA-256) of an owner's id. The registry keeps it where the id is not needed. Of a deleted owner it
/// keeps nothing else.
package struct OwnerMark: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    init(of owner: Owner, salt: [UInt8]) {
        bytes = SHA256(salt, Array(owner.id.utf8)).bytes
    }
}

extension OwnerMark: CustomStringConvertible {
    /// In hexadecimal.
    package var description: String { bytes.hexadecimal }
}
