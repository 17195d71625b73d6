import HandleRules

extension SuggestionSource {
    /// Candidates for a person typing `input`, from the name in it (``WantedText``).
    ///
    /// If `input` must not be suggested (``ReservedWords/reach(_:)``), as it is or without forbidden characters, only the
    /// person's name is used, without such words. A name built on a reserved word could pass for it, as `merry_admin` does.
    /// - Parameter name: the person's name, in any script.
    package init(typed input: String, name: String? = nil, words: ReservedWords) {
        let reading = Reading(typed: input)
        let wanted =
            reading.spelling.map { Array($0.description.utf8) } ?? Transliteration.ascii(WantedText.name(in: input))
        let plain = SuggestionSource(wanted: wanted)
        let isReserved =
            reading.letters.flatMap(words.match) != nil || plain.cleaned.contains { words.reach($0.handle) }
            || plain.parts.contains(where: words.reach(part:))
        let name = name.map(Transliteration.words(of:)) ?? []
        if name.isEmpty, !isReserved {
            self = plain
        } else {
            self.init(wanted: isReserved ? [] : wanted, name: name.filter { !words.reach(part: $0) })
        }
        // A malformed name may be repaired to a name that looks like it.
        avoided = reading.handle.map { LookalikeKey($0) }
    }
}

extension ReservedWords {
    fileprivate func reach(part: [UInt8]) -> Bool { PackedASCII(part).map { reach(part: $0.lowercased) } ?? false }
}
