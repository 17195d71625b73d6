"""The element and the function in a page: set-up, the page's own elements, texts, removal, and hostile input."""
import gzip
import subprocess

import pytest
from playwright.sync_api import expect

from conftest import FORM, SCRIPT, asked, box, decision, eventually, expect_state, field, message, refusal

LIVE = "**/v1/availability?*"


def test_the_script_has_at_most_6_kb_gzipped():
    size = len(gzip.compress(SCRIPT.read_bytes(), 9, mtime=0))
    print(f"{size} bytes")
    assert size <= 6144


def test_a_server_can_import_the_module():
    code = f"import('{SCRIPT}').then(({{ brokenRule }}) => process.exit(brokenRule('jane') === undefined ? 0 : 1))"
    subprocess.run(["node", "--input-type=module", "--eval", code], check=True, timeout=60)


@pytest.mark.context(java_script_enabled=False)
def test_the_form_works_without_javascript(context, site, name):
    page = context.new_page()
    site.open(page)
    box(page).fill(name)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/sent")
    assert site.forms == [{"handle": name}]


def test_the_input_is_described_by_the_message(page, site, name):
    site.open(page, FORM.replace("<input ", '<p id="hint">3 to 15 letters.</p><input aria-describedby="hint" '))
    expect(box(page)).to_have_accessible_description("3 to 15 letters.")
    site.registry.claim(name)
    box(page).fill(name)
    expect_state(page, "unavailable")
    expect(box(page)).to_have_accessible_description("3 to 15 letters. This name is taken.")
    expect(page.get_by_role("list", name="Free names like it").get_by_role("button")).to_have_count(5)
    assert page.locator("[role=status]").count() == 1


OWN = """<form method="post" action="/sent"><label for="handle">Handle</label>
<handle-field endpoint="ENDPOINT" ATTRIBUTES>
<div class="box">@<input type="hidden" name="csrf" value="1"><input id="handle" name="handle" value="VALUE"></div>
<p class="handle-message" id="words">MESSAGE</p>
<section class="handle-suggestions" hidden><h2 id="other">Others</h2>
<ul aria-labelledby="other"><li><button name="handle" value="first_one">first_one</button></li></ul></section>
<div class="handle-status" role="status"></div>
</handle-field><button>Continue</button></form>"""


def test_the_page_may_give_its_own_elements(page, site, name):
    site.registry.claim(name)
    site.open(page, OWN.replace("VALUE", "").replace("MESSAGE", ""))
    box(page).fill(name)
    expect(page.locator("#words")).to_have_text("This name is taken.")
    expect(page.get_by_role("heading", name="Others")).to_be_visible()
    expect(page.locator(".handle-suggestions button")).to_have_count(5)
    expect(page.locator("[role=status]")).to_contain_text("This name is taken.")
    for part in ("message", "suggestions", "status"):
        assert page.locator(".handle-" + part).count() == 1


def test_the_judgement_of_the_server_stands_until_the_text_changes(page, site, name):
    page.clock.install()
    html = OWN.replace("VALUE", name).replace("MESSAGE", "The server has spoken.").replace(" hidden>", ">")
    site.open(page, html, attributes='state="unavailable"')
    page.clock.run_for(60_000)
    assert (asked(page), page.evaluate("events")) == (0, [])
    expect(message(page)).to_have_text("The server has spoken.")
    assert page.evaluate("document.querySelector('handle-field').current.state") == "unavailable"
    # The server's suggestion is a submit button, for browsers without JavaScript.
    page.evaluate("document.addEventListener('click', (event) => { window.prevented = event.defaultPrevented; })")
    page.get_by_role("button", name="first_one").click()
    expect(box(page)).to_have_value("first_one")
    expect(box(page)).to_be_focused()
    assert page.evaluate("prevented") is True
    page.clock.run_for(1000)
    expect_state(page, "available")
    assert site.forms == []


@pytest.mark.parametrize("attributes", ["", 'state="unknown"', 'state="checking"'])
def test_a_text_that_the_server_has_not_judged_is_checked(page, site, name, attributes):
    site.open(page, OWN.replace("VALUE", name).replace("MESSAGE", "Not known."), attributes)
    expect(message(page)).to_have_text(f"{name} is available.")


GERMAN = """
const german = {
  checking: "Wird geprüft: {}", available: "{} ist frei.", taken: "Der Name ist vergeben.", suggestions: "Freie Namen",
  suggestionsBelow: (count) => `${count} freie Namen folgen.`, space: "Ein Leerzeichen",
  invalid_character: "{} geht nicht.", reserved_word: (_, reason) => `Reserviert (${reason.category}).`,
};
"""


