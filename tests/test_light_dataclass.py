"""Light dataclasses behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

import paylab
from paylab.light_dataclass import light_dataclass
from paylab.spec.service import Service


@light_dataclass(frozen=True)
class Light:
    """A light dataclass."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = field(default_factory=tuple)
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Usual:
    """The same as the standard library makes it."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = field(default_factory=tuple)
    note: str = field(default="", compare=False)


@light_dataclass(frozen=True, kw_only=True)
class Named:
    """A light dataclass that takes its values by name."""

    name: str = "a"


@light_dataclass(frozen=True)
class FormCheck:
    """A light dataclass with a value that is not shown, and a check."""

    secret: str = field(default="hidden", repr=False)
    size: int = 0

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("size is negative")


@dataclass(frozen=True)
class Extended(Named):
    """A dataclass of the standard library that extends a light one."""

    size: int = 0


VALUES = [
    (("a",), {}),
    ((), {"name": "a", "size": 2}),
    (("a", 2, ("b",)), {"note": "c"}),
]


@pytest.mark.parametrize(("positional", "named"), VALUES)
def test_it_is_as_the_standard_library_makes_it(positional, named):
    """Values, fields, repr, match arguments and signature are the same."""
    light = Light(*positional, **named)
    usual = Usual(*positional, **named)
    assert vars(light) == vars(usual)
    assert repr(light) == repr(usual).replace("Usual", "Light")
    assert (Light.__match_args__, is_dataclass(Light)) == (Usual.__match_args__, True)
    assert [each.name for each in fields(light)] == [each.name for each in fields(usual)]
    names = [(each.name, each.kind) for each in inspect.signature(Light).parameters.values()]
    assert names == [
        (each.name, each.kind) for each in inspect.signature(Usual).parameters.values()
    ]


@pytest.mark.parametrize(
    ("positional", "named", "words"),
    [
        ((), {}, "name"),
        (("a",), {"name": "b"}, "name"),
        (("a",), {"nmae": "b"}, "nmae"),
        (("a", 1, (), "", 5), {}, "positional"),
    ],
)
def test_wrong_arguments_are_refused(positional, named, words):
    """A missing, repeated, unknown or surplus argument is a TypeError that says which."""
    with pytest.raises(TypeError, match=words):
        Light(*positional, **named)


def test_it_cannot_be_changed():
    """Setting and deleting are errors, also of a class that extends it."""
    for record in (Light("a"), Extended()):
        with pytest.raises(FrozenInstanceError):
            record.name = "b"
        with pytest.raises(FrozenInstanceError):
            del record.name
        with pytest.raises(FrozenInstanceError):
            record.other = 1


def test_a_field_can_stay_out_of_the_text():
    """`repr=False` hides a value, such as the text of a body or a secret."""
    assert repr(FormCheck(size=2)).endswith("FormCheck(size=2)")
    assert FormCheck().secret == "hidden"


def test_a_check_runs_after_the_values_are_set():
    """`__post_init__` is called for each new record."""
    with pytest.raises(ValueError, match="negative"):
        FormCheck(size=-1)
    with pytest.raises(ValueError, match="negative"):
        replace(FormCheck(), size=-1)


def test_equal_values_are_equal():
    """Records are equal and have one hash by the values that are compared, within a class."""
    record = Light("a", 2)
    for other in (
        replace(record, note="b"),
        copy.deepcopy(record),
        pickle.loads(pickle.dumps(record)),
    ):
        assert (record, hash(record)) == (other, hash(other))
    assert record not in (Light("a", 3), Usual("a", 2), "a")
    assert {record: 1}[Light("a", 2, note="c")] == 1


def test_values_by_name_only():
    """`kw_only` takes no positional value; a class that extends it has its own signature."""
    with pytest.raises(TypeError, match="positional"):
        Named("a")
    assert [*inspect.signature(Extended).parameters] == ["size", "name"]
    assert Extended(3, name="b") == Extended(size=3, name="b")


def test_a_typeadapter_makes_and_refuses_the_same_objects():
    """A TypeAdapter makes and refuses the same objects."""
    adapter = TypeAdapter(Light)
    assert adapter.validate_python({"name": "a", "size": "2"}) == Light("a", 2)
    assert adapter.dump_python(Light("a")) == vars(Light("a"))
    with pytest.raises(ValidationError):
        adapter.validate_python({"size": 2})


def test_a_class_that_could_be_changed_is_refused_its_hash_would_change():
    """A class that could be changed is refused: its hash would change."""
    with pytest.raises(TypeError, match="frozen"):
        light_dataclass(frozen=False)


TYPED = """\
from dataclasses import replace
from paylab.spec.service.service import Service
signing = Service().signing
signing.tolerance = 5
type(signing)(tolerence=5)
type(signing)(tolerance="5")
replace(signing, tolerence=5)
signing.tolerence
"""


def test_type_checkers_see_its_fields(tmp_path):
    """mypy refuses assignments, wrong arguments, wrong replacements and misspelt fields."""
    (tmp_path / "typed.py").write_text(TYPED)
    # Only the settings: `paylab/__init__.py` would bring every chapter, and every library.
    (tmp_path / "paylab").mkdir()
    (tmp_path / "paylab" / "__init__.py").touch()
    for path in Path(paylab.__file__).parent.iterdir():
        if path.name != "__init__.py":
            (tmp_path / "paylab" / path.name).symlink_to(path)
    options = ["--strict", "--hide-error-context", "--no-site-packages", "--cache-dir", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, "typed.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    wrong = re.findall(r"^typed\.py:(\d+): error: ", done.stdout, re.MULTILINE)
    assert wrong == ["4", "5", "6", "7", "8"], done.stdout + done.stderr


def test_the_settings_of_a_service_are_light():
    """Each group of settings is frozen, and shares its functions with the others."""
    groups = [getattr(Service(), each.name) for each in fields(Service)[:10]]
    assert {type(group).__init__ for group in groups} == {Light.__init__}
    assert all(type(group).__dataclass_params__.frozen for group in groups)
