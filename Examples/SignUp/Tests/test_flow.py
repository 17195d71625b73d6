"""The steps from the first page to the last one."""
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from conftest import go_on, sign_in
from programs import Issuer, Page


def finish(page, handle, name="Jane Roe"):
    page.get_by_label("Handle", exact=True).fill(handle)
    go_on(page)
    page.get_by_label("Name", exact=True).fill(name)
    go_on(page)


def owner_of(site, person):
    return f"{site.issuer.url}|{person}"


def handles_of(site, person):
    path = f"/v1/owners/{quote(owner_of(site, person), safe='')}/handles"
    return [(one["display"], one["state"]) for one in site.registry.call("GET", path)["handles"]]


def test_a_person_signs_in_and_gets_a_handle(signed_in, site, person):
    page = signed_in
    expect(page).to_have_url(site.url + "/handle")
    finish(page, f"{person.capitalize()}_X")
    expect(page).to_have_url(site.url + "/done")
    expect(page.get_by_role("heading")).to_have_text(f"You are @{person.capitalize()}_X")
    expect(page.get_by_text("Welcome, Jane Roe.")).to_be_visible()
    assert handles_of(site, person) == [(f"{person.capitalize()}_X", "claimed")]


@pytest.mark.context(java_script_enabled=False)
def test_the_whole_flow_works_without_javascript(signed_in, site, person):
    page = signed_in
    field = page.get_by_label("Handle", exact=True)
    field.fill("ad")
    go_on(page)
    expect(page).to_have_title(re.compile("^Error: "))
    expect(page.get_by_role("group", name="There is a problem")).to_contain_text("A handle has at least 3 characters.")
    expect(field).to_have_value("ad")
    site.registry.claim(person)
    field.fill(person)
    go_on(page)
    expect(page.locator("#handle-answer")).to_have_text("This name is taken.")
    expect(field).to_have_value(person)
    suggestion = page.locator("#suggestions button").first
    name = suggestion.text_content()
    suggestion.click()
    expect(field).to_have_value(name)
    expect(page.locator("#handle-answer")).to_have_text(f"{name} is available.")
    go_on(page)
    go_on(page)
    expect(page.get_by_role("group", name="There is a problem")).to_contain_text("Type your name.")
    page.get_by_label("Name", exact=True).fill("Jane Roe")
    page.get_by_label("Handle, as it is shown").fill("other_name")
    go_on(page)
    expect(page.get_by_role("group", name="There is a problem")).to_contain_text("Only capitals can be changed here")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Jane Roe")
    page.get_by_label("Handle, as it is shown").fill(name.upper())
    go_on(page)
    expect(page.get_by_role("heading")).to_have_text(f"You are @{name.upper()}")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


