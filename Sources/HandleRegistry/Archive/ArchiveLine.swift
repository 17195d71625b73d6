import HandleRules
import HandleWords

import struct FoundationEssentials.Date

enum ArchiveLine: Sendable {
    case registry(format: Int, hasHistory: Bool)
    case word(WordChange)
    case name(ArchivedName)
    case event(Event)
    case lock(ArchivedLock)
    case end(ArchiveEnd)

    /// True for the line with which an archive begins.
    var isFirst: Bool { if case .registry = self { true } else { false } }

    /// Describes the fault of a line.
    struct Fault: Error { let description: String }

    /// - Throws: ``Fault``
    init(_ line: ArraySlice<UInt8>) throws(Fault) {
        let fields = Fields(json: (try? JSONValue(reading: line)) ?? .null)
        guard let kind = try fields.text("kind") else { throw .notOfAnArchive }
        try fields.checkCharacters()
        switch kind {
        case "registry":
            guard let format = try fields.integer("format"), let history = try fields.integer("history") else {
                throw .missing("format and history")
            }
            self = .registry(format: format, hasHistory: history != 0)
        case "word": self = .word(try fields.wordChange())
        case "name": self = .name(try fields.archivedName())
        case "event": self = .event(try fields.archivedEvent())
        case "lock": self = .lock(try fields.archivedLock())
        case "end":
            guard let names = try fields.integer("names"), let events = try fields.integer("events"),
                let words = try fields.integer("words"), let locks = try fields.integer("locks"),
                let hash = try fields.text("sha256")
            else { throw .missing("words, locks, names, events and sha256") }
            let counts = ArchiveCounts(names: names, events: events, words: words, locks: locks)
            self = .end(ArchiveEnd(counts: counts, hash: hash))
        default: throw Fault(description: "its kind is unknown to this version")
        }
    }
}

extension ArchiveLine.Fault {
    fileprivate static let notOfAnArchive = Self(description: "it is not a JSON object of an archive")

    fileprivate static func missing(_ what: String) -> ArchiveLine.Fault {
        .init(description: "it has no valid \(what)")
    }
}

/// The members of a line, of any kind.
private struct Fields {
    let json: JSONValue

    /// A string; nil if there is none, or null.
    func text(_ name: String) throws(ArchiveLine.Fault) -> String? {
        switch json[name] {
        case nil, .null: nil
        case .string(let text): text
        default: throw .notOfAnArchive
        }
    }

    /// A whole number; nil if there is none, or null.
    func integer(_ name: String) throws(ArchiveLine.Fault) -> Int? {
        switch json[name] {
        case nil, .null: nil
        case .number(let digits): Int(digits)
        default: throw .notOfAnArchive
        }
    }

    /// Refuses control characters: the registry takes none, and the database can't store U+0000. The other members with
    /// text are checked by their types.
    func checkCharacters() throws(ArchiveLine.Fault) {
        for name in ["category", "source", "comment", "actor", "reason", "related"] {
            let control = try text(name)?.unicodeScalars.first { $0.properties.generalCategory == .control }
            guard let control else { continue }
            let digits = String(control.value, radix: 16, uppercase: true)
            throw ArchiveLine.Fault(
                description:
                    "its \(name) has the control character U+\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            )
        }
    }

    func wordChange() throws(ArchiveLine.Fault) -> WordChange {
        let word = try required("word", ReservedWord.spelling)
        guard let match = try text("match"), let category = try text("category"), let source = try text("source"),
            let comment = try text("comment"), let actor = try text("actor")
        else { throw .missing("category, match, source, comment and actor") }
        guard let kind = WordKind(rawValue: match) else {
            throw ArchiveLine.Fault(
                description: "the word '\(word)' has the match '\(match)', which this program does not know")
        }
        return WordChange(
            word: word, category: category, kind: kind, source: source, comment: comment, actor: actor,
            until: try parsed("until", Date.init(moment:)), changedAt: try required("changed_at", Date.init(moment:)))
    }

    func archivedName() throws(ArchiveLine.Fault) -> ArchivedName {
        let version = try integer("version")
        let name = ArchivedName(
            display: try spelled(), state: try required("state", Handle.State.init),
            owner: try parsed("owner", Owner.init),
            formerMark: try parsed("owner_mark", OwnerMark.init(hexadecimal:)),
            reason: try text("reason"), since: try required("since", Date.init(moment:)),
            until: try parsed("until", Date.init(moment:)), isProtected: try integer("protected") == 1,
            isExempt: try integer("exempt") == 1, isForwarded: try integer("forward") == 1,
            version: version.map(Int64.init))
        // The constraints of the table `names`.
        let (hasOwner, hasUntil) = (name.owner != nil, name.until != nil)
        let isWhole =
            switch name.state {
            case .free: !hasOwner && !hasUntil
            case .held: hasOwner && hasUntil
            case .claimed: hasOwner && !hasUntil
            case .reserved: name.reason != nil
            case .quarantined: hasUntil && hasOwner == (name.formerMark == nil)
            }
        guard isWhole, name.state == .quarantined || name.formerMark == nil && !name.isForwarded else {
            throw .missing("owner, owner_mark, reason and until for its state")
        }
        return name
    }

    func archivedEvent() throws(ArchiveLine.Fault) -> Event {
        guard let version = try integer("version") else { throw .missing("version") }
        return Event(
            version: Int64(version), at: try required("at", Date.init(moment:)), actor: try required("actor") { $0 },
            action: try required("action", Event.Action.init), from: try required("from", Handle.State.init),
            to: try required("to", Handle.State.init), display: try spelled(),
            owner: try parsed("owner_mark", OwnerMark.init(hexadecimal:)), ownerID: try parsed("owner", Owner.init),
            reason: try text("reason"), related: try text("related"), until: try parsed("until", Date.init(moment:)))
    }

    func archivedLock() throws(ArchiveLine.Fault) -> ArchivedLock {
        guard let version = try integer("version") else { throw .missing("version") }
        let owner = try parsed("owner", Owner.init)
        let mark = try parsed("owner_mark", OwnerMark.init(hexadecimal:))
        guard (owner == nil) != (mark == nil) else { throw .missing("owner or owner_mark") }
        return ArchivedLock(
            owner: owner, formerMark: mark, version: Int64(version), at: try required("at", Date.init(moment:)),
            actor: try required("actor") { $0 }, action: try required("action", OwnerEvent.Action.init),
            reason: try text("reason"), until: try parsed("until", Date.init(moment:)))
    }

    /// The display handle. It must fold to the handle.
    private func spelled() throws(ArchiveLine.Fault) -> DisplayHandle {
        let display = try text("display").flatMap { DisplayHandle($0) }
        guard let display, display.handle.description == (try text("handle")) else {
            throw .missing("handle and display that are the same name")
        }
        return display
    }

    /// The value of a string; nil if there is none, or null.
    private func parsed<Value>(_ name: String, _ parse: (String) -> Value?) throws(ArchiveLine.Fault) -> Value? {
        guard let text = try text(name) else { return nil }
        guard let value = parse(text) else { throw .missing(name) }
        return value
    }

    private func required<Value>(_ name: String, _ parse: (String) -> Value?) throws(ArchiveLine.Fault) -> Value {
        guard let value = try parsed(name, parse) else { throw .missing(name) }
        return value
    }
}

extension OwnerMark {
    /// Parses the output of `description`; nil for other text.
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        guard digits.count == 64, bytes.count == 32 else { return nil }
        self.init(bytes: bytes)
    }
}
