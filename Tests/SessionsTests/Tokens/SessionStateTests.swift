import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

@Suite struct SessionStateTests {
    @Test func everyStreamBeginsWithThePresentStateAndSeesTheNext() async throws {
        let controller = SessionController()
        var early = await controller.stateStream.makeAsyncIterator()
        #expect(await early.next() == .signedOut(.neverSignedIn))
        await controller.setTokens(AuthTokens(accessToken: "access"))
        var late = await controller.stateStream.makeAsyncIterator()
        #expect(await early.next() == .authenticated)
        #expect(await late.next() == .authenticated)
        await controller.clear()
        #expect(await early.next() == .signedOut(.requested))
        #expect(await late.next() == .signedOut(.requested))
    }

    @Test func lateReaderGetsTheNewestStateOnly() async {
        let controller = SessionController()
        var states = await controller.stateStream.makeAsyncIterator()
        for _ in 0..<10 {
            await controller.setTokens(AuthTokens(accessToken: "access"))
            await controller.clear()
        }
        await controller.setTokens(AuthTokens(accessToken: "last"))
        #expect(await states.next() == .authenticated)
    }

    @Test(.timeLimit(.minutes(5))) func hundredReadersThatStartAtRandomMomentsSeeTheLastState() async throws {
        let controller = SessionController()
        let changes = Task {
            for _ in 0..<200 {
                await controller.setTokens(AuthTokens(accessToken: "access"))
                await controller.clear()
                await Task.yield()
            }
            await controller.setTokens(AuthTokens(accessToken: "last"))
        }
        let readers = (0..<100).map { _ in
            Task {
                for _ in 0..<Int.random(in: 0..<200) { await Task.yield() }
                var last: SessionState?
                for await state in await controller.stateStream {
                    last = state
                    // Nothing comes after the last sign-in.
                    if state == .authenticated, await controller.getAccessToken() == "last" { break }
                }
                return last
            }
        }
        for reader in readers { #expect(await reader.value == .authenticated) }
        await changes.value
        try await eventually("no stream is left") { await controller.streams == 0 }
    }

    @Test func streamsEndWithTheController() async {
        var controller: SessionController? = SessionController()
        let stream = await controller?.stateStream
        controller = nil
        var states: [SessionState] = []
        if let stream { for await state in stream { states.append(state) } }
        #expect(states == [.signedOut(.neverSignedIn)])
    }

    @Test func unreadableStoreGivesTheStateUnknown() async throws {
        let session = try await SignedIn()
        let access = await session.controller.getAccessToken()
        session.storage.state.withLockedValue { $0.isReadable = false }
        let next = SessionController(storage: session.storage, backend: session.backend, clock: session.clock)
        var states = await next.stateStream.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        await #expect(throws: SessionError.storage(StorageError(.unreadable, "locked device"))) {
            try await next.token()
        }
        #expect(session.storage.state.withLockedValue(\.clears) == 0)
        session.storage.state.withLockedValue { $0.isReadable = true }
        #expect(try await next.token() == access)
        #expect(await states.next() == .authenticated)
    }
}
