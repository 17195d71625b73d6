extension Int {
    /// `1 field`, `2 fields`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

    /// The digits in groups of three: `1,234,567`.
    package var grouped: String {
        let digits = String(self)
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }
}
