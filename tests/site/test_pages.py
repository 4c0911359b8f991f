"""The site as somebody who has only a browser sees it, and its lessons in its runtime."""

import io
import json
import os
import re
import subprocess
from hashlib import sha256
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import pytest
import zxingcpp
from PIL import Image

from paylab import emvqr
from paylab.site.lessons import LESSONS, choose_lessons, lesson_for_page
from paylab.site.saved_page import saved_page

pytestmark = pytest.mark.other_tools

LESSONS_SCRIPT = Path(__file__).with_name("lessons.mjs")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
PATIENCE = 120_000
OUTPUT = ".jp-OutputArea-output"
ALL_RAN = """() => [...document.querySelectorAll('.jp-CodeCell')].every(cell =>
  !cell.querySelector('.cm-content').textContent.trim()
  || (/\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent)))"""
BUTTONS = ("Create this person", "Upload the images", "Register this wallet", "Open the account")
BUTTONS += ("Simulate this payment (sandbox)",)
TABS_MAX = 60
FOCUSED = """() => { const part = document.activeElement;
  return part.labels?.[0]?.textContent || part.ariaLabel || part.innerText || ''; }"""
STORED = """await (async () => {
  const [{ name }] = await indexedDB.databases();
  const opened = indexedDB.open(name);
  await new Promise(done => (opened.onsuccess = done));
  const asked = opened.result.transaction("files").objectStore("files").getAll();
  await new Promise(done => (asked.onsuccess = done));
  opened.result.close();
  return JSON.stringify(asked.result); })()"""
"""The notebooks that a page has stored, which every page of its origin can read."""

VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ').slice(0, 500)}`)"""
SHOWN_COMMANDS = """() => [...document.querySelectorAll('.lm-Menu-item')]
  .filter((item) => item.offsetParent)
  .map((item) => item.dataset.command || item.innerText.trim())"""
SCRIPTS = "**/build/**/*.bin*"
ATTACKS = ("<script>parent.ran = 1</script>", "<img src=x onerror=parent.ran=1>")
ATTACKS += ("<iframe srcdoc='<script>parent.parent.ran = 1</script>'></iframe>",)

AS_SAVED = "As saved: this cell needs "


@pytest.fixture(scope="module", autouse=True)
def running(site, pyodide, tmp_path_factory):
    """All lessons running in the runtime under Node, beside the tests in a browser."""
    names = [f"{stem}.ipynb" for stem in LESSONS]
    command = ["node", str(LESSONS_SCRIPT), str(site), str(pyodide), *names]
    output = tmp_path_factory.mktemp("lessons") / "output"
    with output.open("w") as written:
        node = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT)
    yield node, output
    node.kill()
    node.wait()


@pytest.fixture(scope="module")
def ran(running):
    """What each cell of each lesson showed, by lesson."""
    node, output = running
    node.wait(timeout=600)
    lines = output.read_text().splitlines()
    assert node.returncode == 0, "\n".join(line[:500] for line in lines[-20:])
    shown = [json.loads(line) for line in lines if line.startswith('{"name"')]
    return {lesson["name"].removesuffix(".ipynb"): lesson["cells"] for lesson in shown}


def test_the_site_has_its_packages_with_their_hashes(site):
    """Each wheel of the lock file is there as it says, and the site is small."""
    folder = site / "static" / "pyodide"
    lock = json.loads((folder / "pyodide-lock.json").read_text())
    for entry in lock["packages"].values():
        wheel = folder / entry["file_name"]
        assert sha256(wheel.read_bytes()).hexdigest() == entry["sha256"]
        assert ZipFile(wheel).namelist()
    assert lock["quick"]
    assert {"paylab", "pydantic-core", "pyodide-kernel"} <= lock["packages"].keys()
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    assert size <= 45_000_000


