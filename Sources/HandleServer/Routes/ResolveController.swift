import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird

/// `/v1/handles/resolve`: the claimed handles to which names and owners lead.
struct ResolveController: Sendable {
    let registry: Registry
    let longestBatch: Int

    func addRoutes(to routes: inout Routes) {
        routes.add(.post, RouterPath(CallPath.resolve), for: .keyHolders(of: .read)) { request, context, _ in
            try await resolve(request, context)
        }
    }

    private func resolve(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let body = try await JSONBody(request.body.collect(upTo: .max), ["handles", "owners"], in: context)
        guard body.has("handles") || body.has("owners") else {
            throw Problem(.missingField, "Both 'handles' and 'owners' are missing; send at least one of them.")
        }
        let (names, ids) = (try texts("handles", body), try texts("owners", body))
        let owners = try ids.map { id throws(Problem) in try id.checkedAsOwner("owners") }
        // A text that is no handle leads nowhere, so it is no error.
        let handles = names.map { name in (try? name.checkedAsTypedHandle()).flatMap { Reading(typed: $0).handle } }
        // The call itself has been counted as one name.
        let count = names.count + owners.count
        let quota = count > 1 ? try context.quota?.take(count - 1, before: 1) : nil
        let distinct = Array(Set(handles.compactMap(\.self)))
        let found = Dictionary(
            uniqueKeysWithValues: zip(distinct, try await registry.resolve(distinct)))
        let claims = try await registry.claims(of: Array(Set(owners)))
        return .json(headers: quota ?? [:]) { json in
            json.object { json in
                json.key("handles")
                json.array { json in
                    for (name, handle) in zip(names, handles) {
                        json.write(handle.flatMap { found[$0] } ?? .none, of: name)
                    }
                }
                json.key("owners")
                json.array { json in for owner in owners { json.write(claims[owner] ?? [], of: owner) } }
            }
        }
    }

    /// The elements of an array; none if it is absent.
    private func texts(_ name: String, _ body: JSONBody) throws(Problem) -> [String] {
        guard body.has(name) else { return [] }
        let texts = try body.texts(name)
        guard texts.count <= longestBatch else { throw .tooManyHandles(name, texts.count, limit: longestBatch) }
        return texts
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ resolution: Resolution, of input: String) {
        object { json in
            json.member("input", input)
            switch resolution {
            case .found(let record):
                json.key("found")
                json.object { json in
                    json.members(naming: record)
                    json.member("owner", record.owner?.id)
                }
            case .moved(let old, let target):
                json.key("moved")
                json.object { json in
                    json.key("to")
                    json.object { $0.members(naming: target) }
                    json.member("until", old.until?.rfc3339)
                }
            case .none: json.writeNone()
            }
        }
    }

    fileprivate mutating func write(_ claims: [Record], of owner: Owner) {
        object { json in
            json.member("owner", owner.id)
            guard !claims.isEmpty else { return json.writeNone() }
            json.key("found")
            json.array { json in for record in claims { json.object { $0.members(naming: record) } } }
        }
    }

    private mutating func writeNone() {
        key("none")
        boolean(true)
    }

    /// An old handle that leads to its former owner's present one.
    mutating func write(moved old: Record, to target: Record, for audience: Audience) {
        object { json in
            json.members(naming: old)
            json.member("state", "moved")
            json.key("to")
            json.object { $0.members(naming: target) }
            json.member("until", old.until?.rfc3339)
            guard audience == .keyHolders else { return }
            json.member("version", old.version)
            json.member("changed_at", old.changedAt.rfc3339)
        }
    }

    private mutating func members(naming record: Record) {
        member("handle", record.handle.letters)
        member("display", record.display.letters)
    }
}