@pytest.mark.parametrize("script", [
    GERMAN + "document.querySelector('handle-field').texts = german;",
    'import { texts } from "/handle-field.js";' + GERMAN + "Object.assign(texts, german);",
])
def test_texts_can_be_replaced(page, site, name, script):
    site.registry.claim(name)
    site.open(page, script=script)
    box(page).fill(name)
    expect(page.get_by_role("status")).to_have_text("Der Name ist vergeben. 5 freie Namen folgen.")
    assert page.evaluate("events.at(-1).reasons") == [{"code": "taken", "message": "Der Name ist vergeben."}]
    box(page).fill(name + "_a")
    expect(message(page)).to_have_text(f"{name}_a ist frei.")
    box(page).fill("jane roe")
    expect(message(page)).to_have_text("Ein Leerzeichen geht nicht.")
    box(page).fill("admin")
    expect(message(page)).to_have_text("Reserviert (roles).")
    # The other texts stay in English.
    box(page).fill("12345")
    expect(message(page)).to_have_text("A handle can't be digits only; add a letter.")


def test_a_refused_name_makes_the_input_invalid_only_if_the_page_asks_for_it(page, site, name):
    def validity():
        return page.evaluate("handle.validationMessage")

    site.registry.claim(name)
    site.open(page)
    box(page).fill(name)
    expect_state(page, "unavailable")
    assert validity() == ""
    site.open(page, attributes="validity")
    box(page).fill(name)
    assert validity() == ""
    expect_state(page, "unavailable")
    assert validity() == "This name is taken."
    page.get_by_role("button", name="Continue").click()
    expect(box(page)).to_be_focused()
    # The fault is not shown yet while the person types, but Enter does not send such a name.
    box(page).fill("")
    box(page).fill("ja")
    assert (message(page).text_content(), validity()) == ("", "A handle has at least 3 characters.")
    page.keyboard.press("Enter")
    assert site.forms == []
    # A failed check never blocks the person.
    page.route(LIVE, lambda route: route.abort())
    box(page).fill(name + "_a")
    expect_state(page, "unknown")
    assert validity() == ""
    page.keyboard.press("Enter")
    page.wait_for_url("**/sent")
    assert site.forms == [{"handle": name + "_a"}]


def test_a_removed_field_leaves_nothing_behind(stopped, name):
    page = stopped
    held = []
    page.route(LIVE, lambda route: held.append(route))
    page.evaluate("window.input = document.getElementById('handle'); window.field = input.parentElement")
    before = page.evaluate("field.outerHTML")
    bare = page.evaluate("""() => {
        const copy = field.cloneNode(true);
        copy.removeAttribute("state");
        copy.querySelectorAll("[class^=handle-]").forEach((one) => one.remove());
        copy.querySelector("input").removeAttribute("aria-describedby");
        return copy.outerHTML;
    }""")
    assert before != bare
    box(page).fill("a-b")
    box(page).fill(name)
    page.clock.run_for(300)
    eventually(page, lambda: held)
    with page.expect_event("requestfailed"):
        page.evaluate("field.remove()")
    assert page.evaluate("field.outerHTML") == bare
    assert page.evaluate("field.current") is None
    events = page.evaluate("events.length")
    page.evaluate("""() => {
        input.value = "other";
        for (const kind of ["input", "blur", "compositionend"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
        dispatchEvent(new Event("pageshow"));
    }""")
    page.clock.run_for(120_000)
    assert (page.evaluate("events.length"), asked(page)) == (events, 1)
    assert page.evaluate("field.outerHTML") == bare


def test_a_retry_ends_with_the_removal(stopped, name):
    page = stopped
    page.route(LIVE, lambda route: route.abort())
    box(page).fill(name)
    page.clock.run_for(300)
    expect_state(page, "unknown")
    page.evaluate("document.querySelector('handle-field').remove()")
    page.clock.run_for(120_000)
    assert asked(page) == 1


def test_a_moved_or_returned_field_works_again(page, site, name):
    site.open(page)
    box(page).fill(name)
    expect_state(page, "available")
    page.evaluate("window.field = document.querySelector('handle-field'); document.forms[0].append(field)")
    expect(message(page)).to_have_text(f"{name} is available.")
    page.evaluate("field.remove()")
    page.evaluate("document.forms[0].prepend(field)")
    box(page).fill(name + "_b")
    expect(message(page)).to_have_text(f"{name}_b is available.")
    for part in ("message", "suggestions", "status"):
        assert page.locator(".handle-" + part).count() == 1


def test_an_input_that_is_added_later_or_replaced_is_found(page, site, name):
    site.open(page, '<label for="handle">Handle</label><div id="place"></div>')
    page.evaluate("""endpoint => {
        window.field = document.createElement("handle-field");
        field.setAttribute("endpoint", endpoint);
        place.append(field);
        field.append(Object.assign(document.createElement("input"), { id: "handle" }));
    }""", site.endpoint)
    box(page).fill(name)
    expect(message(page)).to_have_text(f"{name} is available.")
    page.evaluate("handle.replaceWith(Object.assign(document.createElement('input'), { id: 'handle' }))")
    expect_state(page, "empty")
    box(page).fill(name + "_b")
    expect(message(page)).to_have_text(f"{name}_b is available.")
    assert page.locator(".handle-message").count() == 1


