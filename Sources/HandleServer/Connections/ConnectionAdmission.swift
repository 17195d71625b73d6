import NIOCore

/// Counts the connection, and closes it at once if its address or network has too many.
final class ConnectionAdmission: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private enum Admission {
        /// With the address that holds a share, if the connection has one.
        case admitted(InternetAddress?)
        case refused
    }

    private let drain: Drain
    private let shares: ConnectionShares
    /// Nil before the connection is counted, and after.
    private var admission: Admission?

    init(_ drain: Drain, _ shares: ConnectionShares) {
        self.drain = drain
        self.shares = shares
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let address = context.remoteAddress.flatMap { InternetAddress($0) }
        // Take the share before the connection is counted, so that a counted connection has its share already.
        if let address, !shares.take(for: address) {
            admission = .refused
            drain.load.connectionRefused()
        } else {
            admission = .admitted(address)
        }
        drain.load.connectionOpened()
        if drain.isClosing { ListeningSocket.takeEverything(on: context.channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .refused = admission { context.close(promise: nil) } else { context.fireChannelActive() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    private func ended() {
        guard let admission else { return }
        if case .admitted(let address?) = admission { shares.giveBack(for: address) }
        self.admission = nil
        drain.load.connectionClosed()
    }
}
