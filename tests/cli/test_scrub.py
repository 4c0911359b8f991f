"""`paylab scrub`: which files it takes, how it writes them, and its exit status."""

from __future__ import annotations

import json

import pytest

import paylab
from paylab.cli.main import main
from paylab.simulator.simulator import Simulator

KEY = "sk_live_0123456789abcdef"
CELL = {"cell_type": "code", "source": [f'secret_key = "{KEY}"\n'], "outputs": [], "metadata": {}}
BOOK = {"cells": [CELL], "metadata": {"author": "José"}, "nbformat": 4, "nbformat_minor": 5}
LAYOUTS = {
    "one space": json.dumps(BOOK, indent=1, ensure_ascii=False) + "\n",
    "two spaces, no last line end": json.dumps(BOOK, indent=2),
    "tabs": json.dumps(BOOK, indent="\t", ensure_ascii=False) + "\n",
    "one line": json.dumps(BOOK) + "\n",
    "compact": json.dumps(BOOK, separators=(",", ":")),
    "Windows": json.dumps(BOOK, indent=1).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_notebook_keeps_its_layout(tmp_path, capsys, text):
    """Only the key changes: indentation, escapes and line ends stay."""
    path = tmp_path / "book.ipynb"
    path.write_bytes(text.encode())
    assert main(["scrub", "--check", str(path)]) == 1
    assert path.read_bytes() == text.encode()
    assert KEY not in capsys.readouterr().err
    assert main(["scrub", str(path), "--json"]) == 0
    assert [row["path"] for row in json.loads(capsys.readouterr().out)] == [str(path)]
    clean = path.read_bytes().decode()
    assert clean == text.replace(KEY, json.loads(clean)["cells"][0]["source"][0].split('"')[1])
    assert main(["scrub", "--check", str(path)]) == 0


def test_a_snapshot_has_the_checksum_of_what_is_left(tmp_path):
    """A simulator takes a scrubbed snapshot."""
    path, lab = tmp_path / "world.json", paylab.connect()
    lab.simulator.save(path, keep_personal=True)
    assert main(["scrub", "--check", str(path)]) == 1
    assert main(["scrub", str(path)]) == 0
    other = paylab.connect(simulator=Simulator())
    other.simulator.load(path)
    assert len(other.transfers.list().to_list()) == 130


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "is not a notebook of version 4, a HAR file or a snapshot"),
        ('{"cells": {}}', "is not a notebook of version 4"),
        ('{"log": []}', "is not a notebook of version 4"),
        ('{"log": {"entries": {}}}', "is not a notebook of version 4"),
        ('{"paylab_snapshot": 1, "tables": []}', "is not a notebook of version 4"),
        ('{"tables": {}}', "is not a notebook of version 4"),
        ("{", "a simulator: it is not JSON in UTF-8"),
    ],
)
def test_another_file_is_left_alone(tmp_path, capsys, text, words):
    """What is no notebook, HAR file or snapshot ends with status 2."""
    path = tmp_path / "other.json"
    path.write_text(text)
    assert main(["scrub", str(path)]) == 2
    assert words in capsys.readouterr().err
    assert path.read_text() == text


@pytest.mark.parametrize("text", ['{"cells": []}', '{"log": {"entries": []}}'])
def test_a_file_without_findings_is_not_written(tmp_path, capsys, text):
    """Nothing to remove: status 0 and a sentence, also with --check, and the same file."""
    path = tmp_path / "book.ipynb"
    path.write_text(text)
    before = path.stat()
    assert [main(["scrub", str(path)]), main(["scrub", "--check", str(path)])] == [0, 0]
    assert path.stat().st_ino == before.st_ino
    assert capsys.readouterr().err == "paylab: nothing found in 1 file\n" * 2


def test_the_help_says_what_is_not_found(capsys):
    """Somebody who relies on the command reads what it cannot find."""
    with pytest.raises(SystemExit):
        main(["scrub", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    found, missed = text.split("Not found:")
    for word in ("Base64", "hexadecimal", "label", "outputs"):
        assert word in found
    for word in ("without a name", "without a label", "encrypted", "pictures"):
        assert word in missed
