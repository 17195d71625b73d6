import Foundation
import NIOConcurrencyHelpers
import TestSupport

@testable import Sessions

/// The events of an interleaving, each with its effect on the model.
extension Interleaving {
    mutating func signIn(savedOnly: Bool) async throws {
        let tokens = issuer.signIn()
        guard let token = Token(tokens.accessToken) else { throw Disagreement(description: "no token") }
        story.append("\(savedOnly ? "sign in" : "set") \(token.text)")
        // Pending writes are done first, if the store allows it.
        try await compare()
        let isSaved = !faults.load && !faults.save
        let callers = model.callers
        if savedOnly {
            var refusal: SessionError?
            do throws(SessionError) { try await controller.beginSession(with: tokens) } catch { refusal = error }
            switch refusal {
            case nil where isSaved: break
            case let error? where error.code.isOfStore && !isSaved: return
            default: throw Disagreement(description: "a sign-in met: \(refusal.map { "\($0)" } ?? "no error")")
            }
        } else {
            await controller.setTokens(tokens)
        }
        model.signIn(token, isSaved: isSaved)
        try await expectAnswers(callers) { $0 == .superseded }
    }

    mutating func signOut() async throws {
        story.append("sign out")
        try await compare()
        let callers = model.callers
        let tokens = await controller.clear()
        guard tokens?.accessToken == model.live?.text else { throw Disagreement(description: "other tokens ended") }
        model.end(.requested, faults)
        try await expectAnswers(callers) { $0 == .signedOut }
        if let tokens {
            try await controller.revoke(tokens)
            try await expectRevocation(of: Token(tokens.accessToken))
        }
    }

    /// A caller with a rejected token.
    mutating func ask() async throws {
        story.append("ask")
        try await compare()
        let old = model.live
        call(rejected: old)
        switch try await program.inbox.next() {
        case .issuer(.arrived(let request, let token)):
            guard token == old, model.flight == nil else { throw Disagreement(description: "a strange request") }
            model.flight = (request, token)
            model.callers = 1
        case .answered(.failure(let error)):
            let isStoreAsked = model.unsaved == .nothing && faults.load
            switch (error.code, model.memory) {
            case (.signedOut, .none): break
            case (let code, .unread) where code.isOfStore && faults.load: break
            case (.unreachable, .live) where model.mayRest: break
            case (let code, .live) where code.isOfStore && isStoreAsked: model.mayRest = true
            default: throw Disagreement(description: "a caller got: \(error)")
            }
        case let event: throw Disagreement(description: "\(event)")
        }
    }

    /// One more caller for the same refresh.
    mutating func join() async {
        story.append("join")
        call(rejected: model.live)
        model.callers += 1
        while await controller.waiting < model.callers { await Task.yield() }
    }

    func call(rejected token: Token?) {
        let (controller, inbox) = (program.controller, program.inbox)
        Task {
            do throws(SessionError) {
                inbox.put(.answered(.success(try await controller.token(rejected: token?.text))))
            } catch {
                inbox.put(.answered(.failure(error)))
            }
        }
    }

    /// The issuer answers one of the requests that wait.
    mutating func answerOne() async throws {
        let requests = (model.flight.map { [$0.request] } ?? []) + model.orphans.keys.sorted()
        guard let request = requests.randomElement(using: &random),
            let outcome = ScriptedIssuer.Outcome.allCases.randomElement(using: &random)
        else { return }
        try await answer(request, outcome)
    }

