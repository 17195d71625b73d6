import HandleRules

import CICU

/// Normalises typed text to the form that the rules apply to, except that capitals are kept.
enum Normaliser {
    /// The code points of `input` without white space around them and one leading `@`, width-folded and composed.
    static func normalise(_ input: String) -> [Unicode.Scalar] {
        var scalars = Substring(input).unicodeScalars
        while let first = scalars.first, cicu_is_white_space(first.value) != 0 { scalars.removeFirst() }
        while let last = scalars.last, cicu_is_white_space(last.value) != 0 { scalars.removeLast() }
        if scalars.first == "@" { scalars.removeFirst() }
        return foldWidthAndCompose(scalars.map(\.value)).compactMap(Unicode.Scalar.init)
    }

    private static func foldWidthAndCompose(_ text: [UInt32]) -> [UInt32] {
        // An array with no capacity would write its count into the empty array that all threads share.
        if text.isEmpty { return [] }
        // Composing can make text up to three times as long (UAX #15).
        let capacity = text.count * 3
        return [UInt32](unsafeUninitializedCapacity: capacity) { buffer, count in
            let written = cicu_fold_width_and_compose(
                text, Int32(text.count), buffer.baseAddress, Int32(capacity))
            if written >= 0 {
                count = Int(written)
            } else {
                // Out of memory inside ICU: the unchanged text still has every character that a rule refuses.
                _ = buffer.initialize(from: text)
                count = text.count
            }
        }
    }
}
