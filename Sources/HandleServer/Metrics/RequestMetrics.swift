import HTTPTypes
import NIOConcurrencyHelpers

/// Number and duration of requests, by route and status.
final class RequestMetrics: Sendable {
    struct Kind: Hashable, Comparable {
        let method: String
        let route: String
        let status: Int

        static func < (one: Kind, other: Kind) -> Bool {
            (one.route, one.method, one.status) < (other.route, other.method, other.status)
        }
    }

    struct Histogram {
        /// Requests in each bucket: up to its bound and above the previous one. The last bucket is for durations above
        /// all bounds.
        var counts = [Int](repeating: 0, count: RequestMetrics.bounds.count + 1)
        var sum = Duration.zero

        mutating func add(_ duration: Duration, _ bucket: Int) {
            counts[bucket] += 1
            sum += duration
        }
    }

    /// Upper bounds in milliseconds, from a response out of memory to one after the longest waits.
    static let bounds: [Double] = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

    private let histograms = NIOLockedValueBox<[Kind: Histogram]>([:])

    /// Known methods. Others are counted together, because made-up methods could fill the memory.
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

    func note(_ method: HTTPRequest.Method, _ route: String, _ status: Int, _ duration: Duration) {
        let kind = Kind(
            method: Self.methods.contains(method.rawValue) ? method.rawValue : "other", route: route, status: status)
        let milliseconds = duration / .milliseconds(1)
        let bucket = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
        histograms.withLockedValue { histograms in
            histograms[kind, default: Histogram()].add(duration, bucket)
        }
    }

    var all: [(Kind, Histogram)] { histograms.withLockedValue { Array($0) }.sorted { $0.0 < $1.0 } }
}
