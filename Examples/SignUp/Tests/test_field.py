"""The field of the first step: its messages while a person types."""
import random
import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from conftest import go_on, sign_in
from programs import Issuer, Page
from test_safety import Visitor

WATCH = """
() => {
    window.said = [];
    const status = document.getElementById("status");
    new MutationObserver(() => { if (status.textContent !== "") window.said.push(status.textContent); })
        .observe(status, { childList: true, characterData: true, subtree: true });
}
"""


def answer(page):
    return page.locator("#handle-answer")


def handle(page):
    return page.get_by_label("Handle", exact=True)


@pytest.mark.parametrize("typed, message", [
    ("-", "‘-’ can't be in a handle; use a–z, 0–9 and _."),
    ("jane roe", "A space can't be in a handle; use a–z, 0–9 and _."),
    ("jané", "‘é’ can't be in a handle; use a–z, 0–9 and _."),
    ("ja\u200bne", "U+200B can't be in a handle; use a–z, 0–9 and _."),
    ("_jane", "A handle can't start with an underscore; start with a letter or a digit."),
    ("12345", "A handle can't be digits only; add a letter."),
    ("abcdefghijklmnop", "A handle has at most 15 characters."),
])
def test_broken_rules_are_shown_at_once_and_by_the_server_alike(signed_in, typed, message):
    page = signed_in
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/check" in request.url else None)
    handle(page).fill(typed if len(typed) > 1 else typed * 3)
    expect(answer(page)).to_have_text(message)
    assert asked == []
    go_on(page)
    expect(page.locator("#summary")).to_contain_text(message)
    expect(answer(page)).to_have_text(message)


def test_a_short_name_shows_no_fault_until_the_field_is_left(signed_in):
    page = signed_in
    handle(page).press_sequentially("ja")
    expect(answer(page)).to_have_text("")
    page.keyboard.press("Tab")
    expect(answer(page)).to_have_text("A handle has at least 3 characters.")
    handle(page).press_sequentially("n")
    expect(answer(page)).not_to_have_text("A handle has at least 3 characters.")


def test_a_chosen_suggestion_fills_the_field_and_is_checked(signed_in, site, person):
    page = signed_in
    site.registry.claim(person)
    handle(page).fill(person)
    expect(page.locator("#suggestions button")).to_have_count(5)
    name = page.locator("#suggestions button").nth(1).text_content()
    page.locator("#suggestions button").nth(1).click()
    expect(handle(page)).to_be_focused()
    expect(handle(page)).to_have_value(name)
    expect(answer(page)).to_have_text(f"{name} is available.")
    expect(page.locator("#suggestions")).to_be_hidden()


@pytest.fixture
def stopped(signed_in):
    """The first step with a clock that the test controls. Only the clock of the page: the server runs in real time."""
    signed_in.clock.install()
    signed_in.reload()
    signed_in.clock.pause_at(datetime.now() + timedelta(days=1))
    signed_in.evaluate(WATCH)
    return signed_in


def type_word(page, word, pause=80):
    """Types keys, with a pause between them on the page's clock."""
    for number, key in enumerate(word):
        if number:
            page.clock.run_for(pause)
        page.keyboard.type(key)


def test_the_check_begins_300_ms_after_the_last_key(stopped, person):
    page = stopped
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/check" in request.url else None)
    handle(page).focus()
    type_word(page, person + "_12")
    expect(answer(page)).to_have_text(f"Checking {person}_12…")
    page.clock.run_for(299)
    assert asked == []
    with page.expect_response("**/check?*"):
        page.clock.run_for(1)
    expect(answer(page)).to_have_text(f"{person}_12 is available.")
    page.clock.run_for(60_000)
    assert len(asked) == 1


def test_a_screen_reader_gets_one_true_sentence_after_each_pause(stopped, site, person):
    page = stopped
    status = page.locator("#status")
    site.registry.claim(person)
    handle(page).focus()

    def type_and_check(word, text):
        type_word(page, word)
        expect(status).to_have_text("")
        page.clock.run_for(300)
        expect(answer(page)).to_have_text(text)
        # The message is shown. It is not announced yet, because a screen reader still echoes the keys.
        page.clock.run_for(700)
        expect(status).to_have_text("")
        page.clock.run_for(50)

    type_and_check(person, "This name is taken.")
    taken = "This name is taken. 5 free names like it are listed below."
    expect(status).to_have_text(taken)
    type_and_check("_a", f"{person}_a is available.")
    expect(status).to_have_text(f"{person}_a is available.")
    type_and_check("-", "‘-’ can't be in a handle; use a–z, 0–9 and _.")
    expect(status).to_have_text("‘-’ can't be in a handle; use a–z, 0–9 and _.")
    page.clock.run_for(60_000)
    assert page.evaluate("said") == [
        taken, f"{person}_a is available.", "‘-’ can't be in a handle; use a–z, 0–9 and _."]


def test_a_late_answer_is_announced_when_it_arrives(stopped, person):
    page = stopped
    held = []
    page.route("**/check?*", lambda route: held.append(route))
    handle(page).focus()
    type_word(page, person)
    with page.expect_request("**/check?*"):
        page.clock.run_for(2000)
    assert page.evaluate("said") == []
    held[0].continue_()
    expect(page.locator("#status")).to_have_text(f"{person} is available.")


