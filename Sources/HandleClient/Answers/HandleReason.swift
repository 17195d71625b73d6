public import HandleCore

/// Why a name can't be had.
public struct HandleReason: Sendable, Hashable {
    /// The reason with its facts.
    public enum Kind: Sendable, Hashable {
        /// Fewer than 3 characters; the number there are.
        case tooShort(length: Int)
        /// More than 15 characters; the number there are.
        case tooLong(length: Int)
        case invalidCharacter(InvalidCharacter)
        case leadingUnderscore
        case allDigits
        /// The word itself is for callers with a key.
        case reservedWord(category: String, word: String?)
        /// The protected name is for callers with a key.
        case lookalike(original: Handle?)
        /// What the name is now is for callers with a key.
        case taken(State?)
        case ownerFull(limit: Int)
        /// A reason that this version doesn't know, or not in this form. ``HandleReason/code`` and
        /// ``HandleReason/message`` have it.
        case other
    }

    public let kind: Kind
    /// The stable code.
    public let code: String
    /// One sentence in English for the person who typed the name.
    public let message: String

    /// A reason as anyone is told it.
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
            }
        code = reason.code.rawValue
        message = reason.message
    }
}

extension HandleReason: Decodable {
    private enum CodingKeys: String, CodingKey {
        case code, message, length, codepoint, name, offset, category, word, original, state, limit
        case looksLike = "looks_like"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decode(String.self, forKey: .code)
        message = try members.decode(String.self, forKey: .message)
        // A member of another type than expected makes the reason an unknown one, and not the answer unreadable.
        kind = (try? Self.kind(code, members)) ?? .other
    }

    private static func kind(_ code: String, _ members: KeyedDecodingContainer<CodingKeys>) throws -> Kind {
        switch Reason.Code(rawValue: code) {
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
        case .taken: .taken(try members.decodeIfPresent(String.self, forKey: .state).flatMap(State.init))
        case .ownerFull: .ownerFull(limit: try members.decode(Int.self, forKey: .limit))
        case nil: .other
        }
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
