/// The reason why a text is not JSON, or not in the wanted form, and its position.
package struct JSONFault: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// There is only white space.
        case empty
        case byteOrderMark
        case notUTF8
        case tooDeep
        /// An object has this name twice.
        case repeatedName
        case trailingComma
        /// A string has a character below U+0020 that is not written as an escape.
        case controlCharacter(UInt8)
        /// A backslash is followed by something that is no escape.
        case badEscape
        /// An escape is half of a surrogate pair, and the other half is missing.
        case loneSurrogate
        case badNumber
        /// A number has a fraction or an exponent where only whole numbers are allowed.
        case fraction
        /// A number has more than 18 digits where only whole numbers are allowed.
        case hugeNumber
        /// The text ends within a value.
        case incomplete
        /// Something follows the value.
        case moreThanOneValue
        /// A byte is not allowed by the grammar at this place.
        case unexpected
    }

    package let kind: Kind
    /// The index of the byte, from 0.
    package let offset: Int
    /// The names and indices that lead to the place, from the outermost.
    package private(set) var path: [String] = []

    init(_ kind: Kind, at offset: Int) { (self.kind, self.offset) = (kind, offset) }

    /// The same fault, seen from one level further out.
    func within(_ step: String) -> JSONFault {
        var fault = self
        fault.path.insert(step, at: 0)
        return fault
    }
}