class Visitor:
    """A browser window that records what it asks for and what goes wrong."""

    def __init__(self, page, host, artefacts):
        self.page, self.host, self.artefacts = page, host, artefacts
        self.problems, self.addresses = [], []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)
        page.context.on("request", lambda request: self.addresses.append(request.url))

    def _note(self, message):
        if message.type == "error":
            self.problems.append(f"{message.text} {message.location}")

    def open(self, title):
        """Choose a card of the first page, and wait until its notebook can run."""
        self.choose(title)
        self.page.locator("#opening").wait_for(state="detached")

    def choose(self, title):
        """Choose a card of the first page."""
        self.page.goto(self.host)
        self.page.get_by_role("link", name=title).click()

    def run_all(self):
        """Press the button that a page has at once, and wait until the last cell has run."""
        self.page.get_by_role("button", name="Run all cells").click()
        self.page.get_by_text("All cells run as soon as").wait_for()
        self.page.locator("#opening").wait_for(state="detached")
        self.page.wait_for_function(ALL_RAN)

    def run_first(self, count):
        """Run the first cells with Shift+Enter."""
        for number in range(count):
            self.page.locator(".jp-CodeCell .jp-InputPrompt").nth(number).click()
            self.page.keyboard.press("Shift+Enter")

    def hold(self, pattern):
        """Answer no request for these files, until the returned function is called."""
        held = []

        def hold(route):
            held.append(route)

        def release():
            self.page.route(pattern, lambda route: route.continue_())
            for route in held:
                route.continue_()

        self.page.route(pattern, hold)
        return release

    def find_violations(self, axe):
        """The findings of axe-core in the page and its frames."""
        for frame in self.page.frames:
            frame.evaluate(axe.read_text(encoding="utf-8"))
        return self.page.evaluate(VIOLATIONS)

    def press_on(self, name, key):
        """Move the focus to an input or button with Tab, and press a key on it."""
        for _ in range(TABS_MAX):
            self.page.keyboard.press("Tab")
            if name in self.page.evaluate(FOCUSED):
                return self.page.keyboard.press(key)
        raise AssertionError(f"Tab does not reach {name}")

    def shoot(self, name):
        """A screenshot, which is also an artefact."""
        return self.page.screenshot(path=self.artefacts and self.artefacts / f"{name}.png")

    def output_of(self, code):
        """The output of the cell with this code."""
        return self.page.locator(".jp-CodeCell", has_text=code).first.locator(OUTPUT)


@pytest.fixture
def visitor(host, chromium):
    """A new browser at the site, on a dark system."""
    from playwright.sync_api import sync_playwright

    folder = os.environ.get("PAYLAB_ARTEFACTS")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        context = browser.new_context(viewport={"width": 1400, "height": 1000}, color_scheme="dark")
        context.set_default_timeout(PATIENCE)
        yield Visitor(context.new_page(), host, folder and Path(folder))
        browser.close()


def test_a_visitor_scans_a_live_qr_code_and_walks_the_stepper_with_the_keyboard(visitor, site):
    """From the first page, with 22 MB, no request to another host and no error on the console."""
    visitor.choose("PHP to USDC")
    visitor.run_all()
    assert "Dark" in visitor.page.evaluate("document.body.dataset.jpThemeName")
    picture = visitor.output_of("card = lab.deposit_card(account)").locator("img").first
    picture.scroll_into_view_if_needed()
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(visitor.shoot("site-20"))))
    payload = emvqr.parse(code.text)
    parsed = visitor.output_of("code = paylab.emvqr.parse(payload)").inner_text()
    assert all(repr(part) in parsed for part in (payload.merchant_name, payload.crc))
    files = [url.removeprefix(visitor.host).partition("?")[0] for url in visitor.addresses]
    first_files = {*files[: files.index("static/pyodide/later.bin")]}  # a later cell asks for it
    starts = [name for name in files if name.endswith(("/worker.mjs", "/memory.bin"))]
    assert starts == ["static/pyodide/worker.mjs", "static/pyodide/memory.bin"]  # once
    sizes = [(site / name).stat().st_size for name in first_files if (site / name).is_file()]
    assert sum(sizes) <= 22_000_000

    visitor.open("Start here")
    stepper = visitor.output_of("lab.onramp(")
    visitor.run_first(2)
    stepper.get_by_role("button", name="Create this person").wait_for()
    visitor.page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).click()
    visitor.press_on("The person agrees to identity verification", "Space")
    for button in BUTTONS:
        stepper.get_by_role("button", name=button).wait_for()
        visitor.press_on(button, "Enter")
    # A state that may follow is in the list as well: only the current one is marked.
    stepper.locator(".paylab-timeline [aria-current=step]", has_text="completed").wait_for()
    visitor.shoot("site-00")

    stepper.get_by_role("button", name="Start over").last.click()
    stepper.get_by_label("Given name").fill("a draft of a name")
    visitor.page.locator(".jp-CodeCell .cm-content").first.click()
    visitor.page.keyboard.type("# a change")
    visitor.page.keyboard.press("Control+s")
    visitor.page.wait_for_function(f"async () => ({STORED}).includes('# a change')")
    assert "a draft of a name" not in visitor.page.evaluate(f"async () => {STORED}")
    assert visitor.problems == []
    assert [url for url in visitor.addresses if not is_own(url, visitor.host)] == []


