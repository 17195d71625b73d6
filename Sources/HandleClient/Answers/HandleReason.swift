public import Foundation
public import HandleRules

/// A reason why a name is not available.
public struct HandleReason: Sendable, Hashable {
    /// The reason with its details.
    public enum Kind: Sendable, Hashable {
        /// Fewer than 3 characters, with the number found.
        case tooShort(length: Int)
        /// More than 15 characters, with the number found.
        case tooLong(length: Int)
        /// A character other than a letter, digit or underscore; one reason for each distinct character.
        case invalidCharacter(InvalidCharacter)
        /// The first character is an underscore.
        case leadingUnderscore
        /// All characters are digits.
        case allDigits
        /// Only callers with a key get the word.
        case reservedWord(category: String, word: String?)
        /// Only callers with a key get the protected name.
        case lookalike(original: Handle?)
        /// Only callers with a key get the state.
        case taken(Handle.State?)
        /// The owner has the maximum number of names, which is the limit.
        case ownerFull(limit: Int)
        /// The owner has given up too many names, which are kept for it. It can get a further name from this moment, or
        /// take back one of these now.
        case tooManyChanges(until: Date)
        /// A moderator has locked the owner until this moment; nil for no end.
        case ownerLocked(until: Date?)
        /// A reason, or a form of one, that this version doesn't know. ``HandleReason/code`` and
        /// ``HandleReason/message`` are set.
        case other
    }

    /// The reason with its details, for a `switch`.
    public let kind: Kind
    /// The reason without its details.
    public let code: ProblemCode
    /// One sentence in English for the person typing.
    public let message: String

    /// A reason with the details that callers without a key get.
    package init(_ reason: Reason) {
        kind =
            switch reason {
            case .tooShort(let length): .tooShort(length: length)
            case .tooLong(let length): .tooLong(length: length)
            case .invalidCharacter(let character): .invalidCharacter(character)
            case .leadingUnderscore: .leadingUnderscore
            case .allDigits: .allDigits
            case .reservedWord(let word): .reservedWord(category: word.category, word: nil)
            case .lookalike: .lookalike(original: nil)
            case .taken: .taken(nil)
            case .ownerFull(let limit): .ownerFull(limit: limit)
            case .tooManyChanges(let until): .tooManyChanges(until: Date(timeIntervalSince1970: Double(until)))
            case .ownerLocked(let until): .ownerLocked(until: until.map { Date(timeIntervalSince1970: Double($0)) })
            }
        code = ProblemCode(rawValue: reason.code.rawValue)
        message = reason.message
    }
}

extension HandleReason {
    /// One sentence in English for the person that the name is for. Times are in the time zone of this process.
    package var sentence: String {
        switch kind {
        case .tooManyChanges(let until):
            "You have given up too many handles. You can get another from \(until.inEnglish), or take back one of those "
                + "you gave up."
        case .ownerLocked(let until):
            "Your account is locked by a moderator. You can't get or change handles"
                + (until.map { " until \($0.inEnglish)." } ?? ".")
        default: message
        }
    }
}

extension Date {
    /// Such as `15 January 2027 at 08:00 UTC`.
    fileprivate var inEnglish: String {
        formatted(
            .dateTime.day().month(.wide).year().hour().minute().timeZone().locale(Locale(identifier: "en_GB")))
    }
}

extension HandleReason: Decodable {
    private enum CodingKeys: String, CodingKey {
        case code, message, length, codepoint, name, offset, category, word, original, state, limit, until
        case looksLike = "looks_like"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = ProblemCode(rawValue: try members.decode(String.self, forKey: .code))
        message = try members.decode(String.self, forKey: .message)
        // A member of an unexpected type makes the reason unknown, not the whole answer unreadable.
        kind = (try? Self.kind(code, members)) ?? .other
    }

    private static func kind(_ code: ProblemCode, _ members: KeyedDecodingContainer<CodingKeys>) throws -> Kind {
        switch Reason.Code(rawValue: code.rawValue) {
        case .tooShort: .tooShort(length: try members.decode(Int.self, forKey: .length))
        case .tooLong: .tooLong(length: try members.decode(Int.self, forKey: .length))
        case .invalidCharacter: try character(members).map { .invalidCharacter($0) } ?? .other
        case .leadingUnderscore: .leadingUnderscore
        case .allDigits: .allDigits
        case .reservedWord:
            .reservedWord(
                category: try members.decode(String.self, forKey: .category),
                word: try members.decodeIfPresent(String.self, forKey: .word))
        case .lookalike:
            .lookalike(original: try members.decodeIfPresent(String.self, forKey: .original).flatMap(Handle.init))
        case .taken: .taken(try members.decodeIfPresent(String.self, forKey: .state).flatMap(Handle.State.init))
        case .ownerFull: .ownerFull(limit: try members.decode(Int.self, forKey: .limit))
        case .tooManyChanges: try until(members).map { .tooManyChanges(until: $0) } ?? .other
        case .ownerLocked: .ownerLocked(until: try until(members))
        case nil: .other
        }
    }

    private static func until(_ members: KeyedDecodingContainer<CodingKeys>) throws -> Date? {
        try Moment.readIfPresent(try members.decodeIfPresent(String.self, forKey: .until))
    }

    private static func character(_ members: KeyedDecodingContainer<CodingKeys>) throws -> InvalidCharacter? {
        let codepoint = try members.decode(String.self, forKey: .codepoint)
        guard codepoint.hasPrefix("U+"), let value = UInt32(codepoint.dropFirst(2), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return InvalidCharacter(
            scalar: scalar, offset: try members.decode(Int.self, forKey: .offset),
            name: try members.decodeIfPresent(String.self, forKey: .name),
            lookalike: try members.decodeIfPresent(String.self, forKey: .looksLike)?.unicodeScalars.first)
    }
}
