"""JupyterLab as users run it (`paylab lab --no-browser`), and a headless Chromium to use it.

Notebooks are opened from copies, never from the repository. Screenshots go to PAYLAB_ARTEFACTS.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

REPOSITORY = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
TOKEN = "browser-test"
PATIENCE = 60_000
IDLE = re.compile(r"Python 3 \(ipykernel\) \| Idle")
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
RAN = re.compile(r"\[\d+\]")
OUTPUT = ".jp-OutputArea-output"


def pytest_runtest_setup(item):
    """Skip the tests of this folder without a browser; on CI a missing browser is a failure."""
    if "tests/browser" in item.path.as_posix() and _chromium() is None:
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing(f"no browser is installed: looked for {', '.join(NAMES)}")


def _chromium():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Server:
    """A running `paylab lab` and the folder of notebooks it serves."""

    def __init__(self, url, home):
        self.url, self.home, self.folder = url, home, home / "paylab-notebooks"

    def ask(self, path, method="GET"):
        """Send a request to the Jupyter server's REST API."""
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def write(self, name, cells):
        """Write a notebook with code cells into the folder."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, self.folder / name)

    def restore(self, name):
        """Restore one of the project's notebooks to its committed state."""
        book = nbformat.read(REPOSITORY / "notebooks" / name, nbformat.NO_CONVERT)
        for cell in book.cells:
            if cell.cell_type == "code":
                cell.update(outputs=[], execution_count=None)
        nbformat.write(book, self.folder / name)

    def forget_settings(self):
        """Reset the theme to light after a test that changed it."""
        shutil.rmtree(self.home / "SETTINGS", ignore_errors=True)

    def stop_kernels(self):
        """Stop every kernel."""
        for session in self.ask("/api/sessions"):
            self.ask(f"/api/sessions/{session['id']}", "DELETE")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """`paylab lab --no-browser` as an installed paylab runs it, without this user's settings."""
    home = tmp_path_factory.mktemp("jupyter")
    port = _port()
    command = [sys.executable, "-m", "paylab", "lab", "--no-browser", "--port", str(port)]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=home, env=_environment(home), stdout=log, stderr=log, process_group=0
        )
        running = Server(f"http://127.0.0.1:{port}", home)
        _until_up(running, process, home / "log")
        yield running
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def _environment(home):
    """An environment with its own home, and paylab laid out as in a wheel with its notebooks."""
    package = home / "site" / "paylab"
    (package / "notebooks").mkdir(parents=True)
    for source in (REPOSITORY / "paylab").iterdir():
        (package / source.name).symlink_to(source)
    for source in (REPOSITORY / "notebooks").glob("*.ipynb"):
        shutil.copyfile(source, package / "notebooks" / source.name)
    (home / "config").mkdir()
    exposed = {"LabApp": {"expose_app_in_browser": True}}  # tests open notebooks in a loaded page
    (home / "config" / "jupyter_lab_config.json").write_text(json.dumps(exposed))
    own = {f"JUPYTER_{kind}_DIR": home / kind.lower() for kind in ("CONFIG", "DATA", "RUNTIME")}
    own |= {f"JUPYTERLAB_{kind}_DIR": home / kind for kind in ("SETTINGS", "WORKSPACES")}
    own |= {"IPYTHONDIR": home / "ipython", "PYTHONPATH": home / "site", "JUPYTER_TOKEN": TOKEN}
    return {**os.environ, **{name: str(value) for name, value in own.items()}}


def _port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _until_up(running, process, log):
    for _ in range(900):
        try:
            return running.ask("/api/status")
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    raise AssertionError(log.read_text())


class Window:
    """A browser window with one page, which stays loaded from test to test."""

    def __init__(self, context):
        self._context, self.page = context, context.new_page()

    def renew(self):
        """Replace the page, after a failure that may have left anything in it."""
        self.page.close()
        self.page = self._context.new_page()


