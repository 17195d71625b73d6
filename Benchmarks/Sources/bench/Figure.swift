import Foundation

/// A result of the report that is not one of the calls of the service.
struct Figure {
    let work: String
    let result: String

    init(_ work: String, _ result: String) { (self.work, self.result) = (work, result) }

    /// - Parameter ratios: one for each round.
    init(_ work: String, _ ratios: [Double], of other: String) {
        let sorted = ratios.sorted()
        self.init(
            work,
            String(
                format: "%.2f (%.2f–%.2f) of %@", sorted[sorted.count / 2], sorted.first ?? .nan, sorted.last ?? .nan,
                other))
    }
}

extension [Figure] {
    var markdown: String {
        "| work | result |\n|---|---|\n" + map { "| \($0.work) | \($0.result) |\n" }.joined()
    }
}

extension Int {
    /// With a comma after each three digits.
    var grouped: String {
        String(String(String(self).reversed()).chunks(of: 3).joined(separator: ",").reversed())
    }
}

extension String {
    fileprivate func chunks(of length: Int) -> [String] {
        stride(from: 0, to: count, by: length).map { String(dropFirst($0).prefix(length)) }
    }
}
