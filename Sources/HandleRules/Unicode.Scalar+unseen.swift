extension Unicode.Scalar {
    /// True for white space, for control characters, and for characters that are not displayed (Unicode's
    /// `Default_Ignorable_Code_Point`), such as the zero-width space and the byte order mark.
    package var isUnseen: Bool {
        if isASCII { return value <= 0x20 || value == 0x7F }
        return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
            || properties.generalCategory == .control
    }

    /// True for control and format characters and for line ends: written to a terminal as they are, they could control
    /// it, or reorder the text beside them.
    package var controlsText: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}

extension String {
    /// The text without ``Swift/Unicode/Scalar/isUnseen`` characters at its ends.
    package var trimmingUnseen: String {
        var rest = unicodeScalars[...]
        while rest.first?.isUnseen == true { rest.removeFirst() }
        while rest.last?.isUnseen == true { rest.removeLast() }
        return String(rest)
    }
}
