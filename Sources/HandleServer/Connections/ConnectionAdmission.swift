import NIOCore

/// Counts the connection, and closes it at once if its address or network has too many.
final class ConnectionAdmission: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let drain: Drain
    private let shares: ConnectionShares
    private var isCounted = false
    private var isRefused = false
    /// The address that holds a share, if the connection has one.
    private var shareHolder: InternetAddress?

    init(_ drain: Drain, _ shares: ConnectionShares) {
        self.drain = drain
        self.shares = shares
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let address = context.remoteAddress.flatMap { InternetAddress($0) }
        // Take the share before the connection is counted, so that a counted connection has its share already.
        isRefused = address.map { !shares.take(for: $0) } ?? false
        if isRefused { drain.load.connectionRefused() } else { shareHolder = address }
        isCounted = true
        drain.load.connectionOpened()
        if drain.isClosing { ListeningSocket.takeEverything(on: context.channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused { context.close(promise: nil) } else { context.fireChannelActive() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    private func ended() {
        guard isCounted else { return }
        isCounted = false
        if let shareHolder { shares.giveBack(for: shareHolder) }
        drain.load.connectionClosed()
    }
}
