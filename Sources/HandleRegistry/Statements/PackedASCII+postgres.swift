package import HandleRules
package import Postgres

extension Parameters {
    /// `text`; nil is NULL.
    package mutating func add(_ letters: PackedASCII?) {
        if let letters { add(text: { letters.append(to: &$0) }) } else { addNull() }
    }

    /// `text[]`; nil is NULL.
    package mutating func add(_ letters: [PackedASCII]?) {
        if let letters { addTexts(letters) { $1.append(to: &$0) } } else { addNull() }
    }

    /// `integer`. Archives with greater versions are refused, and other rows that are copied have the version 1.
    mutating func add(version: Int64) { add(short: Int32(version)) }
}

extension DisplayHandle {
    /// Nil for a name without capitals: the column `display` is NULL then.
    var storedLetters: PackedASCII? { letters == handle.letters ? nil : letters }
}

extension RowReader {
    /// Text of at most 15 ASCII bytes; nil for other text.
    mutating func packedASCII() throws(PostgresError) -> PackedASCII? { try text { PackedASCII($0) } }

    /// A handle and its ``DisplayHandle/storedLetters``; nil for other text.
    mutating func displayHandle() throws(PostgresError) -> DisplayHandle? {
        let handle = try packedASCII()
        let letters = try optionalText { PackedASCII($0) } ?? handle
        guard let handle, let display = letters.flatMap({ DisplayHandle($0) }), display.handle.letters == handle else {
            return nil
        }
        return display
    }
}
