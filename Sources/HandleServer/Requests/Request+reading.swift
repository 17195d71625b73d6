import FoundationEssentials
import HandleCore
import HandleRegistry
import HandleText
import Hummingbird

extension Request {
    /// The handle in the path, as typed.
    func typedHandle(_ context: some RequestContext) throws(Problem) -> String {
        let raw = context.parameters["handle"] ?? ""
        return try PercentEncoding.decode(raw, plusIsSpace: false, in: "the path").checkedAsTypedHandle()
    }

    /// The handle in the path, canonical; it must be well formed.
    func handle(_ context: some RequestContext) throws(Problem) -> Handle {
        let input = try typedHandle(context)
        let reading = Reading(typed: input)
        guard let handle = reading.handle else {
            throw .refused(.decide(input, words: ReservedWords([])), for: .anyone)
        }
        return handle
    }

    /// The body as JSON.
    /// - Throws: ``Problem`` 400 that says which field is wrong and what it should be.
    func json<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        try await body.collect(upTo: .max).json(type)
    }
}

extension ByteBuffer {
    /// The bytes as JSON.
    /// - Throws: ``Problem`` 400 that says which field is wrong and what it should be.
    func json<Body: Decodable>(_ type: Body.Type) throws(Problem) -> Body {
        // JSONDecoder replaces some invalid bytes: text that was not sent must not become a name.
        guard let text = String(validating: readableBytesView, as: UTF8.self) else {
            throw Problem(.invalidEncoding, "The body is not UTF-8; encode it as UTF-8.")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Problem(.missingBody, "The body is empty; send a JSON object.")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw Problem.unreadable(error)
        } catch {
            throw Problem(.invalidJSON, "The body is not valid JSON.")
        }
    }
}

extension String {
    /// The text, if it may be taken for a typed handle at all.
    func checkedAsTypedHandle() throws(Problem) -> String {
        // No text has more code points than bytes, and bytes need not be counted.
        guard utf8.count <= RequestLimits.handleLength || unicodeScalars.count <= RequestLimits.handleLength else {
            throw Problem(
                .inputTooLong,
                "The handle has \(unicodeScalars.count) characters; at most \(RequestLimits.handleLength) are read, and a "
                    + "handle has at most \(Rules.length.upperBound) characters.")
        }
        guard !utf8.contains(0) else {
            throw Problem(.invalidText, "The handle has a NUL character (U+0000); leave it out.")
        }
        return self
    }

    /// The text as the secret of a hold: printable ASCII, as ours are.
    func checkedAsHold() throws(Problem) -> String {
        guard utf8.count <= RequestLimits.holdBytes, utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(.invalidField, "'hold' must be the secret as the hold was answered with.")
        }
        return self
    }

    /// The text as the name of a typing session.
    func checkedAsSession() throws(Problem) -> String {
        guard (1...RequestLimits.sessionBytes).contains(utf8.count), utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                .invalidParameter,
                "The parameter 'session' has 1 to \(RequestLimits.sessionBytes) printable ASCII characters without "
                    + "spaces; make it random for each page, such as a UUID.")
        }
        return self
    }

    /// The text as an owner's id.
    func checkedAsOwner() throws(Problem) -> Owner {
        guard let owner = Owner(self) else {
            throw Problem(.invalidOwner, "'owner' is \(Owner.rule).")
        }
        return owner
    }
}

extension Problem {
    fileprivate static func unreadable(_ error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, _):
            return Problem(.missingField, "The field '\(key.stringValue)' is missing.")
        case .valueNotFound(_, let context):
            return Problem(.invalidField, "\(context.place) must not be null.")
        case .typeMismatch(let type, let context):
            return Problem(.invalidField, "\(context.place) must be \(nameInJSON(of: type)).")
        default:
            return Problem(.invalidJSON, "The body is not valid JSON.")
        }
    }

    private static func nameInJSON(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Int.Type, is Double.Type: "a whole number"
        case is [Any].Type: "an array"
        default: "a JSON object"
        }
    }
}

extension DecodingError.Context {
    /// What is at fault, to begin a sentence with.
    fileprivate var place: String {
        let path = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? "The body" : "The field '\(path)'"
    }
}
