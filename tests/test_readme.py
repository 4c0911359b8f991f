"""Facts in the README that a program can check."""

import re
from pathlib import Path

import pytest

from paylab.cli.main import COMMANDS, parser
from paylab.client.settings import SHARED_VARIABLE, TOKEN_VARIABLE
from paylab.errors import ChoiceError, PaylabError

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_readme_has_at_most_10_000_bytes():
    """The README has at most 10,000 bytes."""
    assert len(README.encode()) <= 10_000


FENCED = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)
ONBOARDING, PRINTED, FAILING, ERROR, PAYING, PAID = [text for _, text in FENCED.findall(README)]


@pytest.mark.parametrize(
    ("extra", "program"), [("lab", ".venv/bin/paylab lab"), ("test", ".venv/bin/pytest -n auto")]
)
def test_a_fresh_machine_needs_one_command(extra, program):
    """One line sets up and starts the notebooks, and one the tests, which CI takes from here."""
    command = f"python3 -m venv .venv && .venv/bin/pip install -e '.[{extra}]' && {program}"
    assert f"\n    {command}\n" in README


@pytest.fixture
def names(tmp_path, monkeypatch, capsys):
    """The names of the program of the README after it ran, and what it printed."""
    monkeypatch.chdir(tmp_path)
    names_of_program = {"__name__": "__main__"}
    exec(ONBOARDING, names_of_program)
    return names_of_program | {"printed": capsys.readouterr().out}


def test_the_program_prints_what_the_readme_shows(names, tmp_path):
    """The program of the README prints its output, and writes a CSV file with the conversion."""
    assert names["printed"] == PRINTED
    assert len((tmp_path / "conversions.csv").read_text().splitlines()) == 2


def test_the_error_is_the_one_that_the_readme_shows(names):
    """The example of an error raises the error below it, with what to try."""
    with pytest.raises(PaylabError) as raised:
        exec(FAILING, names)
    error = raised.value
    assert f"{type(error).__name__}: {error}\n  Try: {error.hint}\n" == ERROR


def test_the_example_of_payments_ends_with_its_error(names, capsys):
    """A repetition is the same payment, and another amount under its reference is an error."""
    with pytest.raises(ChoiceError) as raised:
        exec(PAYING, names)
    assert f"{capsys.readouterr().err}ChoiceError: {raised.value}\n" == PAID
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
