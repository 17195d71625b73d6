import HandleRules
import HandleWords

/// A well-formed name in 16 bytes, for finding duplicates.
struct Fingerprint: Sendable {
    /// The hash of the look-alike key.
    let key: UInt64
    /// The hash of the handle in the highest 49 bits, and one bit for each capital letter in the lowest 15.
    let name: UInt64

    /// Number of bits that mark capital letters.
    static let capitalBits: UInt64 = 15
}

/// Makes fingerprints. The hashes are seeded at random for each run, so no file can be prepared in which different
/// names collide.
struct Fingerprinter: Sendable {
    private let seeds: (UInt64, UInt64, UInt64, UInt64)

    init(using random: inout some RandomNumberGenerator) {
        seeds = (random.next(), random.next(), random.next(), random.next())
    }

    /// - Parameters:
    ///   - letters: the name as spelled.
    ///   - handle: the same name in lowercase.
    @inline(__always)
    func fingerprint(_ letters: PackedASCII, handle: PackedASCII, key: LookalikeKey) -> Fingerprint {
        let hash = hash(handle) & ~(1 &<< Fingerprint.capitalBits &- 1)
        return Fingerprint(
            key: self.hash(key.letters), name: letters == handle ? hash : hash | UInt64(letters.capitals))
    }

    @inline(__always)
    private func hash(_ letters: PackedASCII) -> UInt64 {
        let (high, low) = letters.words
        return Self.mix(Self.mix(high ^ seeds.0, low ^ seeds.1) ^ seeds.2, low ^ seeds.3)
    }

    /// The exclusive or of both halves of the product.
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
