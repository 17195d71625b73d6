"""The browser of the tests: this page's, and those of handle-field.js."""
import os

import pytest
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
