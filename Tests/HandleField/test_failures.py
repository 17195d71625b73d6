"""Failed checks: they block nothing, and the field repeats them."""
import json

import pytest
from playwright.sync_api import expect

from conftest import asked, box, decision, eventually, expect_state, field, message, refusal
from faults import Server
from programs import Program, Registry

LIVE = "**/v1/availability?*"
UNKNOWN = "We can't check this name just now. You can continue; we check it again then."


def attempts(page, number):
    """Moves the clock until there were so many requests, each of which has ended. Returns the pauses between them in ms."""
    page.clock.run_for(300)
    for count in range(1, number + 1):
        # All pauses are whole seconds, so each request is sent at the end of a step.
        for _ in range(60):
            if asked(page) >= count:
                break
            page.clock.run_for(1000)
        eventually(page, lambda: page.evaluate("ended") >= count)
        # The field handles the failure after the call has ended.
        page.evaluate("new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); "
                      "port1.onmessage = resolve; port2.postMessage(0); })")
    times = [time for time, _ in page.evaluate("asked")]
    return [later - earlier for earlier, later in zip(times, times[1:])]


@pytest.mark.parametrize("fault", [
    "connection reset", "500", "503", "429", "409", "401", "a page of a proxy", "a redirect", "another name", "no reasons",
    "another status", "null", "no permission of the service",
])
def test_a_failed_check_is_shown_and_repeated(stopped, site, name, fault):
    page = stopped
    left = [2]

    def meet(route):
        if left[0] == 0:
            return route.fallback()
        left[0] -= 1
        match fault:
            case "connection reset": route.abort("connectionreset")
            case "a page of a proxy":
                route.fulfill(**refusal(200, body="<title>Welcome</title>", content_type="text/html"))
            case "a redirect": route.fulfill(**refusal(302, {"Location": site.url + "/"}))
            case "another name": route.fulfill(**refusal(200, json=decision("other")))
            case "no reasons": route.fulfill(**refusal(200, json=decision(name, status="unavailable")))
            case "another status": route.fulfill(**refusal(200, json=decision(name, status="free")))
            case "null": route.fulfill(**refusal(200, json=None, body="null", content_type="application/json"))
            case "no permission of the service":
                route.fulfill(status=200, json=decision(name), headers={"Access-Control-Allow-Origin": "http://other.example"})
            case status: route.fulfill(**refusal(int(status), {"Retry-After": "1"}))

    page.route(LIVE, meet)
    box(page).fill(name)
    attempts(page, 3)
    expect(message(page)).to_have_text(f"{name} is available.")
    assert [one["state"] for one in page.evaluate("events")] == ["checking", "unknown", "available"]
    assert left == [0]


