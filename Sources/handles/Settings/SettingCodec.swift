import HandleRegistry
import HandleRules
import HandleServer
import Postgres

/// The text form of a setting's value.
struct SettingCodec<Value>: Sendable {
    let text: @Sendable (Value) -> String
    /// - Throws: ``CommandFault`` that names the setting and its valid values.
    let read: @Sendable (_ text: String, _ name: String) throws -> Value
}

extension SettingCodec {
    /// A value with a rule: `name is 'text'; it is rule`.
    fileprivate init(
        _ rule: String, text: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(text: text) { text, name in
            guard let value = parse(text) else {
                throw CommandFault(.usage, "\(name) is '\(text.printable)'; it is \(rule)")
            }
            return value
        }
    }
}

extension SettingCodec where Value: FixedWidthInteger & Sendable {
    /// - Parameter exception: meaning of the lowest number, for the message.
    static func integer(_ range: ClosedRange<Value>, or exception: String? = nil) -> SettingCodec {
        let first = exception == nil ? range.lowerBound : range.lowerBound + 1
        return SettingCodec(
            "a number from \(first) to \(range.upperBound)\(exception.map { ", or \($0)" } ?? "")", text: { "\($0)" }
        ) { text in
            Value(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingCodec<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> SettingCodec {
        let (first, last) = (DurationText.text(range.lowerBound), DurationText.text(range.upperBound))
        return SettingCodec(
            "a number with ms, s, m, h or d, from \(first) to \(last)", text: { DurationText.text($0) }
        ) { text in
            DurationText.read(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingCodec<Duration?> {
    /// Whole seconds, or zero for off. It has no text if the value is stored elsewhere.
    static func secondsOrOff(upTo last: Duration) -> SettingCodec {
        SettingCodec(
            "0s for off, or a number with s, m, h or d, up to \(DurationText.text(last))",
            text: { $0.map(DurationText.text) ?? "" }
        ) { text in
            DurationText.read(text).flatMap { (.zero...last).contains($0) && $0.components.attoseconds == 0 ? $0 : nil }
        }
    }
}

extension SettingCodec<Rate?> {
    /// `none` for no limit.
    static var rate: SettingCodec {
        SettingCodec(text: { $0.map(RateText.text) ?? "none" }) { text, name in
            text == "none" ? nil : try RateText.parse(text, "\(name), unless it is none,")
        }
    }
}

extension SettingCodec where Value: RawRepresentable<String> & Sendable {
    /// One of some words.
    static func choice(_ all: [Value]) -> SettingCodec {
        SettingCodec(all.map(\.rawValue).joined(separator: " or "), text: \.rawValue) { text in
            all.first { $0.rawValue == text }
        }
    }
}

extension SettingCodec<String> {
    static var text: SettingCodec { SettingCodec(text: { $0 }, read: { text, _ in text }) }
}

extension SettingCodec<String?> {
    static var optionalText: SettingCodec { SettingCodec(text: { $0 ?? "" }, read: { text, _ in text }) }

    /// A connection string or URL. An error message does not quote it, because it may have a password.
    static var conninfo: SettingCodec {
        SettingCodec(text: { $0 ?? "" }) { text, name in
            if let objection = Conninfo.objection(to: text) { throw CommandFault(.usage, "\(name) \(objection)") }
            return text
        }
    }
}

extension SettingCodec<[AddressRange]> {
    /// Networks, separated by commas.
    static var networks: SettingCodec {
        SettingCodec(text: { _ in "" }) { text, name in
            try text.split(separator: ",").map { text in
                guard let range = AddressRange(String(text).trimmed) else {
                    throw CommandFault(
                        .usage, "\(name) has '\(text)'; a network is such as 192.0.2.0/24 or 2001:db8::/32")
                }
                return range
            }
        }
    }
}

extension SettingCodec<PageOrigins> {
    /// Origins of pages, separated by commas.
    static var origins: SettingCodec {
        SettingCodec(text: { _ in "" }) { text, name in
            do throws(PageOrigins.Unusable) {
                return try PageOrigins(text.split(separator: ",").map { String($0).trimmed })
            } catch {
                throw CommandFault(.usage, "\(name) has '\(error.text)'; \(PageOrigins.Unusable.rule)")
            }
        }
    }
}

extension SettingCodec<Set<String>> {
    /// Categories of the built-in words but the locked ones, separated by commas.
    static var categories: SettingCodec {
        SettingCodec(text: { $0.sorted().joined(separator: ",") }) { text, name in
            let categories = text.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
            let known = Set(try WordsInForce.builtIn().entries.map(\.category)).subtracting([
                WordChange.innocentCategory
            ])
            for category in categories {
                if ReservedWord.lockedCategories.contains(category) {
                    throw CommandFault(.usage, "\(name) has '\(category)', which is locked: its words always count")
                }
                guard known.contains(category) else {
                    let others = known.subtracting(ReservedWord.lockedCategories).sorted().joined(separator: ", ")
                    throw CommandFault(
                        .usage, "\(name) has '\(category.printable)'; the categories are \(others)")
                }
            }
            return Set(categories)
        }
    }
}

extension String {
    var trimmed: String {
        var rest = Substring(self)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
