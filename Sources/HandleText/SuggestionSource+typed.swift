package import HandleCore

extension SuggestionSource {
    /// Candidates for a person typing `input`.
    ///
    /// If `input` is a reserved word or a disguise of one, only the person's name is used: a name built on a reserved
    /// word could pass for it, as `merry_admin` does.
    /// - Parameter name: the person's name, in any script.
    package init(typed input: String, name: String? = nil, words: ReservedWords) {
        let reading = Reading(typed: input)
        let isReserved = reading.letters.flatMap(words.match) != nil
        let wanted = reading.spelling.map { Array($0.description.utf8) } ?? Transliteration.ascii(input)
        self.init(wanted: isReserved ? [] : wanted, name: name.map(Transliteration.words(of:)) ?? [])
    }
}