def test_saved_outputs_are_there_at_once_and_give_way_to_the_notebook(visitor, axe):
    """Without a script of JupyterLab they show the QR code, and then stay where they are."""
    release = visitor.hold(SCRIPTS)
    visitor.page.goto(f"{visitor.host}notebooks/index.html?path=20_ph_onramp.ipynb")
    opening = visitor.page.locator("#opening")
    saved = visitor.page.frame_locator("#opening iframe")
    saved.get_by_alt_text("QR code").scroll_into_view_if_needed()
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(visitor.shoot("site-20-saved"))))
    assert emvqr.parse(code.text).merchant_name
    assert visitor.find_violations(axe) == []

    opening.get_by_text("The notebook starts").wait_for()
    visitor.page.keyboard.press("Shift+Enter")
    opening.get_by_text("press the key again").wait_for()
    code_top = saved.get_by_text("lab.deposit_card(account)").bounding_box()["y"]
    release()
    opening.wait_for(state="detached")
    cell = visitor.page.locator(".jp-CodeCell", has_text="lab.deposit_card(account)")
    assert abs(cell.locator(".cm-line").first.bounding_box()["y"] - code_top) < 10
    assert visitor.problems == []


def test_saved_outputs_can_be_read_by_all(visitor, axe):
    """axe-core finds nothing where code has all colours, and outputs are tables and errors."""
    for stem, scheme in product(("40_payouts", "60_signing_and_failures"), ("light", "dark")):
        visitor.page.emulate_media(color_scheme=scheme)
        visitor.page.goto(f"{visitor.host}saved/{stem}.html")
        assert visitor.find_violations(axe) == [], f"{stem}, {scheme}"


def test_saved_outputs_run_no_script(visitor):
    """Nor is anything shown first for a notebook that is none of the site's."""
    outputs = [{"output_type": "display_data", "data": {"text/html": html}} for html in ATTACKS]
    cell = {"cell_type": "code", "source": "1", "execution_count": 1, "outputs": outputs}
    html = saved_page("planted", {"cells": [cell]})
    visitor.hold(SCRIPTS)
    visitor.page.route("**/saved/*.html", lambda route: route.fulfill(body=html))
    visitor.page.goto(f"{visitor.host}notebooks/index.html?path=20_ph_onramp.ipynb")
    visitor.page.frame_locator("#opening iframe").locator("img").wait_for(state="attached")
    visitor.page.wait_for_timeout(500)
    assert len(visitor.problems) >= len(ATTACKS)  # a message for each that was refused
    assert visitor.page.evaluate("'ran' in window") is False

    visitor.page.goto(f"{visitor.host}notebooks/index.html?path=other.ipynb")
    assert not visitor.page.locator("#opening").is_visible()


