"""`paylab lab`: the copies of the notebooks, the environment of the kernels, and the output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from hashlib import sha256
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

import paylab
from paylab.cli import jupyter, notebook_copies
from paylab.cli.main import main, parser
from paylab.site import lessons

URL = re.compile(
    r"(http://127\.0\.0\.1:\d+/)lab/tree/(\S+)\?token=(\w+)  "
    r"\(ready in [\d.]+ s; stop it with Ctrl-C\)\n"
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The notebooks of an installed package, with an empty folder as the current one."""
    source = tmp_path / "site" / "paylab" / "notebooks"
    source.mkdir(parents=True)
    for name in ("a.ipynb", "b.ipynb"):
        (source / name).write_text("first")
    (tmp_path / "here").mkdir()
    # As where paylab is installed without its repository.
    monkeypatch.setattr(lessons, "PACKAGE", source.parent)
    monkeypatch.chdir(tmp_path / "here")
    return source


def contents(folder):
    """The contents of the notebooks in a folder, by name."""
    return {path.name: path.read_text() for path in folder.glob("*.ipynb")}


def test_the_notebooks_are_copied(package):
    """The notebooks are copied into a subfolder of the current folder; the originals stay."""
    folder, kept = notebook_copies.copy_notebooks()
    assert (folder, kept) == (Path.cwd() / "paylab-notebooks", [])
    assert contents(folder) == contents(package) == {"a.ipynb": "first", "b.ipynb": "first"}


def test_unchanged_copies_are_trusted(package, tmp_path, monkeypatch):
    """Jupyter trusts the copies as they came, and no notebook that somebody changed."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    books = {name: nbformat.v4.new_notebook(metadata={"name": name}) for name in "ab"}
    for name, book in books.items():
        nbformat.write(book, package / f"{name}.ipynb")
    folder, _ = notebook_copies.copy_notebooks()
    books["b"].metadata["name"] = "changed"
    nbformat.write(books["b"], folder / "b.ipynb")
    notebook_copies.trust_copies(folder)
    assert [NotebookNotary().check_signature(book) for book in books.values()] == [True, False]


@pytest.mark.parametrize("name", ["a.ipynb", notebook_copies.RECORD])
def test_a_huge_file_is_not_read(package, name):
    """A file that no memory holds, in place of a copy or of the record, fills no memory."""
    Path("paylab-notebooks").mkdir()
    with Path("paylab-notebooks", name).open("wb") as file:
        file.truncate(2**40)
    folder, kept = notebook_copies.copy_notebooks()
    assert kept == [name] * name.endswith("ipynb")
    assert "b.ipynb" in notebook_copies.find_unchanged(folder)


@pytest.mark.parametrize("is_copy", [True, False], ids=["a changed copy", "a file of your own"])
def test_a_changed_notebook_is_kept_and_the_others_are_updated(package, is_copy):
    """A new version replaces unchanged copies; your own content is kept and reported each time."""
    if is_copy:
        notebook_copies.copy_notebooks()
    Path("paylab-notebooks").mkdir(exist_ok=True)
    Path("paylab-notebooks/a.ipynb").write_text("mine")
    notebook_copies.copy_notebooks()
    for name in ("a.ipynb", "b.ipynb", "c.ipynb"):
        (package / name).write_text("second")
    for _ in range(2):
        folder, kept = notebook_copies.copy_notebooks()
        assert contents(folder) == {"a.ipynb": "mine", "b.ipynb": "second", "c.ipynb": "second"}
        assert kept == ["a.ipynb"]


def test_a_change_is_no_news_while_there_is_no_new_version(package):
    """Without a new version, a changed copy is not reported and a deleted copy is restored."""
    folder, _ = notebook_copies.copy_notebooks()
    (folder / "a.ipynb").write_text("mine")
    (folder / "b.ipynb").unlink()
    assert notebook_copies.copy_notebooks() == (folder, [])
    assert contents(folder) == {"a.ipynb": "mine", "b.ipynb": "first"}


def test_started_in_the_folder_itself_nothing_is_nested(package, monkeypatch):
    """In the folder of the copies, the command uses that folder and creates no second one."""
    folder, _ = notebook_copies.copy_notebooks()
    monkeypatch.chdir(folder)
    assert notebook_copies.copy_notebooks() == (folder, [])


def hostile(folder):
    """A folder of somebody else: its record says that its notebook is an unchanged copy."""
    folder.mkdir(exist_ok=True)
    text = nbformat.writes(nbformat.v4.new_notebook(metadata={"name": "hostile"}))
    (folder / "00_a.ipynb").write_text(text)
    digest = sha256(text.encode()).hexdigest()
    (folder / notebook_copies.RECORD).write_text(
        json.dumps({"00_a.ipynb": digest, "a.ipynb": digest})
    )
    return nbformat.reads(text, nbformat.NO_CONVERT)


@pytest.mark.parametrize("place", [".", "paylab-notebooks"])
def test_the_record_of_somebody_else_opens_and_signs_nothing(package, tmp_path, monkeypatch, place):
    """What is opened and signed has the bytes of the package, whatever a record says."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    for name in ("a.ipynb", "b.ipynb"):
        nbformat.write(nbformat.v4.new_notebook(metadata={"name": name}), package / name)
    book = hostile(Path(place))
    folder, _ = notebook_copies.copy_notebooks()
    notebook_copies.trust_copies(folder)
    assert folder == Path.cwd() / "paylab-notebooks"
    assert notebook_copies.notebook_path(folder, None) == "lab/tree/a.ipynb"
    assert not NotebookNotary().check_signature(book)


