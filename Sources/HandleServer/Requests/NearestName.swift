extension [String] {
    /// The known name that a misspelt one most likely means; nil when none is close. Up to a third of the letters may
    /// differ, or letters may be missing at the end.
    package func nearest(to written: String) -> String? {
        guard written.utf8.count <= 64 else { return nil }
        let typed = Array<Character>(written.lowercased())
        let ranked = map { (name: $0, distance: typed.distance(to: Array<Character>($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance * 3 <= Swift.max(typed.count, 3) { return best.name }
        return typed.count < 3 ? nil : first { $0.hasPrefix(written.lowercased()) }
    }
}

extension [Character] {
    /// Number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other (the
    /// restricted Damerau–Levenshtein distance).
    fileprivate func distance(to other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array<Int>(0...other.count)
        for (i, letter) in enumerated() {
            var row = [i + 1]
            for (j, wanted) in other.enumerated() {
                var cost = Swift.min(last[j] + (letter == wanted ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, letter == other[j - 1], self[i - 1] == wanted {
                    cost = Swift.min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
