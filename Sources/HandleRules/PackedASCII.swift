/// Up to 15 ASCII bytes and their count in two machine words: no heap, compared and hashed as two integers.
///
/// A handle has at most 15 characters, so a handle, its display form and its look-alike key all fit. The first byte is
/// the most significant one, so the words sort as the bytes do.
public struct PackedASCII: Hashable, Comparable, Sendable {
    /// Bytes 0–7, the first in the highest place.
    @usableFromInline package var high: UInt64 = 0
    /// Bytes 8–14 in the seven highest places; the lowest byte is the count.
    @usableFromInline package var low: UInt64 = 0

    /// The maximum number of bytes.
    @inlinable public static var capacity: Int { 15 }

    /// Creates an empty value, without bytes.
    @inlinable public init() {}

    /// Returns nil when there are more than 15 bytes or one is not ASCII.
    public init?(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            guard byte < 0x80, count < Self.capacity else { return nil }
            append(byte)
        }
    }

    /// The bytes in two words, the first in the highest place; the lowest byte of the second word is the count.
    @inlinable public var words: (high: UInt64, low: UInt64) { (high, low) }

    /// Takes the words as ``words`` returns them.
    @inlinable package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Loads at most 15 bytes in a few steps; nil when one is not ASCII.
    @inline(__always)
    init?(loading bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        precondition(count <= Self.capacity, "a sixteenth byte does not fit")
        if count >= 8 {
            high = bytes.loadUnaligned(as: UInt64.self).bigEndian
            // The last eight bytes; those that are already in `high` are shifted out.
            let tail = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self).bigEndian
            low = tail << UInt64(8 * (16 - count))
        } else if count >= 4 {
            let head = bytes.loadUnaligned(as: UInt32.self).bigEndian
            let tail = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self).bigEndian
            high = UInt64(head) << 32 | UInt64(tail) << UInt64(8 * (8 - count))
        } else {
            for (index, byte) in bytes.enumerated() { high |= UInt64(byte) << UInt64(56 - 8 * index) }
        }
        guard (high | low) & Self.highBits == 0 else { return nil }
        low |= UInt64(count)
    }

    /// The number of bytes, 0–15.
    @inlinable public var count: Int { Int(truncatingIfNeeded: low & 0xFF) }
    /// Whether there are no bytes.
    @inlinable public var isEmpty: Bool { low & 0xFF == 0 }

    /// The byte at `index`, counted from 0; zero when `index` is `count` or more.
    @inlinable @inline(__always)
    public subscript(index: Int) -> UInt8 {
        index < 8
            ? UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            : index < Self.capacity ? UInt8(truncatingIfNeeded: low >> UInt64(120 - 8 * index)) : 0
    }

    /// The first byte; nil if there is none.
    @inlinable public var first: UInt8? { isEmpty ? nil : self[0] }
    /// The last byte; nil if there is none.
    @inlinable public var last: UInt8? { isEmpty ? nil : self[count - 1] }

    /// Appends one byte. There must be room: `count` is below 15.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        let index = count
        precondition(index < Self.capacity, "a sixteenth byte does not fit")
        if index < 8 {
            high |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 - 8 * index)
        } else {
            low |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 120 - 8 * index)
        }
        low += 1
    }

    /// Appends these bytes to `bytes`.
    public func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
        }
    }

    /// The bytes from `start` on, at most `length` of them.
    @inlinable public func slice(from start: Int, length: Int = capacity) -> PackedASCII {
        let kept = max(0, min(count - start, length))
        let shift = UInt64(8 * start)
        let payload = low & ~0xFF
        // Swift's `<<` and `>>` give zero for shifts of 64 and more, as needed here.
        let movedHigh = start < 8 ? high << shift | payload >> (64 - shift) : payload << (shift - 64)
        let movedLow = start < 8 ? payload << shift : 0
        let mask = Self.mask(kept)
        return PackedASCII(high: movedHigh & mask.high, low: movedLow & mask.low | UInt64(kept))
    }

    /// The first three bytes, in the lowest places.
    @inlinable @inline(__always)
    package var firstThree: UInt64 { high &>> 40 }

    /// The last eight bytes, the last in the lowest place; zeros come before fewer bytes.
    @inlinable @inline(__always)
    package var lastEight: UInt64 {
        let shift = 128 - 8 * count
        return (low & ~0xFF) >> shift | high << (64 - shift)
    }

    /// All bytes but the last; there must be one.
    @inlinable @inline(__always)
    package var withoutLast: PackedASCII {
        count > 8
            ? PackedASCII(high: high, low: low & ~(0xFF << UInt64(128 - 8 * count)) - 1)
            : PackedASCII(high: high & ~(0xFF << UInt64(64 - 8 * count)), low: low - 1)
    }

    /// This followed by `other`, or nil when both don't fit.
    @inlinable public func joined(with other: PackedASCII) -> PackedASCII? {
        guard count + other.count <= Self.capacity else { return nil }
        let shift = UInt64(8 * count)
        let (payload, tail) = (low & ~0xFF, other.low & ~0xFF)
        // Swift's `<<` and `>>` give zero for shifts of 64 and more, as needed here.
        let moved =
            count < 8
            ? (high: other.high >> shift, low: other.high << (64 - shift) | tail >> shift)
            : (high: 0, low: other.high >> (shift - 64))
        return PackedASCII(high: high | moved.high, low: payload | moved.low | UInt64(count + other.count))
    }

    /// Whether the first bytes are those of `prefix`; true for an empty `prefix`.
    @inlinable public func hasPrefix(_ prefix: PackedASCII) -> Bool {
        let mask = Self.mask(prefix.count)
        return prefix.count <= count && high & mask.high == prefix.high && low & mask.low == prefix.low & ~0xFF
    }

    /// A mask of the first `count` bytes.
    @inlinable @inline(__always)
    package static func mask(_ count: Int) -> (high: UInt64, low: UInt64) {
        let bits = UInt64(8 * count)
        return count < 8 ? (~(UInt64.max >> bits), 0) : (.max, ~(UInt64.max >> (bits - 64)))
    }

    /// Whether one of the bytes is `byte`, which must not be a control character.
    @inlinable @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        let pattern = Self.ones &* UInt64(byte)
        return Self.hasZeroByte(high ^ pattern) || Self.hasZeroByte(low ^ pattern)
    }

    /// The highest bit of each of eight bytes.
    @inlinable package static var highBits: UInt64 { 0x8080_8080_8080_8080 }
    /// The value 1 in each of eight bytes.
    @inlinable package static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// The borrow of a subtraction reaches the high bit only of a byte that was zero, or above one.
    @inlinable package static func hasZeroByte(_ word: UInt64) -> Bool {
        (word &- ones) & ~word & highBits != 0
    }

    /// The name with `A`–`Z` made `a`–`z`; other bytes stay.
    @inlinable @inline(__always)
    public var lowercased: PackedASCII {
        PackedASCII(high: Self.lowercase(high), low: Self.lowercase(low))
    }

    /// 15 bits, one for each byte, set where it is a capital.
    @inlinable @inline(__always)
    public var capitals: UInt16 {
        let lower = lowercased
        // The bit of the count is never set; it comes before the seven others.
        return UInt16(Self.gather(high ^ lower.high)) << 7 | UInt16(Self.gather(low ^ lower.low))
    }

    /// Collects bit 0x20 of eight bytes into one byte: the multiplication moves each into the highest byte.
    @inlinable package static func gather(_ word: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: ((word >> 5) &* 0x0102_0408_1020_4080) >> 56)
    }

    /// Eight ASCII bytes at once: the high bit of `fromA & ~pastZ` marks a capital; moved to 0x20 it makes it
    /// lowercase.
    @inlinable @inline(__always)
    package static func lowercase(_ word: UInt64) -> UInt64 {
        let fromA = word &+ ones &* UInt64(0x80 - UInt8(ascii: "A"))
        let pastZ = word &+ ones &* UInt64(0x80 - UInt8(ascii: "Z") - 1)
        return word | ((fromA & ~pastZ & highBits) >> 2)
    }

    @inlinable public static func < (left: PackedASCII, right: PackedASCII) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

extension PackedASCII: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The bytes as a string. Swift stores up to 15 bytes without the heap.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.capacity) { buffer in
            for index in 0..<count { buffer[index] = self[index] }
            return count
        }
    }

    /// A literal that does not fit is a mistake in the source.
    public init(stringLiteral value: StaticString) {
        self.init()
        value.withUTF8Buffer { for byte in $0 { append(byte) } }
    }
}
