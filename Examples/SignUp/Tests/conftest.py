"""One registry, issuer and page for all tests. Each test signs in as a different person."""
import itertools
import os

import pytest
from playwright.sync_api import expect, sync_playwright

from programs import Issuer, Page, Registry

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Far longer than a response takes, because the machine may be busy.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)
numbers = itertools.count(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sign-up")


@pytest.fixture(scope="session")
def registry(folder):
    registry = Registry(folder).start()
    yield registry
    registry.stop()


@pytest.fixture(scope="session")
def issuer(folder):
    issuer = Issuer(folder).start()
    yield issuer
    issuer.stop()


@pytest.fixture(scope="session")
def site(folder, registry, issuer):
    site = Page(folder, registry, issuer).start()
    yield site
    site.stop()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def person():
    """A name that no other test uses. It has letters only, so no two names are look-alikes."""
    return "p" + "".join("bdfghkmpst"[int(digit)] + "a" for digit in f"{next(numbers):03}")


@pytest.fixture
def context(browser, request):
    """A new browser context. `@pytest.mark.context(java_script_enabled=False)` sets its options."""
    mark = request.node.get_closest_marker("context")
    context = browser.new_context(**(mark.kwargs if mark else {}))
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture
def signed_in(page, site, person):
    """A page of a signed-in person, in the first step."""
    sign_in(page, site, person)
    return page


def sign_in(page, site, person):
    page.goto(site.url + "/")
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Name").fill(person)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(site.url + "/*")


def go_on(page):
    page.get_by_role("button", name="Continue").click()
