import Foundation
import HandleRegistry
import Testing

@Suite struct JSONWriterTests {
    @Test func writtenJSONIsReadBackByAParser() throws {
        let texts = [
            "", "plain", "\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1f}\u{7f}", "é日本😀", "\u{2028}</script>",
            "a\u{85}\u{9B}\u{202E}b\u{E0001}",
        ]
        for text in texts {
            var json = JSONWriter()
            json.object { json in
                json.member("text", text)
                json.member("number", Int64.min)
                json.member("nothing", String?.none)
                json.key("list")
                json.array { json in
                    json.string(text)
                    json.object { _ in }
                    json.integer(7)
                }
            }
            let parsed = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
            #expect(parsed?["text"] as? String == text)
            #expect(parsed?["number"] as? Int64 == .min)
            #expect(parsed?["nothing"] is NSNull)
            let list = parsed?["list"] as? [Any]
            #expect(list?.count == 3)
            #expect(list?.first as? String == text)
        }
    }

    /// A terminal that shows the JSON must not obey its text, and not reorder it.
    @Test(arguments: [
        ("\u{0}\u{1B}\u{7F}", #"\u0000\u001b\u007f"#), ("\u{80}\u{85}\u{9B}\u{9F}", #"\u0080\u0085\u009b\u009f"#),
        ("\u{61C}\u{200E}\u{200F}", #"\u061c\u200e\u200f"#), ("\u{202A}\u{202E}", #"\u202a\u202e"#),
        ("\u{2066}\u{2069}", #"\u2066\u2069"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{FEFF}", #"\ufeff"#),
        ("\u{E0001}", #"\udb40\udc01"#), ("\u{A0}é日😀\u{FE0F}", "\u{A0}é日😀\u{FE0F}"), (#"é"\"#, #"é\"\\"#),
    ])
    func charactersThatControlATerminalAreEscaped(_ text: String, _ expected: String) {
        var json = JSONWriter()
        json.object {
            $0.key(name: text); $0.string(text)
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"\#(expected)":"\#(expected)"}"#)
    }
}
