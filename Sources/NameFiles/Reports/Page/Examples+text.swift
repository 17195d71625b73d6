import HandleRules

extension Examples.Topic {
    /// The code in the other reports.
    var code: String {
        switch self {
        case .reason(let code): code.rawValue
        case .fault(let code): code
        case .duplicate(let kind): kind.code.description
        }
    }

    /// Its place in the page.
    var id: String { if case .duplicate = self { "duplicate_\(code)" } else { code } }

    /// A title, and a sentence that says what the topic means.
    var text: (title: String, meaning: String) {
        switch self {
        case .reason(let code): Self.text(code)
        case .fault(let code): Self.text(fault: code)
        case .duplicate(.none): ("", "")
        case .duplicate(.exact): ("Same name", "An earlier row has the same name, with the same capitals.")
        case .duplicate(.capitals):
            ("Same name in other capitals", "Handles are compared without capitals, so these are one name.")
        case .duplicate(.lookalike):
            (
                "Look-alikes",
                "The name looks like another one of an earlier row, as pau1 looks like paul. It is refused only if the "
                    + "registry is strict about look-alikes."
            )
        }
    }

    private static func text(_ code: Reason.Code) -> (title: String, meaning: String) {
        let (least, most) = (Rules.length.lowerBound, Rules.length.upperBound)
        return switch code {
        case .tooShort: ("Too short", "A handle has at least \(least) characters.")
        case .tooLong: ("Too long", "A handle has at most \(most) characters.")
        case .invalidCharacter:
            (
                "Characters that are not allowed",
                "A handle has only the letters a–z in either case, digits and underscores."
            )
        case .leadingUnderscore: ("Underscore at the start", "A handle starts with a letter or a digit.")
        case .allDigits:
            ("Digits only", "A handle needs a letter: digits alone could be mistaken for a number or an id.")
        case .reservedWord: ("Reserved words", "The name is a word that is kept back, or a disguise of one.")
        case .lookalike: ("Like a protected name", "The name could be mistaken for a protected one of the registry.")
        case .taken: ("In use", "The registry has the name: it is held, claimed, reserved or in quarantine.")
        case .ownerFull: ("Too many handles", "The owner has as many handles as allowed.")
        case .tooManyChanges:
            ("Too many changes", "The owner has given up so many handles that it has to wait for a further one.")
        case .ownerLocked: ("Locked owners", "A moderator has locked the owner.")
        }
    }

    private static func text(fault code: String) -> (title: String, meaning: String) {
        switch code {
        case "ragged_row":
            ("Wrong number of fields", "The record has more or fewer fields than the header or first record.")
        case "row_too_long": ("Record too long", "The record is longer than any list of names: a quote may be missing.")
        case "unclosed_quote": ("Quote without an end", "A quote that begins in this record is never closed.")
        case "cut_row": ("Cut record", "The file ends in the middle of this record.")
        case "not_json": ("Not JSON", "The line is not one valid JSON object.")
        case "no_such_field": ("No name", "The object has no field for the name.")
        case "repeated_field": ("Two names", "The object has the field for the name twice.")
        case "not_text": ("Name that is no text", "The field for the name holds another kind of value.")
        case "not_utf8": ("Not UTF-8", "The name has bytes in another encoding; convert the file with iconv.")
        default: (code, "The record can't be read.")
        }
    }
}
