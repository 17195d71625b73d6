import FoundationEssentials
import Hummingbird
import StrictJSON

/// The body of a call: a JSON object with these members and no others.
///
/// Unknown members are refused, because one may be a misspelt known member. There is no prefix for custom members.
protocol JSONBody: Decodable {
    /// All members of the body.
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// The body of a call without members: empty, or an empty object.
struct NoMembers: JSONBody {
    enum CodingKeys: CodingKey, CaseIterable {}

    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
}

extension Request {
    /// The body as JSON.
    /// - Throws: ``Problem`` 400 that names the invalid member and the expected value.
    func json<Body: JSONBody>(_ type: Body.Type) async throws -> Body {
        try await body.collect(upTo: .max).json(type)
    }
}

extension ByteBuffer {
    /// The bytes as JSON, read as strictly as a query: only RFC 8259 syntax, no repeated or unknown member, and
    /// integers without a fraction or an exponent.
    /// - Throws: ``Problem`` 400 that names the invalid member and the expected value.
    func json<Body: JSONBody>(_ type: Body.Type) throws(Problem) -> Body {
        let bytes = Data(readableBytesView)
        do {
            let text = try JSONText(checking: bytes.span, numbers: .whole)
            try Self.check(text.names, known: Body.CodingKeys.allCases.map(\.stringValue))
            return try JSONDecoder().decode(type, from: bytes)
        } catch let problem as Problem {
            throw problem
        } catch let fault as JSONFault {
            throw .unreadable(fault)
        } catch let error as DecodingError {
            throw .unreadable(error)
        } catch {
            throw .notJSON
        }
    }

    /// Refuses a body that has members.
    func checkHasNoMembers() throws(Problem) {
        guard !readableBytesView.allSatisfy({ [0x20, 0x0A, 0x0D, 0x09].contains($0) }) else { return }
        _ = try json(NoMembers.self)
    }

    private static func check(_ names: [String], known: [String]) throws(Problem) {
        guard let unknown = names.first(where: { !known.contains($0) }) else { return }
        throw .unknownMember(unknown, known: known)
    }
}

extension Problem {
    fileprivate static let notJSON = Problem(.invalidJSON, "The body is not valid JSON.")

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

    fileprivate static func unreadable(_ error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, _):
            Problem(.missingField, "The field '\(key.stringValue)' is missing.")
        case .valueNotFound(_, let context):
            Problem(.invalidField, "\(context.place) must not be null.")
        case .typeMismatch(let type, let context):
            Problem(.invalidField, "\(context.place) must be \(nameInJSON(of: type)).")
        default: .notJSON
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
    /// The invalid part, as the beginning of a sentence.
    fileprivate var place: String {
        let path = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? "The body" : "The field '\(path)'"
    }
}
