package import HandleRules

import CICU

extension Reading {
    /// Reads typed text in any script.
    ///
    /// White space around it and one leading `@` are dropped; the rest is width-folded and composed as the
    /// UsernameCaseMapped profile of RFC 8265 asks (its case mapping is ``DisplayHandle/handle``). The locale has no
    /// effect.
    package init(typed input: String) {
        var input = input
        if let reading = input.withUTF8({ Reading(typedASCII: $0) }) {
            self = reading
        } else {
            self.init(normalised: Normaliser.normalise(input), describing: InvalidCharacter.init(named:offset:))
        }
    }

    /// The same for UTF-8 bytes; nil when they are not valid UTF-8.
    package init?(typed bytes: UnsafeBufferPointer<UInt8>) {
        if let reading = Reading(typedASCII: bytes) {
            self = reading
        } else if let input = String(validating: bytes, as: UTF8.self) {
            self.init(normalised: Normaliser.normalise(input), describing: InvalidCharacter.init(named:offset:))
        } else {
            return nil
        }
    }

    /// Reads plain ASCII without ICU; nil for other text.
    private init?(typedASCII bytes: UnsafeBufferPointer<UInt8>) {
        if let reading = Reading(ascii: bytes) {
            self = reading
        } else if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(anyASCII: bytes) { byte, offset in
                InvalidCharacter(scalar: Unicode.Scalar(byte), offset: offset, name: asciiNames[Int(byte)])
            }
        } else {
            return nil
        }
    }
}

/// The Unicode names of the ASCII characters: most forbidden characters are ASCII.
private let asciiNames = (0..<0x80).map { Unicode.Scalar($0 as UInt8).unicodeName }

extension InvalidCharacter {
    /// The character with its Unicode name and the ASCII character that it looks like.
    fileprivate init(named scalar: Unicode.Scalar, offset: Int) {
        let lookalike = scalar.isASCII ? nil : Unicode.Scalar(cicu_ascii_lookalike(scalar.value))
        self.init(
            scalar: scalar, offset: offset, name: scalar.unicodeName,
            lookalike: lookalike?.value == 0 ? nil : lookalike)
    }
}

extension Unicode.Scalar {
    /// The name in the Unicode Character Database, its alias, or a label such as `<control-0000>`.
    var unicodeName: String {
        // The longest name in Unicode has 88 letters.
        String(unsafeUninitializedCapacity: 128) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { name in
                Int(cicu_name(value, name.baseAddress, Int32(name.count)))
            }
        }
    }
}
