import Foundation

/// Validates values by the part of JSON Schema (2020-12) that the contract uses; any other keyword is a fault.
///
/// It is stricter than the standard: where a schema has `properties`, a value with other members is not valid. Callers
/// must ignore unknown members, but every member that the service sends must be documented.
struct JSONSchema {
    /// The document to which each `$ref` refers.
    let document: JSON

    /// The faults of a value, each with its path; empty when the value is valid.
    func faults(in value: JSON, by schema: JSON, at place: String = "") -> [String] {
        let (faults, names) = evaluate(value, schema, place)
        let others = names.isEmpty ? [] : value.members.keys.filter { !names.contains($0) }
        return faults + others.map { "\(place)/\($0) is not documented" }
    }

    /// The target of a reference, nil when it is broken; or the value itself when it is no reference.
    func resolved(_ value: JSON) -> JSON? {
        guard let reference = value["$ref"]?.text else { return value }
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSON?) { $0?[String($1)] }
    }

    /// - Returns: the faults, and the names of the documented members.
    private func evaluate(_ value: JSON, _ schema: JSON, _ place: String) -> (faults: [String], names: Set<String>) {
        if case .bool(let allows) = schema { return (allows ? [] : ["\(place): is not allowed"], []) }
        var faults: [String] = []
        var names: Set<String> = []
        func expect(_ isFine: Bool, _ message: @autoclosure () -> String) {
            if !isFine { faults.append("\(place): \(message())") }
        }
        for (keyword, argument) in schema.members {
            switch keyword {
            case "$ref":
                guard let target = resolved(schema) else { expect(false, "\(schema) is a broken reference"); continue }
                let result = evaluate(value, target, place)
                faults += result.faults
                names.formUnion(result.names)
            case "allOf":
                for part in argument.elements {
                    let result = evaluate(value, part, place)
                    faults += result.faults
                    names.formUnion(result.names)
                }
            case "oneOf":
                let results = argument.elements.map { evaluate(value, $0, place) }
                let valid = results.filter(\.faults.isEmpty)
                expect(valid.count == 1, "\(valid.count) of oneOf are valid: \(results.flatMap(\.faults))")
                for result in valid { names.formUnion(result.names) }
            case "if":
                guard let branch = schema[evaluate(value, argument, place).faults.isEmpty ? "then" : "else"] else {
                    continue
                }
                let result = evaluate(value, branch, place)
                faults += result.faults
                names.formUnion(result.names)
            // Parts of `if`.
            case "then", "else": continue
            case "type":
                let types = argument.elements.isEmpty ? [argument] : argument.elements
                expect(types.contains { Self.isOf($0.text ?? "", value) }, "is not of type \(types)")
            case "const": expect(value == argument, "\(value) is not \(argument)")
            case "enum": expect(argument.elements.contains(value), "\(value) is not one of \(argument)")
            case "required":
                for name in argument.elements.compactMap(\.text) {
                    expect(value[name] != nil, "'\(name)' is missing")
                }
            case "properties":
                names.formUnion(argument.members.keys)
                for (name, schema) in argument.members {
                    if let member = value[name] {
                        faults += self.faults(in: member, by: schema, at: "\(place)/\(name)")
                    }
                }
            case "items":
                for (index, element) in value.elements.enumerated() {
                    faults += self.faults(in: element, by: argument, at: "\(place)/\(index)")
                }
            default: faults += limit(keyword, argument, value).map { "\(place): \($0)" }
            }
        }
        return (faults, names)
    }

    /// The faults by a keyword about a number, a text, or the length of an array.
    private func limit(_ keyword: String, _ argument: JSON, _ value: JSON) -> [String] {
        let bound = argument.number ?? 0
        let isKept: Bool
        switch keyword {
        case "minItems", "maxItems":
            guard case .array(let elements) = value else { return [] }
            isKept = keyword == "minItems" ? elements.count >= Int(bound) : elements.count <= Int(bound)
        case "minLength", "maxLength":
            guard let length = value.text?.unicodeScalars.count else { return [] }
            isKept = keyword == "minLength" ? length >= Int(bound) : length <= Int(bound)
        case "minimum", "maximum":
            guard let number = value.number else { return [] }
            isKept = keyword == "minimum" ? number >= bound : number <= bound
        case "pattern":
            guard let text = value.text else { return [] }
            isKept = Self.matches(text, argument.text ?? "")
        case "format" where argument == .string("date-time"):
            guard let text = value.text else { return [] }
            isKept = Self.matches(text, #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"#)
        case "contentSchema":
            guard let text = value.text, let content = try? JSON(parsing: Array(text.utf8)) else {
                return ["is not JSON"]
            }
            return faults(in: content, by: argument)
        // Members that are not in `properties` are faults anyway.
        case "additionalProperties" where argument == .bool(false): return []
        // These are documentation for people and validate nothing.
        case "description", "examples", "contentMediaType", "format": return []
        default: return ["the keyword '\(keyword)' is not supported by this validator"]
        }
        return isKept ? [] : ["\(value) does not keep \(keyword) \(argument)"]
    }

    private static func isOf(_ type: String, _ value: JSON) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
            ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
