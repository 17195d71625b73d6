import HandleRules
import HandleWords
import Testing

@testable import HandleRegistry

@Suite struct AccessKeyTests {
    @Test func generatedKeyIsParsedBackFromItsText() throws {
        var texts: Set<String> = []
        for _ in 0..<1000 {
            let key = AccessKey.random()
            let read = try #require(AccessKey(key.text))
            #expect(read.hash == key.hash && read.id == key.id && key.id.count == 8)
            #expect(key.text.hasPrefix("hdl_") && key.text.count == 43)
            #expect(!"\(key)".contains(key.text) && !String(reflecting: key).contains(key.text))
            texts.insert(key.text)
        }
        #expect(texts.count == 1000)
    }

    /// Mistakes that people make when they copy a key by hand. The checksum finds every one of them, not only most.
    @Test func keyTextWithOneMistakeIsRejected() {
        let typed = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. é")
        for _ in 0..<5 {
            let key = Array(AccessKey.random().text)
            for place in key.indices {
                for character in typed where character != key[place] {
                    var wrong = key
                    wrong[place] = character
                    #expect(AccessKey(String(wrong)) == nil)
                }
                var shorter = key
                shorter.remove(at: place)
                #expect(AccessKey(String(shorter)) == nil)
                var swapped = key
                swapped.swapAt(place, min(place + 1, key.count - 1))
                #expect(swapped == key || AccessKey(String(swapped)) == nil)
            }
        }
    }

    @Test(arguments: [
        "", "hdl_", "hdl_abc", "test-key-0123456789", "key", "\u{0}", "hdl_" + String(repeating: "a", count: 39),
    ])
    func malformedKeyTextIsRejected(_ text: String) { #expect(AccessKey(text) == nil) }

    /// Databases store it. Computed by Python's hashlib.
    @Test func accessKeyHasTheStoredHashAndID() throws {
        let key = try #require(AccessKey("hdl_abcdefghijklmnopqrstuvwxyz234567atinjhy"))
        #expect(
            key.hash.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
                == "b0a866431abfe52447990f4c9ca09bc626dc3caafdfcea6f0d7bcff8113a78a3")
        #expect(key.id == "wcugmqy2")
    }
}
