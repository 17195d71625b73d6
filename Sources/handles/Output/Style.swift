import Foundation
import HandleRules

/// Colours, if the output is a terminal that supports them and the user has not turned them off.
struct Style {
    let isOn: Bool

    /// The colours of the standard output: none with `NO_COLOR` (https://no-color.org) or on a plain terminal.
    static var output: Style {
        let isUnwanted = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return Style(isOn: Terminal.isOutput && !isUnwanted && !Terminal.isPlain)
    }

    /// Codes of ECMA-48, "select graphic rendition".
    enum Colour: Int {
        case bold = 1, dim = 2, green = 32, yellow = 33, blue = 34, magenta = 35
    }

    func paint(_ text: String, _ colour: Colour?) -> String {
        guard isOn, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}

extension Handle.State {
    var colour: Style.Colour {
        switch self {
        case .free: .dim
        case .held: .yellow
        case .claimed: .green
        case .reserved: .blue
        case .quarantined: .magenta
        }
    }
}
