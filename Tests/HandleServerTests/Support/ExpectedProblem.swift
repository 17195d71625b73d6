import TestSupport
import Testing

/// Expects a problem document with a `code`, a `detail` and the status of the answer.
func expectProblem(_ answer: HTTPAnswer, _ about: String, _ status: ClosedRange<Int> = 400...499) {
    #expect(status.contains(answer.status), "\(about): \(answer.status)")
    #expect(answer.headers["content-type"] == "application/problem+json", "\(about)")
    #expect((answer.json["detail"] as? String)?.isEmpty == false, "\(about)")
    #expect((answer.json["code"] as? String)?.isEmpty == false, "\(about)")
    #expect(answer.json["status"] as? Int == answer.status, "\(about)")
}
