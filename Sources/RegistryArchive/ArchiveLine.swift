import FoundationEssentials
import HandleCore
import HandleRegistry
import StrictJSON
import WireJSON

enum ArchiveLine: Sendable {
    case registry(format: Int, hasHistory: Bool)
    case word(WordChange)
    case name(ArchivedName)
    case event(Event)
    case end(ArchiveEnd)

    /// True for the line with which an archive begins.
    var isFirst: Bool { if case .registry = self { true } else { false } }

    /// Describes the fault of a line.
    struct Fault: Error { let description: String }

    /// - Throws: ``Fault``
    init(_ line: ArraySlice<UInt8>) throws(Fault) {
        guard (try? JSONText(checking: line.span, numbers: .whole)) != nil,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(line))
        else {
            throw Fault(description: "it is not a JSON object of an archive")
        }
        try fields.checkCharacters()
        switch fields.kind {
        case "registry":
            guard let format = fields.format, let history = fields.history else {
                throw ArchiveLine.Fault.missing("format and history")
            }
            self = .registry(format: format, hasHistory: history != 0)
        case "word": self = .word(try fields.wordChange())
        case "name": self = .name(try fields.archivedName())
        case "event": self = .event(try fields.archivedEvent())
        case "end":
            guard let names = fields.names, let events = fields.events, let words = fields.words,
                let hash = fields.sha256
            else {
                throw ArchiveLine.Fault.missing("words, names, events and sha256")
            }
            self = .end(
                ArchiveEnd(counts: ArchiveCounts(names: names, events: events, words: words), hash: hash))
        default: throw Fault(description: "its kind is unknown to this version")
        }
    }
}

extension ArchiveLine.Fault {
    fileprivate static func missing(_ what: String) -> ArchiveLine.Fault {
        .init(description: "it has no valid \(what)")
    }
}

/// The members of all kinds of lines.
private struct Fields: Decodable {
    let kind: String
    let format: Int?
    let history: Int?
    let word: String?
    let category: String?
    let match: String?
    let source: String?
    let comment: String?
    let actor: String?
    // Spelled as in the archive.
    let changed_at: String?
    let handle: String?
    let display: String?
    let state: String?
    let owner: String?
    let owner_mark: String?
    let place: Int?
    let reason: String?
    let since: String?
    let until: String?
    let protected: Int?
    let exempt: Int?
    let version: Int64?
    let at: String?
    let action: String?
    let from: String?
    let to: String?
    let related: String?
    let words: Int?
    let names: Int?
    let events: Int?
    let sha256: String?

    /// Refuses control characters: the registry takes none, and the database can't store U+0000. The other members with
    /// text are checked by their types.
    func checkCharacters() throws(ArchiveLine.Fault) {
        let texts = [
            ("category", category), ("source", source), ("comment", comment), ("actor", actor), ("reason", reason),
            ("related", related),
        ]
        for (name, text) in texts {
            guard let control = text?.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) else {
                continue
            }
            let digits = String(control.value, radix: 16, uppercase: true)
            throw ArchiveLine.Fault(
                description:
                    "its \(name) has the control character U+\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            )
        }
    }

    func wordChange() throws(ArchiveLine.Fault) -> WordChange {
        let word = try required(word.flatMap { ReservedWord.spelling(of: $0) }, "word")
        guard let match, let category, let source, let comment, let actor else {
            throw ArchiveLine.Fault.missing("category, match, source, comment and actor")
        }
        guard let kind = WordKind(rawValue: match) else {
            throw ArchiveLine.Fault(
                description: "the word '\(word)' has the match '\(match)', which this program does not know")
        }
        return WordChange(
            word: word, category: category, kind: kind, source: source, comment: comment, actor: actor,
            until: try moment(until, "until"),
            changedAt: try required(try moment(changed_at, "changed_at"), "changed_at"))
    }

    /// The database stores 32 bits, and a name must have room for changes to come.
    private static let greatestVersion: Int64 = 2_000_000_000

    func archivedName() throws(ArchiveLine.Fault) -> ArchivedName {
        let name = ArchivedName(
            display: try spelled(), state: try required(state.flatMap(State.init), "state"), owner: try ownerID(),
            formerMark: try mark(), place: place, reason: reason,
            since: try required(try moment(since, "since"), "since"),
            until: try moment(until, "until"), isProtected: protected == 1, isExempt: exempt == 1, version: version)
        // The constraints of the table `handles`.
        let (hasOwner, hasUntil) = (name.owner != nil, name.until != nil)
        let isWhole =
            switch name.state {
            case .free: !hasOwner && !hasUntil
            case .held: hasOwner && hasUntil
            case .claimed: hasOwner && !hasUntil
            case .reserved: name.reason != nil
            case .quarantined: hasUntil && hasOwner == (name.formerMark == nil)
            }
        let hasVersion = version.map { (1...Self.greatestVersion).contains($0) } ?? true
        guard isWhole, name.formerMark == nil || name.state == .quarantined, hasVersion else {
            throw ArchiveLine.Fault.missing("owner, owner_mark, reason, until and version for its state")
        }
        return name
    }

    func archivedEvent() throws(ArchiveLine.Fault) -> Event {
        Event(
            version: try required(version, "version"), at: try required(try moment(at, "at"), "at"),
            actor: try required(actor, "actor"), action: try required(action.flatMap(Event.Action.init), "action"),
            from: try required(from.flatMap(State.init), "from"), to: try required(to.flatMap(State.init), "to"),
            display: try spelled(), owner: try mark(), ownerID: try ownerID(), reason: reason, related: related,
            until: try moment(until, "until"))
    }

    /// The display handle. It must fold to the handle.
    private func spelled() throws(ArchiveLine.Fault) -> DisplayHandle {
        guard let display = display.flatMap({ DisplayHandle($0) }), display.handle.description == handle else {
            throw ArchiveLine.Fault.missing("handle and display that are the same name")
        }
        return display
    }

    private func ownerID() throws(ArchiveLine.Fault) -> Owner? {
        guard let owner else { return nil }
        return try required(Owner(owner), "owner")
    }

    private func mark() throws(ArchiveLine.Fault) -> OwnerMark? {
        guard let owner_mark else { return nil }
        return try required(OwnerMark(hexadecimal: owner_mark), "owner_mark")
    }

    private func moment(_ text: String?, _ name: String) throws(ArchiveLine.Fault) -> Date? {
        guard let text else { return nil }
        return try required(Date(moment: text), name)
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(ArchiveLine.Fault) -> Value {
        guard let value else { throw ArchiveLine.Fault.missing(name) }
        return value
    }
}

extension OwnerMark {
    /// Parses the output of `description`; nil for other text.
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        self.init(bytes: bytes)
    }
}
