"""A registry, and a site of another origin whose pages use handle-field.js. Each test uses names of its own."""
import itertools
import time
import urllib.parse
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browsers import PATIENCE, browser, context
from faults import Server
from programs import Registry

SCRIPT = Path(__file__).parents[2] / "Sources/HandleField/handle-field.js"
numbers = itertools.count(1)


class Site(Server):
    """A site with one page. Its policy forbids inline scripts and styles, `eval`, and assignments of HTML."""

    def __init__(self):
        self.html, self.script, self.forms, self.registry = "", "", [], None

        def answer(method, path, headers, body):
            policy = ("default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; "
                      "require-trusted-types-for 'script'; connect-src 'self' http://127.0.0.1:*")
            match method, urllib.parse.urlsplit(path).path:
                case _, "/favicon.ico":
                    return 204, {}, b""
                case _, "/handle-field.js":
                    return 200, {"Content-Type": "text/javascript; charset=utf-8"}, SCRIPT.read_bytes()
                case _, "/script.js":
                    return 200, {"Content-Type": "text/javascript; charset=utf-8"}, self.script.encode()
                case "POST", _:
                    self.forms.append(dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)))
                    return 200, {"Content-Type": "text/html"}, b"<!doctype html><title>Sent</title>"
            return (200, {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy},
                    self.html.encode())

        super().__init__(answer)

    @property
    def endpoint(self):
        return self.registry.url + "/v1/availability"

    def open(self, page, body=None, attributes="", script=None):
        """Opens a page with this body; without one, with a form that has one field."""
        body = body or FORM
        self.script = script or ""
        self.forms.clear()
        own = '<script type="module" src="/script.js"></script>' if script else ""
        self.html = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign up</title>{own}'
            '<script type="module" src="/handle-field.js"></script></head><body><main><h1>Sign up</h1>'
            + body.replace("ENDPOINT", self.endpoint).replace("ATTRIBUTES", attributes) + "</main></body></html>")
        page.goto(self.url + "/")


FORM = """<form method="post" action="/sent"><label for="handle">Handle</label>
<handle-field endpoint="ENDPOINT" ATTRIBUTES><input id="handle" name="handle" autocomplete="username"></handle-field>
<button>Continue</button></form>"""

# Records each call of `fetch` with the time of the page's clock, and counts the calls that have ended.
WATCH = """
    window.asked = [];
    window.ended = 0;
    const fetched = window.fetch;
    window.fetch = (...given) => {
        window.asked.push([Date.now(), String(given[0])]);
        const answer = fetched(...given);
        answer.then(() => window.ended += 1, () => window.ended += 1);
        return answer;
    };
    window.events = [];
    document.addEventListener("handle-change", (event) => window.events.push(event.detail));
"""


@pytest.fixture(scope="session")
def registry(tmp_path_factory, server):
    registry = Registry(tmp_path_factory.mktemp("handle-field"))
    registry.environment["HANDLES_PAGE_ORIGINS"] = server.url
    server.registry = registry.start()
    yield registry
    registry.stop()


@pytest.fixture(scope="session")
def server():
    with Site() as site:
        yield site


@pytest.fixture
def site(server, registry):
    return server


@pytest.fixture
def name():
    """A name that no other test uses. It has letters only, so no two names are look-alikes."""
    return "f" + "".join("bdfghkmpst"[int(digit)] + "a" for digit in f"{next(numbers):03}")


@pytest.fixture
def page(context):
    """A page. The test fails if a script throws an error, or does what the site's policy forbids."""
    page = context.new_page()
    page.add_init_script(WATCH)
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if "policy" in message.text.lower()
            and "CORS policy" not in message.text else None)
    yield page
    assert complaints == []


@pytest.fixture
def stopped(page, site):
    """A page with a clock that the test moves. Only the clock of the page: the service runs in real time."""
    page.clock.install()
    site.open(page)
    page.clock.pause_at(datetime.now() + timedelta(days=1))
    return page


def field(page):
    return page.locator("handle-field").first


def box(page):
    return page.get_by_label("Handle", exact=True)


def message(page):
    return page.locator(".handle-message").first


def expect_state(page, state):
    expect(field(page)).to_have_attribute("state", state)


def eventually(page, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        page.wait_for_timeout(20)


def asked(page):
    """The number of requests so far."""
    return page.evaluate("asked.length")


def type_word(page, word, pause=80):
    """Types keys, with a pause between them on the page's clock."""
    for number, key in enumerate(word):
        if number:
            page.clock.run_for(pause)
        page.keyboard.type(key)


def refusal(status, headers=None, **more):
    """A response that the page may read."""
    return {"status": status, **more, "headers": {
        "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "retry-after", **(headers or {})}}


def decision(name, **more):
    return {"input": name, "handle": name, "display": name, "status": "available", "reasons": [], "suggestions": [], **more}
