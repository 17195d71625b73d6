import HandleRegistry
import NameFiles

/// The figures of a measurement, as tables or as JSON.
struct MeasureReport {
    let words: WordMeasurement
    let counts: Counts
    /// Nil if not asked for.
    let keys: SharedKeys?
    let disguises: DisguiseMeasurement?
    /// Whether the figures before and after may differ.
    let areChanged: Bool

    /// The report, one table after the other.
    func lines(_ tables: MeasureTables) -> [String] {
        var parts = [[rowsSentence], tables.ways(words)]
        if !words.words.isEmpty { parts += [tables.categories(words), tables.words(words)] }
        if areChanged { parts.append([differencesSentence] + (words.isSame ? [] : tables.differences(words))) }
        if let keys { parts.append([keys.sentence]) }
        if let disguises { parts.append(tables.disguises(disguises)) }
        return Array(parts.joined(separator: [""]))
    }

    private var rowsSentence: String {
        let left = [(counts[.invalid], "malformed"), (counts[.unreadable], "unreadable")].filter { $0.0 > 0 }
            .map { "\($0.0.grouped) \($0.1)" }
        return "\(words.names.grouped) \(words.names == 1 ? "name" : "names") measured"
            + (left.isEmpty ? "" : "; left out: " + left.joined(separator: ", "))
    }

    private var differencesSentence: String {
        "\(words.newlyRefused.count.grouped) newly refused, \(words.newlyFree.count.grouped) newly free"
    }
}

extension SharedKeys {
    fileprivate var sentence: String {
        "\(alike.grouped) of \(names.grouped) different names (\(alike.percent(of: names)) %) look like another one"
    }
}
