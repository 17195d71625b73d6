import HandleCore
import Hashing

/// The salted hash of an owner's id (SHA-256): what the registry keeps of an owner where the id itself is not needed,
/// and all that it keeps of one who was deleted.
package struct OwnerMark: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(of owner: Owner, salt: [UInt8]) {
        bytes = SHA256(salt, Array(owner.id.utf8)).bytes
    }
}

extension OwnerMark: CustomStringConvertible {
    /// In hexadecimal.
    package var description: String { bytes.hexadecimal }
}
