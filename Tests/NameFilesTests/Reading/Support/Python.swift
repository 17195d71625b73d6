import Glibc
import Testing

/// Runs Python's standard library on a list of inputs, in one process.
struct Python {
    static let isThere = system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null") == 0

    /// Runs a program that reads the inputs as `inputs`, and calls `put(bytes)` and `number(n)` with its answer.
    static func run(_ program: String, _ inputs: [[UInt8]]) throws -> Answer {
        let scratch = Scratch()
        let source = try scratch.file("inputs", inputs.flatMap { number($0.count) + $0 })
        let target = "\(scratch.path)/answer"
        let script = try scratch.file("program.py", frame + program + "out.close()\n")
        guard system("python3 '\(script)' '\(source)' '\(target)'") == 0 else {
            Issue.record("python3 failed")
            return Answer(bytes: [])
        }
        return Answer(bytes: try scratch.contents("answer"))
    }

    /// Numbers and byte strings one after the other.
    struct Answer {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position >= bytes.count }

        mutating func number() -> Int {
            defer { position += 4 }
            // Python failed, and that issue is recorded already.
            guard position + 4 <= bytes.count else { return 0 }
            return (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
        }

        mutating func string() -> [UInt8] {
            let count = number()
            defer { position += count }
            return Array(bytes[position..<position + count])
        }
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private static let frame = """
        import csv, io, json, struct, sys
        data = open(sys.argv[1], 'rb').read()
        out = open(sys.argv[2], 'wb')
        inputs, place = [], 0
        while place < len(data):
            count, = struct.unpack_from('<I', data, place)
            inputs.append(data[place + 4:place + 4 + count])
            place += 4 + count
        def number(n): out.write(struct.pack('<I', n))
        def put(b): number(len(b)); out.write(b)

        """
}
