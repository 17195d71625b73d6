"""Attacks from other sites and clients, and failures of the issuer, the network and the disk."""
import base64
import hashlib
import http.client
import json
import re
import shutil
import time
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import go_on, sign_in
from faults import Forger, LossyRegistry, base64url
from programs import PATIENCE, Page
from test_flow import handles_of

COOKIE = "__Host-signup"
BEGUN = "__Host-signup-begun"


class Visitor:
    """An HTTP client with the cookies of the session and of pending sign-ins, and without the protections of a browser."""

    def __init__(self, site, person=None):
        self.site = site
        self.cookie = self.begun = None
        if person:
            self.sign_in(person)

    def send(self, method, path, form=None, headers=None, url=None):
        address = urllib.parse.urlsplit(url or self.site.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        sent = dict(headers or {})
        cookies = [f"{name}={value}" for name, value in ((COOKIE, self.cookie), (BEGUN, self.begun)) if value]
        if cookies:
            sent.setdefault("Cookie", "; ".join(cookies))
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        for value in answer.headers.get_all("Set-Cookie") or []:
            name, value = re.match("([^=]*)=([^;]*)", value).groups()
            assert name in (COOKIE, BEGUN)
            if name == COOKIE:
                self.cookie = value or None
            else:
                self.begun = value or None
        return answer

    def callback(self, person, change=lambda query: query):
        """Signs in at the issuer, and returns the address to which the issuer redirects the browser."""
        begun = self.send("GET", "/sign-in")
        assert begun.status == 303
        page = urllib.parse.urlsplit(begun.headers["Location"])
        query = dict(urllib.parse.parse_qsl(page.query))
        query = urllib.parse.urlencode(change(query))
        answer = Visitor(self.site).send(
            "POST", f"{page.path}?{query}", {"person": person, "decision": "allow"}, url=self.site.issuer.url)
        assert answer.status == 302
        return urllib.parse.urlsplit(answer.headers["Location"])

    def sign_in(self, person):
        back = self.callback(person)
        answer = self.send("GET", f"{back.path}?{back.query}")
        assert answer.status == 303, answer.text
        return answer

    @property
    def token(self):
        return re.search('name="token" value="([^"]+)"', self.send("GET", "/handle").text)[1]


def test_every_response_has_the_security_headers(site):
    for path in ("/", "/handle", "/nothing", "/assets/page.js", "/check", "/callback"):
        answer = Visitor(site).send("GET", path)
        assert answer.headers["Content-Security-Policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"), path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_cookie_has_safe_attributes_and_changes_at_each_sign_in(site, person):
    visitor = Visitor(site)
    begun = Visitor(site).send("GET", "/sign-in")
    assert visitor.cookie is None
    answer = visitor.sign_in(person)
    assert visitor.begun is None
    for cookie in [begun.headers["Set-Cookie"], *answer.headers.get_all("Set-Cookie")]:
        attributes = cookie.split("; ")
        assert {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"} < set(attributes)
        assert any(one.startswith("Expires=") for one in attributes)
        assert not any(one.startswith(("Max-Age", "Domain")) for one in attributes)
    assert len(visitor.cookie) == 43
    # 256 bits; no file contains the cookie's value.
    assert not any(visitor.cookie in path.read_text(errors="replace") + path.name
                   for path in site.data.rglob("*") if path.is_file())
    old = Visitor(site)
    # A second sign-in ends the first session.
    first = visitor.cookie
    visitor.sign_in(person)
    old.cookie = first
    assert old.send("GET", "/handle").headers["Location"] == "/"
    assert old.send("POST", "/handle", {"handle": "janeroe", "token": "x"}).status == 403


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"}, {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
])
def test_a_form_from_another_site_is_refused(site, person, headers):
    visitor = Visitor(site, person)
    form = {"handle": person, "token": visitor.token}
    for path in ("/handle", "/name", "/sign-out"):
        assert visitor.send("POST", path, form, headers).status == 403
    own = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    assert visitor.send("POST", "/handle", form, own).status == 303


