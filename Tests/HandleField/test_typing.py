"""The field while a person types: messages, requests, announcements and suggestions."""
import random
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import asked, box, decision, eventually, expect_state, field, message, refusal, type_word


@pytest.mark.parametrize("typed, code, text", [
    ("---", "invalid_character", "‘-’ can't be in a handle; use a–z, 0–9 and _."),
    ("jane roe", "invalid_character", "A space can't be in a handle; use a–z, 0–9 and _."),
    ("jané", "invalid_character", "‘é’ can't be in a handle; use a–z, 0–9 and _."),
    ("ja\u200bne", "invalid_character", "U+200B can't be in a handle; use a–z, 0–9 and _."),
    ("_jane", "leading_underscore", "A handle can't start with an underscore; start with a letter or a digit."),
    ("12345", "all_digits", "A handle can't be digits only; add a letter."),
    ("abcdefghijklmnop", "too_long", "A handle has at most 15 characters."),
])
def test_broken_rules_are_shown_at_once_without_a_request(page, site, typed, code, text):
    site.open(page)
    box(page).fill(typed)
    expect_state(page, "malformed")
    expect(message(page)).to_have_text(text)
    expect(box(page)).to_have_attribute("aria-invalid", "true")
    current = page.evaluate("document.querySelector('handle-field').current")
    assert (current["input"], current["handle"]) == (typed, None)
    assert [(one["code"], one["message"]) for one in current["reasons"]] == [(code, text)]
    assert asked(page) == 0


def test_a_short_name_shows_no_fault_until_the_field_is_left(page, site):
    site.open(page)
    box(page).press_sequentially("ja")
    expect_state(page, "empty")
    expect(message(page)).to_have_text("")
    page.keyboard.press("Tab")
    expect_state(page, "malformed")
    expect(message(page)).to_have_text("A handle has at least 3 characters.")
    box(page).fill("")
    expect_state(page, "empty")
    expect(message(page)).to_have_text("")
    # From here on, the next name is a new one.
    box(page).press_sequentially("ja")
    expect(message(page)).to_have_text("")
    expect(box(page)).not_to_have_attribute("aria-invalid", "true")


def test_white_space_alone_counts_as_no_name(page, site):
    site.open(page)
    box(page).press_sequentially(" @")
    expect(message(page)).to_have_text("")
    page.keyboard.press("Tab")
    expect_state(page, "empty")
    expect(message(page)).to_have_text("Type a handle.")


@pytest.mark.parametrize("typed, state, text", [
    ("taken", "unavailable", "This name is taken."),
    ("admin", "unavailable", "This name is reserved; choose another."),
    ("adm1n", "unavailable", "This name is reserved; choose another."),
    ("fuck_you", "unavailable", "This name can't be used; choose another."),
    ("free", "available", "{} is available."),
    ("full-width", "available", "{} is available."),
])
def test_the_decision_of_the_service_is_shown(page, site, name, typed, state, text):
    site.open(page)
    shown = name.capitalize()
    if typed == "taken":
        site.registry.claim(name)
        typed = shown
    elif typed == "free":
        typed = f" @{shown} "
    elif typed == "full-width":
        typed = shown.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    box(page).fill(typed)
    expect_state(page, state)
    expect(message(page)).to_have_text(text.replace("{}", shown))
    assert (box(page).get_attribute("aria-invalid") == "true") == (state == "unavailable")


@pytest.mark.parametrize("code", ["owner_locked", "too_many_changes"])
def test_a_person_who_can_not_have_other_names_is_offered_none(page, site, name, code):
    reason = {"code": code, "message": "Not before 2027.", "until": "2027-01-01T00:00:00Z"}
    other = {"handle": name + "_a", "display": name + "_a", "method": "affix"}
    page.route("**/v1/availability?*", lambda route: route.fulfill(**refusal(
        200, json=decision(name, status="unavailable", reasons=[reason], suggestions=[other]))))
    site.open(page)
    box(page).fill(name)
    expect_state(page, "unavailable")
    expect(message(page)).to_have_text("Not before 2027.")
    expect(page.locator(".handle-suggestions")).to_be_hidden()
    current = page.evaluate("document.querySelector('handle-field').current")
    assert (current["reasons"], current["suggestions"]) == ([reason], [])