def test_a_link_of_a_notebook_opens_the_other_lesson(visitor):
    """The logo opens the first page, and no menu opens an application that the site lacks."""
    visitor.open("The off-ramp")
    page = visitor.page
    with page.context.expect_page() as opened:
        page.locator(".jp-RenderedMarkdown").get_by_role("link", name="50_webhooks").click()
    opened.value.get_by_role("heading", name="Webhooks").first.wait_for()
    with page.context.expect_page() as opened:
        page.locator("#jp-NotebookLogo").click()
    opened.value.get_by_role("heading", name="paylab in your browser").wait_for()
    commands = []
    for menu in ("File", "View"):
        page.get_by_role("menuitem", name=menu, exact=True).click()
        page.locator(".lm-Menu-item").first.wait_for()
        commands += page.evaluate(SHOWN_COMMANDS)
        page.keyboard.press("Escape")
    assert {"docmanager:save", "toc:toggle-panel"} <= {*commands}
    assert not {"application:open-lab", "application:open-tree", "filemenu:create-console"} & {
        *commands
    }
    assert "New" not in commands
    page.wait_for_timeout(1000)  # JupyterLab names the page after the application, again and again
    assert page.title() == "45_offramp"


def test_a_page_whose_scripts_are_lost_says_so(visitor):
    """The saved outputs stay."""
    visitor.page.route(SCRIPTS, lambda route: route.fulfill(status=404))
    visitor.page.goto(f"{visitor.host}notebooks/index.html?path=20_ph_onramp.ipynb")
    visitor.page.locator("#opening").get_by_text("cannot be loaded").wait_for()
    assert visitor.page.frame_locator("#opening iframe").get_by_alt_text("QR code").is_visible()


def is_own(url, host):
    """Whether a request stays at the origin of the site, or is no request at all."""
    origin = "/".join(host.split("/")[:3])
    return url.startswith((f"{origin}/", "data:", f"blob:{origin}/"))


def shown_text(outputs):
    """The text of outputs; errors by their kind."""
    texts = []
    for output in outputs:
        plain = output.get("data", {}).get("text/plain", "")
        texts.append(output.get("text") or plain or output.get("ename", ""))
    return "".join(texts)


@pytest.mark.parametrize("path", choose_lessons([]), ids=lambda path: path.stem)
def test_a_lesson_runs_in_the_runtime_as_it_is_stored(path, ran):
    """Each cell shows what is stored, or says that it is shown as saved; none stops the lesson."""
    stored = [
        cell for cell in lesson_for_page(path, has_frames=False)["cells"] if "outputs" in cell
    ]
    cells = ran[path.stem]
    assert [cell["status"] for cell in cells] == ["ok"] * len(stored), cells[-1]
    for cell, kept in zip(cells, stored, strict=True):
        text = shown_text(cell["outputs"])
        if AS_SAVED in text:
            assert text.startswith(shown_text(kept["outputs"]))
        elif "nbval-ignore-output" not in kept["metadata"].get("tags", []):
            assert comparable(text) == comparable(shown_text(kept["outputs"])), cell["source"]


def comparable(text):
    """A text without what depends on Pillow and on the calls of cells with frames."""
    text = text.replace("image/png", "image/jpeg")
    text = re.sub(r"\(number \d+ in lab\.calls\)", "", text)
    return re.sub(r"<Call GET \S+ -> 200", "<Call", text.replace("\n ", ""))


def test_what_needs_pandas_is_few_cells_and_says_so(ran):
    """Without pandas the on-ramps, signatures and failures are live; no line advises pip."""
    texts = {stem: [shown_text(cell["outputs"]) for cell in cells] for stem, cells in ran.items()}
    saved = {stem: sum(AS_SAVED in text for text in texts[stem]) for stem in texts}
    assert max(saved[stem] for stem in ("00_start_here", "10_mx_onramp", "20_ph_onramp")) <= 3
    assert saved["70_your_service"] == saved["80_reference"] == 0
    assert not [text for every in texts.values() for text in every if "pip install" in text]