def test_a_field_that_is_parsed_after_the_script_finds_its_elements(page, site, name):
    site.open(page, '<p id="place"></p>')
    assert page.evaluate("""async (endpoint) => {
        Object.defineProperty(document, "readyState", { configurable: true, get: () => "loading" });
        const field = document.createElement("handle-field");
        field.setAttribute("endpoint", endpoint);
        place.append(field);
        field.append(document.createElement("input"));
        await null;
        field.append(Object.assign(document.createElement("p"), { className: "handle-message" }));
        await null;
        const early = field.current;
        delete document.readyState;
        document.dispatchEvent(new Event("DOMContentLoaded"));
        return [early, field.current.state, field.querySelectorAll(".handle-message").length];
    }""", site.endpoint) == [None, "empty", 1]


def test_two_fields_do_not_disturb_each_other(page, site, name):
    two = FORM + FORM.replace('"handle"', '"second"').replace(">Handle<", ">Second<")
    site.registry.claim(name)
    site.open(page, two)
    first, second = page.locator("handle-field").nth(0), page.locator("handle-field").nth(1)
    box(page).fill(name)
    page.get_by_label("Second").fill(name + "_b")
    expect(first.locator(".handle-message")).to_have_text("This name is taken.")
    expect(second.locator(".handle-message")).to_have_text(f"{name}_b is available.")
    expect(second.locator(".handle-suggestions")).to_be_hidden()
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(one => one.id)).size === "
                         "document.querySelectorAll('[id]').length")
    first.locator("button").first.click()
    expect(page.get_by_label("Second")).to_have_value(name + "_b")
    page.evaluate("document.querySelectorAll('handle-field')[0].remove()")
    page.get_by_label("Second").fill("a-b")
    expect(page.locator("handle-field")).to_have_attribute("state", "malformed")


def test_the_function_does_the_same_for_an_input_without_the_element(page, site, name):
    site.registry.claim(name)
    site.open(page, '<div><label for="handle">Handle</label><input id="handle"><p id="after"></p></div>')
    before = page.evaluate("document.querySelector('main').innerHTML")
    page.evaluate("""async (endpoint) => {
        const { attachHandleField } = await import("/handle-field.js");
        window.attached = attachHandleField(document.getElementById("handle"), { endpoint, suggestions: 2 });
    }""", site.endpoint)
    box(page).fill(name)
    expect(message(page)).to_have_text("This name is taken.")
    expect(page.locator(".handle-suggestions button")).to_have_count(2)
    assert page.evaluate("attached.current.state") == "unavailable"
    assert page.evaluate("after.previousElementSibling.className") == "handle-status"
    page.evaluate("attached.destroy()")
    assert page.evaluate("document.querySelector('main').innerHTML") == before


def test_the_module_may_be_loaded_twice(page, site, name):
    site.open(page)
    page.evaluate("import('/handle-field.js?again')")
    box(page).fill(name)
    expect_state(page, "available")


EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>$& $1 {}'


def test_hostile_texts_stay_texts(page, site, name):
    """Of the person, of a service that is not the registry, and of a page that passes on a name."""
    answers = [decision(name, display=EVIL), decision(
        name + "_b", status="unavailable", reasons=[{"code": "new_code", "message": EVIL}, {"code": "toString", "message": "x"}],
        suggestions=[{"handle": "x", "display": EVIL, "method": "word"}])]
    page.route(LIVE, lambda route: route.fulfill(**refusal(200, json=answers.pop(0))))
    site.open(page, attributes="name='" + EVIL.replace("'", "") + "'")
    elements = page.locator("handle-field *").count()
    box(page).fill(EVIL)
    expect_state(page, "malformed")
    box(page).fill("$&")
    page.keyboard.press("Tab")
    box(page).fill("$&$")
    expect(message(page)).to_have_text("‘$’ can't be in a handle; use a–z, 0–9 and _.")
    box(page).fill(name)
    expect(message(page)).to_have_text(EVIL + " is available.")
    box(page).fill(name + "_b")
    expect(message(page)).to_contain_text(EVIL)
    expect(page.locator(".handle-suggestions button")).to_have_text(EVIL)
    # Only a list item and its button are new.
    assert page.locator("handle-field *").count() == elements + 2
    page.locator(".handle-suggestions button").click()
    expect(box(page)).to_have_value(EVIL)
    assert page.evaluate("window.hacked") is None
