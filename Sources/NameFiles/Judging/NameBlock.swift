import CProcessor
import HandleCore
import RecordFiles

/// Names that are read, and searched for reserved words, together. The memory is used again for the next ones.
struct NameBlock: ~Copyable {
    /// The most names of a block.
    static let size = 64
    /// Whether names are read with vector instructions, or all are left to the caller.
    private let scans: Bool

    private(set) var count = 0
    /// The names as spelled. One that is not plain, or has more than 15 characters, is empty.
    let letters = UnsafeMutablePointer<PackedASCII>.allocate(capacity: size)
    /// The same in lowercase.
    let handles = UnsafeMutablePointer<PackedASCII>.allocate(capacity: size)
    private let kinds = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    private let places = UnsafeMutablePointer<Int32>.allocate(capacity: size)
    private let keys = UnsafeMutablePointer<PackedASCII>.allocate(capacity: size)

    /// - Parameter scans: whether to read names with vector instructions. The processor must have them.
    init(scans: Bool) {
        precondition(!scans || NameScanner.isAvailable, "the processor lacks the instructions")
        self.scans = scans
        keys.initialize(repeating: PackedASCII(), count: Self.size)
    }

    deinit {
        letters.deallocate()
        handles.deallocate()
        kinds.deallocate()
        places.deallocate()
        keys.deallocate()
    }

    /// Reads names that are letters, digits and underscores alone, but not all of them. The caller sets each other name
    /// before ``find(in:)``.
    mutating func read(_ cells: UnsafeBufferPointer<Records.Cell>, in bytes: UnsafeBufferPointer<UInt8>) {
        precondition(cells.count <= Self.size, "the block has no room")
        count = cells.count
        guard scans else { return kinds.update(repeating: UInt8(NAME_IS_OTHER), count: count) }
        names_read(
            bytes.baseAddress, Int64(bytes.count),
            UnsafeRawPointer(cells.baseAddress)?.assumingMemoryBound(to: name_cell.self), Int64(count),
            UnsafeMutableRawPointer(letters).assumingMemoryBound(to: packed_name.self),
            UnsafeMutableRawPointer(handles).assumingMemoryBound(to: packed_name.self), kinds)
    }

    /// The reading of a name; nil if it was not read.
    @inline(__always)
    func reading(_ index: Int) -> PlainReading? {
        kinds[index] == NAME_IS_OTHER
            ? nil : PlainReading(allowed: letters[index], isOnlyDigits: kinds[index] == NAME_IS_NUMBER)
    }

    /// Sets a name that was not read.
    func set(_ index: Int, _ name: PackedASCII) {
        letters[index] = name
        handles[index] = name.lowercased
    }

    /// Looks for reserved words, and computes the look-alike keys.
    func find(in words: ReservedWords) {
        words.find(all: UnsafeBufferPointer(start: handles, count: count), places: places, keys: keys)
    }

    /// The index of the reserved word, or -1.
    @inline(__always)
    func place(_ index: Int) -> Int32 { places[index] }

    @inline(__always)
    func fingerprint(_ index: Int, by fingerprinter: Fingerprinter) -> Fingerprint {
        fingerprinter.fingerprint(letters[index], handle: handles[index], key: LookalikeKey(stored: keys[index]))
    }
}
