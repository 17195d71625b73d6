import HandleRegistry
import HandleRules

/// The fields of a row besides its name.
struct RowFields {
    let chunk: JudgedChunk
    let row: Int

    /// The bytes of a field; nil if the field is missing or blank.
    func bytes(_ column: Int) -> ArraySlice<UInt8>? {
        let bytes = chunk.field(row, column: column)
        return bytes.isEmpty ? nil : bytes
    }

    func text(_ column: Int) throws(RecordFault) -> String? {
        guard let bytes = bytes(column) else { return nil }
        // Invalid bytes would be read as different text.
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    func owner(_ column: Int) throws(RecordFault) -> Owner? {
        guard let text = try text(column) else { return nil }
        guard let owner = Owner(text) else { throw .badOwner }
        return owner
    }

    func reason(_ column: Int) throws(RecordFault) -> String? {
        guard let text = try text(column) else { return nil }
        guard text.isReason else { throw .badReason }
        return text
    }
}
