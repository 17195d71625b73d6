import Hummingbird

/// What is known of a request besides what it says.
struct ServiceContext: AskingContext {
    var coreContext: CoreRequestContextStorage
    /// From where it comes, proxies included; nil when that is no address of the internet.
    let peer: InternetAddress?
    var allowance: Allowance?
    var marks: RequestMarks?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress.flatMap { InternetAddress($0) }
    }
}

/// A request that counts against what its caller may ask.
protocol AskingContext: RequestContext {
    /// Nil when nobody counts.
    var allowance: Allowance? { get }
}
