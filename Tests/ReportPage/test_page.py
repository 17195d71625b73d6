"""The page of `handles validate --html`, made once from a file with every kind of row."""
import os
import subprocess
from pathlib import Path

import pytest

from browsers import COLOURS, axe_findings_in_all_layouts, browser, context

PICTURES = Path(os.environ["REPORT_PICTURES"])
HOSTILE = ["<script>document.title = 'changed'</script>", "<img src=x onerror=\"document.title = 'changed'\">", "</bdi></td>",
           "\u202e\u2066evil", "z" + "\u0300" * 60, "محمد", "W" * 300, "\u3000wide\u3000"]


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The path of the page."""
    folder = tmp_path_factory.mktemp("report")
    names = HOSTILE + [str(number) for number in range(10_000, 10_900)] + [f"jane.roe{n}" for n in range(300)]
    names += ["admin", "_jane", "jo", "JohnDoe", "johndoe", "j0hnd0e", ""] * 20 + [f"anna_{n}" for n in range(3000)]
    rows = ["id;User <b>Name</b>"] + [f'{n};"{name.replace(chr(34), chr(34) * 2)}"' for n, name in enumerate(names)]
    file = folder / "people & <b>names.csv"
    file.write_text("\n".join(rows + ["broken", ""] * 12 + ['1;"never closed\n']))
    command = [Path(os.environ["SIGN_UP_PROGRAMS"]) / "handles", "validate", file.name, "--column", "2", "--repair",
               "--html", "report.html", "--output", "refused.csv", "--quiet"]
    assert subprocess.run(command, cwd=folder).returncode == 65
    return folder / "report.html"


@pytest.fixture
def page(context, report):
    """The opened page. The test fails if the page asks for anything else, or breaks its own policy."""
    page = context.new_page()
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(report.as_uri())
    yield page
    assert asked == [report.as_uri()] and complaints == []


def test_axe_finds_no_violation(page):
    assert axe_findings_in_all_layouts(page, COLOURS + ({"media": "print"},)) == []


@pytest.mark.parametrize("width, size", [(320, 16), (320, 32), (640, 16), (768, 32), (1280, 32)])
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_the_page_fits_the_width(page, width, size, direction):
    page.set_viewport_size({"width": width, "height": 800})
    # The size of text that is set in the browser.
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": size}})
    page.evaluate("direction => { document.documentElement.dir = direction }", direction)
    assert page.evaluate("getComputedStyle(document.body).fontSize") == f"{size}px"
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_of_the_file_stays_text(page):
    assert page.title() == "people & <b>names.csv: validation of names"
    assert page.locator("script, img, b").count() == 0
    shown = page.locator(".examples span > bdi").all_text_contents()
    assert HOSTILE[0] in shown and "\\u{202e}\\u{2066}evil" in shown and "W" * 64 + "…" in shown


def test_bars_have_the_lengths_of_their_numbers(page):
    bars = page.locator("table[aria-labelledby=reasons] tbody tr").evaluate_all(
        "rows => rows.map(row => [Number(row.cells[1].textContent.replaceAll(',', '')),"
        "row.querySelector('.bar i').getBoundingClientRect().width / row.querySelector('.bar').clientWidth])")
    assert len(bars) > 6
    for rows, length in bars:
        assert abs(length - rows / bars[0][0]) < 0.01


@pytest.mark.parametrize("scheme, width", [("light", 1200), ("dark", 1200), ("light", 360)])
def test_pictures_are_taken(page, scheme, width):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.screenshot(path=PICTURES / f"report-{scheme}-{width}.png", full_page=True)


def test_paper_has_the_light_colours_and_whole_rows(page):
    page.emulate_media(color_scheme="dark")
    light = "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'"
    assert not page.evaluate(light)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(light)
    assert page.locator("tr, .bar i").evaluate_all(
        "all => all.every(one => one.localName === 'tr' ? getComputedStyle(one).breakInside === 'avoid'"
        ": getComputedStyle(one).printColorAdjust === 'exact')")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.pdf(path=PICTURES / "report.pdf", prefer_css_page_size=True)
