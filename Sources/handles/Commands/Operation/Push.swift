import ArgumentParser
import HandleRegistry

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Deliver the events of the feed to a receiver of webhooks, until it is stopped.",
        discussion: """
            Each event is sent by POST, signed as Standard Webhooks defines it: webhook-id, webhook-timestamp and \
            webhook-signature (v1, HMAC-SHA256). Events come in order and at least once: a receiver recognises a repeated \
            one by its webhook-id. An answer 2xx accepts an event. After any other answer, or none, the event is sent \
            again, until it is accepted; 410 ends the command.

            The secret file has whsec_ and then 24 to 64 random bytes in Base64. A second line with another secret adds a \
            second signature, for the time in which the receiver changes its secret.

            The position is stored in the registry under a name. One program at a time delivers for a name. The feed must be \
            on: HANDLES_FEED of the service.

            Examples:
              handles push --to https://app.example/hook --secret-file hook.secret
              handles push --to http://search:9000/ --secret-file s --name search
              handles push --to http://search:9000/ --secret-file s --after 4711
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: ArgumentHelp("The receiver's address.", valueName: "url")) var to: String
    @Option(help: ArgumentHelp("The file with the secret of the signatures.", valueName: "file"), completion: .file())
    var secretFile: String
    @Option(help: "The name of the stored position. (default: the address without user and query)") var name: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "For a new name: begin after the event with this number. (default: after the last event)",
            valueName: "seq"))
    var after: Int64?

    private static let longestName = 500

    func validate() throws {
        guard WebhookAddress(to) != nil else { throw ValidationError("--to is \(WebhookAddress.rule).") }
        if let name, !(1...Self.longestName).contains(name.utf8.count) || name != name.printable {
            throw ValidationError("--name is a text of 1 to \(Self.longestName) bytes without control characters.")
        }
        if let after, after < 0 { throw ValidationError("--after is a number from 0 on.") }
    }

    func run() async throws {
        Output.followLogFormat()
        try await CommandEdge.report {
            do {
                try await CommandEdge.cancelledBySignals { try await push() }
            } catch is CancellationError {
                Output.note("stopped")
            }
        }
    }

    private func push() async throws {
        guard let address = WebhookAddress(to) else { return }
        let receiver = WebhookReceiver(address, try WebhookSecret(file: secretFile))
        let names = WebhookDelivery.Names(address: address.name.printable, cursor: name ?? address.name)
        let settings = try database.settings()
        try await CommandEdge.withPool(settings, as: .reader) { pool in
            let registry = try Registry(pool: pool, policy: settings.policy)
            try await registry.migrate()
            try await WebhookDelivery.run(registry, to: receiver, names, beginningAfter: after) { Output.note($0, $1) }
        }
    }
}
