"""The limit of every setting: what a service.toml may have there, and the error for anything else.

Each test takes all settings, so that it holds for those that are still to come.
"""

from __future__ import annotations

import json
from itertools import groupby, zip_longest

import pytest
from jsonschema import Draft7Validator

from paylab.errors import ServiceError
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.schema import service_schema
from paylab.spec.service.value_types import (
    NONE,
    CurrencyLimit,
    HeaderLimit,
    IntegerLimit,
    NameLimit,
    PathLimit,
)

KEYS = [key for key in setting_keys().values() if key.kind != "table"]
GROUPS = {
    name: list(group) for name, group in groupby(KEYS, lambda key: key.name.partition(".")[0])
}
BY_GROUP = pytest.mark.parametrize("group", GROUPS)
SCHEMA = Draft7Validator(service_schema())
NUMBERS = ("integer", "integers")


def wrong_numbers(key):
    """Numbers next to the limits, and values that are no whole number."""
    beyond = [key.limit.least - 1, key.limit.most + 1]
    if key.kind == "integers":
        return [*([number] for number in beyond), [key.limit.least + 0.5], key.limit.least]
    return [*beyond, key.limit.least + 0.5, str(key.limit.least), True]


def wrong_names(key):
    """Texts that are no name: empty, too long, beyond ASCII, and those that a place cannot have."""
    words = ["", "x" * 101, "é", " x", "a\tb", *([] if key.optional else [NONE])]
    if isinstance(key.limit, CurrencyLimit):
        return [*words, "xyz", "Usdc"]
    if isinstance(key.limit, HeaderLimit):
        return [*words, "a b", "a:", *sorted(key.limit.taken), *map(str.title, key.limit.taken)]
    return [*words, *(["a..b", "a.0", "a[0]"] if key.limit.is_nested else [])]


def wrong_paths(key):
    """Texts that are no path, and a path that has or lacks a placeholder."""
    other = "/v1/things" if key.limit.holds else "/v1/{things}"
    words = ["", "/", "v1/things", "/v1/ things", "/v1/../things", "/v1//things", other]
    return [*words, *([] if key.optional else [NONE])]


def wrong_words(key):
    """No list, a word twice, a word that is no name, and a word that is not known."""
    return ["word", ["a", "a"], [""], [1], *([["wrong_word"]] if key.limit.words else [])]


def known_words(key):
    """The words that a setting, or a list of words, can have; empty if any text is a word."""
    return key.words or (key.limit.words if key.kind == "words" else ())


def wrong_values(key):
    """Values that a setting must not have, by its kind."""
    if key.words:
        return ["wrong_word", str(key.words[0]) + "x", 1, True]
    by_kind = {"name": wrong_names, "path": wrong_paths, "words": wrong_words}
    return by_kind.get(key.kind, wrong_numbers)(key)


def refusals(path, values):
    """Write a file with a line for each setting; return the lines of the error, or no line."""
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
    try:
        Service.load(path)
    except ServiceError as error:
        return str(error).splitlines()
    return []


def nested(key, value):
    """The tables of a file that sets one key."""
    for part in reversed(key.name.split(".")):
        value = {part: value}
    return value


def test_every_setting_has_a_limit_or_words():
    """Only a table of free names, `extra`, has neither."""
    assert [key.name for key in setting_keys().values() if key.kind == "table"] == ["extra"]


@BY_GROUP
def test_a_value_beyond_its_limit_is_refused_with_its_line(group, tmp_path):
    """The error has the file, the line, the setting, what it must be, and the value."""
    path = tmp_path / "service.toml"
    columns = [[(key.name, value) for value in wrong_values(key)] for key in GROUPS[group]]
    for row in zip_longest(*columns):
        values = dict(filter(None, row))
        messages = refusals(path, values)
        for number, (name, value) in enumerate(values.items(), 1):
            [message] = [each for each in messages if each.startswith(f"{path}, line {number}: ")]
            assert f": {name} must " in message, f"{name} = {value!r}: {message}"
            assert f"not {value!r}"[:60] in message
        assert len(messages) == len(values)


@pytest.mark.parametrize("group", [name for name in GROUPS if any(map(known_words, GROUPS[name]))])
def test_the_error_of_a_misspelt_word_has_the_word(group, tmp_path):
    """The error for a word with one letter too many has the word without it."""
    path = tmp_path / "service.toml"
    columns = [
        [(key, word) for word in known_words(key)] for key in GROUPS[group] if known_words(key)
    ]
    for row in zip_longest(*columns):
        words = dict(filter(None, row))
        wrong = {key.name: f"{word}x" if key.words else [f"{word}x"] for key, word in words.items()}
        for message, (key, word) in zip(refusals(path, wrong), words.items(), strict=True):
            nearest = f"(is {word!r} meant?)"
            assert (str(word) if key.words or len(word) < 3 else nearest) in message


@BY_GROUP
def test_a_misspelt_setting_is_told_its_name(group, tmp_path):
    """The error for a name with one letter too many has the line and the name without it."""
    names = [key.name for key in GROUPS[group]]
    path = tmp_path / "service.toml"
    for number, (name, message) in enumerate(
        zip(names, refusals(path, {f"{name}x": 1 for name in names}), strict=True), 1
    ):
        beginning = f"{path}, line {number}: there is no setting {name}x; "
        assert message.startswith(beginning)
        assert name in message.removeprefix(beginning).replace(",", " ").split()


@pytest.mark.parametrize("key", [key for key in KEYS if key.kind in NUMBERS], ids=lambda k: k.name)
def test_a_number_at_its_limit_is_accepted_by_the_file_and_its_schema(key, tmp_path):
    """The least and the most number are values; the next ones are none, for an editor as well."""
    assert 0 <= key.limit.least < key.limit.most
    for number in (key.limit.least, key.limit.most):
        value = [number] if key.kind == "integers" else number
        assert refusals(tmp_path / "service.toml", {key.name: value}) == []
        assert SCHEMA.is_valid(nested(key, value))
    for value in wrong_numbers(key):
        assert not SCHEMA.is_valid(nested(key, value)), value


def test_a_setting_of_one_member_has_the_limit_of_all():
    """A list, or an object, may have for itself what may be set for all of them."""
    inheriting = [key for key in KEYS if key.base]
    assert len(inheriting) > 40
    for key in inheriting:
        common = setting_keys()[key.base]
        assert key.words == common.words, key.name
        assert (key.limit and key.limit.schema()) == (common.limit and common.limit.schema())
        assert key.optional == common.optional, key.name


TEXTS = ("", " ", "none", "a..b", "a.0.b", "a[0]", ".a", "a b", "é", "x" * 101)
PATHS = ("/v1/x", "/v1/{id}", "/v1/{id}/{id2}", "/_simulator/x", "v1/x", "/v1/x?a=1")


@pytest.mark.parametrize("value", [*TEXTS, *PATHS, True, -1, 10**9, [], ["a", "a"]])
def test_an_editor_refuses_what_the_loader_refuses(value):
    """The JSON Schema of a limit has all that its check has: placeholders and "none" too."""
    for key in KEYS:
        if not isinstance(key.limit, NameLimit | HeaderLimit | PathLimit | IntegerLimit):
            continue
        try:
            key.limit.check(value)
        except ValueError:
            assert not Draft7Validator(key.limit.schema()).is_valid(value), key.name
        else:
            assert Draft7Validator(key.limit.schema()).is_valid(value), key.name
