"""Cells in a page, and what a page refuses, without a browser."""

import asyncio
import builtins
import sys
from types import ModuleType, SimpleNamespace

import pytest

import paylab
from paylab import runtime
from paylab.cli.main import main
from paylab.errors.extras import MissingExtraError, require_extra
from paylab.site.lessons import choose_lessons, lesson_for_page
from paylab.site.page import Cells, digest


@pytest.fixture
def page(monkeypatch):
    """A Python in a page of a browser: it has the module of the page."""
    monkeypatch.setitem(sys.modules, "pyodide_js", ModuleType("pyodide_js"))


class Kernel:
    """A kernel that runs Python, and records what is shown."""

    def __init__(self):
        self.shown = []
        publisher = SimpleNamespace(
            clear_output=lambda: self.shown.append("cleared"),
            publish=lambda data, metadata: self.shown.append(data),
        )
        self.interpreter = SimpleNamespace(
            user_ns={}, display_pub=publisher, Completer=SimpleNamespace(use_jedi=True)
        )
        self._parent_header = {}

    async def run(self, code):
        """Run a cell as the kernel of a page does."""
        names = self.interpreter.user_ns
        try:
            builtins.exec(code, names)
        except Exception as error:
            sys.last_value = error
            return {"status": "error", "ename": "x", "evalue": str(error), "traceback": ["line"]}
        return {"status": "ok", "payload": []}


@pytest.fixture
def run(monkeypatch):
    """A function that runs cells, with stored outputs by code; it returns what happened."""
    monkeypatch.setattr(sys, "last_value", None, raising=False)

    def run_cells(*cells, saved=None, tags=(), fetch=None):
        kernel = Kernel()
        content = {"stop_on_error": "raises-exception" not in tags}
        kernel._parent_header = {"content": content, "metadata": {"cellId": "cell-1"}}
        stored = {digest("cell-1", code): outputs for code, outputs in (saved or {}).items()}

        async def read_saved():
            return stored

        Cells(kernel, read_saved, lambda *parts: kernel.shown.append(parts), fetch)
        replies = [asyncio.run(kernel.run(code))["status"] for code in cells]
        return replies, kernel

    return run_cells


LOST = (
    "from paylab.errors.extras import MissingExtraError\n"
    "raise MissingExtraError('pandas', 'frames')"
)
TEXT = {"output_type": "execute_result", "data": {"text/plain": "1"}}


@pytest.mark.parametrize("code", [LOST, "import pandas_x", "import pandas", "import duckdb.x"])
def test_a_cell_without_its_package_is_shown_as_saved(code, run, monkeypatch, capsys):
    """Only where the package is one of paylab's extras, and the cell is one of a lesson."""
    for name in ("pandas", "duckdb"):
        monkeypatch.setitem(sys.modules, name, None)
    replies, kernel = run(code, saved={code: [TEXT]})
    is_extra = "pandas_x" not in code
    assert replies == (["ok"] if is_extra else ["error"])
    assert kernel.shown == (["cleared", TEXT["data"]] if is_extra else [])
    text = capsys.readouterr().out
    assert text.startswith("As saved: this cell needs ") == is_extra
    assert "pip" not in text


def test_what_follows_from_such_a_cell_is_as_saved_too(run, monkeypatch):
    """A later cell never works with an old value, or a part, of what the cell should have made."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    cells = [
        "frame = 1\nrows = 2",
        "import pandas\nframe = pandas.x",
        "frame + 1",
        "rows",
        "frame = 3",
    ]
    saved = {code: [] for code in cells}
    replies, kernel = run(*cells, "other", saved=saved)
    assert replies == ["ok"] * 5 + ["error"]
    assert kernel.shown == ["cleared", "cleared"]
    assert {"frame", "rows"} <= kernel.interpreter.user_ns.keys()


def test_a_name_that_the_cell_reached_is_kept(run, monkeypatch):
    """It has its value; a cell that fails with it is shown as saved."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    code = "path = 'made.csv'\nimport pandas\nframe = 1"
    saved = {text: [] for text in (code, "path", "open(path)", "open('x.csv')")}
    replies, kernel = run(*saved, saved=saved)
    assert replies == ["ok", "ok", "ok", "error"]
    assert kernel.shown == ["cleared", "cleared"]