def test_signing_out_revokes_the_tokens_at_the_issuer(site, person):
    visitor = Visitor(site, person)
    # The newest file with an access token is the session of this person.
    files = sorted((path for path in site.data.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime_ns)
    tokens = [match[1] for path in files if (match := re.search('"access_token" *: *"([^"]+)"', path.read_text()))]
    headers = {"Authorization": f"Bearer {tokens[-1]}"}

    def user_info():
        return Visitor(site).send("GET", "/userinfo", headers=headers, url=site.issuer.url)

    # A request for this changes nothing at the issuer, unlike one with the refresh token.
    assert json.loads(user_info().text)["sub"] == person
    assert visitor.send("POST", "/sign-out", {"token": visitor.token}).status == 303
    # The page revokes the tokens in the background.
    end = time.monotonic() + PATIENCE
    while user_info().status != 401:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_form_without_the_token_of_its_session_is_refused(site, person):
    visitor = Visitor(site, person)
    stolen = Visitor(site, person + "x").token
    own = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    for path in ("/handle", "/name", "/sign-out"):
        for token in ({}, {"token": ""}, {"token": "x"}, {"token": stolen}):
            assert visitor.send("POST", path, {"handle": person, "name": "x", **token}, own).status == 403
    assert visitor.send("GET", "/handle").status == 200


def test_an_invalid_form_is_refused(site, person):
    visitor = Visitor(site, person)
    token = visitor.token
    assert visitor.send("POST", "/handle", {"handle": person}).status == 403
    assert visitor.send("POST", "/handle", {"token": token, "handle": "x" * 20_000}).status == 413
    for name in ("", " ", "x" * 3000, "\0", "\n", "a\r\nSet-Cookie: x=y", "\u202e", "＠jane", "ﬁ", "💥" * 50):
        answer = visitor.send("POST", "/handle", {"token": token, "handle": name})
        assert answer.status == 200, (name, answer.status)
        assert "There is a problem" in answer.text


def test_a_callback_that_does_not_match_its_sign_in_is_refused(site, person):
    def sign_in(change=lambda query: query, back=lambda query: query, begun=lambda begun: begun):
        visitor = Visitor(site)
        address = visitor.callback(person, change)
        query = urllib.parse.urlencode(back(dict(urllib.parse.parse_qsl(address.query))))
        visitor.begun = begun(visitor.begun)
        answer = visitor.send("GET", f"/callback?{query}")
        if answer.status == 303:
            assert visitor.send("GET", "/handle").status == 200
        return answer.status

    assert sign_in() == 303
    assert sign_in(back=lambda query: query | {"state": "wrong"}) == 400
    assert sign_in(back=lambda query: {key: query[key] for key in query if key != "state"}) == 400
    assert sign_in(back=lambda query: query | {"code": "wrong"}) == 400
    assert sign_in(back=lambda query: query | {"iss": "https://evil.example"}) == 400
    assert sign_in(change=lambda query: query | {"nonce": "wrong"}) == 400
    # The challenge of another verifier.
    assert sign_in(change=lambda query: query | {"code_challenge": "A" * 43}) == 400
    # The callback in another browser, which has begun a sign-in too.
    other = Visitor(site)
    other.send("GET", "/sign-in")
    assert sign_in(begun=lambda begun: None) == 400
    assert sign_in(begun=lambda begun: other.begun) == 400
    # A second use of the same callback, without and with its cookie.
    visitor = Visitor(site)
    address = visitor.callback(person)
    begun = visitor.begun
    assert visitor.send("GET", f"/callback?{address.query}").status == 303
    assert visitor.send("GET", f"/callback?{address.query}").status == 400
    visitor.begun = begun
    assert visitor.send("GET", f"/callback?{address.query}").status == 400


def test_the_cookie_of_a_pending_sign_in_is_sealed(site, person):
    def changed(text, index):
        return text[:index] + ("A" if text[index] != "A" else "B") + text[index + 1:]

    visitor = Visitor(site)
    address = visitor.callback(person)
    begun = visitor.begun
    state = dict(urllib.parse.parse_qsl(address.query))["state"]
    assert state.encode() not in base64.urlsafe_b64decode(begun + "=" * (-len(begun) % 4))
    for value in ("", "A", "=", "A" * 43, begun[:-8], begun[8:], begun + "AAAA", changed(begun, 3),
                  changed(begun, len(begun) // 2), changed(begun, len(begun) - 3), "A" * 3000):
        visitor.begun = value
        assert visitor.send("GET", f"/callback?{address.query}").status == 400, value
    # A forged cookie doesn't prevent a sign-in.
    visitor.sign_in(person)


def test_sign_ins_in_several_tabs_all_end(site, person):
    visitor = Visitor(site)
    callbacks = [visitor.callback(person) for _ in range(3)]
    for address in callbacks:
        assert visitor.send("GET", f"/callback?{address.query}").status == 303
    # The newest ones stay when there are too many for a cookie.
    callbacks = [visitor.callback(person) for _ in range(20)]
    assert len(visitor.begun) < 4000
    assert visitor.send("GET", f"/callback?{callbacks[0].query}").status == 400
    assert visitor.send("GET", f"/callback?{callbacks[-1].query}").status == 303


def test_sign_ins_of_strangers_displace_none_and_hardly_burden_the_issuer(folder, registry, person):
    with Forger(folder, person) as issuer:
        site = Page(folder, registry, issuer).start()
        try:
            visitor = Visitor(site)
            begun = urllib.parse.urlsplit(visitor.send("GET", "/sign-in").headers["Location"])
            back = Visitor(site).send("GET", f"{begun.path}?{begun.query}", url=issuer.url).headers["Location"]
            connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
            for _ in range(10_056):
                connection.request("GET", "/sign-in")
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 303
            connection.close()
            # One in a second.
            assert issuer.requests["/.well-known/openid-configuration"] < 1000
            assert visitor.send("GET", "/callback?" + urllib.parse.urlsplit(back).query).status == 303
        finally:
            site.stop()


def swap(index, value):
    """A function that changes one part of a token with `value`."""
    def change(token):
        parts = token.split(".")
        parts[index] = value(parts[index])
        return ".".join(parts)
    return change


def test_an_invalid_id_token_is_refused(folder, registry, person):
    with Forger(folder, person) as issuer:
        site = Page(folder, registry, issuer).start()

        def sign_in(change=lambda header, claims: (header, claims), spoil=lambda token: token):
            issuer.change, issuer.spoil = change, spoil
            visitor = Visitor(site)
            begun = urllib.parse.urlsplit(visitor.send("GET", "/sign-in").headers["Location"])
            back = Visitor(site).send("GET", f"{begun.path}?{begun.query}", url=issuer.url).headers["Location"]
            status = visitor.send("GET", "/callback?" + urllib.parse.urlsplit(back).query).status
            assert (visitor.send("GET", "/handle").status == 200) == (status == 303)
            return status

        def claims(**changed):
            return lambda header, claims: (header, claims | changed)

        try:
            assert sign_in() == 303
            # The signature.
            assert sign_in(spoil=swap(2, lambda part: base64url(bytes(64)))) == 400
            assert sign_in(spoil=swap(2, lambda part: "")) == 400
            other = base64url(json.dumps({"iss": issuer.url, "sub": "other", "aud": "sign-up", "exp": 4_000_000_000,
                                          "iat": 1}).encode())
            assert sign_in(spoil=swap(1, lambda part: other)) == 400
            for header in ({"alg": "none"}, {"alg": "HS256"}, {"kid": "other"}):
                assert sign_in(lambda before, claims: (before | header, claims), swap(2, lambda part: "")) == 400, header
            # The claims.
            for changed in ({"iss": "https://evil.example"}, {"aud": "other"}, {"aud": ["other"]}, {"nonce": "other"},
                            {"nonce": None}, {"exp": 1_000_000_000}, {"sub": ""}, {"sub": "a\nb"}, {"sub": "x" * 256}):
                assert sign_in(claims(**changed)) == 400, changed
            assert sign_in(claims(azp="other", aud=["sign-up", "other"])) == 400
            assert sign_in(claims(azp="sign-up", aud=["sign-up", "other"])) == 303
        finally:
            site.stop()


@pytest.mark.parametrize("lost", ["request", "answer"])
def test_a_lost_claim_is_repeated_with_its_key(folder, registry, issuer, page, person, lost):
    with LossyRegistry(registry, lost) as network:
        site = Page(folder, network, issuer).start()
        try:
            sign_in(page, site, person)
            page.get_by_label("Handle", exact=True).fill(person + "_l")
            go_on(page)
            page.get_by_label("Name", exact=True).fill("Jane")
            go_on(page)
            expect(page.get_by_text("We can't reach the service just now.")).to_be_visible()
            # The page has no link back while the claim may have taken effect.
            expect(page.get_by_role("link", name="Back")).to_have_count(0)
            other = page.context.new_page()
            other.goto(site.url + "/handle")
            # If only the answer was lost, the registry has the claim, so the other tab finishes the sign-up.
            expect(other).to_have_url(site.url + ("/name" if lost == "request" else "/done"))
            other.close()
            # The restart clears the program's memory.
            site.stop()
            before = len(network.claims)
            network.loses = None
            site.start()
            expect(page).to_have_url(site.url + "/done", timeout=90_000)
            assert len(network.claims) == before + (1 if lost == "request" else 0)
            assert len(set(network.claims)) == 1
            site.registry = registry
            assert handles_of(site, person) == [(person + "_l", "claimed")]
        finally:
            site.stop()


def test_an_issuer_failure_at_the_callback_is_shown(site, person):
    for fault, status in (("status", 503), ("garbage", 503), ("drop", 503), ("refuse", 400)):
        visitor = Visitor(site)
        address = visitor.callback(person)
        site.issuer.fail("token", fault, **({"status": 500} if fault == "status" else {}))
        assert visitor.send("GET", f"/callback?{address.query}").status == status, fault
    visitor = Visitor(site)
    begun = visitor.send("GET", "/sign-in")
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun.headers["Location"]).query))["state"]
    denied = visitor.send(
        "GET", "/callback?" + urllib.parse.urlencode(
            {"error": "access_denied", "state": state, "iss": site.issuer.url}))
    assert denied.headers["Location"] == "/?signed_out=cancelled"
    assert "You cancelled the sign-in." in visitor.send("GET", denied.headers["Location"]).text


