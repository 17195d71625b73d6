"""The rules of form in the script are the same as in the service."""
import itertools
import json
import urllib.parse
import urllib.request

from test_rules import names

SPECIAL = [
    "", " ", "@", "@@jane", "@ jane", " @jane", "@jane ", "\u3000jane\u3000", "\u0085jane\u2029", "\ufeffjane", "\u00a0@jane",
    "\u180ejane", "\u200bjane", "jane\u200d", "ｊａｎｅ", "＠ｊａｎｅ", "ＪＡＮＥ＿１", "１２３４", "ｱｲｳ", "ｶﾞｷﾞｸﾞ", "ﾎﾟ", "e\u0301e\u0301e\u0301", "a\u0308bc",
    "\u212aate", "ſam", "ıan", "İan", "ﬁne", "①②③", "²³¹", "각각각", "각각각", "🙂🙂🙂", "👩‍👩‍👧", "👍🏽ok", "🇩🇪🇩🇪", "\U0001d400bc",
    "a" * 2, "a" * 3, "a" * 15, "a" * 16, "a" * 200, " " * 90 + "jane" + " " * 90, "_", "__", "___", "_a_", "a__", "a_b", "0_0", "000", "00",
    "123456789012345", "1234567890123456", "_23456789012345", "ab\tc", "ab\nc", "ab\u0001c", "jane.roe",
    "jane-roe", "jané", "жанна", "漢字漢字", "שלום", "abc\u202edef", "a\u0300\u0301\u0302bcdefghijkl", "\u1100\u1161\u11a8bc",
]


def test_the_script_and_the_service_find_the_same_rule_and_handle(page, site):
    typed = SPECIAL + list(itertools.islice(names(), 400))
    site.open(page)
    in_script = page.evaluate("""async (names) => {
        const { brokenRule, fold } = await import("/handle-field.js");
        return names.map((name) => {
            const rule = brokenRule(name);
            return rule ? [rule.code, rule.length ?? rule.codepoint, rule.offset] : [fold(name)];
        });
    }""", typed)
    in_service = []
    for name in typed:
        query = urllib.parse.urlencode({"handle": name, "suggestions": 0})
        with urllib.request.urlopen(f"{site.registry.url}/v1/availability?{query}", timeout=60) as answer:
            found = json.load(answer)
        first = found["reasons"][0] if found["status"] == "invalid" else None
        in_service.append([first["code"], first.get("length", first.get("codepoint")), first.get("offset")] if first
                          else [found["display"]])
    different = [one for one in zip(typed, in_script, in_service) if one[1] != one[2]]
    assert different == []
    assert 50 < sum(len(one) == 1 for one in in_service) < 400