def test_an_error_of_your_own_cell_stays_an_error(run, monkeypatch):
    """A cell that is not in a lesson has no saved outputs."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert run("import pandas")[0] == ["error"]
    assert run("%magic")[0] == ["error"]


def test_equal_cells_of_two_lessons_have_their_own_outputs():
    """Two lessons have the same code, with other outputs."""
    assert digest("mx-38", "frame") != digest("ph-41", "frame")
    assert digest("mx-38", "frame\n") == digest("mx-38", "frame")


def test_a_deliberate_error_ends_no_other_cell(run):
    """With the tag the error is shown and the reply is a success; without it, it is an error."""
    replies, kernel = run("1 / 0", tags=["raises-exception"])
    assert replies == ["ok"]
    assert kernel.shown == [("ZeroDivisionError", "division by zero", ["line"])]
    assert run("1 / 0")[0] == ["error"]


def test_frames_are_fetched_once_before_the_first_cell_that_uses_them(run):
    """Cells without frames do not wait for them."""
    fetched = []

    async def fetch(names):
        fetched.append(names)

    run("1", fetch=fetch)
    assert fetched == []
    run("1", "'lab.transfers.frame()'", "'frame'", fetch=fetch)
    assert fetched == [("pandas", "pyarrow")]


def test_a_form_is_shown_as_saved_until_its_cell_runs():
    """A stored widget, which nothing would draw before, is not among the outputs."""
    (path,) = choose_lessons(["00"])
    cells = lesson_for_page(path, has_frames=False)["cells"]
    kinds = [[*output.get("data", {})] for cell in cells for output in cell.get("outputs", [])]
    assert ["text/html", "text/plain"] in kinds
    assert not [kind for kind in kinds if any("widget" in mime for mime in kind)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"base_url": "https://api.example.com", "api_key": "a", "secret_key": "key-1"},
        {"secret_key": "key-1"},
        {"profile": "key-1"},
        {"base_url": "http://127.0.0.1:1", "control_token": "key-1"},
    ],
)
def test_a_page_never_connects_to_a_service(arguments, page, capsys):
    """It says why, and repeats no key."""
    with pytest.raises(paylab.ConfigError, match="a secret does not belong in a page") as caught:
        paylab.connect(**arguments)
    assert "key-1" not in str(caught.value)
    assert "pip" not in str(caught.value)


@pytest.mark.parametrize("name", ["PAYLAB_API_KEY", "PAYLAB_BASE_URL", "PAYLAB_PROFILE"])
def test_a_page_takes_no_service_from_variables(name, page, monkeypatch):
    """Variables that a cell has set are no way around."""
    monkeypatch.setenv(name, "https://api.example.com")
    with pytest.raises(paylab.ConfigError, match="paylab lab"):
        paylab.connect()


def test_a_page_takes_no_service_from_a_profile(page, tmp_path, monkeypatch):
    """A profile that a cell has written is no way around either."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "paylab").mkdir()
    path = tmp_path / "paylab" / "profiles.toml"
    path.write_text('[default]\nbase_url="https://a.example"\napi_key="a"\nsecret_key="b"\n')
    path.chmod(0o600)
    with pytest.raises(paylab.ConfigError, match="a secret does not belong in a page"):
        paylab.connect()


def test_a_page_has_its_simulator(page):
    """Without settings everything else works there."""
    lab = paylab.connect()
    assert lab.place.kind == "embedded"
    with pytest.raises(paylab.ConfigError, match=r"lab\.serve\(\) needs sockets"):
        lab.serve()
    with pytest.raises(paylab.ConfigError, match="an inbox with a port needs sockets"):
        lab.inbox(port=8000)
    with pytest.raises(paylab.ConfigError, match="a server needs sockets"):
        runtime.listen("127.0.0.1", 0)


@pytest.mark.parametrize(
    "command",
    [["listen"], ["lab", "--shared"], ["lab"], ["simulator"], ["init", "--no-check"]],
)
def test_a_command_that_a_page_cannot_run_says_so(command, page, capsys):
    """One sentence, status 2, and no advice to install anything."""
    assert main(command) == 2
    text = capsys.readouterr().err
    assert len(text.splitlines()) == 1
    assert "page" in text
    assert "pip" not in text


def test_nothing_is_to_be_installed_in_a_page(page, monkeypatch, capsys):
    """A missing package is named without a command of pip, also by `doctor`."""
    for name in ("pandas", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="which this page does not have") as caught:
        require_extra("frames")
    assert "pip" not in str(caught.value)
    main(["doctor"])
    assert "pip install" not in capsys.readouterr().out
