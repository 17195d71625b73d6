import HandleRules
import HandleWords

/// Laws that hold for any typed text. The fuzzer looks for input that breaks a law, and the tests replay the input that
/// the fuzzer kept.
package enum ReadingLaws {
    /// The first law that `input` breaks, as a sentence; nil if it breaks none.
    package static func broken(by input: String) -> String? {
        let reading = Reading(typed: input)
        guard let display = reading.display, let handle = reading.handle else {
            if reading.reasons.isEmpty { return "a name without a handle has a reason" }
            return areRepairsValid(for: input) ? nil : "a repair is valid and does not end with an underscore"
        }
        if !reading.reasons.isEmpty { return "a name with a handle has no reason" }
        if display.handle != handle { return "the display handle folds to the handle" }
        if display.letters.count != handle.letters.count { return "both have the same length" }
        if display.description.lowercased() != handle.description { return "they differ in capitals only" }
        if !Rules.length.contains(handle.letters.count) { return "a handle has 3 to 15 characters" }
        if Handle(handle.description) != handle { return "a handle can be read back" }
        for again in [display.description, handle.description, "@\(display)", " \(display)\n"] {
            if Reading(typed: again).handle != handle { return "reading what was read changes nothing" }
        }
        if LookalikeKey(handle) != LookalikeKey(display.letters) { return "capitals don't change the look-alike key" }
        if LookalikeKey(handle).letters.count > handle.letters.count { return "a key is no longer than its name" }
        return nil
    }

    private static let noWords = ReservedWords([])

    private static func areRepairsValid(for input: String) -> Bool {
        SuggestionSource(typed: input, words: noWords).cleaned.allSatisfy { repair in
            Reading(typed: repair.description).display == repair && repair.letters.last != UInt8(ascii: "_")
        }
    }

    /// The same for bytes that may not be UTF-8, read as the decoder repairs them.
    package static func broken(by bytes: some Collection<UInt8>) -> String? {
        broken(by: String(decoding: bytes, as: UTF8.self))
    }
}
