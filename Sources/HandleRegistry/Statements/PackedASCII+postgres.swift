package import HandleCore
package import Postgres

extension Parameters {
    package mutating func add(_ letters: PackedASCII) { add(text: { letters.append(to: &$0) }) }
    package mutating func add(_ letters: [PackedASCII]) { addTexts(letters) { $1.append(to: &$0) } }
}

extension RowReader {
    /// Text of at most 15 ASCII bytes; nil for other text.
    mutating func packedASCII() throws(PostgresError) -> PackedASCII? { try text { PackedASCII($0) } }
}