def test_failed_checks_are_repeated_after_1_2_4_and_up_to_30_seconds(stopped, name):
    page = stopped
    page.route(LIVE, lambda route: route.fulfill(**refusal(503)))
    box(page).fill(name)
    assert attempts(page, 9) == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]
    expect(message(page)).to_have_text(UNKNOWN)
    expect(page.get_by_role("status")).to_have_text(UNKNOWN)
    expect(box(page)).not_to_have_attribute("aria-invalid", "true")
    # One event, not one for each attempt.
    assert [one["state"] for one in page.evaluate("events")] == ["checking", "unknown"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_check_is_not_repeated_before_retry_after(stopped, name, status):
    page = stopped
    page.route(LIVE, lambda route: route.fulfill(**refusal(status, {"Retry-After": "7"})))
    box(page).fill(name)
    assert attempts(page, 5) == [7000, 7000, 7000, 8000]


def test_an_extreme_retry_after_is_limited_to_a_day(stopped, name):
    page = stopped
    page.route(LIVE, lambda route: route.fulfill(**refusal(503, {"Retry-After": "99999999999"})))
    box(page).fill(name)
    attempts(page, 1)
    page.clock.run_for(86_399_999)
    assert asked(page) == 1
    page.clock.run_for(1)
    assert asked(page) == 2


def test_a_new_text_is_checked_at_once_and_with_a_new_back_off(stopped, name):
    page = stopped
    page.route(LIVE, lambda route: route.fulfill(**refusal(503)))
    box(page).fill(name)
    attempts(page, 4)
    page.keyboard.type("x")
    assert attempts(page, 6)[3:] == [300, 1000]
    page.unroute(LIVE)
    attempts(page, 7)
    expect(message(page)).to_have_text(f"{name}x is available.")


@pytest.mark.parametrize("status", [400, 403, 404, 422])
def test_a_request_that_would_be_refused_again_is_not_repeated(stopped, name, status):
    page = stopped
    page.route(LIVE, lambda route: route.fulfill(**refusal(status)))
    box(page).fill(name)
    attempts(page, 1)
    expect(message(page)).to_have_text(UNKNOWN)
    page.clock.run_for(600_000)
    assert asked(page) == 1


def test_a_check_without_an_answer_ends_after_10_seconds(stopped, name):
    page = stopped
    held = []
    page.route(LIVE, lambda route: held.append(route))
    box(page).fill(name)
    page.clock.run_for(300)
    eventually(page, lambda: held)
    page.clock.run_for(9999)
    assert message(page).text_content() == f"Checking {name}…"
    page.clock.run_for(1)
    expect(message(page)).to_have_text(UNKNOWN)
    page.unroute(LIVE)
    page.clock.run_for(1000)
    expect(message(page)).to_have_text(f"{name} is available.")


def test_an_outage_of_the_service_blocks_nothing_and_ends_by_itself(page, site, name):
    site.open(page)
    site.registry.stop()
    try:
        box(page).fill(name)
        expect(message(page)).to_have_text(UNKNOWN)
        page.evaluate("document.forms[0].target = 'other'")
        with page.context.expect_page() as other:
            page.get_by_role("button", name="Continue").click()
        other.value.wait_for_url("**/sent")
        assert site.forms == [{"handle": name}]
    finally:
        site.registry.start()
    expect(message(page)).to_have_text(f"{name} is available.", timeout=60_000)


def test_a_check_over_the_limit_of_the_service_is_repeated_when_the_service_allows_it(page, site, name, tmp_path):
    own = Registry(tmp_path)
    own.environment |= {"HANDLES_PAGE_ORIGINS": site.url, "HANDLES_ANONYMOUS_LIMIT": "1/3s"}
    # Without the key of `Registry.start`, because it calls the service many times.
    Program.start(own)
    try:
        site.open(page)
        page.evaluate("endpoint => document.querySelector('handle-field').setAttribute('endpoint', endpoint)",
                      own.url + "/v1/availability/live")
        refused = []
        page.on("response", lambda response: refused.append(response) if response.status == 429 else None)
        for number in range(20):
            box(page).fill(f"{name}_{number}")
            eventually(page, lambda: field(page).get_attribute("state") in ("available", "unknown"))
            if refused:
                break
        pause = int(refused[0].all_headers()["retry-after"])
        expect_state(page, "available")
        times = [time for time, _ in page.evaluate("asked")]
        # The pause begins when the response arrives, so it is longer between the requests.
        assert times[-1] - times[-2] >= 1000 * pause > 0
    finally:
        own.stop()


class Recorder(Server):
    """A service that allows a token, and records its requests."""

    def __init__(self):
        self.requests = []

        def answer(method, path, headers, body):
            self.requests.append((method, headers["Authorization"]))
            allowed = {"Access-Control-Allow-Origin": headers["Origin"] or "*", "Access-Control-Allow-Headers": "authorization",
                       "Content-Type": "application/json"}
            status = 401 if method == "GET" and headers["Authorization"] == "Bearer old" else 200
            handle = path.split("handle=")[1].split("&")[0] if method == "GET" else ""
            return status, allowed, json.dumps(decision(handle)).encode()

        super().__init__(answer)


@pytest.mark.parametrize("tokens, requests", [
    ("undefined", [("GET", None)]),
    ("() => null", [("GET", None)]),
    ("() => 'new'", [("OPTIONS", None), ("GET", "Bearer new")]),
    ("async () => (window.second ? 'new' : (window.second = 'old'))",
     [("OPTIONS", None), ("GET", "Bearer old"), ("OPTIONS", None), ("GET", "Bearer new")]),
])
def test_a_token_is_sent_and_a_request_without_one_needs_no_preflight(page, site, name, tokens, requests):
    with Recorder() as service:
        site.open(page, script=f"document.querySelector('handle-field').token = {tokens};")
        page.evaluate("endpoint => document.querySelector('handle-field').setAttribute('endpoint', endpoint)", service.url)
        box(page).fill(name)
        expect_state(page, "available")
        # A browser may remember the permission of the first preflight request.
        found = [one for number, one in enumerate(service.requests) if one[0] == "GET" or number == 0]
        assert found == [one for number, one in enumerate(requests) if one[0] == "GET" or number == 0]


@pytest.mark.parametrize("token", ["() => { throw new Error('signed out'); }", "() => new Promise(() => {})"])
def test_a_token_that_can_not_be_had_is_a_failed_check(stopped, name, token):
    page = stopped
    page.evaluate(f"() => {{ document.querySelector('handle-field').token = {token}; }}")
    box(page).fill(name)
    page.clock.run_for(300)
    page.clock.run_for(10_000)
    expect(message(page)).to_have_text(UNKNOWN)
    assert asked(page) == 0
    page.evaluate("document.querySelector('handle-field').token = undefined")
    eventually(page, lambda: page.clock.run_for(100) or asked(page) == 1)
    expect(message(page)).to_have_text(f"{name} is available.")
