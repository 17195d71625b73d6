import CResources

/// The lists that are compiled into the program.
package enum Seeds {
    /// `reserved-words.tsv`: one word a line with its category, match kind and comment, in UTF-8.
    package static var reservedWords: [UInt8] { bytes(of: cresources_reserved_words()) }

    /// `offensive-words.tsv`: one word a line in the same format, in UTF-8.
    package static var offensiveWords: [UInt8] { bytes(of: cresources_offensive_words()) }

    /// `innocent-names.tsv`: one name a line in the same format, in UTF-8.
    package static var innocentNames: [UInt8] { bytes(of: cresources_innocent_names()) }

    /// `common-names.txt`: one name a line, and comments, in UTF-8.
    package static var commonNames: [UInt8] { bytes(of: cresources_common_names()) }

    private static func bytes(of file: cresource) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
