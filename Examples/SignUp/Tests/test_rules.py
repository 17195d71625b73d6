"""The rules of form in the page's script are the same as in the service."""
import random

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", "_", "@", " \t\u00a0\u2003\u3000\u0085", "-.!'\"<>&",
    "ａｂｃＡＢＣ０１＿＠", "éüßñçåøœ", "e\u0301a\u0308", "\u212a\u037e\u1fef\u017f\u0130\u0131", "абвгд", "漢字かなｶﾞ", "💥👩‍👩‍👧🏽", "\u200b\u200d\u202e\ufeff",
    "ﬁﬂ①Ⅷ²", "각",
]


def names():
    generator = random.Random(20_000)
    for number in range(20_000):
        # Every second name has only allowed characters, except for one at most.
        plain = number % 2 == 0
        length = generator.choice([0, 1, 2, 3, 3, 4, 8, 14, 15, 15, 16, 17, 30])
        letters = [generator.choice(generator.choice(ALPHABETS[:4] if plain else ALPHABETS)) for _ in range(length)]
        if plain and letters and generator.random() < 0.5:
            letters[generator.randrange(length)] = generator.choice(generator.choice(ALPHABETS))
        yield "".join(letters)


def test_the_page_and_the_service_find_the_same_rule_for_20_000_names(signed_in, site):
    typed = list(names())
    on_page = signed_in.evaluate("""async (names) => {
        const { brokenRule } = await import(document.querySelector("script").src);
        return names.map((name) => brokenRule(name)?.code ?? "");
    }""", typed)
    in_service = []
    for start in range(0, len(typed), 1000):
        answer = site.registry.call("POST", "/v1/availability", {"handles": typed[start:start + 1000]})
        in_service += [one["reasons"][0]["code"] if one["status"] == "invalid" else "" for one in answer["results"]]
    different = [(name, page, service) for name, page, service in zip(typed, on_page, in_service)
                 if page != service]
    assert different == []
    assert 2000 < in_service.count("") < 18_000
