"""The JSON Schema of a service.toml, by which editors complete and check it."""

from __future__ import annotations

import json
import tomllib

import pytest
from jsonschema import Draft7Validator

from paylab.cli.main import main
from paylab.spec.service import Service
from paylab.spec.service.files import SCHEMA_FILE
from paylab.spec.service.frozen import to_json_value
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.schema import service_schema

SCHEMA = service_schema()
VALID = Draft7Validator(SCHEMA)


def nested(key, value):
    """The tables of a file that sets one key."""
    for part in reversed(key.split(".")):
        value = {part: to_json_value(value)}
    return value


def setting(key):
    """The schema of one setting."""
    found = SCHEMA
    for part in key.split("."):
        found = found["properties"][part]
    return found


def test_the_schema_is_valid():
    """It is a JSON Schema of the draft that it names."""
    Draft7Validator.check_schema(SCHEMA)


def test_each_key_has_its_question_and_its_values():
    """An editor shows the question and the default, and accepts what a file can have."""
    usual = Service()
    for name, key in setting_keys().items():
        if name != "extra":
            own = setting(name)
            assert own["description"].startswith(key.question), name
            assert own["default"] == to_json_value(usual.value(name)), name
            for value in key.others:
                assert VALID.is_valid(nested(name, value)), (name, value)
            for wrong in (1.5, {}, [[]], True):
                assert not VALID.is_valid(nested(name, wrong)), (name, wrong)
            assert own.get("enum", [*key.words]) == [*key.words], name


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("", True),
        ('[extra."individuals.create"]\nmeta = { source = "app" }\n', True),
        ('[extra."individuals.get"]\npurpose = "1"\n', False),
        ('[signing]\nnonec = "required"\n', False),
        ('[financial_accounts.MX.bank_account.fields]\nclab = "x"\n', False),
        ('[financial_accounts.MX.bank_account]\nplace = "x"\n', False),
        ("[signing]\ntolerance = 0\n", False),
    ],
)
def test_a_file_is_checked_as_paylab_checks_it(tmp_path, text, is_valid):
    """What the schema refuses, `Service.load` refuses too."""
    path = tmp_path / "service.toml"
    path.write_text(text)
    assert VALID.is_valid(tomllib.loads(text)) is is_valid
    try:
        Service.load(path)
    except Exception:
        assert not is_valid
    else:
        assert is_valid


def test_the_command_prints_it(capsys):
    """`paylab openapi --service-schema` prints the schema."""
    assert main(["openapi", "--service-schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


def test_a_file_names_its_schema_in_the_first_line():
    """Even Better TOML and taplo read the schema from there; paylab reads a comment."""
    text = Service({"signing.tolerance": 60}).to_toml(f"./{SCHEMA_FILE}")
    assert text.splitlines()[0] == "#:schema ./service.schema.json"
    assert Service(tomllib.loads(text)).diff() == {"signing.tolerance": 60}
