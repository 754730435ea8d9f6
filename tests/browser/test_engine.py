"""The search page in Chromium: sliders, keys, paging, no script, a phone, attacks, accessibility."""

import re
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from ircourse.engine import Engine, SourcePage
from ircourse.engine.server import serving
from ircourse.types import Link

sys.path.insert(0, str(Path(__file__).parents[1] / "engine" / "server"))
from hostile import ATTACKS, URLS, hostile_pages

HUB, FERRY, COPY = "http://town.example/", "http://ferry.example/", "http://copy.example/ferry"
TIMES = "The ferry leaves the old harbour at nine and comes back from the island at four on every day of May."
ORDER = "() => [...document.querySelectorAll('.hits > li')].map(hit => hit.dataset.url)"


def pages():
    yield SourcePage(HUB, "A town with an inn.", "The town", (Link(FERRY, "boats"),))
    yield SourcePage(FERRY, TIMES, "Timetable", (Link(HUB, "town"),))
    yield SourcePage(COPY, TIMES, "A copy")
    for i in range(24):
        links = (Link(FERRY, "timetable of the boats"), Link(HUB, "the town"))
        yield SourcePage(f"http://many.example/{i}", f"Quay {i} of the harbour", f"Harbour quay {i}", links)


@pytest.fixture(scope="module")
def address():
    with serving(Engine.build(pages())) as server:
        yield server.address


@pytest.fixture(scope="module")
def hostile():
    with serving(Engine.build(hostile_pages())) as server:
        yield server.address


@pytest.fixture
def page(page):
    """A page that notes what its policy refuses, what it says, and where requests go."""
    page.set_default_timeout(20_000)
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("dialog", lambda dialog: dialog.dismiss())
    return page


def clean(page):
    """Nothing failed, nothing was refused, and nobody else was asked."""
    origin = re.match(r"http://[^/]+/", page.url)[0]
    return not page.errors and not page.said and all(url.startswith(origin) for url in page.asked)


def test_search_why_and_near_duplicates(page, address):
    page.goto(address)
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("ferry")
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("1 result").wait_for()
    assert page.url == f"{address}?q=ferry"  # weights as usual are not in the address
    assert page.locator("mark").first.inner_text().lower() == "ferry"
    page.get_by_text("Why this rank").click()
    assert page.locator(".why tbody tr").count() == 5 and page.locator(".why td .bar").first.is_visible()
    page.get_by_text("1 near-duplicate folded").click()
    assert page.get_by_text(COPY).is_visible()
    page.get_by_role("link", name="Pages like this").click()
    page.get_by_role("heading", name="Pages like").wait_for()
    assert page.get_by_label("Search these pages").input_value() == "ferry"
    assert clean(page)


def test_sliders_rank_again_at_once_and_keep_what_is_open(page, address):
    page.goto(f"{address}?q=harbour+ferry")
    before = page.evaluate(ORDER)
    assert before[0] == FERRY
    page.locator(f'li[data-url="{FERRY}"] .why summary').click()
    for name in ("Text", "Link texts", "PageRank", "Meaning (LSI)"):
        page.get_by_label(name, exact=True).press("Home")
    page.get_by_label("Title", exact=True).focus()
    page.keyboard.press("End")
    page.wait_for_url(re.compile("text=0.*title=100"))
    page.wait_for_function(f"before => ({ORDER})()[0] !== before[0]", arg=before)
    assert "ranked again; first: Harbour quay" in page.get_by_role("status").inner_text()
    assert page.locator(".moved").first.is_visible()
    assert page.evaluate("document.activeElement.id") == "weight-title"
    page.get_by_label("Link texts", exact=True).press("End")
    page.wait_for_url(re.compile("anchors=100"))
    page.reload()
    assert page.get_by_label("Link texts", exact=True).input_value() == "100"
    page.get_by_role("link", name="Reset").click()
    page.wait_for_url(f"{address}?q=harbour+ferry")
    page.wait_for_function(f"before => ({ORDER})().join() === before.join()", arg=before)
    page.locator(f'li[data-url="{FERRY}"] .why summary').click()
    page.get_by_label("PageRank").press("ArrowRight")
    page.wait_for_url(re.compile("pagerank=6"))
    assert page.locator(f'li[data-url="{FERRY}"] .why').evaluate("fold => fold.open")
    for name in ("Text", "Title", "Link texts", "PageRank", "Meaning (LSI)"):
        page.get_by_label(name, exact=True).press("Home")
    page.get_by_text("All weights are 0").wait_for()
    page.get_by_label("Title", exact=True).press("End")
    page.locator(".hits").wait_for()
    assert not page.errors


