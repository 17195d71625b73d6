import CICU
public import HandleCore

extension Reading {
    /// Reads what a person typed, in any script.
    ///
    /// White space around it and one leading `@` are dropped; the rest is width-folded and composed as the
    /// UsernameCaseMapped profile of RFC 8265 asks (its case mapping is ``DisplayHandle/handle``). Nothing depends on
    /// the locale.
    public init(typed input: String) {
        var input = input
        if let reading = input.withUTF8({ Reading(ascii: $0) }) {
            self = reading
        } else {
            self.init(normalised: Normaliser.normalise(input), describing: InvalidCharacter.init(named:offset:))
        }
    }
}

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
