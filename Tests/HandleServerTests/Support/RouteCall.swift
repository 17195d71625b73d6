import HandleRegistry
import TestSupport

/// A route of the service with an example of a call, the scope that it needs, and the statuses that a person gets.
struct RouteCall: Sendable {
    /// The method and the path template, as in the table of routes.
    let route: String
    let query: String
    /// ``example(handle:owner:)`` replaces `HANDLE` and `OWNER`.
    let body: String?
    /// The scope that a key needs; nil when no key is needed.
    let scope: KeyScope?
    /// The status that a person with an identity token gets for their own handle and owner id.
    let own: Int
    /// The status that a person with an identity token gets for those of another owner.
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
        RouteCall("POST /v1/handles/resolve", "", #"{"handles":["HANDLE"]}"#, .read, own: 403, others: 403),
        RouteCall("GET /v1/events", "", nil, .feed, own: 403, others: 403),
        RouteCall("GET /v1/events/stream", "", nil, .feed, own: 403, others: 403),
        RouteCall("GET /livez"), RouteCall("GET /readyz"), RouteCall("GET /version"),
        RouteCall("GET /metrics", "", nil, .metrics, own: 403, others: 403),
        RouteCall("GET /openapi.json"), RouteCall("GET /problems/{code}"),
        RouteCall("GET /v1/owners/{owner}/handles", "", nil, .read, others: 403),
        RouteCall("POST /v1/holds", "", #"{"handle":"HANDLE_h","owner":"OWNER"}"#, .claim, own: 201, others: 403),
        RouteCall("PUT /v1/handles/{handle}", "", #"{"owner":"OWNER"}"#, .claim, others: 403),
        RouteCall("PATCH /v1/handles/{handle}", "", #"{"display":"HANDLE"}"#, .claim, others: 403),
        RouteCall("POST /v1/handles/{handle}/offer", "", #"{"owner":"OWNER"}"#, .claim, own: 201, others: 403),
        RouteCall(
            "POST /v1/handles/{handle}/rename", "", #"{"to":"HANDLE_r","owner":"OWNER"}"#, .claim, others: 403),
        RouteCall("DELETE /v1/handles/{handle}", "", nil, .claim, own: 204, others: 403),
        RouteCall(
            "POST /v1/handles/{handle}/assign", "", #"{"to":"OWNER","reason":"r"}"#, .moderate, own: 403, others: 403),
        RouteCall(
            "POST /v1/reservations", "", #"{"handle":"HANDLE_v","reason":"r"}"#, .moderate, own: 403, others: 403),
        RouteCall("DELETE /v1/owners/{owner}", "", nil, .admin, own: 403, others: 403),
        RouteCall("GET /v1/owners/{owner}/lock", "", nil, .moderate, own: 403, others: 403),
        RouteCall("PUT /v1/owners/{owner}/lock", "", #"{"reason":"r"}"#, .moderate, own: 403, others: 403),
        RouteCall("DELETE /v1/owners/{owner}/lock", "", nil, .moderate, own: 403, others: 403),
    ]

    var method: String { String(route.prefix { $0 != " " }) }
    var isStream: Bool { route.hasSuffix("/watch") || route.hasSuffix("/stream") }

    func example(handle: String, owner: String) -> (path: String, body: String?) {
        let path = String(route.drop { $0 != " " }.dropFirst()) + query.replacing("HANDLE", with: handle)
        return (
            path.replacing("{handle}", with: handle).replacing("{owner}", with: owner.percentEncoded)
                .replacing("{code}", with: "taken"),
            body?.replacing("HANDLE", with: handle).replacing("OWNER", with: owner)
        )
    }
}