def test_paging_and_keys(page, address):
    page.goto(f"{address}?q=quay")
    page.get_by_role("link", name="Next").click()
    page.get_by_text("page 2 of 3").wait_for()
    second = page.evaluate(ORDER)
    page.get_by_role("link", name="Page 1", exact=True).click()
    page.get_by_text("page 1 of 3").wait_for()
    assert len(second) == 10 and not set(second) & set(page.evaluate(ORDER))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("ferry/boats")
    assert page.locator("#q").input_value() == "ferry/boats"
    seen = []
    for _ in range(14):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.name || document.activeElement.tagName"))
        style = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(style) == "solid"
    assert seen[2:7] == ["text", "title", "anchors", "pagerank", "lsi"] and "SUMMARY" in seen[7:]
    assert clean(page)


def test_without_a_script(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Search these pages").fill("harbour ferry")
    page.get_by_role("button", name="Search").click()
    assert page.locator(".hits > li").first.get_attribute("data-url") == FERRY
    for name in ("Text", "Link texts", "PageRank", "Meaning (LSI)"):
        page.get_by_label(name, exact=True).fill("0")
    page.get_by_role("button", name="Rank again").click()
    page.wait_for_url(re.compile("pagerank=0"))
    assert page.locator(".hits > li").first.get_attribute("data-url") != FERRY
    page.get_by_text("Why this rank").first.click()
    assert page.locator(".why table").first.is_visible()
    context.close()


PATHS = ("", "?q=harbour", "?q=harbur", "?q=zzzzzz", "?q=%00", "hubs?q=harbour", "nothing")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_at_a_desk_and_on_a_phone(chromium, axe, address, theme):
    context = chromium.new_context(color_scheme=theme, bypass_csp=True)  # for axe alone
    page = context.new_page()
    kept = [f"{kind}?url={quote(FERRY, safe='')}" for kind in ("page", "like")]
    for path in (*PATHS, *kept) if theme == "light" else (*PATHS[1:3], kept[0]):
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address + path)
        for fold in page.locator("main summary").all():
            fold.click()
        page.evaluate(axe)
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        faults = [(rule["id"], node["html"][:200]) for rule in found["violations"] for node in rule["nodes"]]
        assert faults == [], path
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    context.close()


def test_attacks_run_nothing(page, hostile):
    queries = [f"?q={quote(text)}" for text in ("harbour", "mirrored", "harbuor " + ATTACKS[0], *ATTACKS)]
    queries += [f"hubs?q={quote('harbour')}", f"?q=harbour&text={quote(ATTACKS[2])}", "?q=%00<script>"]
    urls = [quote(url, safe="") for url in (*URLS, ATTACKS[0])]
    queries += [f"{kind}?url={url}" for kind in ("page", "like") for url in urls]
    for path in queries:
        page.goto(hostile + path)
        for fold in page.locator("summary").all():
            fold.click()
        assert page.evaluate("window.hacked") is None, path
        assert page.locator("#answer").locator("script, img, iframe, style, [onload], [onerror]").count() == 0
        links = page.locator("a").evaluate_all("links => links.map(link => link.href)")
        assert all(link.startswith("http://") for link in links)
    page.goto(f"{hostile}?q=harbour")
    for slider in ("PageRank", "Text"):
        page.get_by_label(slider, exact=True).press("End")
    page.wait_for_url(re.compile("text=100"))
    page.locator(".hits h2 a").first.click()
    page.get_by_role("heading", name="Text kept").wait_for()
    assert page.evaluate("window.hacked") is None and not page.errors
    refused = [said for said in page.said if "Failed to load resource" not in said]
    assert refused == []  # nothing even had to be stopped by the policy


def test_the_policy_stops_what_would_get_through(page, hostile):
    page.goto(hostile)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.hacked=1>')")
    page.wait_for_function("() => document.images[0].complete")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'hacked = 1'}))"
    )
    assert page.evaluate("window.hacked") is None
    assert len([said for said in page.said if "Content Security Policy" in said]) >= 2
