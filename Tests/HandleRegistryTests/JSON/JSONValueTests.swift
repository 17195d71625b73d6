import Foundation
import HandleRegistry
import Testing

/// Valid and invalid JSON, case by case. The cases follow the grammar of RFC 8259, as well-known collections do.
@Suite struct JSONValueTests {
    private static func fault(
        _ bytes: some Sequence<UInt8>, _ strictness: JSONValue.Strictness = .callers
    ) -> JSONFault? {
        do throws(JSONFault) {
            _ = try JSONValue(reading: bytes, strictness)
            return nil
        } catch {
            return error
        }
    }

    private static func fault(_ text: String, _ strictness: JSONValue.Strictness = .callers) -> JSONFault? {
        fault(text.utf8, strictness)
    }

    @Test(arguments: [
        "{}", "[]", "0", "-0", "-1", "10", "true", "false", "null",
        #""""#, #""a""#, " \t\r\n[ 1 , 2 ]\n", #"{"a":1,"b":{"a":1}}"#, #"[{"a":1},{"a":2}]"#, #"{"a":[],"":[]}"#,
        #""\"\\\/\b\f\n\r\t""#, #""\u0000\u00e9\uD83D\uDE00""#, "\"\u{7F}\u{80}é€😀\u{10FFFF}\u{2028}\"", "\"\u{FEFF}\"",
        #"{"a":1,"A":2}"#, #"{"a\u0000":1,"a":2}"#, #"{"\ud83d\ude00":1,"\ud83d\ude01":2}"#, "[[[[[[[[[[1]]]]]]]]]]",
        "123456789012345678", #"{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1}"#,
    ]) func validJSONIsAccepted(_ text: String) {
        #expect(Self.fault(text) == nil)
    }

