"""Reports as pages: self-contained, accessible, light, dark, narrow and printed."""

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from faulty_integration import FaultyIntegration
from readiness_stage import Stage, tour
from tools import install, need

import paylab
from paylab.readiness.item import Evidence, Item, JudgedItem
from paylab.readiness.report import Readiness
from paylab.simulator import Simulator
from paylab.views.probe import report_page
from paylab.views.readiness import readiness_card, readiness_page

AXE = ("axe-core@4.11.0",)
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("view", [readiness_page, readiness_card])
def test_text_of_a_service_is_escaped(view):
    """No text of a call becomes HTML, and nothing is loaded from elsewhere."""
    item = Item(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, observe=lambda history: ())
    evidence = (Evidence(HOSTILE, HOSTILE, HOSTILE, HOSTILE),)
    verdicts = ("broken", "not seen", "shown", "not applicable")
    judged = [JudgedItem(item, verdict, evidence, HOSTILE) for verdict in verdicts]
    page = view(Readiness(judged, 1))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(?:src|href)=\"(?!#)|url\(|@import", page)


def judged_page():
    """The page of an integration with many mistakes."""
    stage = Stage()
    return readiness_page(tour(stage, FaultyIntegration(stage)))


def probe_page():
    """The page of a walk through a service that differs, with a call that is open."""
    provider = Simulator(service=paylab.Service({"paths.quotes": "/v1/quote"}))
    report = paylab.connect(simulator=provider, service=paylab.Service()).probe(write=True)
    return report_page(report).replace("<details", "<details open", 2)


@pytest.mark.other_tools
@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
@pytest.mark.parametrize("make_page", [judged_page, probe_page])
def test_the_page_is_accessible_in_every_form(make_page, tmp_path):
    """axe-core finds nothing in light and dark, wide, narrow and printed, and nothing overflows."""
    page = tmp_path / "page.html"
    page.write_text(make_page())
    npm = shutil.which("npm") or need("npm is not installed")
    options = ("--no-audit", "--no-fund", "--no-progress", "--prefix")
    folder = install(AXE, lambda folder: [npm, "install", *options, folder, *AXE])
    script = Path(folder, "node_modules", "axe-core", "axe.min.js").read_text()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for scheme in ("light", "dark"):
            for width, media in (
                (1400, "screen"),
                (700, "screen"),
                (320, "screen"),
                (800, "print"),
            ):
                tab = browser.new_page(
                    viewport={"width": width, "height": 900}, color_scheme=scheme
                )
                tab.emulate_media(media=media, color_scheme=scheme)
                tab.goto(page.as_uri())
                tab.evaluate(script)
                found = tab.evaluate("axe.run().then(result => result.violations)")
                assert [violation["id"] for violation in found] == [], (scheme, width, media)
                assert tab.evaluate("document.documentElement.scrollWidth") <= width
                tab.close()
        browser.close()


def test_items_that_were_not_seen_are_a_line_per_group():
    """The card names them behind their group; what is broken needs no click."""
    make = partial(Item, observe=lambda _: ())
    item = make("orders.key", "Orders have keys", "", "", "Create a transfer.")
    other = make("orders.conflict", "A 409 ends", "", "", "")
    judged = [JudgedItem(item, "not seen", (), ""), JudgedItem(other, "not seen", (), "")]
    card = readiness_card(Readiness([*judged, JudgedItem(item, "broken", (), "twice")], 1))
    broken, unseen = card.split("<details", 1)
    assert "twice" in broken
    assert "key, conflict</summary>" in unseen
    assert "To show it: create a transfer." in unseen