def test_the_whole_flow_works_with_the_keyboard_alone(page, site, person):
    page.goto(site.url + "/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(site.issuer.url + "/*")
    page.keyboard.press("Control+A")
    page.keyboard.type(person)
    page.keyboard.press("Enter")
    page.wait_for_url(site.url + "/handle")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Sign out")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Handle", exact=True)).to_be_focused()
    page.keyboard.type(person + "_k")
    page.keyboard.press("Enter")
    page.wait_for_url(site.url + "/name")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Jane Roe")
    page.keyboard.press("Enter")
    page.wait_for_url(site.url + "/done")


def test_enter_sends_the_typed_name_while_suggestions_are_shown(signed_in, site, person):
    page = signed_in
    site.registry.claim(person)
    field = page.get_by_label("Handle", exact=True)
    field.press_sequentially(person)
    expect(page.locator("#suggestions button")).to_have_count(5)
    with page.expect_request(lambda request: request.method == "POST") as sent:
        field.press("Enter")
    assert f"handle={person}" in sent.value.post_data
    expect(page.locator("#summary")).to_be_focused()
    expect(page.locator("#summary")).to_contain_text(f"{person}: This name is taken.")
    page.locator("#summary a").click()
    expect(field).to_be_focused()
    expect(field).to_have_value(person)


def test_back_and_reload_keep_the_input(signed_in, site, person):
    page = signed_in
    page.get_by_label("Handle", exact=True).fill(person + "_b")
    go_on(page)
    page.get_by_label("Name", exact=True).fill("x" * 51)
    go_on(page)
    expect(page.locator("#name-fault")).to_have_text("A name has at most 50 characters; this has 51.")
    page.goto(site.url + "/name")
    expect(page.get_by_label("Name", exact=True)).to_have_value("x" * 51)
    page.get_by_role("link", name="Back").click()
    expect(page).to_have_url(site.url + "/handle")
    expect(page.get_by_label("Handle", exact=True)).to_have_value(person + "_b")
    expect(page.locator("#handle-answer")).to_have_text(f"{person}_b is available.")
    page.get_by_label("Handle", exact=True).fill(person + "_c")
    go_on(page)
    expect(page.locator("#preview")).to_have_text(f"@{person}_c")
    page.reload()
    expect(page.locator("#preview")).to_have_text(f"@{person}_c")
    page.go_back()
    expect(page).to_have_url(site.url + "/handle")
    page.goto(site.url + "/name")
    page.get_by_label("Name", exact=True).fill("Jane")
    go_on(page)
    expect(page).to_have_url(site.url + "/done")
    for path in ("/", "/handle", "/name", "/done"):
        page.goto(site.url + path)
        expect(page).to_have_url(site.url + "/done")


def test_pages_of_other_steps_redirect_to_the_current_step(signed_in, site):
    for path in ("/name", "/done", "/"):
        signed_in.goto(site.url + path)
        expect(signed_in).to_have_url(site.url + "/handle")


def test_a_name_taken_before_the_claim_leads_back_and_keeps_the_input(signed_in, site, person):
    page = signed_in
    handle = person + "_s"
    page.get_by_label("Handle", exact=True).fill(handle)
    go_on(page)
    expect(page).to_have_url(site.url + "/name")
    # The hold ends, and another owner claims the name.
    site.registry.call("DELETE", f"/v1/handles/{handle}")
    site.registry.claim(handle)
    page.get_by_label("Name", exact=True).fill("Jane Roe")
    go_on(page)
    expect(page).to_have_url(site.url + "/handle?lost=1")
    expect(page.locator("#summary")).to_contain_text(f"Somebody else was faster: {handle}")
    page.locator("#suggestions button").first.click()
    go_on(page)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Jane Roe")
    go_on(page)
    expect(page).to_have_url(site.url + "/done")


def test_the_preview_shows_the_typed_capitals(signed_in, site, person):
    page = signed_in
    page.get_by_label("Handle", exact=True).fill(person)
    go_on(page)
    spelled = page.get_by_label("Handle, as it is shown")
    spelled.fill(person.upper())
    expect(page.locator("#preview")).to_have_text("@" + person.upper())
    spelled.fill(person + "s")
    expect(page.locator("#display-fault")).to_contain_text(f"the letters are {person}.")
    expect(page.locator("#preview")).to_have_text("@" + person.upper())
    spelled.fill(person.title())
    expect(page.locator("#display-fault")).to_have_text("")
    page.get_by_label("Name", exact=True).fill("Jane")
    go_on(page)
    expect(page.get_by_role("heading")).to_have_text(f"You are @{person.title()}")


def test_a_person_with_a_handle_only_types_their_name(page, site, person):
    site.registry.call("PUT", f"/v1/handles/{person}_app", {"owner": owner_of(site, person)})
    sign_in(page, site, person)
    expect(page).to_have_url(site.url + "/name")
    expect(page.get_by_text("This handle is yours already.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Jane")
    go_on(page)
    expect(page.get_by_role("heading")).to_have_text(f"You are @{person}_app")
    assert handles_of(site, person) == [(f"{person}_app", "claimed")]


def test_a_name_held_on_another_device_opens_the_second_step(page, site, person):
    site.registry.call("POST", "/v1/holds", {"handle": person + "_h", "owner": owner_of(site, person)})
    sign_in(page, site, person)
    expect(page).to_have_url(site.url + "/name")
    page.get_by_label("Name", exact=True).fill("Jane")
    spelled = page.get_by_label("Handle, as it is shown")
    spelled.fill(person + "_other")
    go_on(page)
    expect(page.locator("#display-fault")).to_contain_text("Only capitals can be changed here")
    spelled.fill(person.upper() + "_H")
    go_on(page)
    expect(page.get_by_role("heading")).to_have_text(f"You are @{person.upper()}_H")
    assert handles_of(site, person) == [(person.upper() + "_H", "claimed")]


def test_signing_out_removes_the_cookie_and_ends_the_session(signed_in, site):
    page = signed_in
    cookies = page.context.cookies()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert page.context.cookies() == []
    page.context.add_cookies(cookies)
    page.goto(site.url + "/handle")
    expect(page).to_have_url(site.url + "/")


def test_a_sign_out_at_the_issuer_is_shown_and_keeps_the_input(folder, registry, page, person):
    # Tokens live one second, so that the page refreshes them at the issuer soon.
    issuer = Issuer(folder, lifetime=1).start()
    site = Page(folder, registry, issuer).start()
    try:
        sign_in(page, site, person)
        page.get_by_label("Handle", exact=True).fill(person + "_r")
        go_on(page)
        name = page.get_by_label("Name", exact=True)
        issuer.sign_out_everywhere(person)
        # A name that is too long is refused each time. This repeats until the tokens have to be refreshed.
        for _ in range(1000):
            name.fill("x" * 51)
            go_on(page)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            if name.count() == 0:
                break
        expect(page.get_by_role("heading")).to_have_text("Your session has ended")
        expect(page.get_by_text("nothing you typed is lost")).to_be_visible()
        page.get_by_role("link", name="Sign in").click()
        page.get_by_label("Name").fill(person)
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(site.url + "/name")
        expect(name).to_have_value("x" * 51)
        page.get_by_role("link", name="Back").click()
        expect(page.get_by_label("Handle", exact=True)).to_have_value(person + "_r")
        issuer.sign_out_everywhere(person)
        for _ in range(1000):
            page.goto(site.url + "/name")
            if page.url != site.url + "/name":
                break
        expect(page).to_have_url(site.url + "/?signed_out=remotely")
        expect(page.get_by_text("You were signed out by the service")).to_be_visible()
    finally:
        site.stop()
        issuer.stop()


def test_a_session_in_its_last_week_shows_a_warning(folder, registry, issuer, page, person):
    site = Page(folder, registry, issuer, days=6.9).start()
    try:
        sign_in(page, site, person)
        expect(page.get_by_text("You will be signed out on")).to_be_visible()
        before = page.context.cookies()
        page.get_by_role("link", name="Sign in again").click()
        page.get_by_label("Name").fill(person)
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(site.url + "/handle")
        assert page.context.cookies()[0]["value"] != before[0]["value"]
    finally:
        site.stop()
