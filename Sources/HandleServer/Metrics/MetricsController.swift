import Debouncing
import HandleCore
import HandleRegistry
import Hummingbird
import Postgres

/// `/metrics`: what an operator watches, for Prometheus. It needs a key, as the port is the one that callers use.
struct MetricsController<C: Clock>: Sendable where C.Duration == Duration {
    let registry: Registry
    let debouncer: Debouncer<LiveSession, C>
    let watches: Watches
    let metrics: RequestMetrics
    let gate: Gate

    func addRoutes<Context: CallerContext>(to routes: inout Routes<Context>) {
        routes.add(.get, MetricsPath.route, for: .holders(of: .metrics)) { _, _, _ in await metrics() }
    }

    private func metrics() async -> Response {
        var text = PrometheusText()
        text.add(
            "handles_request_duration_seconds", "Time from the head of a request to that of its answer.", metrics.all)
        addGate(to: &text)
        addDecisions(to: &text)
        addPool(to: &text)
        addLookups(to: &text)
        addReplica(to: &text)
        let live = await debouncer.figures
        text.add("handles_live_calls_total", .counter, "Live checks that came.", live.calls)
        text.add(
            "handles_live_superseded_total", .counter, "Live checks that ended because a newer one came.",
            live.superseded)
        text.add("handles_live_begun_total", .counter, "Live checks that led to a look-up.", live.begun)
        text.add("handles_live_current", .gauge, "Live checks that wait or work now.", live.current)
        text.add("handles_live_sessions", .gauge, "Typing sessions that are remembered.", await debouncer.keys)
        text.add("handles_watchers", .gauge, "Streams of watched names that are open.", watches.count)
        text.add("handles_reserved_words", .gauge, "Reserved words in force.", registry.words.count)
        text.add(
            "handles_reserved_words_version", .gauge,
            "Changes of the reserved words in force; not there before they were read.",
            registry.wordsVersion.map(Double.init))
        text.add(
            "handles_reserved_words_age_seconds", .gauge,
            "Since when the reserved words were last known to be those of the database; not there before they were read.",
            registry.wordsAge().map { $0 / .seconds(1) })
        text.add(
            "handles_access_keys_age_seconds", .gauge,
            "Since when the access keys were last known to be those in force; not there before they were read.",
            registry.keys.age().map { $0 / .seconds(1) })
        return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func addGate(to text: inout PrometheusText) {
        text.add("handles_connections", .gauge, "Connections of callers that are open.", gate.connections)
        text.add(
            "handles_connections_total", .counter, "Connections of callers that were taken.", gate.connectionsTaken)
        text.add(
            "handles_connections_refused_total", .counter,
            "Connections that were closed at once: too many from one address.", gate.connectionsRefused)
        text.add("handles_requests_in_flight", .gauge, "Requests that are worked on now.", gate.requests)
        text.add("handles_draining", .gauge, "1 while the service is about to stop.", gate.isDraining ? 1 : 0)
    }

    private func addDecisions(to text: inout PrometheusText) {
        let refused = registry.decisionFigures.refused
        text.add(
            "handles_decisions_total", .counter, "Names that were checked, by what was decided: the first reason.",
            [("outcome=\"available\"", Double(registry.decisionFigures.available))]
                + Reason.Code.allCases.map { ("outcome=\"\($0.rawValue)\"", Double(refused[$0] ?? 0)) })
    }

    private func addPool(to text: inout PrometheusText) {
        let pool = registry.poolFigures
        text.add("handles_pool_connections", .gauge, "Connections to the database.", pool.connections)
        text.add("handles_pool_idle", .gauge, "Idle connections to the database.", pool.idle)
        text.add("handles_pool_waiting", .gauge, "Callers that wait for a connection to the database.", pool.waiting)
    }

    private func addLookups(to text: inout PrometheusText) {
        let figures = registry.lookupFigures
        text.add("handles_lookup_queries_total", .counter, "Shared look-ups sent to the database.", figures.queries)
        text.add("handles_lookup_names_total", .counter, "Names that shared look-ups were about.", figures.names)
        text.add("handles_lookup_callers_total", .counter, "Callers that shared look-ups answered.", figures.callers)
        text.add(
            "handles_lookup_refused_total", .counter, "Callers turned away because too many names wait.",
            figures.refused)
        text.add("handles_lookup_waiting_names", .gauge, "Names that wait to be looked up now.", figures.waitingNames)
    }

    private func addReplica(to text: inout PrometheusText) {
        let reads = registry.reads.reads
        text.add(
            "handles_reads_total", .counter, "Shared look-ups by the server that answered.",
            [("server=\"primary\"", Double(reads.primary)), ("server=\"replica\"", Double(reads.replica))])
        guard let lag = registry.reads.lag else { return }
        text.add(
            "handles_replica_up", .gauge, "1 while the lag of the replica is known, else 0; then it is not asked.",
            lag.behind == nil ? 0 : 1)
        text.add(
            "handles_replica_lag_seconds", .gauge, "How far the replica is behind the primary.",
            lag.behind.map { $0 / .seconds(1) })
    }
}

/// Where the metrics are.
enum MetricsPath {
    static let text = "/metrics"
    static let route = RouterPath(text)
}
