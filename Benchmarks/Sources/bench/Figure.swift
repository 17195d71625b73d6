import Foundation

/// A result of the report that is not one of the calls of the service.
struct Figure {
    let work: String
    let result: String

    init(_ work: String, _ result: String) { (self.work, self.result) = (work, result) }

    /// - Parameter ratios: one for each round.
    init(_ work: String, _ ratios: [Double], of other: String) {
        let (least, most) = (ratios.min() ?? .nan, ratios.max() ?? .nan)
        self.init(work, String(format: "%.2f (%.2f–%.2f) of %@", ratios.median, least, most, other))
    }
}

extension [Figure] {
    var markdown: String {
        "| work | result |\n|---|---|\n" + map { "| \($0.work) | \($0.result) |\n" }.joined()
    }
}

extension Int {
    /// With a comma before each three digits.
    var grouped: String { formatted(.number.locale(Locale(identifier: "en_US"))) }
}

extension [Double] {
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
