import Foundation
import NIOConcurrencyHelpers
import TestSupport

@testable import Sessions

/// The comparison of program and model.
extension Interleaving {
    mutating func compare() async throws {
        let state = await controller.state
        model.read(faults)
        guard state == model.state else {
            throw Disagreement(description: "\(state) instead of \(model.state)")
        }
        let token = await controller.getAccessToken()
        guard token == model.live?.text else {
            throw Disagreement(description: "token \(token ?? "none") instead of \(model.live?.text ?? "none")")
        }
        let data = disk.state.withLockedValue(\.data)
        let stored = try data.map { try StoredSession(reading: $0) }.flatMap { Token($0.tokens.accessToken) }
        guard model.accepts(stored: stored, faults) else {
            throw Disagreement(
                description: "\(stored?.text ?? "nothing") is stored instead of \(model.stored?.text ?? "nothing")")
        }
    }

    func compareSubscribers() async throws {
        for subscriber in program.subscribers {
            try await eventually("a subscriber hears \(model.state)") {
                for _ in 0..<1000 where subscriber.withLockedValue(\.self) != model.state { await Task.yield() }
                return subscriber.withLockedValue(\.self) == model.state
            }
        }
    }

    /// Removes all faults, and completes all open requests.
    mutating func settle() async throws {
        story.append("all works again")
        disk.state.withLockedValue { $0.faults = .init() }
        while let request = model.flight?.request ?? model.orphans.keys.min() { try await answer(request, .fulfilled) }
        for _ in 0..<2 {
            clock.advance(by: .seconds(61))
            try await compare()
        }
        guard model.stored == model.live else {
            throw Disagreement(description: "\(model.stored?.text ?? "nothing") stays stored")
        }
        try await compareSubscribers()
        guard program.inbox.nextIfAny() == nil else { throw Disagreement(description: "more happened") }
    }

    func expectAnswers(
        _ count: Int, error isExpected: (SessionError) -> Bool, orToken isToken: (String) -> Bool = { _ in false }
    ) async throws {
        for _ in 0..<count {
            switch try await program.inbox.next() {
            case .answered(.failure(let error)) where isExpected(error): break
            case .answered(.success(let token)) where isToken(token): break
            case let event: throw Disagreement(description: "\(event)")
            }
        }
    }

    func expectRevocation(of token: Token?) async throws {
        guard case .issuer(.revoked(token)) = try await program.inbox.next() else {
            throw Disagreement(description: "\(token?.text ?? "nothing") was not revoked")
        }
    }
}
