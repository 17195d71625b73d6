import HTTPTypes
import NIOCore
import NIOHTTPTypes

// The actions that the state of a connection returns, and what it reads from requests.

extension ConnectionState {
    /// The action for a part of a request.
    enum Arrival: Equatable {
        case pass
        case hold
        case discard
        case close
    }

    /// The action for the head or the end of a response.
    enum WriteAction {
        case write
        /// It is the last response: write its head with `Connection: close`, and close the output after its end. The
        /// client closes the connection: if the server did so while parts of the request are still in flight, the
        /// response would be lost.
        case writeLast
        /// The last response is written already.
        case refuse
    }

    /// The action for a close by a later handler.
    enum CloseAction {
        case close
        /// Close once all that was written is sent.
        case closeWhenSent
        /// The connection is being closed already.
        case ignore
    }

    /// The action for the timer.
    enum TimeoutAction {
        /// The deadline was moved since the timer was set.
        case wait
        /// Respond with 408, then close the output. Later handlers get an error, because they would take the part of
        /// the request for the whole.
        case respondAndLeave
        case close
    }
}

extension HTTPRequestPart {
    /// True if the client waits for a response with status 100 before it sends the body.
    var expectsContinue: Bool {
        guard case .head(let head) = self else { return false }
        return head.headerFields[.expect]?.lowercased() == "100-continue"
    }

    /// The bytes that the part counts for after the last request.
    var allowance: Int {
        switch self {
        case .head: 1024
        case .body(let bytes): bytes.readableBytes
        case .end: 0
        }
    }
}

extension HTTPRequest {
    /// The decoder reads no request after CONNECT or one with `Upgrade`, so the connection can't be kept after these.
    var persistence: ConnectionState.Persistence {
        let closes = headerFields[.connection]?.split(separator: ",").contains { option in
            option.filter { !$0.isWhitespace }.lowercased() == "close"
        }
        return closes ?? false || method == .connect || headerFields[.upgrade] != nil ? .close : .keepAlive
    }
}
