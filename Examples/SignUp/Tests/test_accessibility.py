"""Accessibility: axe in every state of the pages, and checks that axe does not have."""
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browsers import axe_findings_in_all_layouts
from conftest import go_on, sign_in


def open_state(state, page, site, person):
    field = page.get_by_label("Handle", exact=True)
    if state == "welcome":
        return page.goto(site.url + "/")
    if state == "signed out elsewhere":
        return page.goto(site.url + "/?signed_out=remotely")
    if state == "no such page":
        return page.goto(site.url + "/nothing")
    sign_in(page, site, person)
    if state == "available":
        field.fill(person)
        return expect(page.locator("[state=available] .answer")).to_be_visible()
    if state in ("taken", "refused"):
        site.registry.claim(person)
        field.fill(person)
        expect(page.locator("#suggestions")).to_be_visible()
        if state == "refused":
            go_on(page)
            expect(page.locator("#summary")).to_be_focused()
        return
    if state == "not known":
        page.route("**/check?*", lambda route: route.abort())
        field.fill(person)
        return expect(page.locator("#handle-answer")).to_contain_text("We can't check")
    if state == "handle":
        return
    field.fill(person)
    go_on(page)
    if state == "name":
        return
    if state == "name refused":
        return go_on(page)
    page.get_by_label("Name", exact=True).fill("Jane Roe")
    go_on(page)
    expect(page).to_have_url(site.url + "/done")


STATES = ["welcome", "signed out elsewhere", "no such page", "handle", "available", "taken", "refused", "not known", "name",
          "name refused", "done"]


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_no_violation_in_any_state(page, site, person, state):
    open_state(state, page, site, person)
    assert axe_findings_in_all_layouts(page) == []


@pytest.mark.parametrize("state", ["welcome", "taken", "refused", "name refused", "done"])
@pytest.mark.parametrize("width, zoom", [(320, 1), (320, 2), (1280, 2)])
def test_pages_fit_the_width_and_targets_are_at_least_44_pixels(page, site, person, state, width, zoom):
    page.set_viewport_size({"width": width, "height": 700})
    open_state(state, page, site, person)
    for direction in ("ltr", "rtl"):
        # Text of 100 % or 200 %, as set in the browser.
        page.evaluate("([zoom, direction]) => { document.documentElement.style.fontSize = zoom * 16 + 'px';"
                      " document.documentElement.dir = direction }", [zoom, direction])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        small = page.evaluate("""[...document.querySelectorAll("a, button, input:not([type=hidden])")]
            .filter(one => one.offsetParent && (one.getBoundingClientRect().height < 44 || one.getBoundingClientRect().width < 44))
            .map(one => one.outerHTML)""")
        assert small == []


def test_the_style_sheet_has_no_animation(signed_in):
    assert not re.search("animation|transition", signed_in.evaluate(
        "[...document.styleSheets].flatMap(one => [...one.cssRules]).map(one => one.cssText).join()"))


def test_the_continue_button_keeps_its_place_when_suggestions_appear(signed_in, site, person):
    page = signed_in
    site.registry.claim(person)
    button = page.get_by_role("button", name="Continue")
    before = button.bounding_box()
    page.get_by_label("Handle", exact=True).fill(person)
    expect(page.locator("#suggestions")).to_be_visible()
    assert button.bounding_box() == before
    assert button.is_enabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_step_is_saved_as_a_picture(browser, site, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 640, "height": 560}, device_scale_factor=1.5)
    try:
        page = context.new_page()
        site.registry.claim("janeroe")
        sign_in(page, site, "jane")
        page.get_by_label("Handle", exact=True).fill("JaneRoe")
        expect(page.locator("#suggestions button")).to_have_count(5)
        picture = Path(os.environ["SIGN_UP_PICTURES"]) / f"sign-up-{scheme}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.mouse.move(0, 0)
        page.screenshot(path=picture)
        assert picture.stat().st_size <= 100_000
    finally:
        context.close()
