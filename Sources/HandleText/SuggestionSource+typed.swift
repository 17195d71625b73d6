package import HandleCore

extension SuggestionSource {
    /// Candidates for somebody who typed `input`.
    ///
    /// Whatever is made from a reserved word passes for it, as `merry_admin` does: then only the person's name counts.
    /// - Parameter name: what the person is called, in any script.
    package init(typed input: String, name: String? = nil, words: ReservedWords) {
        let reading = Reading(typed: input)
        let isReserved = reading.letters.flatMap(words.match) != nil
        let wanted = reading.spelling.map { Array($0.description.utf8) } ?? Transliteration.ascii(input)
        self.init(wanted: isReserved ? [] : wanted, name: name.map(Transliteration.words(of:)) ?? [])
    }
}
