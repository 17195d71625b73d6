"""The field of the first step. Tests/HandleField tests the script itself: typing, announcements, failed checks."""
import re

import pytest
from playwright.sync_api import expect

from conftest import go_on, sign_in
from programs import Issuer, Page
from test_safety import Visitor

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


UNKNOWN = "We can't check this name just now. You can continue; we check it again then."


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
