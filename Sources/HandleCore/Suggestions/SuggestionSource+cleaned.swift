extension SuggestionSource {
    /// The wanted name without what no handle has, cut where it is too long: with underscores in the gaps, and without.
    /// As many of the two as are well formed.
    public var cleaned: [DisplayHandle] {
        // What stands inside a word, as in O'Neill or for a soft sign, leaves no gap.
        let letters = wanted.filter { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "`") }
        let parts = letters.split { !Rules.isAllowed($0) || $0 == Rules.underscore }
        return [Array(parts.joined(separator: [Rules.underscore])), Array(parts.joined())].compactMap { letters in
            PackedASCII(letters.prefix(Rules.length.upperBound)).flatMap(DisplayHandle.init)
        }
    }
}