@pytest.fixture(scope="package")
def chromium():
    """One headless Chromium window for all tests of this folder.

    No longer: no other event loop may run while playwright's loop runs.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), headless=True, args=FLAGS)
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        yield Window(context)
        browser.close()


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory):
    """The folder of the screenshots."""
    folder = os.environ.get("PAYLAB_ARTEFACTS")
    path = Path(folder) if folder else tmp_path_factory.mktemp("artefacts")
    path.mkdir(parents=True, exist_ok=True)
    return path


class Notebook:
    """A notebook open in JupyterLab, used through menus, keys, buttons and labels."""

    def __init__(self, server, page, name, artefacts, request):
        self.server, self.page, self.name = server, page, name
        self.artefacts, self._request = artefacts, request

    def open(self):
        """Open the notebook and wait until its kernel is ready; load JupyterLab if it is not."""
        if self.page.evaluate("'jupyterapp' in window"):
            self.page.evaluate(OPEN, self.name)
            self.idle()
            return self
        self.server.forget_settings()
        self.page.goto(f"{self.server.url}/lab/tree/{self.name}?reset&token={TOKEN}")
        self.idle()
        self.page.keyboard.press("Control+b")  # the file browser leaves a narrow page no room
        return self

    def close(self):
        """Close the notebook without saving it, stop its kernel, and return to the light theme."""
        if self.page.evaluate("'jupyterapp' in window"):
            self.page.evaluate(CLOSE)
        self.server.stop_kernels()

    def idle(self):
        """Wait until the kernel is idle."""
        self.page.get_by_text(IDLE).wait_for()

    def command(self, menu, command):
        """Choose a command from a menu."""
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        self.page.locator(f"[data-command='{command}']").click()

    def run_all(self):
        """Choose Run > Run All Cells, and wait until the last cell has run."""
        self.command("Run", "runmenu:run-all")
        self.finished()

    def run_next(self):
        """Run the first code cell that has not run (Shift+Enter), and return its code."""
        number = self.page.evaluate(FIRST_NOT_RUN)
        assert number >= 0, "every cell has run"
        cell = self.page.locator(".jp-CodeCell").nth(number)
        prompt = cell.locator(".jp-InputPrompt")
        prompt.click()
        self.page.keyboard.press("Shift+Enter")
        expect(prompt).to_have_text(RAN, timeout=PATIENCE)
        return cell.locator(".cm-content").text_content()

    def run_through(self, code):
        """Run the cells up to the first one that contains a piece of code."""
        while code not in self.run_next():
            pass

    @property
    def errors(self):
        """The outputs that are errors."""
        return self.page.locator("[data-mime-type='application/vnd.jupyter.error']")

    def finished(self):
        """Wait until every code cell that has code has run."""
        self.page.wait_for_function(ALL_RAN, timeout=2 * PATIENCE)
        self.idle()

    @property
    def outputs(self):
        """The outputs; texts are looked for here, because the source contains them too."""
        return self.page.locator(OUTPUT)

    def label(self, name):
        """The input that has this label."""
        return self.page.get_by_label(name, exact=True)

    def button(self, name):
        """The visible button with this name; the last one if there are several."""
        buttons = self.page.locator(OUTPUT).get_by_role("button", name=name, exact=True)
        return buttons.locator("visible=true").last

    def says(self, text):
        """Wait until an output shows a text."""
        found = self.outputs.get_by_text(text).locator("visible=true").first
        found.wait_for()
        return found

    def shot(self, name, locator=None):
        """Take a screenshot of the page or of a part of it."""
        path = self.artefacts / f"{name}.png"
        (locator or self.page).screenshot(path=path)
        return path

    def keep(self, name, locator=None):
        """Keep a picture for people to look at, if PAYLAB_ARTEFACTS names a folder for it."""
        if "PAYLAB_ARTEFACTS" in os.environ:
            self.shot(name, locator)

    def theme(self, name):
        """Choose the light or dark theme in the settings."""
        self.page.get_by_role("menuitem", name="Settings", exact=True).click()
        self.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Theme$")).click()
        self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{THEMES[name]}$")).click()
        self.page.wait_for_function(
            f"document.body.dataset.jpThemeLight === '{str(name == 'light').lower()}'"
        )
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")

    def looks(self, name, check=lambda width: None):
        """Look at the page: dark and narrow, light and wide, and very narrow.

        `check(width)` is called for each. A theme changes colours and no sizes: axe-core looks at
        each theme once. The last look uses very wide letters: the result must not depend on a
        machine's fonts.
        """
        height = self.page.viewport_size["height"]
        for theme, widths in (("dark", (700,)), ("light", (1400, 400))):
            self.page.set_viewport_size({"width": 1600, "height": height})
            self.theme(theme)
            for width in widths:
                self.page.set_viewport_size({"width": width, "height": height})
                self.page.evaluate(DRAWN)
                self.keep(f"{name}-{width}-{theme}")
                check(width)
            assert self.violations() == []
        wide = self.page.add_style_tag(content="body * { font-family: monospace !important }")
        self.page.evaluate(DRAWN)
        self.keep(f"{name}-wide-letters")
        check(width)
        wide.evaluate("style => style.remove()")

    def sideways(self, width):
        """Outputs that scroll sideways at this width; below 700 px a table may scroll."""
        return self.page.evaluate(SIDEWAYS, OUTPUT if width < 700 else f"{OUTPUT}, {OUTPUT} *")

    def violations(self):
        """The findings of axe-core in the forms and cards of the page."""
        if not self.page.evaluate("'axe' in window"):
            script = self._request.getfixturevalue("axe")
            self.page.evaluate(script.read_text(encoding="utf-8"))
        return self.page.evaluate(FINDINGS)

    def press(self, *keys):
        """Press keys one after another, on the element that has the focus."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self):
        """The accessible name of the element that has the focus."""
        return self.page.evaluate(FOCUSED)

    def save(self):
        """Save the notebook, and return the file on the disk."""
        path = self.server.folder / self.name
        before = path.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        for _ in range(100):
            if path.stat().st_mtime_ns != before:
                break
            self.page.wait_for_timeout(100)
        return path.read_text(encoding="utf-8")

    def reopen(self):
        """Close the notebook, stop its kernel, and open it again."""
        self.page.goto("about:blank")
        self.server.stop_kernels()
        return self.open()


DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until the page has been drawn again, in a new size or with other letters."""
OPEN = """async path => {
  const before = [...jupyterapp.shell.widgets('main')];
  await jupyterapp.commands.execute('docmanager:open', {path});
  before.forEach(widget => widget.dispose());
}"""
CLOSE = """async () => {
  [...jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose());
  if (document.body.dataset.jpThemeLight !== 'true')
    await jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'});
}"""
FINDINGS = """async () => {
  const parts = '.paylab-form, .paylab-card, .paylab-inbox, .paylab-panel';
  const found = await axe.run({include: [[parts]]}, {
    resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
      'best-practice']});
  return found.violations
    .map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 160)).join(' | '));
}"""
SIDEWAYS = """parts => [...document.querySelectorAll(parts)].filter(part =>
  part.scrollWidth > part.clientWidth + 1 && part.clientWidth
  && (part.matches('.jp-OutputArea-output')
    || ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)))
  .map(part => part.innerText.slice(0, 80))"""
FOCUSED = """() => { const one = document.activeElement;
  return one.labels?.[0]?.textContent || one.ariaLabel || one.innerText.trim().split('\\n')[0]; }"""
FIRST_NOT_RUN = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
  .findIndex(prompt => !/\\d/.test(prompt.textContent))"""
ALL_RAN = """() => [...document.querySelectorAll('.jp-CodeCell')].every(cell =>
  !cell.querySelector('.cm-content').textContent.trim()
  || /\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent))"""


REPORTS = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Tell the fixtures of a test whether it passed."""
    report = yield
    item.stash.setdefault(REPORTS, []).append(report)
    return report


@pytest.fixture
def notebook(server, chromium, artefacts, request):
    """Opens a new notebook with the given cells, or one of the project's, without its outputs.

    With `as_copied` it is opened as `paylab lab` copied it.
    """
    books = []

    def opened(name, cells=None, *, width=1600, height=1200, as_copied=False):
        if not as_copied:
            server.write(name, cells) if cells else server.restore(name)
        chromium.page.set_viewport_size({"width": width, "height": height})
        books.append(Notebook(server, chromium.page, name, artefacts, request))
        return books[-1].open()

    yield opened
    if any(report.failed for report in request.node.stash.get(REPORTS, [])):
        name = re.sub(r"\W+", "-", request.node.name)
        chromium.page.screenshot(path=artefacts / f"failed-{name}.png")
        chromium.renew()
        server.stop_kernels()
    else:
        for book in books:
            book.close()
