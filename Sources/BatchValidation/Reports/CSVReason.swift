import HandleCore
import HandleRegistry

/// Reasons in one field of CSV: each its code and its numbers, with colons between them.
enum CSVReason {
    /// Writes one reason.
    static func write(_ reason: Reason, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: reason.code.rawValue.utf8)
        func add(_ write: (inout [UInt8]) -> Void) {
            bytes.append(UInt8(ascii: ":"))
            write(&bytes)
        }
        switch reason {
        case .tooShort(let length), .tooLong(let length): add { $0.add(length) }
        case .invalidCharacter(let character):
            add { $0.add(codepointOf: character.scalar) }
            add { $0.add(character.offset) }
        case .reservedWord(let word):
            // Categories come from admins; what would end the field is left out.
            add {
                $0.append(contentsOf: word.category.utf8.filter { $0 > 0x20 && $0 != 0x2C && $0 != 0x22 && $0 != 0x3B })
            }
            add { $0.add(word.word) }
        case .lookalike(let original): add { $0.add(original.letters) }
        case .taken(let state): add { $0.append(contentsOf: state.rawValue.utf8) }
        case .ownerFull(let limit): add { $0.add(limit) }
        case .leadingUnderscore, .allDigits: break
        }
    }

    /// The most invalid characters of a name that are written one by one.
    static let mostInvalid = 20

    /// Writes all reasons of a verdict, with semicolons between them.
    static func write(_ verdict: Verdict, to bytes: inout [UInt8], counts: inout Counts) {
        var invalid = 0
        var isFirst = true
        verdict.forEachReason { reason in
            counts.note(reason.code)
            if reason.code == .invalidCharacter { invalid += 1 }
            if reason.code == .invalidCharacter, invalid > mostInvalid { return }
            if !isFirst { bytes.append(UInt8(ascii: ";")) }
            isFirst = false
            write(reason, to: &bytes)
        }
        if invalid > mostInvalid {
            bytes.add(text: ";invalid_character:+")
            bytes.add(invalid - mostInvalid)
        }
    }
}
