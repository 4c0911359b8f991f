"""The command `paylab site`: what it refuses before it builds anything."""

import pytest

from paylab.cli.main import main
from paylab.site.build import MARK


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--notebooks", "90"], "90_your_tests does not run in a page"),
        (["--notebooks", "nothing"], "there is no notebook 'nothing'"),
        (["--pyodide", "nowhere"], "nowhere has no pyodide.mjs"),
        (["--url", "demo"], "--url 'demo' must be a path such as /demo/"),
        (["--url", "//other.example/"], "must be a path"),
        (["--url", '/a"><script>'], "must be a path"),
        (["--url", "/\t/other.example"], "must be a path"),
    ],
)
def test_wrong_use_builds_nothing(options, words, tmp_path, monkeypatch, capsys):
    """One sentence, status 2, and no folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["site", "--out", "out", *options]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "link", "site with more", "odd mark"])
def test_what_is_no_site_is_not_replaced(kind, tmp_path, monkeypatch, capsys):
    """A folder with files of the user, a file and a link stay as they are."""
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("mine")
    else:
        folder = tmp_path / "folder" if kind == "link" else out
        folder.mkdir()
        (folder / "mine.txt").write_text("mine")
        if kind == "site with more":
            (folder / MARK).write_text('{"top": ["index.html"]}')
        if kind == "odd mark":
            (folder / MARK).write_text('["mine.txt"]')
    if kind == "link":
        out.symlink_to(tmp_path / "folder")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert main(["site", "--out", str(out)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    assert not (out / "index.html").exists()