def test_a_store_failure_gets_503_and_keeps_the_session(folder, registry, issuer, person):
    site = Page(folder, registry, issuer).start()
    try:
        visitor = Visitor(site, person)
        sessions = site.data / "sessions"
        record, = sessions.glob("*/record")
        content = record.read_bytes()
        record.unlink()
        record.mkdir()
        for _ in range(2):
            answer = visitor.send("GET", "/handle")
            assert answer.status == 503
            assert answer.headers["Retry-After"]
            assert "You are not signed out" in answer.text
            assert answer.headers["Set-Cookie"] is None
        assert visitor.send("POST", "/handle", {"handle": person, "token": "x"}).status == 503
        assert visitor.send("GET", "/check?handle=" + person).status == 503
        record.rmdir()
        record.write_bytes(content)
        assert visitor.send("GET", "/handle").status == 200
        # The issuer's tokens can't be read. They are read after a start.
        tokens = record.with_name("tokens")
        site.stop()
        kept = tokens.rename(tokens.with_name("kept"))
        tokens.mkdir()
        site.start()
        assert visitor.send("GET", "/handle").status == 503
        tokens.rmdir()
        kept.rename(tokens)
        assert visitor.send("GET", "/handle").status == 200
        record.write_bytes(b"{")
        assert visitor.send("GET", "/handle").status == 503
        # A new sign-in works although the record is damaged.
        visitor.sign_in(person)
        assert visitor.send("GET", "/handle").status == 200
    finally:
        site.stop()