    mutating func answer(_ request: Int, _ outcome: ScriptedIssuer.Outcome) async throws {
        story.append("answer \(request): \(outcome)")
        try await compare()
        let isOrphan = model.flight?.request != request
        guard let token = isOrphan ? model.orphans[request] : model.flight?.token else { return }
        let isGood = issuer.isGood(token)
        await program.backend.release(request, outcome)
        let renewed = Token(id: token.id, version: token.version + 1)
        switch outcome {
        case .lost where isGood: try await expectAgain(request, token)
        case .fulfilled where isGood && isOrphan:
            model.orphans[request] = nil
            try await expectRevocation(of: renewed)
        case .fulfilled where isGood:
            let callers = endFlight()
            model.renew(renewed, faults)
            try await expectAnswers(callers) { _ in
                false
            } orToken: {
                $0 == renewed.text
            }
        case .unreachable:
            model.orphans[request] = nil
            if isOrphan { return }
            model.mayRest = true
            try await expectAnswers(endFlight()) { $0.code == .unreachable }
        case .fulfilled, .lost, .refused:
            model.orphans[request] = nil
            if isOrphan { return }
            try await expectRefusal(endFlight())
        }
    }

    mutating func expectRefusal(_ callers: Int) async throws {
        if model.unsaved == .nothing, faults.load {
            // Another program may have refreshed the session first, and the store can't tell.
            model.mayRest = true
            try await expectAnswers(callers) { $0.code.isOfStore }
        } else {
            model.end(.remote, faults)
            try await expectAnswers(callers) { $0 == .signedOut }
        }
    }

    /// The answer got lost, and the same token is sent once more.
    mutating func expectAgain(_ request: Int, _ token: Token) async throws {
        guard case .issuer(.arrived(let again, token)) = try await program.inbox.next() else {
            throw Disagreement(description: "a lost answer was not asked for again")
        }
        if model.orphans.removeValue(forKey: request) != nil {
            model.orphans[again] = token
        } else {
            model.flight = (again, token)
        }
    }

    mutating func endFlight() -> Int {
        defer {
            model.flight = nil
            model.callers = 0
        }
        return model.callers
    }

    /// The program is killed and started again. The issuer has acted on some of the open requests; no answer arrives.
    mutating func restart() async throws {
        story.append("restart")
        try await compare()
        try await compareSubscribers()
        program.storage.kill()
        await program.backend.kill()
        let requests = (model.flight.map { [$0.request] } ?? []) + model.orphans.keys.sorted()
        for request in requests {
            await program.backend.release(request, Bool.random(using: &random) ? .fulfilled : .unreachable)
        }
        let callers = model.callers
        for _ in 0..<callers { _ = try await program.inbox.next() }
        program = Program(issuer, disk, clock)
        let stored = model.stored
        model = Model()
        model.stored = stored
    }

    mutating func toggleFault() {
        let fault = [\SharedDisk.Faults.load, \.save, \.clear].randomElement(using: &random) ?? \.load
        disk.state.withLockedValue { $0.faults[keyPath: fault].toggle() }
        story.append("faults \(faults)")
    }

    /// Time passes. A running refresh times out.
    mutating func jump() async throws {
        let seconds = [1, 29, 61, 86_400].randomElement(using: &random) ?? 1
        story.append("\(seconds) s pass")
        try await compare()
        guard let flight = model.flight else { return clock.advance(by: .seconds(seconds)) }
        let callers = endFlight()
        model.mayRest = true
        // The timeout's sleep may not have begun yet.
        var left = callers + 1
        while left > 0 {
            clock.advance(by: .seconds(31))
            await Task.yield()
            while let event = program.inbox.nextIfAny() {
                switch event {
                case .answered(.failure(.timedOut)), .issuer(.cancelled(flight.request)): left -= 1
                default: throw Disagreement(description: "\(event) instead of a timeout")
                }
            }
        }
    }

    mutating func subscribe() async throws {
        story.append("subscribe")
        try await compare()
        let last = NIOLockedValueBox<SessionState?>(nil)
        var states = await controller.stateStream.makeAsyncIterator()
        guard let first = await states.next(), first == model.state else {
            throw Disagreement(description: "a subscriber began with another state than \(model.state)")
        }
        last.withLockedValue { $0 = first }
        let rest = states
        Task {
            var states = rest
            while let state = await states.next() { last.withLockedValue { $0 = state } }
        }
        program.subscribers.append(last)
    }
}
