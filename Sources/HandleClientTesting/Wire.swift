import Foundation
import HandleClient
import HandleRules

/// A request, parsed as far as ``MemoryRegistry`` needs it.
struct Call {
    struct Body: Decodable {
        var handle, display, owner, to: String?
        var handles: [String]?
    }

    let method: String
    /// The parts after `/v1`.
    let path: [String]
    let query: [String: String]
    let body: Body
    let idempotencyKey: String?
    /// The named owner, or one for each token.
    let owner: String

    init(_ request: TransportRequest) {
        let fields = Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        method = request.method
        path = request.url.pathComponents.drop { $0 != "v1" }.dropFirst().map(\.self)
        query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        body = request.body.flatMap { try? JSONDecoder().decode(Body.self, from: $0) } ?? Body()
        idempotencyKey = fields["Idempotency-Key"]
        let named = path.first == "owners" && path.count == 3 && path[1] != "me" ? path[1] : nil
        owner = named ?? body.owner ?? query["owner"] ?? "person \(fields["Authorization"].hashValue)"
    }

    /// The name that a rename gives up; nil for other calls.
    var renamed: String? { path.last == "rename" ? handle : nil }

    /// The handle in the path.
    var handle: String { Reading(folding: path.count > 1 ? path[1] : "").handle?.description ?? "" }
}

/// A response.
struct Answer {
    let status: Int
    let body: Data

    static func json(_ value: some Encodable, status: Int = 200) -> Answer {
        Answer(status: status, body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    static func problem(_ status: Int, _ code: String, _ detail: String, _ reasons: [Wire.Reason]? = nil) -> Answer {
        json(Wire.Problem(title: code, detail: detail, code: code, reasons: reasons), status: status)
    }

    static func refused(_ reasons: [Wire.Reason]) -> Answer {
        problem(
            reasons.first?.code == "taken" ? 409 : 422, reasons.first?.code ?? "taken", reasons.first?.message ?? "",
            reasons)
    }

    static let displayMismatch = problem(422, "display_mismatch", "The display handle is another name.")
    static let notFound = problem(404, "no_such_handle", "There is no such handle of this person.")
}

enum Wire {
    struct Reason: Encodable {
        static let taken = Reason(code: "taken", message: "This name is taken.")
        static let ownerFull = Reason(
            code: "owner_full", message: HandleRules.Reason.ownerFull(limit: 1).message)
        let code, message: String
    }

    struct Problem: Encodable {
        let title, detail, code: String
        let reasons: [Reason]?
    }
}

struct Decision: Encodable {
    struct Suggestion: Encodable { let handle, display, method: String }

    let input, status: String
    let handle, display: String?
    let reasons: [Wire.Reason]
    let suggestions: [Suggestion]

    init(_ reading: Reading, _ input: String, _ reasons: [Wire.Reason], _ names: [String]) {
        self.input = input
        status = !reading.isWellFormed ? "invalid" : reasons.isEmpty ? "available" : "unavailable"
        handle = reading.handle?.description
        display = reading.display?.description
        self.reasons = reasons
        suggestions = names.map { Suggestion(handle: $0.lowercased(), display: $0, method: "number") }
    }
}

struct Record: Encodable {
    let handle, display, state, owner, changed_at: String
    let version: Int

    init(_ name: MemoryRegistry.Name) {
        handle = name.display.handle.description
        display = name.display.description
        state = name.isClaimed ? "claimed" : "held"
        owner = name.owner
        changed_at = Date().formatted(.iso8601)
        version = name.version
    }
}

struct Hold: Encodable {
    let handle, display, owner, expires_at, hold: String

    init(_ name: MemoryRegistry.Name) {
        handle = name.display.handle.description
        display = name.display.description
        owner = name.owner
        expires_at = (Date() + 600).formatted(.iso8601)
        hold = "secret"
    }
}