def test_a_failed_profile_save_is_retried_and_the_handle_claimed_once(folder, registry, issuer, page, person):
    site = Page(folder, registry, issuer).start()
    try:
        sign_in(page, site, person)
        page.get_by_label("Handle", exact=True).fill(person + "_p")
        go_on(page)
        page.get_by_label("Name", exact=True).fill("Jane")
        # A folder has the name of the temporary file of a save, so that the save fails.
        owner = hashlib.sha256(f"{issuer.url}|{person}".encode()).hexdigest()
        obstacle = site.data / "profiles" / f"{owner}.new"
        (obstacle / "full").mkdir(parents=True)
        go_on(page)
        expect(page.locator("p.notice")).to_be_visible()
        expect(page.get_by_label("Name", exact=True)).to_have_value("Jane")
        shutil.rmtree(obstacle)
        expect(page).to_have_url(site.url + "/done", timeout=90_000)
        assert handles_of(site, person) == [(person + "_p", "claimed")]
    finally:
        site.stop()


EVIL = ["<img src=x onerror=window.hit=1>", "\"\u0338 autofocus onfocus=window.hit=1 x=\"", "'\u0301 onfocus=window.hit=1",
        "</title><script>window.hit=1</script>", "javascript:alert(1)", "{{texts.site}}{{{page}}}"]


