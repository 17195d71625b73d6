import HandleRegistry
import HandleRules

/// Reasons in one CSV field: each has a code and its numbers, separated by colons.
enum CSVReason {
    static func write(_ reason: Reason, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: reason.code.rawValue.utf8)
        func add(_ write: (inout [UInt8]) -> Void) {
            bytes.append(UInt8(ascii: ":"))
            write(&bytes)
        }
        switch reason {
        case .tooShort(let length), .tooLong(let length): add { $0.add(length) }
        case .invalidCharacter(let character):
            add { $0.append(contentsOf: character.codepoint.utf8) }
            add { $0.add(character.offset) }
        case .reservedWord(let word):
            // Admins choose the categories; characters that would end the field are left out.
            add { bytes in
                for byte in word.category.utf8 where byte > 0x20 && byte != 0x2C && byte != 0x22 && byte != 0x3B {
                    bytes.append(byte)
                }
            }
            add { $0.add(word.word) }
        case .lookalike(let original): add { $0.add(original.letters) }
        case .taken(let state): add { $0.append(contentsOf: state.rawValue.utf8) }
        case .ownerFull(let limit): add { $0.add(limit) }
        case .leadingUnderscore, .allDigits, .tooManyChanges, .ownerLocked: break
        }
    }

    /// Maximum number of invalid characters of a name that are listed.
    static let mostInvalid = 20

    /// Writes reasons, separated by semicolons.
    /// - Parameter forEach: calls its argument with each reason.
    static func write(to bytes: inout [UInt8], _ forEach: ((Reason) -> Void) -> Void) {
        var invalid = 0
        var isFirst = true
        forEach { reason in
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