def test_the_check_begins_300_ms_after_the_last_key_with_one_plain_request(stopped, site, name):
    page = stopped
    page.evaluate("document.querySelector('handle-field').setAttribute('name', 'Jané Roe')")
    page.evaluate("document.querySelector('handle-field').setAttribute('suggestions', '7')")
    sent = []
    page.on("request", lambda request: sent.append(request) if "/v1/" in request.url else None)
    box(page).focus()
    type_word(page, name + "_12")
    expect(message(page)).to_have_text(f"Checking {name}_12…")
    page.clock.run_for(299)
    assert asked(page) == 0
    page.clock.run_for(1)
    assert asked(page) == 1
    expect(message(page)).to_have_text(f"{name}_12 is available.")
    page.clock.run_for(60_000)
    assert asked(page) == 1
    address = urllib.parse.urlsplit(sent[0].url)
    query = dict(urllib.parse.parse_qsl(address.query, strict_parsing=True))
    assert address.path == "/v1/availability" and sent[0].method == "GET"
    assert re.fullmatch("[a-z0-9]{5,}", query.pop("session"))
    assert query == {"handle": name + "_12", "seq": "1", "name": "Jané Roe", "suggestions": "7"}
    headers = sent[0].all_headers()
    assert "authorization" not in headers and "cookie" not in headers
    assert len(page.evaluate("document.querySelector('handle-field').current.suggestions")) == 7
    # An available name needs no suggestions, so they are only in the event.
    expect(page.locator(".handle-suggestions")).to_be_hidden()


def test_the_name_of_the_person_leads_to_suggestions(page, site, name):
    site.registry.claim(name)
    site.open(page, attributes='name="Jane Heron" suggestions="20"')
    box(page).fill(name)
    expect(page.locator(".handle-suggestions button")).to_have_count(20)
    assert any("heron" in one.lower() for one in page.locator(".handle-suggestions button").all_text_contents())


def test_a_newer_key_aborts_the_request(stopped, name):
    page = stopped
    held = []
    page.route("**/v1/availability?*", lambda route: held.append(route))
    box(page).fill(name)
    page.clock.run_for(300)
    eventually(page, lambda: len(held) == 1)
    with page.expect_event("requestfailed") as failed:
        page.keyboard.type("x")
    assert failed.value.failure == "net::ERR_ABORTED"
    page.unroute("**/v1/availability?*")
    page.clock.run_for(300)
    expect(message(page)).to_have_text(f"{name}x is available.")
    numbers = [urllib.parse.parse_qs(urllib.parse.urlsplit(url).query) for _, url in page.evaluate("asked")]
    assert [one["seq"] for one in numbers] == [["1"], ["2"]]
    assert numbers[0]["session"] == numbers[1]["session"]


def test_a_screen_reader_gets_one_true_sentence_after_each_pause(stopped, site, name):
    page = stopped
    status = page.get_by_role("status")
    page.evaluate("""() => {
        window.said = [];
        const status = document.querySelector(".handle-status");
        new MutationObserver(() => { if (status.textContent !== "") window.said.push(status.textContent); })
            .observe(status, { childList: true, characterData: true, subtree: true });
    }""")
    site.registry.claim(name)
    box(page).focus()

    def type_and_check(word, text):
        type_word(page, word)
        expect(status).to_have_text("")
        page.clock.run_for(300)
        expect(message(page)).to_have_text(text)
        # The message is shown. It is not announced yet, because a screen reader still echoes the keys.
        page.clock.run_for(719)
        assert status.text_content() == ""
        page.clock.run_for(1)

    taken = "This name is taken. 5 free names like it are listed below."
    type_and_check(name, "This name is taken.")
    expect(status).to_have_text(taken)
    type_and_check("_a", f"{name}_a is available.")
    expect(status).to_have_text(f"{name}_a is available.")
    fault = "‘-’ can't be in a handle; use a–z, 0–9 and _."
    type_and_check("-", fault)
    expect(status).to_have_text(fault)
    page.clock.run_for(60_000)
    assert page.evaluate("said") == [taken, f"{name}_a is available.", fault]


