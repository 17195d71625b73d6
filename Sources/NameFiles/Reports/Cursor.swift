import HandleRules

/// Writes short texts one after the other into memory with room for them.
struct Cursor {
    private let start: UnsafeMutablePointer<UInt8>
    private var place: UnsafeMutablePointer<UInt8>

    /// Room for the columns of a report that have a bounded length.
    static let room = 256

    init(_ start: UnsafeMutablePointer<UInt8>) { (self.start, place) = (start, start) }

    /// Appends what is written to `bytes`, and begins anew.
    @inline(__always)
    mutating func move(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: place - start))
        place = start
    }

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
