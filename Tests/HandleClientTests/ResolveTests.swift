import Foundation
import HandleClient
import HandleRules
import TestService
import Testing

/// Answers about names and where they lead, from scripted answers.
@Suite(.timeLimit(.minutes(5))) struct ResolveTests {
    private static let moved =
        #"{"handle":"janeroe","display":"JaneRoe","state":"moved","to":{"handle":"johndoe","display":"JohnDoe"},"#
        + #""until":"2027-01-15T08:00:00.000Z""#
    private static let until = Date(timeIntervalSince1970: 1_800_000_000)

    private func client(_ answer: @escaping @Sendable () -> TransportAnswer) throws -> RegistryClient {
        try RegistryClient(
            base: #require(URL(string: "https://handles.example")), transport: ScriptedTransport { _, _ in answer() },
            limits: .once)
    }

    @Test func movedNameIsFollowedWithoutAKey() async throws {
        let client = try client { .json(Self.moved + "}") }
        let present = try #require(DisplayHandle("JohnDoe"))
        #expect(try await client.resolve("janeroe") == .moved(to: present, until: Self.until))
        // The record itself is only for callers with a key.
        #expect(try await client.record(of: "janeroe") == nil)
    }

    @Test func recordOfAMovedNameSaysWhereItLeads() async throws {
        let client = try client { .json(Self.moved + #","version":3,"changed_at":"2026-12-16T08:00:00.000Z"}"#) }
        let record = try #require(try await client.record(of: "JaneRoe"))
        #expect(record.state == .quarantined && record.movedTo?.description == "JohnDoe" && record.version == 3)
        #expect(record.owner == nil && record.until == Self.until && record.display.description == "JaneRoe")
    }

    @Test(arguments: ["held", "reserved", "quarantined", "auctioned"])
    func nameInAnotherStateLeadsNowhere(_ state: String) async throws {
        let record =
            #"{"handle":"janeroe","display":"JaneRoe","state":"\#(state)","version":1,"changed_at":"2026-11-21T10:00:00Z"}"#
        #expect(try await client { .json(record) }.resolve("janeroe") == .none)
        #expect(try await client { .problem(404, "no_such_handle") }.resolve("janeroe") == .none)
    }

    @Test(arguments: [
        moved.replacing("johndoe", with: "johndoe2") + "}", moved.replacing("2027", with: "soon") + "}",
        moved.replacing("janeroe", with: "harbor_jane").replacing("JaneRoe", with: "Harbor_Jane") + "}",
        #"{"handle":"janeroe","display":"JaneRoe","state":"moved","until":"2027-01-15T08:00:00.000Z"}"#, "<html>",
    ])
    func unusableAnswerThrows(_ text: String) async throws {
        let error = await #expect(throws: HandleClientError.self) {
            try await client { .json(text) }.resolve("janeroe")
        }
        #expect(error?.code == .unreadable)
    }

    @Test func answerAboutManyIsReadInTheOrderAsked() async throws {
        let text =
            #"{"handles":[{"input":"JaneRoe","found":{"handle":"janeroe","display":"JaneROE","owner":"jane"}},"#
            + #"{"input":"old_name","moved":{"to":{"handle":"johndoe","display":"JohnDoe"},"until":"2027-01-15T08:00:00Z"}},"#
            + #"{"input":"a.","none":true}],"#
            + #""owners":[{"owner":"jane","found":[{"handle":"janeroe","display":"JaneROE"}]},{"owner":"john","none":true}]}"#
        let answer = try await client { .json(text) }.resolve(
            handles: ["JaneRoe", "old_name", "a."], owners: ["jane", "john"])
        let (jane, john) = (try #require(DisplayHandle("JaneROE")), try #require(DisplayHandle("JohnDoe")))
        #expect(answer.handles == [.found(jane, owner: "jane"), .moved(to: john, until: Self.until), .none])
        #expect(answer.owners == [[jane], []])
    }

    /// Each is no answer about `janeroe` and the owner `jane`.
    @Test(arguments: [
        (#"{"input":"janeroe","none":true}"#, #"{"owner":"john","none":true}"#),
        (#"{"input":"janeroe","none":true}"#, #"{"owner":"jane"}"#),
        (#"{"input":"janeroe","none":true}"#, ""),
        (#"{"input":"JaneRoe","none":true}"#, #"{"owner":"jane","none":true}"#),
        (#"{"input":"janeroe"}"#, #"{"owner":"jane","none":true}"#),
        (
            #"{"input":"janeroe","none":true,"found":{"handle":"janeroe","display":"janeroe"}}"#,
            #"{"owner":"jane","none":true}"#
        ),
        (#"{"input":"janeroe","found":{"handle":"johndoe","display":"johndoe"}}"#, #"{"owner":"jane","none":true}"#),
    ])
    func unusableAnswerAboutManyThrows(_ handle: String, _ owner: String) async throws {
        let error = await #expect(throws: HandleClientError.self) {
            try await client { .json(#"{"handles":[\#(handle)],"owners":[\#(owner)]}"#) }
                .resolve(handles: ["janeroe"], owners: ["jane"])
        }
        #expect(error?.code == .unreadable)
    }

    @Test func forwardIsSentOnlyIfItIsAskedFor() async throws {
        let record =
            #"{"handle":"johndoe","display":"JohnDoe","state":"claimed","owner":"jane","version":1,"changed_at":"2026-11-21T10:00:00Z"}"#
        let transport = ScriptedTransport { _, _ in .json(record) }
        let client = try RegistryClient(
            base: #require(URL(string: "https://handles.example")), credential: .key("key"), transport: transport)
        _ = try await client.rename("janeroe", to: "JohnDoe", for: .id("jane"))
        _ = try await client.rename("janeroe", to: "JohnDoe", for: .id("jane"), forwarding: true)
        _ = try await client.endForward(of: "johndoe", ifVersion: 3)
        #expect(
            transport.seen.map { String(decoding: $0.body ?? Data(), as: UTF8.self) } == [
                #"{"owner":"jane","to":"JohnDoe"}"#, #"{"forward":true,"owner":"jane","to":"JohnDoe"}"#,
                #"{"forward":false}"#,
            ])
        #expect(transport.seen[2].method == "PATCH" && transport.seen[2][field: "If-Match"] == #""3""#)
    }
}
