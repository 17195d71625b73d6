import HandleRegistry
import Hummingbird

import struct FoundationEssentials.Date

/// The body of a call: a JSON object, read as strictly as a query.
///
/// Unknown members are refused, because one may be a misspelt known member. There is no prefix for custom members.
struct JSONBody {
    private let json: JSONValue

    /// - Parameter known: all members that the call has.
    /// - Throws: ``Problem`` 400 that names the invalid member and the expected value.
    init(_ body: ByteBuffer, _ known: [String], in context: ServiceContext) throws(Problem) {
        do throws(JSONFault) {
            json = try JSONValue(reading: body.readableBytesView, deepest: context.jsonDepth)
        } catch {
            throw .unreadable(error, deepest: context.jsonDepth)
        }
        guard case .object(let members) = json else { throw .wrong(json, "The body", "a JSON object") }
        guard let unknown = members.first(where: { !known.contains($0.name) }) else { return }
        throw .unknownMember(unknown.name, known: known)
    }

    /// True if there is such a member, even null.
    func has(_ name: String) -> Bool { json[name] != nil }

    /// A string.
    func text(_ name: String) throws(Problem) -> String { try Self.text(json[name], name) }

    /// A string; nil if there is none, or null.
    func optionalText(_ name: String) throws(Problem) -> String? { try isGiven(name) ? text(name) : nil }

    /// A whole number; nil if there is none, or null.
    func optionalInteger(_ name: String) throws(Problem) -> Int? {
        guard isGiven(name) else { return nil }
        guard case .number(let digits) = json[name] else {
            throw .wrong(json[name], "The field '\(name)'", "a whole number")
        }
        return Int(digits)
    }

    /// True or false; false if there is none, or null.
    func flag(_ name: String) throws(Problem) -> Bool { isGiven(name) ? try boolean(name) : false }

    /// True or false.
    func boolean(_ name: String) throws(Problem) -> Bool {
        guard case .boolean(let value) = json[name] else {
            throw .wrong(json[name], "The field '\(name)'", "true or false")
        }
        return value
    }

    /// A number of seconds in a range; nil if there is none, or null.
    func optionalSeconds(_ name: String, in range: ClosedRange<Duration>) throws(Problem) -> Duration? {
        guard let duration = try optionalInteger(name).map({ Duration.seconds($0) }) else { return nil }
        guard range.contains(duration) else {
            throw Problem(
                .invalidField,
                "'\(name)' must be from \(range.lowerBound.components.seconds) to "
                    + "\(range.upperBound.components.seconds).")
        }
        return duration
    }

    /// A moment in the future; nil if there is none, or null.
    func optionalEnd(_ name: String) throws(Problem) -> Date? {
        guard let text = try optionalText(name) else { return nil }
        guard let end = Date(rfc3339: text), end > .now else {
            throw Problem(
                .invalidField,
                "'\(name)' must be a moment in the future, as in RFC 3339: '2030-12-31T23:00:00Z'.")
        }
        return end
    }

    /// A moderator's reason.
    func reason() throws(Problem) -> String { try text("reason").checkedAsReason() }

    /// A moderator's reason; nil if there is none, or null.
    func optionalReason() throws(Problem) -> String? { try isGiven("reason") ? reason() : nil }

    /// An array of strings.
    func texts(_ name: String) throws(Problem) -> [String] {
        guard case .array(let values) = json[name] else { throw .wrong(json[name], "The field '\(name)'", "an array") }
        return try values.enumerated().map { index, value throws(Problem) in try Self.text(value, "\(name).\(index)") }
    }

    private func isGiven(_ name: String) -> Bool {
        switch json[name] {
        case nil, .null: false
        default: true
        }
    }

    private static func text(_ value: JSONValue?, _ name: String) throws(Problem) -> String {
        guard case .string(let text) = value else { throw .wrong(value, "The field '\(name)'", "a string") }
        return text
    }
}

extension Problem {
    fileprivate static func unknownMember(_ name: String, known: [String]) -> Problem {
        guard let last = known.last else {
            return Problem(
                .invalidField,
                "'\(name.shortened)' is not a field of this call: its body has none. Send parameters in the URL.")
        }
        let nearest = known.nearest(to: name).map { "; did you mean '\($0)'?" } ?? "; leave it out."
        let others = known.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        let all = others.isEmpty ? "The only field is '\(last)'." : "The fields are \(others) and '\(last)'."
        return Problem(.invalidField, "'\(name.shortened)' is not a field of this call\(nearest) \(all)")
    }

    fileprivate static func wrong(_ value: JSONValue?, _ place: String, _ kind: String) -> Problem {
        switch value {
        case nil: Problem(.missingField, "\(place) is missing.")
        case .null: Problem(.invalidField, "\(place) must not be null.")
        default: Problem(.invalidField, "\(place) must be \(kind).")
        }
    }
}