def test_a_late_answer_is_announced_when_it_arrives(stopped, name):
    page = stopped
    held = []
    page.route("**/v1/availability?*", lambda route: held.append(route))
    box(page).fill(name)
    page.clock.run_for(2000)
    eventually(page, lambda: held)
    expect(message(page)).to_have_text(f"Checking {name}…")
    assert page.get_by_role("status").text_content() == ""
    held[0].continue_()
    expect(page.get_by_role("status")).to_have_text(f"{name} is available.")


def test_late_answers_are_never_shown_for_another_text(stopped, site, name):
    """200 words, each answer 0 to 2 seconds late. This `fetch` ignores `abort`, so aborted requests are answered too."""
    page = stopped
    generator = random.Random(7)

    def answer(route):
        handle = urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query)["handle"][0]
        number = handle.rsplit("_", 1)[1]
        is_taken = number.isdigit() and int(number) % 40 == 0
        taken = {"status": "unavailable", "reasons": [{"code": "taken", "message": "This name is taken."}]}
        route.fulfill(**refusal(200, json=decision(handle, **(taken if is_taken else {}))))

    page.route("**/v1/availability?*", answer)
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
        const input = document.getElementById("handle"), message = document.querySelector(".handle-message");
        const field = document.querySelector("handle-field");
        window.foreign = [];
        new MutationObserver(() => {
            const text = message.textContent;
            const about = /^(\\S+) is available\\.$/.exec(text)?.[1] ?? /^Checking (\\S+)…$/.exec(text)?.[1];
            if (about !== undefined && about !== input.value) window.foreign.push([about, input.value]);
            if (/taken/.test(text) && !/_(0|40|80|120|160)$/.test(input.value)) window.foreign.push([text, input.value]);
            if (field.current.input !== input.value) window.foreign.push([field.current.input, input.value]);
        }).observe(message, { childList: true, characterData: true, subtree: true });
    }""")
    for number in range(200):
        box(page).fill(f"{name}_{number}")
        page.clock.run_for(generator.choice([0, 20, 310, 700, 1500]))
    box(page).fill(f"{name}_end")

    def is_found():
        page.clock.run_for(100)
        return "is available" in message(page).text_content()

    eventually(page, is_found)
    expect(message(page)).to_have_text(f"{name}_end is available.")
    assert page.evaluate("late") > 50
    assert page.evaluate("foreign") == []


def test_a_chosen_suggestion_fills_the_field_and_is_checked_without_sending_the_form(page, site, name):
    site.registry.claim(name)
    site.open(page)
    page.evaluate("""() => {
        // As in React, which gives each input a setter of its own, and skips events after values that it set itself.
        const input = document.getElementById("handle");
        const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
        let known = input.value;
        Object.defineProperty(input, "value", {
            get() { return get.call(this); }, set(value) { known = value; set.call(this, value); },
        });
        window.seen = [];
        input.addEventListener("input", () => { if (input.value !== known) window.seen.push(known = input.value); });
    }""")
    box(page).fill(name)
    expect(page.locator(".handle-suggestions button")).to_have_count(5)
    button = page.locator(".handle-suggestions button").nth(1)
    chosen = button.text_content()
    button.click()
    expect(box(page)).to_be_focused()
    expect(box(page)).to_have_value(chosen)
    assert page.evaluate("[handle.selectionStart, handle.selectionEnd]") == [len(chosen)] * 2
    expect(message(page)).to_have_text(f"{chosen} is available.")
    expect(page.locator(".handle-suggestions")).to_be_hidden()
    assert page.evaluate("seen.at(-1)") == chosen
    assert site.forms == []


def test_suggestions_can_be_chosen_with_the_keyboard_alone(page, site, name):
    site.registry.claim(name)
    site.open(page)
    box(page).press_sequentially(name)
    expect(page.locator(".handle-suggestions button")).to_have_count(5)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    chosen = page.locator(".handle-suggestions button").nth(1)
    expect(chosen).to_be_focused()
    text = chosen.text_content()
    page.keyboard.press("Enter")
    expect(box(page)).to_be_focused()
    expect(box(page)).to_have_value(text)
    assert site.forms == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/sent")
    assert site.forms == [{"handle": text}]


def test_enter_sends_the_typed_name_in_every_state(page, site, name):
    site.registry.claim(name)
    for typed, state in ((name, "unavailable"), (name + "_a", "available"), ("a-b", "malformed")):
        site.open(page)
        box(page).press_sequentially(typed)
        expect_state(page, state)
        page.keyboard.press("Enter")
        page.wait_for_url("**/sent")
        assert site.forms == [{"handle": typed}]


def compose(page, text):
    """Shows a text that an input method still composes."""
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    session.detach()


def commit(page, text):
    session = page.context.new_cdp_session(page)
    session.send("Input.insertText", {"text": text})
    session.detach()


def test_a_text_shows_no_fault_while_an_input_method_composes_it(stopped):
    page = stopped
    box(page).focus()
    for text in ("に", "にほ", "にほん"):
        compose(page, text)
        page.clock.run_for(3000)
        expect(box(page)).to_have_value(text)
        expect_state(page, "empty")
        assert message(page).text_content() == page.get_by_role("status").text_content() == ""
    commit(page, "日本語")
    expect_state(page, "malformed")
    expect(message(page)).to_have_text("‘日’ can't be in a handle; use a–z, 0–9 and _.")
    assert asked(page) == 0


def test_a_composed_text_is_judged_when_it_is_committed_unchanged(stopped):
    page = stopped
    box(page).focus()
    compose(page, "にほん")
    expect_state(page, "empty")
    commit(page, "にほん")
    expect_state(page, "malformed")
    expect(message(page)).to_have_text("‘に’ can't be in a handle; use a–z, 0–9 and _.")


def test_a_composed_word_is_checked_as_keyboards_of_phones_compose_every_word(stopped, name):
    page = stopped
    box(page).focus()
    compose(page, name)
    page.clock.run_for(300)
    expect(message(page)).to_have_text(f"{name} is available.")
    commit(page, name)
    page.clock.run_for(60_000)
    expect_state(page, "available")
    assert asked(page) == 1


def test_an_answer_about_the_text_before_a_composition_is_not_shown(stopped, name):
    page = stopped
    held = []
    page.route("**/v1/availability?*", lambda route: held.append(route))
    box(page).fill(name)
    page.clock.run_for(300)
    eventually(page, lambda: held)
    page.keyboard.press("End")
    compose(page, "に")
    expect(message(page)).to_have_text("")
    assert page.evaluate("ended") == 1
    assert page.evaluate("events.at(-1).state") == "empty"


def test_events_tell_each_state_with_its_text(page, site, name):
    site.registry.claim(name)
    site.open(page)
    box(page).press_sequentially("f-")
    box(page).fill(name.upper())
    expect_state(page, "unavailable")
    events = page.evaluate("events")
    assert [(one["state"], one["input"]) for one in events] == [
        ("empty", "f"), ("empty", "f-"), ("checking", name.upper()), ("unavailable", name.upper())]
    assert all(set(one) == {"state", "input", "handle", "display", "reasons", "suggestions"} for one in events)
    assert [(one["handle"], one["display"]) for one in events[1:]] == [(None, None), *[(name, name.upper())] * 2]
    assert events[-1]["reasons"] == [{"code": "taken", "message": "This name is taken."}]
    assert len(events[-1]["suggestions"]) == 5 and set(events[-1]["suggestions"][0]) == {"handle", "display", "method"}
    assert page.evaluate("document.querySelector('handle-field').current") == events[-1]


def test_a_reset_of_the_form_empties_the_field(page, site, name):
    site.open(page)
    box(page).fill("a-b")
    expect_state(page, "malformed")
    page.evaluate("document.forms[0].reset()")
    expect_state(page, "empty")
    expect(message(page)).to_have_text("")


def test_a_text_that_the_browser_restores_is_checked(page, site, name):
    site.open(page)
    box(page).fill(name)
    expect_state(page, "available")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/sent")
    page.go_back()
    expect(box(page)).to_have_value(name)
    expect_state(page, "available")
