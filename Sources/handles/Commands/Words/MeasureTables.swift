import Foundation
import HandleCore
import HandleRegistry

/// Tables of figures before and after proposed changes. Without changes, both are the same and are shown once.
struct MeasureTables {
    let areChanged: Bool
    /// Maximum characters in a line; nil for no limit.
    let width: Int?
    let style: Style

    /// Words in the table of words.
    private static let mostWords = 20

    /// The refused names by way; ways without a name are left out.
    /// - Parameter title: of the first column.
    func ways(_ measured: WordMeasurement, title: String = "refused") -> [String] {
        let ways = ReservedWord.Way.allCases.map { ($0.rawValue, measured[$0]) }
            .filter { $0.1.before + $0.1.after > 0 }
        let rows = (ways + [("disguises", measured.disguises), ("all", measured.refused)]).map { name, count in
            [Table.Cell(name)] + shares(count, of: measured.names)
        }
        return table([title], shareTitles, [], rows)
    }

    /// The refused names by category of the word, those with the most names first.
    func categories(_ measured: WordMeasurement) -> [String] {
        func names(_ count: WordMeasurement.Count) -> Int { max(count.before, count.after) }
        let sorted = measured.categories.sorted { (names($1.value), $0.key) < (names($0.value), $1.key) }
        let rows = sorted.map { [Table.Cell($0.key)] + shares($0.value, of: measured.names) }
        return table(["category"], shareTitles, [], rows)
    }

    /// The words that refuse the most names.
    func words(_ measured: WordMeasurement) -> [String] {
        let rows = measured.topWords(Self.mostWords).map { word, hits in
            [Table.Cell(word.description), Table.Cell(hits.category)] + numbers(hits.names)
                + [Table.Cell(hits.examples.map(\.description).joined(separator: ", "))]
        }
        return table(["word", "category"], areChanged ? ["before", "after"] : ["names"], ["examples"], rows)
    }

    /// The names that are newly refused or newly free, the first of each.
    func differences(_ measured: WordMeasurement) -> [String] {
        let rows = (measured.newlyRefused.first + measured.newlyFree.first).map { difference in
            [
                difference.name.description, difference.isRefused ? "refused" : "free",
                difference.word.word.description, difference.way.rawValue, difference.word.category,
            ].map { Table.Cell($0) }
        }
        let isCut = rows.count < measured.newlyRefused.count + measured.newlyFree.count
        return table(["name", "change", "word", "way", "category"], [], [], rows)
            + (isCut ? ["…  (\(WordMeasurement.mostDifferences) of each at most; --newly FILE gets all)"] : [])
    }

    /// The disguises of words by kind.
    func disguises(_ measured: DisguiseMeasurement) -> [String] {
        var rows = Disguise.Kind.allCases.map { row($0.rawValue, measured[$0]) }
        rows.append(row("all", measured.all))
        return table(["disguise"], ["tries"] + (areChanged ? shareTitles : ["refused", "%"]), ["not refused"], rows)
    }

    private func row(_ kind: String, _ tries: DisguiseMeasurement.Tries) -> [Table.Cell] {
        let missed = tries.missed.map { "\($0.name) (\($0.word))" }.joined(separator: ", ")
        return [Table.Cell(kind), Table.Cell(tries.count.grouped)] + shares(tries.refused, of: tries.count)
            + [Table.Cell(missed)]
    }

    /// The columns of ``shares(_:of:)``. ``Table`` knows columns by their titles, so the two of percents differ.
    private var shareTitles: [String] { areChanged ? ["before", "% before", "after", "% after"] : ["names", "%"] }

    private func shares(_ count: WordMeasurement.Count, of whole: Int) -> [Table.Cell] {
        (areChanged ? [count.before, count.after] : [count.after]).flatMap {
            [Table.Cell($0.grouped), Table.Cell($0.percent(of: whole))]
        }
    }

    private func numbers(_ count: WordMeasurement.Count) -> [Table.Cell] {
        (areChanged ? [count.before, count.after] : [count.after]).map { Table.Cell($0.grouped) }
    }

    private func table(
        _ first: [String], _ numbers: [String], _ last: [String], _ rows: [[Table.Cell]]
    ) -> [String] {
        let table = Table(
            first + numbers + last, soft: Set(last + ["category"]), numbers: Set(numbers), sample: rows, width: width,
            style: style)
        return table.lines(rows)
    }
}

extension Int {
    /// The share of a whole in percent, with three decimals.
    func percent(of whole: Int) -> String {
        whole == 0 ? "–" : String(format: "%.3f", Double(self) * 100 / Double(whole))
    }
}
