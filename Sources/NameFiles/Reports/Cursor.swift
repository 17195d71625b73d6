import HandleRules

/// Writes bytes one after the other. The caller makes sure that there is room.
struct Cursor {
    private(set) var place: UnsafeMutablePointer<UInt8>

    init(_ start: UnsafeMutablePointer<UInt8>) { place = start }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        place.pointee = byte
        place += 1
    }

    /// Always needs room for 16 bytes, also for a shorter text.
    @inline(__always)
    mutating func put(_ letters: PackedASCII) {
        let words = letters.words
        UnsafeMutableRawPointer(place).storeBytes(of: words.high.bigEndian, as: UInt64.self)
        UnsafeMutableRawPointer(place + 8).storeBytes(of: words.low.bigEndian, as: UInt64.self)
        place += letters.count
    }

    @inline(__always)
    mutating func put(text: StaticString) {
        place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        place += text.utf8CodeUnitCount
    }

    mutating func put(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        place.update(from: bytes, count: count)
        place += count
    }

    mutating func put(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { put(start, $0.count) } }
    }

    /// Writes the digits of a number that is not negative.
    @inline(__always)
    mutating func put(_ number: Int) {
        var rest = UInt64(truncatingIfNeeded: number)
        // Written backwards, from the last digit to the first.
        let end = place + Self.digits(of: rest)
        var digit = end
        repeat {
            digit -= 1
            digit.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        place = end
    }

    @inline(__always)
    private static func digits(of number: UInt64) -> Int {
        var (count, bound): (Int, UInt64) = (1, 10)
        while number >= bound, count < 19 {
            count += 1
            bound *= 10
        }
        return count
    }
}