def test_the_record_is_not_written_through_a_link(package, tmp_path):
    """A link in place of the record is replaced, and the file that it leads to stays."""
    (tmp_path / "profile").write_text("mine")
    Path("paylab-notebooks").mkdir()
    Path("paylab-notebooks", notebook_copies.RECORD).symlink_to(tmp_path / "profile")
    for _ in range(2):
        notebook_copies.copy_notebooks()
    assert (tmp_path / "profile").read_text() == "mine"


@pytest.mark.parametrize(
    "record", ["[", "[]", "1", '{"a.ipynb": {}, "b.ipynb": [1], "x": 1}', "[" * 100_000, "\0"]
)
def test_a_record_of_any_content_is_read(package, record):
    """What is not a record counts as none, and only names of the package are kept."""
    Path("paylab-notebooks").mkdir()
    Path("paylab-notebooks", notebook_copies.RECORD).write_text(record)
    folder, kept = notebook_copies.copy_notebooks()
    assert (contents(folder), kept) == (contents(package), [])
    assert json.loads((folder / notebook_copies.RECORD).read_text()).keys() == {
        "a.ipynb",
        "b.ipynb",
    }


def test_what_is_no_file_is_not_opened(package):
    """A pipe or a folder with the name of a notebook stays, and nothing waits for it."""
    Path("paylab-notebooks").mkdir()
    os.mkfifo("paylab-notebooks/a.ipynb")
    Path("paylab-notebooks/b.ipynb").mkdir()
    folder, kept = notebook_copies.copy_notebooks()
    assert kept == ["a.ipynb", "b.ipynb"]
    assert notebook_copies.notebook_path(folder, None) == "lab"


@pytest.mark.parametrize(
    ("changed", "wanted", "opened"),
    [
        ([], None, "lab/tree/a.ipynb"),
        (["a.ipynb"], None, "lab/tree/b.ipynb"),
        (["a.ipynb", "b.ipynb"], None, "lab"),
        ([], "b", "lab/tree/b.ipynb"),
        (["b.ipynb"], "b", "lab/tree/b.ipynb"),
        (["a.ipynb"], "paylab-notebooks/a.ipynb", "lab/tree/a.ipynb"),
        (["a 0.ipynb"], "a", "lab/tree/a.ipynb"),
        (["a 0.ipynb", "a.ipynb"], "a", "lab/tree/a.ipynb"),
        (["a 0.ipynb"], "a 0", "lab/tree/a 0.ipynb"),
    ],
)
def test_a_notebook_of_the_package_is_opened(package, changed, wanted, opened):
    """By default an unchanged one; by its name, one of the package before another."""
    folder, _ = notebook_copies.copy_notebooks()
    for name in changed:
        (folder / name).write_text("mine")
    assert notebook_copies.notebook_path(folder, wanted) == opened


def test_a_name_that_no_notebook_has_is_an_error(package):
    """The error names the notebooks that there are, and nothing is copied."""
    with pytest.raises(FileNotFoundError, match=r"choose one of a\.ipynb, b\.ipynb"):
        notebook_copies.require_notebook("c")
    assert main(["lab", "c"]) == 2
    assert not Path("paylab-notebooks").exists()


