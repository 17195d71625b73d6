import Foundation
import HandleRegistry
import TestSupport
import Testing

/// A route of the service with an example of a call, and who may make it.
struct RouteCall: Sendable {
    /// As it is added to the routes, with its method.
    let route: String
    let query: String
    /// `HANDLE` and `OWNER` stand for names of the test's own.
    let body: String?
    /// What a key needs; nil when no key is needed.
    let scope: KeyScope?
    /// What a person with an identity token is answered for what is their own, and for what is another's.
    let own: Int
    let others: Int

    private init(
        _ route: String, _ query: String = "", _ body: String? = nil, _ scope: KeyScope? = nil, own: Int = 200,
        others: Int = 200
    ) {
        (self.route, self.query, self.body, self.scope) = (route, query, body, scope)
        (self.own, self.others) = (own, others)
    }

    static let all = [
        RouteCall("GET /v1/availability", "?handle=HANDLE"),
        RouteCall("POST /v1/availability", "", #"{"handles":["HANDLE"]}"#),
        RouteCall("GET /v1/availability/live", "?handle=HANDLE&session=a&seq=1"),
        RouteCall("GET /v1/availability/watch", "?handle=HANDLE"),
        RouteCall("GET /v1/handles/{handle}"),
        RouteCall("GET /livez"), RouteCall("GET /readyz"), RouteCall("GET /version"), RouteCall("GET /metrics"),
        RouteCall("GET /v1/owners/{owner}/handles", "", nil, .read, others: 403),
        RouteCall("POST /v1/holds", "", #"{"handle":"HANDLE_h","owner":"OWNER"}"#, .claim, own: 201, others: 403),
        RouteCall("PUT /v1/handles/{handle}", "", #"{"owner":"OWNER"}"#, .claim, others: 403),
        RouteCall("PATCH /v1/handles/{handle}", "", #"{"display":"HANDLE"}"#, .claim, others: 403),
        RouteCall(
            "POST /v1/handles/{handle}/rename", "", #"{"to":"HANDLE_r","owner":"OWNER"}"#, .claim, others: 403),
        RouteCall("DELETE /v1/handles/{handle}", "", nil, .claim, own: 204, others: 403),
        RouteCall("DELETE /v1/owners/{owner}", "", nil, .admin, own: 403, others: 403),
    ]

    var method: String { String(route.prefix { $0 != " " }) }
    var isStream: Bool { route.hasSuffix("/watch") }

    func example(handle: String, owner: String) -> (path: String, body: String?) {
        let path = String(route.drop { $0 != " " }.dropFirst()) + query.replacing("HANDLE", with: handle)
        return (
            path.replacing("{handle}", with: handle).replacing("{owner}", with: owner.percentEncoded),
            body?.replacing("HANDLE", with: handle).replacing("OWNER", with: owner)
        )
    }
}

@Suite struct RouteCallTests {
    /// Whoever adds a route says in the list above who may call it. The routes are found in the source, where each is
    /// added by a line of its own, so that none is missed because a test does not build it.
    @Test func areAllListed() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/HandleServer").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /routes\.add\(\s*\.([a-z]+),\s*"([^"]+)"/) {
                found.insert("\(match.1.uppercased()) \(match.2)")
            }
            // A route that is added in another way would go unseen.
            let adds = text.matches(of: /routes\.add\(/).count
            #expect(adds == text.matches(of: /routes\.add\(\s*\.[a-z]+,\s*"/).count, "\(file.lastPathComponent)")
        }
        #expect(found == Set(RouteCall.all.map(\.route)))
    }
}
