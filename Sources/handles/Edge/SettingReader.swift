import Configuration
import HandleRegistry
import HandleServer
import Postgres

/// Reads settings, with an error message for each invalid one.
struct SettingReader {
    private let reader: ConfigReader

    init(options: [AbsoluteConfigKey: ConfigValue], environment: [String: String]) {
        reader = ConfigReader(providers: [
            InMemoryProvider(name: "options", values: options),
            EnvironmentVariablesProvider(
                environmentVariables: environment.filter { !$0.value.isEmpty },
                secretsSpecifier: .specific([
                    Setting.adminKey.name, Setting.databaseURL.name, Setting.readURL.name,
                ])),
        ])
    }

    /// Nil when the setting has neither a value nor a default.
    func text(_ setting: Setting) -> String? {
        let key = ConfigKey(setting.name.lowercased().split(separator: "_").map(String.init))
        let usual = setting.usual.isEmpty ? nil : setting.usual
        return reader.string(forKey: key, isSecret: true) ?? usual
    }

    /// Refuses settings for a trait that the program was built without. They must not be ignored silently.
    func require(_ trait: PackageTrait, for settings: Setting...) throws {
        guard !trait.isBuiltIn, let setting = settings.first(where: { text($0) != nil }) else { return }
        throw CommandFault(
            .usage,
            "\(setting.name) needs a program with the trait \(trait.rawValue), and this one was built without it: build it "
                + "with make build TRAITS=\(trait.rawValue), or install the Debian package that make deb makes")
    }

    func required(_ setting: Setting) -> String { text(setting) ?? "" }

    /// A connection string or URL. An error message does not quote it, because it may have a password.
    func conninfo(_ setting: Setting) throws -> String? {
        guard let text = text(setting) else { return nil }
        if let objection = Conninfo.objection(to: text) { throw CommandFault(.usage, "\(setting.name) \(objection)") }
        return text
    }

    /// - Parameter exception: meaning of the lowest number, for the message.
    func integer(
        _ setting: Setting, in range: ClosedRange<Int>, or exception: String? = nil, option: String? = nil
    ) throws -> Int {
        let text = required(setting)
        guard let value = Int(text), range.contains(value) else {
            let first = exception == nil ? range.lowerBound : range.lowerBound + 1
            throw CommandFault(
                .usage,
                "\(setting.name)\(option.map { " (\($0))" } ?? "") is '\(text.printable)'; it is a number from \(first) to "
                    + "\(range.upperBound)\(exception.map { ", or \($0)" } ?? "")")
        }
        return value
    }

    func duration(_ setting: Setting, in range: ClosedRange<Duration>) throws -> Duration {
        let text = required(setting)
        guard let value = DurationText.read(text), range.contains(value) else {
            throw CommandFault(
                .usage,
                "\(setting.name) is '\(text.printable)'; it is a number with ms, s, m, h or d, from "
                    + "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))")
        }
        return value
    }

    /// Nil for no limit.
    func rate(_ setting: Setting) throws -> Rate? {
        let text = required(setting)
        return text == "none" ? nil : try RateText.parse(text, "\(setting.name), unless it is none,")
    }

    func choice(_ setting: Setting, of all: [String]) throws -> String {
        let text = required(setting)
        guard all.contains(text) else {
            throw CommandFault(
                .usage, "\(setting.name) is '\(text.printable)'; it is \(all.joined(separator: " or "))")
        }
        return text
    }
}

extension String {
    var trimmed: String {
        var rest = Substring(self)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
