import Foundation
import Testing
import WireJSON

@Suite struct JSONWriterTests {
    @Test func writtenJSONIsReadBackByAParser() throws {
        let texts = ["", "plain", "\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1f}\u{7f}", "é日本😀", "\u{2028}</script>"]
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

    @Test func writtenMembersKeepTheirOrder() {
        var json = JSONWriter()
        json.object { json in
            json.member("b", 1)
            json.member("a", "x")
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"b":1,"a":"x"}"#)
    }
}
