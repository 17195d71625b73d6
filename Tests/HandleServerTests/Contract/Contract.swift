import Foundation
import TestSupport
import Testing

@testable import HandleServer

/// The published OpenAPI document, and a check of answers against it.
enum Contract {
    static let bytes = Documents.contract
    static let document = (try? JSON(parsing: bytes)) ?? .null
    static let schema = JSONSchema(document: document)

    /// A documented call.
    struct Call {
        /// In capitals.
        let method: String
        /// With `{name}` for a path parameter.
        let path: String
        let operation: JSON

        /// The documented responses, by status.
        var responses: [String: JSON] {
            (operation["responses"]?.members ?? [:]).compactMapValues { schema.resolved($0) }
        }
    }

    static let calls: [Call] = (document["paths"]?.members ?? [:]).flatMap { path, methods in
        methods.members.map { Call(method: $0.key.uppercased(), path: path, operation: $0.value) }
    }

    /// Records an issue for each difference between an answer and the document.
    static func inspect(_ method: String, _ target: String, _ answer: HTTPAnswer) {
        for fault in faults(method, target, answer) {
            Issue.record(Comment(rawValue: "\(method) \(target.prefix(80)) \(answer.status), \(fault)"))
        }
    }

    /// The differences between an answer and the document.
    static func faults(_ method: String, _ target: String, _ answer: HTTPAnswer) -> [String] {
        // A preflight request of a browser, which the document describes at its start.
        if method == "OPTIONS", answer.status == 204, answer.body.isEmpty { return [] }
        let here = calls(at: target)
        let wanted = method == "HEAD" ? "GET" : method
        let response: JSON?
        if let call = here.first(where: { $0.method == wanted }) {
            response = call.responses["\(answer.status)"]
        } else {
            response = schema.document["components"]?["responses"]?[elsewhere(answer.status, isKnown: !here.isEmpty)]
        }
        guard let response else { return ["the status is not documented: \(answer.body.prefix(200))"] }
        return headerFaults(response, answer) + (method == "HEAD" ? [] : bodyFaults(response, answer))
    }

    /// The name of the response to a request that matches no call.
    private static func elsewhere(_ status: Int, isKnown: Bool) -> String {
        switch status {
        case 404 where !isKnown: "NotFound"
        case 405 where isKnown: "MethodNotAllowed"
        case 400: "BadRequest"
        case 414: "AddressTooLong"
        case 431: "HeadersTooLarge"
        default: "none"
        }
    }

    /// The calls on a path, first those that match without a parameter.
    private static func calls(at target: String) -> [Call] {
        let parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: true)
        let found = calls.filter { call in
            let names = call.path.split(separator: "/")
            return names.count == parts.count && zip(names, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        return found.filter { !$0.path.contains("{") } + found.filter { $0.path.contains("{") }
    }

    /// Header fields of the connection, of every body, or for pages in a browser, which the document does not list.
    private static let usual: Set<String> = [
        "access-control-allow-origin", "access-control-expose-headers", "connection", "content-length", "content-type",
        "date", "transfer-encoding", "vary",
    ]

    private static func headerFaults(_ response: JSON, _ answer: HTTPAnswer) -> [String] {
        var faults: [String] = []
        var documented = usual
        for (name, reference) in response["headers"]?.members ?? [:] {
            documented.insert(name.lowercased())
            guard let header = schema.resolved(reference) else { return ["broken reference: header \(name)"] }
            guard let text = answer.headers[name.lowercased()] else {
                if header["required"]?.isTrue == true { faults.append("the header \(name) is missing") }
                continue
            }
            let isNumber = header["schema"]?["type"]?.text == "integer"
            let value = isNumber ? Double(text).map(JSON.number) ?? .string(text) : .string(text)
            faults += schema.faults(in: value, by: header["schema"] ?? .null, at: "header \(name)")
        }
        return faults
            + answer.headers.keys.filter { !documented.contains($0) }.map { "the header \($0) is not documented" }
    }

    private static func bodyFaults(_ response: JSON, _ answer: HTTPAnswer) -> [String] {
        guard let content = response["content"] else {
            return answer.body.isEmpty ? [] : ["a body is not documented"]
        }
        let type = answer.headers["content-type"]?.prefix { $0 != ";" } ?? ""
        guard let media = content[String(type)] else { return ["the content type '\(type)' is not documented"] }
        guard type.hasSuffix("json") else { return [] }
        // A body of JSON lines is a value on each of them.
        let texts = type == "application/x-ndjson" ? answer.body.split(separator: "\n") : [answer.body[...]]
        return texts.flatMap { text in
            guard let value = try? JSON(parsing: Array(text.utf8)) else { return ["the body is not JSON"] }
            return schema.faults(in: value, by: media["schema"] ?? .null, at: "body")
                + (type == "application/problem+json" ? problemFaults(value, media) : [])
        }
    }

    /// The faults that one schema for all problems can't show. The examples of a response are named after the codes that
    /// it can have, and every problem of a type has the `type`, title and status of the example.
    private static func problemFaults(_ problem: JSON, _ media: JSON) -> [String] {
        let code = problem["code"]?.text ?? ""
        guard let example = media["examples"]?[code].flatMap({ schema.resolved($0)?["value"] }) else {
            return ["the code '\(code)' is not documented for this response"]
        }
        let reasons = (problem["reasons"]?.elements ?? []).compactMap { $0["code"]?.text }
        let first = reasons.first { $0 == "owner_locked" } ?? reasons.first ?? code
        return ["type", "title", "status"].filter { problem[$0] != example[$0] }.map {
            "the member '\($0)' is not that of '\(code)'"
        } + (first == code ? [] : ["the first reason is '\(first)', not '\(code)'"])
    }
}
