"""The size, the speed and the caching of the pages."""
import gzip
import re

from playwright.sync_api import expect

from test_safety import Visitor


def test_the_first_step_makes_three_small_requests_and_logs_no_error(signed_in, site, context):
    page = context.new_page()
    answers, complaints = [], []
    page.on("response", lambda response: answers.append(response))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(site.url + "/handle")
    page.wait_for_load_state("networkidle")
    assert len(answers) == 3, [answer.url for answer in answers]
    assert all(answer.url.startswith(site.url) for answer in answers)
    weight = sum(len(gzip.compress(answer.body(), 6, mtime=0)) for answer in answers)
    print(f"gzipped: {weight} bytes; as sent: {sum(len(answer.body()) for answer in answers)}")
    assert weight <= 10_000
    assert complaints == []


def test_the_icon_that_browsers_request_gets_204(site):
    assert Visitor(site).send("GET", "/favicon.ico").status == 204


def test_the_first_paint_on_a_slow_phone_is_measured(signed_in, site, context):
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8})
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(site.url + "/handle")
    expect(page.get_by_label("Handle", exact=True)).to_be_visible()
    paint = page.evaluate("""new Promise(resolve => new PerformanceObserver(list => {
        for (const entry of list.getEntriesByName("first-contentful-paint")) resolve(entry.startTime);
    }).observe({ type: "paint", buffered: true }))""")
    # The time is printed and has no limit, because it depends on the speed of the machine.
    print(f"first contentful paint: {paint:.0f} ms")


def test_browsers_cache_an_asset_until_its_content_changes(site):
    html = Visitor(site).send("GET", "/").text
    for path in re.findall('"(/assets/[^"]+)"', html):
        answer = Visitor(site).send("GET", path)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert Visitor(site).send("GET", path.split("?")[0]).headers["Cache-Control"] == "no-cache"
