import HandleCore
import HandleRegistry
import NameFiles
import WireJSON

extension MeasureReport {
    /// Writes the report as one object.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("names", words.names)
            json.member("malformed", counts[.invalid])
            json.member("unreadable", counts[.unreadable])
            json.key("refused")
            json.object { json in
                json.member("all", words.refused)
                json.member("disguises", words.disguises)
                for way in ReservedWord.Way.allCases { json.member(way.rawValue, words[way]) }
            }
            json.key("categories")
            json.object { json in
                for (category, count) in words.categories.sorted(by: { $0.key < $1.key }) {
                    json.member(category, count)
                }
            }
            json.key("words")
            json.array { json in
                for (word, hits) in words.topWords(words.words.count) { json.write(word, hits) }
            }
            json.key("newly")
            json.object { json in
                json.member("refused", words.newlyRefused.count)
                json.member("free", words.newlyFree.count)
            }
            if let keys { json.write(keys) }
            if let disguises { json.write(disguises) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ count: WordMeasurement.Count) {
        key(name: name)
        object { json in
            json.member("before", count.before)
            json.member("after", count.after)
        }
    }

    fileprivate mutating func write(_ word: PackedASCII, _ hits: WordMeasurement.Hits) {
        object { json in
            json.member("word", word)
            json.member("category", hits.category)
            json.member("names", hits.names)
            json.key("examples")
            json.array { json in
                for example in hits.examples { json.string(example) }
            }
        }
    }

    fileprivate mutating func write(_ keys: SharedKeys) {
        key("keys")
        object { json in
            json.member("names", keys.names)
            json.member("alike", keys.alike)
            json.member("groups", keys.groups)
        }
    }

    fileprivate mutating func write(_ measured: DisguiseMeasurement) {
        key("disguises")
        object { json in
            json.member("all", measured.all, hasExamples: false)
            for kind in Disguise.Kind.allCases { json.member(kind.rawValue, measured[kind], hasExamples: true) }
        }
    }

    private mutating func member(_ name: String, _ tries: DisguiseMeasurement.Tries, hasExamples: Bool) {
        key(name: name)
        object { json in
            json.member("tries", tries.count)
            json.member("refused", tries.refused)
            guard hasExamples else { return }
            json.key("missed")
            json.array { json in
                for missed in tries.missed {
                    json.object { json in
                        json.member("name", missed.name)
                        json.member("word", missed.word)
                    }
                }
            }
        }
    }
}