    private static let wrong: [(String, JSONFault.Kind)] = [
        ("", .empty), (" \n", .empty),
        // Commas, colons and brackets.
        ("[1,]", .trailingComma), (#"{"a":1,}"#, .trailingComma), ("[1, ]", .trailingComma), ("[,1]", .unexpected),
        ("[1,,2]", .unexpected), (#"{"a":1,,"b":2}"#, .unexpected), ("[1 2]", .unexpected),
        (#"["a" "b"]"#, .unexpected),
        (#"{"a" 1}"#, .unexpected), (#"{"a"::1}"#, .unexpected), (#"{"a",1}"#, .unexpected), (#"{:1}"#, .unexpected),
        ("{1:1}", .unexpected), ("{a:1}", .unexpected), ("{'a':1}", .unexpected), ("['a']", .unexpected),
        (#"["a":1]"#, .unexpected), ("[1}", .unexpected), (#"{"a":1]"#, .unexpected), ("]", .unexpected),
        ("[", .incomplete), ("{", .incomplete), ("[1", .incomplete), ("[1,", .incomplete), (#"{"a"#, .incomplete),
        (#"{"a""#, .incomplete), (#"{"a":"#, .incomplete), (#"{"a":1"#, .incomplete), (#"{"a":1,"#, .incomplete),
        ("[]]", .moreThanOneValue), ("{}{}", .moreThanOneValue), ("1 2", .moreThanOneValue),
        ("{} #", .moreThanOneValue),
        ("1\u{0}", .moreThanOneValue),
        // Words, comments and white space of other languages.
        ("True", .unexpected), ("nul", .incomplete), ("nulL", .unexpected), ("truee", .moreThanOneValue),
        ("NaN", .unexpected), ("Infinity", .unexpected), ("-Infinity", .badNumber), ("undefined", .unexpected),
        ("/**/1", .unexpected), ("1//", .moreThanOneValue), ("[1/**/]", .unexpected), ("\u{A0}1", .unexpected),
        ("\u{B}1", .unexpected), ("\u{C}1", .unexpected), ("[\u{2060}]", .unexpected), ("\u{0}", .unexpected),
        // Numbers.
        ("01", .badNumber), ("-01", .badNumber), ("00", .badNumber), ("-", .badNumber), ("+1", .unexpected),
        ("--1", .badNumber), ("1.", .badNumber), (".5", .unexpected), ("-.5", .badNumber), ("1.e1", .badNumber),
        ("1e", .badNumber), ("1e+", .badNumber),
        ("0x1F", .moreThanOneValue), ("1_000", .moreThanOneValue), ("1 000", .moreThanOneValue), ("１", .unexpected),
        ("- 1", .badNumber), ("0e", .badNumber), ("[-]", .badNumber), ("[1e]", .badNumber), ("[01]", .badNumber),
        // Strings.
        (#"""#, .incomplete), (#""a"#, .incomplete), (#""\"#, .incomplete), (#""\""#, .incomplete),
        ("\"\u{0}\"", .controlCharacter(0)), ("\"a\nb\"", .controlCharacter(10)), ("\"\t\"", .controlCharacter(9)),
        ("\"\u{1F}\"", .controlCharacter(31)), ("{\"a\rb\":1}", .controlCharacter(13)), (#""\x41""#, .badEscape),
        (#""\a""#, .badEscape), (#""\U0041""#, .badEscape), (#""\u""#, .badEscape), (#""\u00""#, .badEscape),
        (#""\u004""#, .badEscape), (#""\u00G1""#, .badEscape), (#""\u+041""#, .badEscape), (#""\é""#, .badEscape),
        (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate), (#""\ud800\ud800""#, .loneSurrogate),
        (#""\ud800\n""#, .loneSurrogate), (#""\ud800x""#, .loneSurrogate), (#""\ud83d\u""#, .loneSurrogate),
        (#""\udc00\ud800""#, .loneSurrogate), (#""\ud800\u0041""#, .loneSurrogate),
        // Names.
        (#"{"a":1,"a":1}"#, .repeatedName), (#"{"a":1,"b":2,"\u0061":3}"#, .repeatedName),
        (#"{"/":1,"\/":2}"#, .repeatedName), (#"{"":1,"":2}"#, .repeatedName), (#"[[{"a":1,"a":2}]]"#, .repeatedName),
        (#"{"x":{"a":1,"b":[{"c":1,"c":2}]}}"#, .repeatedName), (#"{"\ud83d\ude00":1,"😀":2}"#, .repeatedName),
        ("{\"e\u{301}\":1,\"é\":2}", .repeatedName), (#"{"a\u0000":1,"a\u0000":2}"#, .repeatedName),
        (#"{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"8":1}"#, .repeatedName),
        (#"{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"1":1}"#, .repeatedName),
        ("\u{FEFF}{}", .byteOrderMark),
    ]

    @Test(arguments: wrong) func invalidJSONIsRefusedWithItsFault(_ text: String, _ kind: JSONFault.Kind) {
        #expect(Self.fault(text)?.kind == kind)
    }

    @Test(
        arguments: [
            [0xFF], [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x7B, 0x00, 0x7D, 0x00, 0xFF],
            [0xFE, 0xFF, 0x00, 0x31],
        ] as [[UInt8]]) func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8])
    {
        #expect(Self.fault(bytes)?.kind == .notUTF8)
    }

    @Test func fractionsAreRefusedWhereOnlyIntegersAreAllowed() {
        for text in ["1.0", "1e0", "1E5", "-0.0", "-0.5e-10", "1E+2", "20e0", "[1,2.5]", #"{"a":60.0}"#] {
            #expect(Self.fault(text)?.kind == .fraction)
            #expect(Self.fault(text, .issuers) == nil)
        }
        for text in ["0", "-0", "-12", "[1,2,3]", "999999999999999999"] { #expect(Self.fault(text) == nil) }
        #expect(Self.fault("1234567890123456789")?.kind == .hugeNumber)
        #expect(Self.fault("123456789012345678901234567890", .issuers) == nil)
        for text in ["1e1.5", "1.2.3"] { #expect(Self.fault(text, .issuers)?.kind == .moreThanOneValue) }
    }

    @Test func faultHasItsPathAndOffset() throws {
        let text = #"{"a":[1,{"b\n":[true,"x",01]}]}"#
        let fault = try #require(Self.fault(text))
        #expect(fault.path == ["a", "1", "b\n", "2"] && fault.offset == 25 && fault.kind == .badNumber)
        let repeated = try #require(Self.fault(#"{"a":{"b":1,"b":2}}"#))
        #expect(repeated.path == ["a", "b"] && repeated.offset == 12)
    }

    @Test(
        arguments: [
            (#"{"x":{"a":1,"a":2}}"#, nil), (#"{"x":[{"a":1,"a":2}],"y":{"a":1}}"#, nil), (#"[{"a":1,"a":2}]"#, nil),
            (#"{"a":1,"b":{"a":1},"a":2}"#, .repeatedName), (#"{"x":{"a":1,"a":2},"\u0078":3}"#, .repeatedName),
            (#"{"x":{"a":1,"a":2,}}"#, .trailingComma),
        ] as [(String, JSONFault.Kind?)]) func namesOfTheOutermostObjectOnlyAreCheckedForIssuers(
            _ text: String, _ kind: JSONFault.Kind?
        )
    {
        #expect(Self.fault(text, .issuers)?.kind == kind)
    }

    @Test func nestingDepthIsLimited() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            #expect(Self.fault(nested(100)) == nil)
            #expect(Self.fault(nested(101))?.kind == .tooDeep)
            #expect(Self.fault(String(repeating: open, count: 1_000_000))?.kind == .tooDeep)
        }
    }
}
