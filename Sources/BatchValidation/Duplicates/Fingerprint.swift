import HandleCore

/// A well-formed name in 16 bytes, by which duplicates are found.
struct Fingerprint: Sendable {
    /// The hash of the look-alike key.
    let key: UInt64
    /// The hash of the handle in the highest 49 bits… and which letters are capitals in the lowest 15.
    let name: UInt64

    /// How many bits say which letters are capitals.
    static let capitalBits: UInt64 = 15
}

/// Makes fingerprints. The hashes are mixed with random numbers made at the start, so that nobody can make up a file in
/// which names that differ have the same.
struct Fingerprinter: Sendable {
    private let seeds: (UInt64, UInt64, UInt64, UInt64)

    init(using random: inout some RandomNumberGenerator) {
        seeds = (random.next(), random.next(), random.next(), random.next())
    }

    /// - Parameters:
    ///   - letters: as spelled.
    ///   - handle: the same without capitals.
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

    /// Both halves of the product, one over the other.
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
