"""Facts in the README that a program can check."""

import re
from pathlib import Path

import pytest

from paylab.cli.main import COMMANDS, parser
from paylab.client.settings import SHARED_VARIABLE, TOKEN_VARIABLE
from paylab.errors import ChoiceError

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_readme_has_at_most_10_000_bytes():
    """The README has at most 10,000 bytes."""
    assert len(README.encode()) <= 10_000


def test_the_program_of_the_readme_runs_and_writes_a_csv_file_with_the_conversion(
    tmp_path, monkeypatch
):
    """The program of the README runs and writes a CSV file with the conversion."""
    monkeypatch.chdir(tmp_path)
    program = README.split("```python\n")[1].split("```")[0]
    exec(program, {"__name__": "__main__"})
    assert len((tmp_path / "conversions.csv").read_text().splitlines()) == 2


def test_the_example_of_payments_runs_after_the_first_and_ends_with_its_error(
    tmp_path, monkeypatch
):
    """A repetition is the same payment, and another amount under its reference is an error."""
    monkeypatch.chdir(tmp_path)
    connecting, paying = README.split("```python\n")[1:3]
    names = {"__name__": "__main__"}
    exec(connecting.split("```")[0], names)
    with pytest.raises(ChoiceError, match="source_amount is 20, not 21"):
        exec(paying.split("```")[0], names)
    assert names["paid"].source_amount == 20


def test_links_lead_to_files():
    """Every relative link and picture leads to a file."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_named(name):
    """The README names every command."""
    assert f"paylab {name}" in README


def test_every_variable_is_named():
    """The README explains each PAYLAB_ variable of the code."""
    code = "".join(path.read_text() for path in (ROOT / "paylab").rglob("*.py"))
    names = set(re.findall(r"PAYLAB_[A-Z_]+[A-Z]", code)) | {"PAYLAB_BASE_URL"}
    names -= {SHARED_VARIABLE, TOKEN_VARIABLE}  # paylab sets them for the programs that it starts
    names -= {"PAYLAB_LEDGER"}  # it has no effect any more, and a warning says so
    assert {name for name in names if f"`{name}`" not in README} == set()


def test_every_notebook_is_named_in_order():
    """The README lists the notebooks in the order of their numbers."""
    names = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    places = [README.index(f"`{name}`") for name in names]
    assert places == sorted(places)


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_of_every_command_ends_with_status_0(name, capsys):
    """`--help` of every command ends with status 0."""
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([name, "--help"] if name else ["--help"])
    assert ended.value.code == 0
    assert "usage: paylab" in capsys.readouterr().out
