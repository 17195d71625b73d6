import Foundation
import HTTPLoading
import TestSupport
import Testing

@testable import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPLoaderTests {
    private func loader(longest: Int = 1 << 20) -> HTTPLoader { HTTPLoader(timeout: .seconds(60), longest: longest) }

    @Test(arguments: [(99, false), (100, true)])
    func answerAboveTheSizeLimitIsLost(_ longest: Int, _ isLoaded: Bool) async throws {
        try await Forum.run { forum in
            forum.answer(.init(body: String(repeating: "x", count: 100)))
            let loader = loader(longest: longest)
            if isLoaded {
                let answer = try await loader.load(forum.request())
                #expect(answer.body.count == 100)
            } else {
                await #expect(throws: LoadError.lost) { try await loader.load(forum.request()) }
            }
        }
    }

    @Test func cookiesAreNotKept() async throws {
        try await Forum.run { forum in
            let loader = loader()
            forum.answer(.init(cookies: ["a=1; Path=/"]))
            for _ in 0..<2 { _ = try await loader.load(forum.request()) }
            #expect(forum.seen.map(\.cookie) == [nil, nil])
        }
    }
}
