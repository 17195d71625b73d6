import Testing

@testable import HandleWords

@Suite struct EncodedTextTests {
    @Test(arguments: [
        ("M&uuml;ller", "Müller"), ("&Uuml;nal", "Ünal"), ("O&#39;Neill", "O'Neill"), ("M&#252;ller", "Müller"),
        ("M&#xFC;ller", "Müller"), ("R&amp;B", "R&B"), ("M&amp;uuml;ller", "Müller"), ("Nestl&eacute;&reg;", "Nestlé®"),
        ("jane&nbsp;roe", "jane\u{A0}roe"), ("&yuml;&lt;&gt;&quot;&apos;", "ÿ<>\"'"),
        ("&unknown;", "&unknown;"), ("AT&T", "AT&T"), ("&;&#;&#x;&", "&;&#;&#x;&"),
        ("&#xD800;&#9999999999;", "&#xD800;&#9999999999;"),
    ])
    func entitiesAreReplaced(_ text: String, _ decoded: String) {
        #expect(EncodedText.decoded(text) == decoded)
    }

    @Test(arguments: [
        ("jane%20roe", "jane roe"), ("J%C3%BCrgen", "Jürgen"), ("j%c3%bcrgen", "jürgen"), ("50%25", "50%"),
        ("jane%2520roe", "jane roe"), ("%", "%"), ("100%", "100%"), ("100%20%", "100%20%"), ("%+1x", "%+1x"),
        ("M%FCller", "M%FCller"), ("%Ā0", "%Ā0"),
    ])
    func percentEncodingIsUndoneIfAllOfItIsUTF8(_ text: String, _ decoded: String) {
        #expect(EncodedText.decoded(text) == decoded)
    }

    @Test(arguments: [
        ("MÃ¼ller", "Müller"), ("Ã‰milie", "Émilie"), ("SÃ¸ren", "Søren"), ("MÃƒÂ¼ller", "Müller"),
        ("MÃœLLER", "MÜLLER"), ("Å½iÅ¾ek", "Žižek"), ("NIKEÂ®", "NIKE®"), ("RareÈ™", "Rareș"),
        ("Ð®Ð»Ð¸Ñ\u{8F}", "Юлия"), ("å±±ç”°", "山田"), ("Oâ€™Neill", "O’Neill"), ("M&Atilde;&frac14;ller", "Müller"),
        // Only a part was read wrongly, or nothing.
        ("MÃ¼ller 山", "MÃ¼ller 山"), ("Müller", "Müller"), ("Ã", "Ã"), ("Nestlé®", "Nestlé®"),
        ("CAFÉ™", "CAFÉ™"), ("NESTLÉ®", "NESTLÉ®"), ("RENÉ’S", "RENÉ’S"), ("Weiß–Gold", "Weiß–Gold"),
        ("", ""),
    ])
    func textThatWasReadAsWindows1252IsReadAsUTF8(_ text: String, _ decoded: String) {
        #expect(EncodedText.decoded(text) == decoded)
    }
}
