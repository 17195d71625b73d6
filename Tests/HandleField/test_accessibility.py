"""Accessibility: axe in every state, and states that do not depend on colour."""
import pytest
from playwright.sync_api import expect

from browsers import COLOURS, axe_findings
from conftest import box, expect_state, message


@pytest.mark.parametrize("state", ["empty", "malformed", "checking", "available", "unavailable", "unknown"])
def test_axe_finds_no_violation_in_any_state(page, site, name, state):
    held = []
    site.registry.claim(name + "_t")
    if state == "checking":
        page.route("**/v1/availability?*", lambda route: held.append(route))
    if state == "unknown":
        page.route("**/v1/availability?*", lambda route: route.abort())
    site.open(page)
    box(page).fill({"empty": "", "malformed": "a-b", "unavailable": name + "_t"}.get(state, name))
    expect_state(page, state)
    # A page without a style sheet has buttons of the browser's size.
    assert [one for one in axe_findings(page, COLOURS) if one[2] != "target-size"] == []


def test_states_differ_in_their_words_and_not_only_in_colour(page, site, name):
    site.registry.claim(name)
    site.open(page)
    words = {}
    for typed, state in ((name, "unavailable"), (name + "_b", "available"), ("a-b", "malformed")):
        box(page).fill(typed)
        expect_state(page, state)
        words[state] = message(page).text_content()
    assert len(set(words.values())) == 3 and all(words.values())


def test_the_live_region_is_read_but_not_seen(page, site, name):
    site.open(page)
    box(page).fill(name)
    expect(page.get_by_role("status")).to_have_text(f"{name} is available.")
    size = page.get_by_role("status").bounding_box()
    assert size["width"] <= 1 and size["height"] <= 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_field_takes_neither_the_focus_nor_a_key(page, site, name):
    site.registry.claim(name)
    site.open(page)
    page.keyboard.press("Tab")
    expect(box(page)).to_be_focused()
    page.keyboard.type(name)
    expect_state(page, "unavailable")
    expect(box(page)).to_be_focused()
    page.evaluate("""window.taken = 0;
        document.addEventListener("keydown", (event) => { if (event.defaultPrevented) window.taken += 1; })""")
    for key in ("ArrowDown", "ArrowUp", "Escape", "Home", "End", "Enter"):
        if key == "Enter":
            page.evaluate("document.forms[0].addEventListener('submit', (event) => event.preventDefault())")
        page.keyboard.press(key)
        expect(box(page)).to_be_focused()
        expect(box(page)).to_have_value(name)
    assert page.evaluate("taken") == 0
