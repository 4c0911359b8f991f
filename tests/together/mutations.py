"""Mutations of texts and of parsed JSON or TOML, from a seed: the same input for the same seed."""

from __future__ import annotations

import copy
import json
from random import Random

from paylab.errors import PaylabError

NUMBERS = (0, -1, 2**31, 2**63, -(2**63), 10**30, 10**400, 0.1, 1e308, 5e-324, -0.0)
NOT_NUMBERS = (float("nan"), float("inf"), float("-inf"))
TEXTS = (
    *("", " ", "x" * 5000, "\0", "\ud800", "\udfff\ud800", "é", "\u202e", "\u0661", "\uff11"),
    *("9" * 400, "1e999", "-0", "NaN", "null", "9999-99-99", "0000-01-01T00:00:00Z", "%00", "{}"),
    *("2026-01-15T12:00:00+99:99", "../../x", "http://[::1", "https://xn--a/", "\r\nHost: x"),
)
VALUES = (None, True, False, [], {}, [None], {"": None}, [[]], {"id": 7}, *NUMBERS, *TEXTS)
PIECES = (
    *(
        "",
        "\0",
        "\n",
        "\ufeff",
        "\ud800",
        "\uff11",
        "é",
        '"',
        "\\",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "=",
    ),
    *("NaN", "-Infinity", "1e999", "9" * 400, "null", "true", '"\\ud800"', "'''", '"""', "#"),
    *("[" * 3000, '{"a":' * 3000, "[a." * 50, "9999-99-99"),
)
DEEP = 3000


def places(value, path=()):
    """The path of every value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in items:
        yield (*path, name)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, name))


def mutated_value(random, value, spots=None):
    """A copy of parsed JSON with one to three changes; `spots` are its places."""
    value = copy.deepcopy(value)
    spots = spots or list(places(value))
    for path in random.choices(spots, k=random.randint(1, 3)):
        try:
            holder = value
            for name in path[:-1]:
                holder = holder[name]
            random.choice(CHANGES)(random, holder, path[-1])
        except (LookupError, TypeError, AttributeError):  # an earlier change removed the place
            continue
    return value


def replace(random, holder, name):
    """Another value of any type."""
    holder[name] = copy.deepcopy(random.choice(VALUES))


def retype(random, holder, name):
    """The same value as another type."""
    old = holder[name]
    made = (str(old), [old], {"value": old}, None if old else 0, len(str(old)), not old)
    holder[name] = random.choice(made)


def unnumber(random, holder, name):
    """A number that JSON does not have."""
    holder[name] = random.choice(NOT_NUMBERS)


def nest(random, holder, name):
    """A value that is nested deep."""
    value = holder[name]
    for _ in range(random.choice((5, 40, 200))):
        value = random.choice(([value], {"a": value}))
    holder[name] = value


def remove(_, holder, name):
    """No value."""
    del holder[name]


def rename(random, holder, name):
    """A member with another name."""
    if isinstance(holder, dict):
        holder[random.choice((*TEXTS, str(name).upper(), f"{name} "))] = holder.pop(name)


def swap(random, holder, name):
    """Two values in each other's place."""
    other = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[name], holder[other] = holder[other], holder[name]


def double(_, holder, name):
    """An item twice."""
    if isinstance(holder, list):
        holder.insert(name, copy.deepcopy(holder[name]))
    else:
        holder[f"{name}2"] = holder[name]


CHANGES = (replace, replace, retype, unnumber, nest, remove, rename, swap, double)


def mutated_text(random, text):
    """A text with one to three changes to its characters or lines."""
    for _ in range(random.randint(1, 3)):
        text = random.choice(TEXT_CHANGES)(random, text)
    return text


def flip(random, text):
    """One bit of one character changed."""
    at = random.randrange(len(text) or 1)
    changed = [chr(ord(sign) ^ 1 << random.randrange(8)) for sign in text[at : at + 1]]
    return "".join([text[:at], *changed, text[at + 1 :]])


def cut(random, text):
    """The beginning alone."""
    return text[: random.randrange(len(text) + 1)]


def drop(random, text):
    """A part removed."""
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:first] + text[last:]


def repeat(random, text):
    """A part twice."""
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:last] + text[first:]


def insert(random, text):
    """Something put between."""
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(PIECES) + text[at:]


def exchange(random, text):
    """Two lines, or two halves, in each other's place."""
    parts = text.splitlines(keepends=True) if "\n" in text else [text[:9], text[9:]]
    random.shuffle(parts)
    return "".join(parts)


TEXT_CHANGES = (flip, flip, cut, drop, repeat, insert, insert, exchange)


def json_text(random, value):
    """JSON of a value, sometimes with a duplicate member or a nested value."""
    text = json.dumps(value)
    if random.random() < 0.15:
        at = text.find("{", random.randrange(len(text)))
        name = random.choice(list(value) or ["a"]) if isinstance(value, dict) else "a"
        member = f"{json.dumps(name)}: {json.dumps(random.choice(VALUES))}, "
        text = text[: at + 1] + member + text[at + 1 :]
    if random.random() < 0.02:
        text = text.replace("null", "[" * DEEP + "]" * DEEP, 1)
    return text


def written(text):
    """The bytes of a text, with half characters."""
    return text.encode("utf-8", "surrogatepass")


def unexpected(read, make, seeds):
    """The errors that are not paylab's, by seed: a reader, and a maker of its input."""
    found = []
    for seed in seeds:
        value = make(Random(seed))
        try:
            read(value)
        except PaylabError:
            continue
        except Exception as error:
            found.append(f"{seed}: {type(error).__name__} {error!s:.100}")
    return found
