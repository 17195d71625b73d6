package import HandleRules
package import HandleWords

/// The reserved words and innocent names in force, each with its origin: the built-in ones with changes.
package struct WordsInForce: Sendable {
    private let builtIn: BuiltInWords
    /// The last change of each word, also if it takes the word off. Changes without an effect are left out.
    private var changes: [PackedASCII: WordChange] = [:]
    /// The version of the changes in the database, for ``Registry/putWords(_:from:)``; nil if they are not from there.
    package let version: Int64?
    private let off: Set<String>

    /// - Parameter off: categories without effect; see ``Policy/wordsOff``.
    init(_ builtIn: BuiltInWords, with changes: [WordChange] = [], version: Int64? = nil, off: Set<String>) {
        self.builtIn = builtIn
        self.version = version
        self.off = off
        apply(changes)
    }

    /// The built-in words and names, without changes.
    /// - Parameter off: categories without effect; see ``Policy/wordsOff``.
    package static func builtIn(off: Set<String> = []) throws(ReservedWord.ListError) -> WordsInForce {
        WordsInForce(try BuiltInWords(), off: off)
    }

    /// Whether a word has no effect because of its category.
    package func isOff(_ change: WordChange) -> Bool { change.reservedWord.map(isOff) ?? false }

    private func isOff(_ word: ReservedWord) -> Bool { off.contains(word.category) && !word.isLocked }

    /// Applies changes in their order. Those of locked words have no effect. Nor has one that makes an innocent name of a
    /// built-in word or of a disguise of a locked one: a newer program may have a word that was none before.
    package mutating func apply(_ changes: [WordChange]) {
        for change in changes where builtIn.lockedWord(change.word) == nil {
            let isEffective = change.kind != .innocent || obstacle(toInnocent: change.word) == nil
            self.changes[change.word] = isEffective ? change : nil
        }
    }

    /// The reason why the built-in words keep a name from being innocent; nil if they don't.
    private func obstacle(toInnocent name: PackedASCII) -> WordEffect? {
        if let word = builtIn[name]?.word { return .takenOff(word) }
        if builtIn.innocentName(name) != nil { return nil }
        return builtIn.lockedWord(like: name).map { .imitates($0) }
    }

    /// The word or innocent name with these letters; nil if there is none.
    package subscript(letters: PackedASCII) -> WordChange? {
        guard let change = changes[letters] else {
            return builtIn[letters].map(WordChange.init) ?? builtIn.innocentName(letters)
        }
        return change.kind == .removed ? builtIn.innocentName(letters) : change
    }

    /// All of them, in alphabetical order, but those without effect. Built-in ones are returned as if they had been added.
    package var entries: [WordChange] { all.filter { !isOff($0) } }

    /// The number of words without effect.
    package var countOff: Int { all.count(where: isOff) }

    private var all: [WordChange] {
        let letters = Set(builtIn.words.map(\.word.word)).union(builtIn.innocentNames).union(changes.keys)
        return letters.sorted().compactMap { self[$0] }
    }

    /// The tables for look-ups.
    package var tables: ReservedWords {
        // In a fixed order: the first of several words that a name is equally like is reported.
        let changed = changes.values.sorted { $0.word < $1.word }
        let words = builtIn.words.map(\.word).filter { changes[$0.word] == nil } + changed.compactMap(\.reservedWord)
        return ReservedWords(
            words.filter { !isOff($0) },
            innocent: builtIn.innocentNames + changed.filter { $0.kind == .innocent }.map(\.word))
    }

    /// The effect that a change would have now.
    package func effect(of change: WordChange) -> WordEffect {
        let present = self[change.word]
        // Sources don't matter: lists that overlap would otherwise change it back and forth.
        if let present, present.saysTheSame(as: change) { return .same }
        if let word = builtIn.lockedWord(change.word) {
            return change.reservedWord == word && change.until == nil ? .same : .locked(word)
        }
        switch change.kind {
        case .word: break
        case .innocent:
            if let word = present?.reservedWord { return .reserved(word) }
            if let obstacle = obstacle(toInnocent: change.word) { return obstacle }
        case .removed:
            guard let present else { return changes[change.word] == nil ? .unknown : .same }
            return present.source == WordChange.builtIn && present.kind == .innocent ? .builtInInnocent : .removed
        }
        return present == nil ? .added : .changed
    }
}