@pytest.mark.parametrize("evil", EVIL)
def test_typed_names_are_escaped_on_every_page(page, site, person, evil):
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(site.url + "/")
    page.get_by_role("link", name="Sign in").click()
    # The account name.
    page.get_by_label("Name").fill(person + evil)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(site.url + "/handle")

    def inert():
        assert page.evaluate("window.hit") is None
        assert page.locator("img, script:not([src])").count() == 0
        assert page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes]).filter(one => /^on/.test(one.name)).length") == 0
        assert "Example" in page.title()

    inert()
    field = page.get_by_label("Handle", exact=True)
    field.fill(evil)
    inert()
    go_on(page)
    expect(field).to_have_value(evil)
    inert()
    page.goto(site.url + "/handle?handle=" + urllib.parse.quote(evil))
    expect(field).to_have_value(evil)
    inert()
    field.fill(person)
    go_on(page)
    spelled = page.get_by_label("Handle, as it is shown")
    spelled.fill(evil)
    page.get_by_label("Name", exact=True).fill(evil)
    go_on(page)
    expect(spelled).to_have_value(evil)
    inert()
    spelled.fill(person)
    go_on(page)
    page.wait_for_url(site.url + "/done")
    expect(page.get_by_text("Welcome")).to_contain_text(evil)
    inert()


def test_a_request_for_another_host_is_redirected_or_refused(site):
    answer = Visitor(site).send("GET", "/handle?handle=x", headers={"Host": f"localhost:{site.port}"})
    assert (answer.status, answer.headers["Location"]) == (307, site.url + "/handle?handle=x")
    assert Visitor(site).send("POST", "/handle", {}, {"Host": "evil.example"}).status == 403


def test_checks_need_a_session_and_have_a_rate_limit(site, person):
    assert Visitor(site).send("GET", "/check?handle=jane").status == 401
    visitor = Visitor(site, person)
    answers = [visitor.send("GET", "/check?handle=x").status for _ in range(400)]
    assert answers[:60] == [200] * 60
    assert 429 in answers


@pytest.mark.parametrize("query", ["", "handle=" + "x" * 300, "handle=a%00b", "handle=a&handle=b"])
def test_a_check_that_can_not_be_read_gets_400(site, person, query):
    answer = Visitor(site, person).send("GET", "/check?" + query)
    assert answer.status == 400 and answer.headers["Retry-After"] is None


def test_the_check_does_not_reveal_the_owner_or_state_of_a_taken_name(site, person):
    site.registry.claim(person)
    answer = json.loads(Visitor(site, person + "y").send("GET", "/check?handle=" + person).text)
    assert set(answer) == {"input", "handle", "display", "status", "reasons", "suggestions"}
    assert answer["reasons"] == [{"code": "taken", "message": "This name is taken."}]
