import HandleCore
import Seeds

extension ReservedWords {
    /// The words of the list, with the innocent names.
    static func listed() throws(ReservedWord.ListError) -> ReservedWords {
        ReservedWords(
            try ReservedWord.list(parsing: Seeds.reservedWords),
            innocent: try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent]).map(\.word))
    }
}
