/// HTML. Strings in an interpolation are escaped, so that text of a file never becomes markup.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// Maximum number of characters of a name that are shown.
    static let longest = 64

    let text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation parts: StringInterpolation) { text = parts.text }

    /// Text of a file on one line, with invisible characters as escapes.
    static func shown(_ text: some Sequence<UInt8>, atMost longest: Int = longest) -> String {
        String(decoding: CSVText.printable(Array(text)[...], atMost: longest), as: UTF8.self)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

        mutating func appendInterpolation(_ string: String) {
            for scalar in string.unicodeScalars {
                switch scalar {
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "&": text += "&amp;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        /// Adds a number with commas between the thousands.
        mutating func appendInterpolation(_ count: Int) { text += count.grouped }
    }
}
