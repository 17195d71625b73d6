import CPlatform

/// Decompresses gzip data: one member after the other, as gzip(1) does. Data after the last member are ignored.
final class Inflater {
    /// The reason why decompression stopped.
    enum Damage: Error {
        /// The data end inside a member.
        case cut
        /// The data are corrupt; with zlib's message.
        case damaged(String)
    }

    /// zlib keeps a pointer to it, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = [UInt8](repeating: 0, count: inputSize)
    /// The part of the input that zlib has not consumed yet.
    private var unread: Range<Int>
    private var inputHasEnded = false
    private var isBetweenMembers = false
    private var hasEnded = false

    private static let inputSize = 128 * 1024
    /// The first bytes of gzip data (RFC 1952).
    static let magic: [UInt8] = [0x1F, 0x8B]

    /// - Parameter start: the bytes that were read already.
    init(start: [UInt8]) throws(Damage) {
        input.replaceSubrange(..<start.count, with: start)
        unread = 0..<start.count
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = cplatform_gunzip_init(stream)
        guard status == Z_OK else { throw .damaged("zlib can't begin: \(status)") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses some bytes.
    /// - Parameter more: provides compressed bytes, none at their end.
    /// - Returns: the number of bytes; 0 at the end.
    /// - Throws: ``Damage`` after all bytes before it were returned; the errors of `more`.
    func read(
        into output: UnsafeMutableRawBufferPointer, more: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Int {
        while !hasEnded {
            if unread.isEmpty { try refill(more) }
            if isBetweenMembers {
                try beginMember(more)
                continue
            }
            let (status, count) = inflate(into: output)
            if status == Z_STREAM_END { isBetweenMembers = true }
            if count > 0 { return count }
            switch status {
            case Z_OK, Z_STREAM_END: continue
            // zlib made no progress: it needs more input. If there is no more, the data are cut off.
            case Z_BUF_ERROR: if inputHasEnded { throw Damage.cut }
            default: throw Damage.damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
            }
        }
        return 0
    }

    private func inflate(into output: UnsafeMutableRawBufferPointer) -> (status: Int32, count: Int) {
        input.withUnsafeMutableBufferPointer { bytes in
            stream.pointee.next_in = bytes.baseAddress.map { $0 + unread.lowerBound }
            stream.pointee.avail_in = UInt32(unread.count)
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let room = UInt32(clamping: output.count)
            stream.pointee.avail_out = room
            let status = CPlatform.inflate(stream, Z_NO_FLUSH)
            unread = unread.upperBound - Int(stream.pointee.avail_in)..<unread.upperBound
            return (status, Int(room - stream.pointee.avail_out))
        }
    }

    /// Begins the next member, or ends if the following data are not a member.
    private func beginMember(_ more: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        while unread.count < Self.magic.count, !inputHasEnded { try refill(more) }
        if input[unread].starts(with: Self.magic) {
            inflateReset(stream)
            isBetweenMembers = false
        } else {
            hasEnded = true
        }
    }

    /// Appends more input to the bytes that were not consumed.
    private func refill(_ more: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        guard !inputHasEnded else { return }
        input.replaceSubrange(..<unread.count, with: Array(input[unread]))
        unread = 0..<unread.count
        let count = try input.withUnsafeMutableBytes {
            try more(UnsafeMutableRawBufferPointer(rebasing: $0[unread.count...]))
        }
        inputHasEnded = count == 0
        unread = 0..<unread.count + count
    }
}