def test_a_notebook_is_not_written_through_a_link(package, tmp_path):
    """A copy is not written through a symbolic link, even if its target does not exist."""
    Path("paylab-notebooks").mkdir()
    Path("paylab-notebooks/a.ipynb").symlink_to(tmp_path / "elsewhere")
    notebook_copies.copy_notebooks()
    assert not (tmp_path / "elsewhere").exists()


def test_every_kernel_has_a_simulator_of_its_own():
    """Without --shared and a configured service, the kernels' environment has no base URL."""
    options = parser(["lab"]).parse_args(["lab"])
    with jupyter._kernel_environment(options) as environment:
        assert not [name for name in environment if name.startswith("PAYLAB_BASE")]


def test_a_shared_simulator_is_told_to_other_terminals(capsys):
    """--shared prints three export lines."""
    options = parser(["lab"]).parse_args(["lab", "--shared"])
    with jupyter._kernel_environment(options) as environment:
        names = ("PAYLAB_BASE_URL", "PAYLAB_API_KEY", "PAYLAB_SECRET_KEY")
        told = [f"export {name}={environment[name]}" for name in names]
        assert capsys.readouterr().out.splitlines() == told
        assert environment["PAYLAB_BASE_URL"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("more", [[], ["--shared"]])
def test_the_kernels_and_a_shared_simulator_follow_a_service_toml(tmp_path, monkeypatch, more):
    """Kernels and shared simulator use the service.toml; an error in it stops the command."""
    monkeypatch.chdir(tmp_path)
    Path("service.toml").write_text('[paths]\nquotes = "/v1/quote"\n')
    options = parser(["lab"]).parse_args(["lab", "--service", "service.toml", *more])
    with jupyter._kernel_environment(options) as environment:
        assert environment["PAYLAB_SERVICE"] == str(tmp_path / "service.toml")
        if more:
            keys = (environment[f"PAYLAB_{name}"] for name in ("BASE_URL", "API_KEY", "SECRET_KEY"))
            with pytest.raises(paylab.BadRequestError):
                paylab.connect(*keys).request("POST", "/v1/quote", json={})
    Path("service.toml").write_text('[paths]\nquote = "/v1/quote"\n')
    with pytest.raises(paylab.ConfigError, match="quote"), jupyter._kernel_environment(options):
        raise AssertionError("a file with an unknown key was taken")


def test_a_configured_service_is_not_replaced_by_a_shared_simulator(package, monkeypatch, capsys):
    """With a configured service, --shared ends with status 2 and says what to unset."""
    names = {"BASE_URL": "https://sandbox.example.com", "API_KEY": "k", "SECRET_KEY": "s"}
    for name, value in names.items():
        monkeypatch.setenv(f"PAYLAB_{name}", value)
    assert main(["lab", "--shared"]) == 2
    assert "unset PAYLAB_BASE_URL" in capsys.readouterr().err


@pytest.fixture
def start(tmp_path):
    """A function that starts `paylab lab` in an empty folder; all processes are ended."""
    processes = []

    def started(*arguments):
        command = [sys.executable, "-m", "paylab", "lab", "--no-browser", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes.append(subprocess.Popen(command, cwd=tmp_path, **pipes))
        return processes[-1]

    yield started
    for process in processes:
        process.terminate()
        process.communicate(timeout=20)


def test_one_line_says_where_how_long_and_how_to_stop(start):
    """The only output is the address; it needs its token, and Ctrl-C ends with status 0.

    A second server on its port ends with status 1 and Jupyter's own message.
    """
    process = start()
    url, first, token = URL.fullmatch(process.stdout.readline()).groups()
    assert first == "00_start_here.ipynb"
    with urllib.request.urlopen(f"{url}api/contents?token={token}", timeout=60) as answer:
        names = {each["name"] for each in json.load(answer)["content"]}
    assert first in names
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{url}api/contents", timeout=60)
    second = start("--port", url.rstrip("/").rpartition(":")[2])
    out, err = second.communicate(timeout=200)
    assert (second.returncode, out) == (1, "")
    assert "already in use" in err
    assert "did not start" in err
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert (process.returncode, out, err) == (0, "", "")