def test_late_answers_are_never_shown_for_another_text(stopped, site, person):
    """200 words, each answer 0 to 2 seconds late. This `fetch` ignores `abort`, so aborted requests are answered too."""
    page = stopped
    generator = random.Random(7)
    for taken in range(0, 200, 40):
        site.registry.claim(f"{person}_{taken}")
    page.evaluate("""() => {
        const fetched = window.fetch;
        let seed = 7;
        window.late = 0;
        window.fetch = async (address) => {
            const answer = await fetched(address);
            seed = seed * 48271 % 2147483647;
            await new Promise(resolve => setTimeout(resolve, seed % 2000));
            window.late += 1;
            return answer;
        };
        const field = document.getElementById("handle"), answer = document.getElementById("handle-answer");
        window.foreign = [];
        new MutationObserver(() => {
            const text = answer.textContent;
            const about = /^(\\S+) is available\\.$/.exec(text)?.[1] ?? /^Checking (\\S+)…$/.exec(text)?.[1];
            if (about !== undefined && about !== field.value) window.foreign.push([about, field.value]);
            if (/taken/.test(text) && !/_(0|40|80|120|160)$/.test(field.value)) window.foreign.push([text, field.value]);
        }).observe(answer, { childList: true, characterData: true, subtree: true });
    }""")
    for number in range(200):
        handle(page).fill(f"{person}_{number}")
        page.clock.run_for(generator.choice([0, 20, 310, 700, 1500]))
    # All answers arrive, and the answer for the last word is shown.
    handle(page).fill(f"{person}_end")
    for _ in range(1000):
        page.clock.run_for(100)
        if "is available" in answer(page).text_content():
            break
    expect(answer(page)).to_have_text(f"{person}_end is available.")
    assert page.evaluate("late") > 50
    assert page.evaluate("foreign") == []


UNKNOWN = "We can't check this name just now. You can continue; we check it again then."


@pytest.mark.parametrize("fault", ["connection reset", "500", "503", "429", "a page of a proxy", "another name"])
def test_a_failed_check_is_shown_and_retried(signed_in, person, fault):
    page = signed_in
    left = [2]

    def meet(route):
        if left[0] == 0:
            return route.fallback()
        left[0] -= 1
        match fault:
            case "connection reset": route.abort("connectionreset")
            case "500": route.fulfill(status=500)
            case "503": route.fulfill(status=503, headers={"Retry-After": "1"})
            case "429": route.fulfill(status=429, headers={"Retry-After": "1"})
            case "a page of a proxy": route.fulfill(status=200, body="<title>Welcome</title>", content_type="text/html")
            case "another name":
                route.fulfill(status=200, json={"input": "other", "handle": "other", "display": "other",
                                                "status": "available", "reasons": [], "suggestions": []})

    page.route("**/check?*", meet)
    page.evaluate("""() => {
        window.shown = [];
        const answer = document.getElementById("handle-answer");
        new MutationObserver(() => window.shown.push(answer.textContent))
            .observe(answer, { childList: true, characterData: true, subtree: true });
    }""")
    handle(page).fill(person)
    expect(answer(page)).to_have_text(f"{person} is available.")
    shown = page.evaluate("shown")
    assert shown[0] == f"Checking {person}…"
    assert set(shown[1:-1]) == {UNKNOWN}
    assert left == [0]
    expect(handle(page)).to_have_value(person)


def test_a_registry_outage_is_shown_and_the_page_continues_after_it(signed_in, site, person):
    page = signed_in
    site.registry.stop()
    try:
        handle(page).fill(person)
        expect(answer(page)).to_have_text(UNKNOWN)
        go_on(page)
        expect(page.get_by_text("We can't reach the service just now. Try again.")).to_be_visible()
        expect(handle(page)).to_have_value(person)
        expect(answer(page)).not_to_contain_text("is available")
    finally:
        site.registry.start()
    # The page retries without an action of the person.
    expect(answer(page)).to_have_text(f"{person} is available.", timeout=60_000)
    go_on(page)
    expect(page).to_have_url(site.url + "/name")
    page.get_by_label("Name", exact=True).fill("Jane")
    site.registry.stop()
    try:
        go_on(page)
        expect(page.get_by_text("We can't reach the service just now. Try again.")).to_be_visible()
        expect(page.get_by_label("Name", exact=True)).to_have_value("Jane")
    finally:
        site.registry.start()
    # The second step retries too, with the same claim.
    expect(page).to_have_url(site.url + "/done", timeout=90_000)


def test_an_issuer_outage_is_shown_and_keeps_the_session(folder, registry, site, page, person):
    issuer = Issuer(folder, lifetime=1).start()
    own = Page(folder, registry, issuer).start()
    try:
        sign_in(page, own, person)
        issuer.stop()
        # Reloads until a refresh of the tokens has failed.
        for _ in range(1000):
            page.reload()
            expect(page).to_have_url(own.url + "/handle")
            if "tokens were not renewed" in own.log.read_text():
                break
        assert "tokens were not renewed" in own.log.read_text()
        # The answer of the issuer to the last sign-in counts for a second.
        for _ in range(1000):
            if Visitor(own).send("GET", "/sign-in").status == 503:
                break
        other = page.context.browser.new_context()
        visitor = other.new_page()
        visitor.goto(own.url + "/sign-in")
        expect(visitor.get_by_role("heading")).to_have_text("We can't reach the sign-in service just now")
        issuer.start()
        # The page continues without an action of the person.
        expect(visitor).to_have_url(re.compile(re.escape(issuer.url) + "/authorize"), timeout=60_000)
        other.close()
    finally:
        own.stop()
        issuer.stop()
