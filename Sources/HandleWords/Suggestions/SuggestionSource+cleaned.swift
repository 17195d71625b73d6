package import HandleRules

extension SuggestionSource {
    /// The wanted name without forbidden characters, cut to the maximum length: once with underscores in the gaps, once
    /// without if there is a gap. None begins or ends with an underscore. Malformed results are left out.
    package var cleaned: [DisplayHandle] {
        // A sign inside a word, as in O'Neill or for a soft sign, leaves no gap.
        let letters = wanted.filter { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "`") }
        let parts = letters.split { !Rules.isAllowed($0) || $0 == Rules.underscore }
        let joined = Array(parts.joined())
        let spaced = parts.count > 1 ? [Array(parts.joined(separator: [Rules.underscore]))] : []
        return (spaced + [joined]).compactMap { letters in
            var letters = letters.prefix(Rules.length.upperBound)
            if letters.last == Rules.underscore { letters.removeLast() }
            return PackedASCII(letters).flatMap(DisplayHandle.init)
        }
    }
}
