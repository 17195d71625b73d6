import HandleServer

/// A setting of the service: its name, its default, its meaning, and how its text is read.
///
/// The default is that of the property in ``Settings`` that it sets.
struct Setting: Sendable {
    let name: String
    /// The default as text; empty for none.
    let usual: String
    let meaning: String
    /// The trait without which the program refuses it. It must not be ignored silently.
    private let trait: PackageTrait?
    /// The command line option that sets it too, for messages.
    private let option: String?
    private let read: @Sendable (_ text: String, _ name: String, _ settings: inout Settings) throws -> Void

    /// - Parameter codec: reads and writes the values; its messages have the name of the setting.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Settings, Value> & Sendable, _ codec: SettingCodec<Value>,
        needs trait: PackageTrait? = nil, option: String? = nil, _ meaning: String
    ) {
        (self.name, self.meaning, self.trait, self.option) = (name, meaning, trait, option)
        usual = codec.text(Settings()[keyPath: property])
        read = { text, name, settings in settings[keyPath: property] = try codec.read(text, name) }
    }

    /// Reads a value into the settings.
    /// - Throws: ``CommandFault`` with exit status 64 that names the setting and its valid values.
    func apply(_ text: String, to settings: inout Settings) throws {
        if let trait, !trait.isBuiltIn {
            throw CommandFault(
                .usage,
                "\(name) needs a program with the trait \(trait.rawValue), and this one was built without it: build it with "
                    + "make build TRAITS=\(trait.rawValue), or install the Debian package that make deb makes")
        }
        try read(text, name + (option.map { " (\($0))" } ?? ""), &settings)
    }
}
