import CZlib
import Glibc

/// A folder that is deleted at the end of a test.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/records-tests-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit { system("rm -rf '\(path)'") }

    /// Writes a file and returns its path.
    func file(_ name: String, _ bytes: some Collection<UInt8>) -> String {
        let path = "\(path)/\(name)"
        let stream = fopen(path, "w")
        defer { if let stream { fclose(stream) } }
        if let stream { fwrite(Array(bytes), 1, bytes.count, stream) }
        return path
    }

    func file(_ name: String, _ text: String) -> String { file(name, Array(text.utf8)) }

    /// The bytes compressed, as one member.
    func gzip(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let path = "\(path)/member"
        let stream = gzopen(path, "wb")
        gzwrite(stream, Array(bytes), UInt32(bytes.count))
        gzclose(stream)
        return contents(path)
    }

    func contents(_ path: String) -> [UInt8] {
        guard let stream = fopen(path, "r") else { return [] }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = fread(&block, 1, block.count, stream), count > 0 { bytes += block[..<count] }
        return bytes
    }

    /// A pipe into which another process writes the bytes one at a time.
    func pipe(_ bytes: some Collection<UInt8>) -> String {
        let source = file("source", bytes)
        let path = "\(path)/pipe"
        mkfifo(path, 0o600)
        system("dd if='\(source)' of='\(path)' bs=1 2> /dev/null &")
        return path
    }
}

/// The same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
