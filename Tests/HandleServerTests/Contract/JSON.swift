import Foundation

/// A JSON value with access to its members and elements.
enum JSON: Decodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(parsing text: some DataProtocol) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    subscript(name: String) -> JSON? { members[name] }

    /// The members of an object; empty for any other value.
    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    /// The elements of an array; empty for any other value.
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var isTrue: Bool { self == .bool(true) }

    /// The value itself and all values in it, each with its path.
    var everything: [(place: String, value: JSON)] {
        switch self {
        case .object(let members):
            [("", self)]
                + members.flatMap { name, value in value.everything.map { ("/" + name + $0.place, $0.value) } }
        case .array(let elements):
            [("", self)]
                + elements.enumerated().flatMap { index, value in
                    value.everything.map { ("/\(index)" + $0.place, $0.value) }
                }
        default: [("", self)]
        }
    }
}
