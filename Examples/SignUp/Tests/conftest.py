"""One registry, issuer and page for all tests. Each test signs in as a different person."""
import itertools

import pytest

from browsers import browser, context
from programs import Issuer, Page, Registry

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


@pytest.fixture
def person():
    """A name that no other test uses. It has letters only, so no two names are look-alikes."""
    return "p" + "".join("bdfghkmpst"[int(digit)] + "a" for digit in f"{next(numbers):03}")


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
