import HandleRules
import HandleWords
import Seeds

extension ReservedWord {
    /// The words of the two lists.
    static func listed() throws(ReservedWord.ListError) -> [ReservedWord] {
        try list(parsing: Seeds.reservedWords + Seeds.offensiveWords)
    }
}

extension ReservedWords {
    /// The words of the lists, with the innocent names.
    static func listed() throws(ReservedWord.ListError) -> ReservedWords {
        ReservedWords(
            try ReservedWord.listed(),
            innocent: try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent]).map(\.word))
    }
}
