import Debouncing
import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird
import Postgres

/// `/metrics`, for Prometheus. It needs a key, because callers can reach its port too.
struct MetricsController<C: Clock>: Sendable where C.Duration == Duration {
    let registry: Registry
    let keys: KeyRing
    let debouncer: Debouncer<LiveSession, C>
    let watches: Watches
    let streams: FeedStreams
    let metrics: RequestMetrics
    let drain: Drain

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, RouterPath(CallPath.metrics)) { _, context in
            if context.credential.metricsKeyHolder == nil { try await context.credential.caller().check(.metrics) }
            return await metrics()
        }
    }

    private func metrics() async -> Response {
        var text = PrometheusText()
        text.add(
            "handles_request_duration_seconds", "Time from the request head to the response head.", metrics.all)
        addLoad(to: &text)
        addDecisions(to: &text)
        addPool(to: &text)
        addLookups(to: &text)
        addReplica(to: &text)
        let live = await debouncer.metrics
        text.add("handles_live_calls_total", .counter, "Live checks received.", live.calls)
        text.add(
            "handles_live_superseded_total", .counter, "Live checks superseded by a newer one.",
            live.superseded)
        text.add("handles_live_begun_total", .counter, "Live checks that started a look-up.", live.begun)
        text.add("handles_live_current", .gauge, "Live checks in progress.", live.current)
        text.add("handles_live_sessions", .gauge, "Typing sessions in memory.", await debouncer.keys)
        text.add("handles_watchers", .gauge, "Open streams of watched names.", watches.count)
        text.add("handles_feed_streams", .gauge, "Open streams of the feed.", streams.count)
        text.add("handles_reserved_words", .gauge, "Reserved words in force.", registry.words.count)
        text.add(
            "handles_reserved_words_version", .gauge,
            "Version of the reserved words in force, which grows with each change; absent before the first read.",
            registry.wordsVersion.map(Double.init))
        text.add(
            "handles_reserved_words_age_seconds", .gauge,
            "Seconds since the reserved words were last confirmed by the database; absent before the first read.",
            registry.wordsAge().map { $0 / .seconds(1) })
        text.add(
            "handles_access_keys_age_seconds", .gauge,
            "Seconds since the access keys were last confirmed by the database; absent before the first read.",
            keys.age().map { $0 / .seconds(1) })
        return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func addLoad(to text: inout PrometheusText) {
        let load = drain.load
        text.add("handles_connections", .gauge, "Open client connections.", load.connections)
        text.add(
            "handles_connections_total", .counter, "Client connections accepted.", load.connectionsAccepted)
        text.add(
            "handles_connections_refused_total", .counter,
            "Client connections closed at once: too many from one address or network.", load.connectionsRefused)
        text.add("handles_requests_in_flight", .gauge, "Requests in progress.", load.requests)
        text.add("handles_draining", .gauge, "1 while the service is draining, else 0.", drain.hasBegun ? 1 : 0)
    }

    private func addDecisions(to text: inout PrometheusText) {
        let refused = registry.decisionMetrics.refused
        text.add(
            "handles_decisions_total", .counter, "Names checked, by outcome: available or the first reason.",
            [("outcome=\"available\"", Double(registry.decisionMetrics.available))]
                + Reason.Code.allCases.map { ("outcome=\"\($0.rawValue)\"", Double(refused[$0] ?? 0)) })
    }

    private func addPool(to text: inout PrometheusText) {
        let pool = registry.poolMetrics
        text.add("handles_pool_connections", .gauge, "Database connections in the pool.", pool.connections)
        text.add("handles_pool_idle", .gauge, "Idle database connections in the pool.", pool.idle)
        text.add("handles_pool_waiting", .gauge, "Waiters for a database connection.", pool.waiting)
        text.add(
            "handles_writes_refused", .gauge,
            "1 while the database refuses writes, as on a full disk or a standby, else 0.",
            registry.writeHealth.isRefused ? 1 : 0)
    }

    private func addLookups(to text: inout PrometheusText) {
        let metrics = registry.lookupMetrics
        text.add("handles_lookup_queries_total", .counter, "Shared look-ups sent to the database.", metrics.batches)
        text.add("handles_lookup_names_total", .counter, "Names in shared look-ups.", metrics.weight)
        text.add("handles_lookup_callers_total", .counter, "Callers answered by shared look-ups.", metrics.callers)
        text.add(
            "handles_lookup_refused_total", .counter, "Callers refused because too many names were waiting.",
            metrics.refused)
        text.add("handles_lookup_waiting_names", .gauge, "Names waiting for a look-up.", metrics.waitingWeight)
        let hints = registry.hints.metrics
        text.add(
            "handles_hints_bytes", .gauge, "Memory of the hints which names are in use; 0 without hints.", hints.bytes)
        text.add(
            "handles_hints_total", .counter, "Names checked, by the hint and by what the database answered.",
            [
                ("hint=\"in_use\",answer=\"in_use\"", Double(hints.foundInUse)),
                ("hint=\"in_use\",answer=\"free\"", Double(hints.mistaken)),
                ("hint=\"free\",answer=\"in_use\"", Double(hints.missed)),
                ("hint=\"free\",answer=\"free\"", Double(hints.foundFree)),
            ])
    }

    private func addReplica(to text: inout PrometheusText) {
        let reads = registry.reads.reads
        text.add(
            "handles_reads_total", .counter, "Shared look-ups, by the database server that answered.",
            [("server=\"primary\"", Double(reads.primary)), ("server=\"replica\"", Double(reads.replica))])
        guard let lag = registry.reads.lag else { return }
        text.add(
            "handles_replica_up", .gauge, "1 while the lag of the replica is known, else 0 and it gets no reads.",
            lag.behind == nil ? 0 : 1)
        text.add(
            "handles_replica_lag_seconds", .gauge, "Replication lag of the replica, in seconds.",
            lag.behind.map { $0 / .seconds(1) })
    }
}
