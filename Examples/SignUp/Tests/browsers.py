"""The browser of the tests, and what axe finds in it. Also for handle-field.js and for the page of a validation."""
import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Seconds. Far longer than a response takes, because the machine may be busy.
PATIENCE = 30
expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def context(browser, request):
    """A new browser context. `@pytest.mark.context(java_script_enabled=False)` sets its options."""
    mark = request.node.get_closest_marker("context")
    context = browser.new_context(**(mark.kwargs if mark else {}))
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
COLOURS = ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"})


def axe_findings(page, media):
    """What axe finds in the page in each of the media: the media, the kind, the rule and its elements."""
    found = []
    for one in media:
        page.emulate_media(**({"color_scheme": "light", "forced_colors": "none", "media": "screen"} | one))
        results = Axe().run(page, options={
            "runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations", "incomplete"]}).response
        found += [(one, kind, rule["id"], [node["html"] for node in rule["nodes"]])
                  for kind in ("violations", "incomplete") for rule in results[kind]]
    return found


def axe_findings_in_all_layouts(page, media=COLOURS):
    """The same for both directions of text and two widths."""
    found = []
    for direction in ("ltr", "rtl"):
        page.evaluate("direction => { document.documentElement.dir = direction }", direction)
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            found += [(direction, width, one) for one in axe_findings(page, media)]
    return found
