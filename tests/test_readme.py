"""The README tells the truth, as far as a program can check."""

import re
from pathlib import Path

import pytest

from paylab import corridors
from paylab.cli.main import COMMANDS, parser
from paylab.spec import assumptions

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def section(name: str) -> str:
    """The generated part of the README between its two marks."""
    return README.split(f"<!-- {name}: begin -->\n")[1].split(f"<!-- {name}: end -->")[0].strip()


def test_the_gaps_stand_in_the_readme_as_in_the_code():
    """The table of assumptions is what `paylab.gaps.markdown()` gives."""
    assert section("gaps") == assumptions.markdown().strip()


def test_the_corridors_stand_in_the_readme_as_in_the_code():
    """The table of countries is what `paylab.corridors.markdown()` gives."""
    assert section("corridors") == corridors.markdown().strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_named(name):
    """A command nobody reads of is not there."""
    assert f"paylab {name}" in README


def test_every_variable_is_named():
    """Each PAYLAB_ name in the code has its line."""
    code = "".join(path.read_text() for path in (ROOT / "paylab").rglob("*.py"))
    names = set(re.findall(r"PAYLAB_[A-Z_]+[A-Z]", code)) | {"PAYLAB_BASE_URL"}
    assert {name for name in names if f"`{name}`" not in README} == set()


def test_every_notebook_is_named_in_order():
    """The notebooks stand in the README in the order of their numbers."""
    names = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    places = [README.index(f"`{name}`") for name in names]
    assert places == sorted(places)


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_every_command_helps(name, capsys):
    """--help answers with status 0."""
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([name, "--help"] if name else ["--help"])
    assert ended.value.code == 0
    assert "usage: paylab" in capsys.readouterr().out
