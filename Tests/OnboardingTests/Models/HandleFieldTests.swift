import Foundation
import HandleClient
import HandleRules
import Observation
import Onboarding
import TestService
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct HandleFieldTests {
    private func field(
        _ transport: ScriptedTransport, clock: any Clock<Duration>
    ) throws -> HandleField {
        let client = try RegistryClient(
            base: #require(URL(string: "https://handles.example")), transport: transport, limits: .once)
        return HandleField(validator: HandleValidator(apiClient: client, clock: clock), clock: clock)
    }

    @Test func messageFollowsTheTextAndItsCheck() async throws {
        let transport = ScriptedTransport.faulty { _, request in
            .answer(
                request.typed == "JaneRoe"
                    ? .available(request) : .taken(request.typed, suggestions: ["Jane1", "hey_jane"]))
        }
        let field = try field(transport, clock: ImmediateClock())
        #expect(field.state == .empty && field.message == nil && field.handle == nil && !field.isFaulty)
        field.text = "Ja"
        #expect(field.state == .malformed(.tooShort) && field.message == nil && !field.isFaulty)
        field.leave()
        #expect(field.message == "A handle has at least 3 characters." && field.isFaulty)
        field.text = "Jane!"
        #expect(field.message == "'!' (EXCLAMATION MARK) can't be in a handle; use a–z, 0–9 and _.")
        field.text = "JaneRoe"
        #expect(field.state == .checking && !field.isValid && field.message == "Checking JaneRoe…")
        try await eventually("it is available") { field.isValid }
        #expect(
            field.message == "JaneRoe is available." && field.handle == "janeroe" && field.displayHandle == "JaneRoe")
        field.text = "jane"
        #expect(!field.isValid)
        try await eventually("it is taken") { !field.suggestions.isEmpty }
        #expect(field.message == "This name is taken." && field.isFaulty)
        #expect(field.suggestions.map(\.description) == ["Jane1", "hey_jane"])
        field.choose(field.suggestions[0])
        #expect(field.text == "Jane1" && field.state == .checking)
        field.text = ""
        field.leave()
        #expect(field.message == nil && field.state == .empty)
        #expect(!field.label.isEmpty && !field.hint.isEmpty)
    }

    /// Words typed quickly. Each answer takes one to two seconds, and the next word comes at any time.
    @Test func answerAboutAnotherTextIsNeverShown() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport.faulty { number, request in
            var random = SeededGenerator(seed: UInt64(number))
            try? await clock.sleep(for: .milliseconds(Int.random(in: 1000...2000, using: &random)))
            return .answer(number % 2 == 0 ? .available(request) : .taken(request.typed))
        }
        let field = try field(transport, clock: clock)
        var random = SeededGenerator(seed: 16)
        var shown = 0
        func look() {
            switch field.state {
            case .available(let answer):
                #expect(answer.input == field.text)
                shown += 1
            case .unavailable: shown += 1
            case .checking: break
            case .empty, .malformed, .unknown: Issue.record("\(field.state)")
            }
        }
        for word in 0..<500 {
            field.text = "word\(word)"
            #expect(field.state == .checking)
            let asked = transport.seen.count
            // Half of the words are replaced before the service is called, and a quarter before it answers.
            let patience = Int.random(in: 0..<4, using: &random)
            guard patience > 1 else {
                clock.advance(by: .milliseconds(Int.random(in: 0...250, using: &random)))
                look()
                continue
            }
            try await eventually("the check waits for the pause") { clock.pauses.contains(.milliseconds(300)) }
            clock.advance(by: .milliseconds(300))
            try await eventually("the service is asked") {
                transport.seen.count > asked && clock.pauses.contains { $0 >= .seconds(1) && $0 <= .seconds(2) }
            }
            look()
            guard patience > 2 else { continue }
            clock.advance(by: .seconds(2))
            try await eventually("an answer is shown") { field.state != .checking }
            look()
        }
        #expect(shown > 50)
    }

    nonisolated static let faults: [(String, @Sendable (String) -> Fate)] = [
        ("500", { _ in .answer(.problem(500, "internal")) }), ("503", { _ in .answer(.problem(503, "overloaded")) }),
        ("429", { _ in .answer(.problem(429, "rate_limited", fields: ["retry-after": "7"])) }),
        ("HTML", { _ in .answer(.json("<html>Welcome to this network</html>")) }),
        ("cut", { typed in .answer(.json(#"{"input":"\#(typed)","handle":"\#(typed)","status":"available""#)) }),
        ("another name", { _ in .answer(.available(name: "johndoe")) }), ("offline", { _ in .unsent }),
        ("redirect", { _ in .answer(.json("", status: 302)) }),
    ]

    @Test(arguments: faults.indices) func checkIsRetriedUntilTheFaultIsOver(_ index: Int) async throws {
        let fault = Self.faults[index]
        let transport = ScriptedTransport.faulty { number, request in
            number < 6 ? fault.1(request.typed) : .answer(.available(request))
        }
        let field = try field(transport, clock: ImmediateClock())
        field.text = "janeroe"
        var states: [HandleFieldMachine.State] = []
        try await eventually("it is available") {
            if states.last != field.state { states.append(field.state) }
            if transport.seen.count <= 6 { #expect(!field.isValid, "after \(fault.0)") }
            return field.isValid
        }
        #expect(transport.seen.count == 7)
        #expect(states.last == .available(Answers.available("janeroe")))
    }

    /// A screen reader gets one announcement a pause, and none while the person types.
    @Test func announcementComesOnceThePersonPauses() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport.faulty { _, request in .answer(.available(request)) }
        let field = try field(transport, clock: clock)
        for typed in ["jan", "jane", "janer"] {
            field.text = typed
            try await eventually("the check and the pause wait") {
                Set(clock.pauses) == [.milliseconds(300), .seconds(1)]
            }
            clock.advance(by: .milliseconds(100))
            #expect(field.announcement == "")
        }
        clock.advance(by: .milliseconds(200))
        try await eventually("it is available") { field.isValid }
        #expect(field.announcement == "")
        clock.advance(by: .milliseconds(699))
        #expect(field.announcement == "")
        clock.advance(by: .milliseconds(1))
        try await eventually("it is announced") { field.announcement == "janer is available." }
        field.text = "j"
        #expect(field.announcement == "")
    }

    @Test func lateAnswerIsAnnouncedWhenItArrives() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport.faulty { _, request in
            try? await clock.sleep(for: .seconds(2))
            return .answer(.taken(request.typed, suggestions: ["Jane1", "Jane2", "Jane3"]))
        }
        let field = try field(transport, clock: clock)
        field.text = "jane"
        try await eventually("the check and the pause wait") {
            Set(clock.pauses) == [.milliseconds(300), .seconds(1)]
        }
        clock.advance(by: .milliseconds(300))
        try await eventually("it is asked") { Set(clock.pauses) == [.seconds(2), .milliseconds(700)] }
        clock.advance(by: .milliseconds(700))
        try await eventually("the pause is over") { clock.pauses == [.milliseconds(1300)] }
        #expect(field.announcement == "")
        clock.advance(by: .milliseconds(1300))
        try await eventually("it is announced") {
            field.announcement == "This name is taken. 3 free names like it are listed below."
        }
    }

    /// Views observe every change.
    @Test func fieldIsObservable() async throws {
        let field = try field(ScriptedTransport.faulty { _, _ in .unsent }, clock: ManualClock())
        await confirmation { changed in
            withObservationTracking {
                _ = field.state
            } onChange: {
                changed()
            }
            field.text = "jane"
        }
    }

    @Test func textsCanBeInAnotherLanguage() throws {
        var texts = OnboardingTexts()
        texts.handleLabel = "Name"
        texts.malformed = { _ in "Das geht nicht." }
        let client = try RegistryClient(base: #require(URL(string: "https://handles.example")))
        let field = HandleField(validator: HandleValidator(apiClient: client), texts: texts)
        field.text = "a.b"
        #expect(field.label == "Name" && field.message == "Das geht nicht.")
    }
}
