import HandleRules

import CICU

/// Transliterates text of any script to ASCII.
package enum Transliteration {
    /// The words of a name in ASCII letters, in the order given: `Ольга Петрова` becomes `Olga`, `Petrova`.
    ///
    /// Signs inside a word (`O'Neill`) and characters without an ASCII form are left out.
    /// - Parameter text: at most ``longestText`` bytes of UTF-8 are read.
    package static func words(of text: String) -> [[UInt8]] {
        ascii(text).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
            .map { word in word.filter { isLetter($0) } }
            .filter { !$0.isEmpty }
    }

    /// `text` in ICU's closest ASCII form; empty when there is none.
    package static func ascii(_ text: String) -> [UInt8] {
        var text = String(decoding: text.utf8.prefix(longestText), as: UTF8.self)
        return text.withUTF8 { source in
            // ICU would not change it, and works for one task at a time.
            if source.allSatisfy({ $0 < 0x80 }) { return Array(source) }
            let capacity = source.count * 8 + 16
            return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                let written = source.withMemoryRebound(to: CChar.self) { source in
                    buffer.withMemoryRebound(to: CChar.self) { result in
                        cicu_transliterate(source.baseAddress, Int32(source.count), result.baseAddress, Int32(capacity))
                    }
                }
                count = max(0, Int(written))
            }
        }
    }

    /// The maximum number of bytes read of a name; no person's name is longer.
    package static let longestText = 256

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
