/// The data that the binary carries.
public enum Seeds {
    /// `reserved-words.tsv`: one word a line with its category, match kind and comment, in UTF-8.
    public static var reservedWords: [UInt8] { PackageResources.reserved_words_tsv }

    /// `innocent-names.txt`: one name a line, and comments, in UTF-8.
    public static var innocentNames: [UInt8] { PackageResources.innocent_names_txt }

    /// `common-names.txt`: one name a line, and comments, in UTF-8.
    public static var commonNames: [UInt8] { PackageResources.common_names_txt }
}
