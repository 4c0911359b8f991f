"""The names of tests are sentences: a list of failures then says what does not hold."""

import ast
from pathlib import Path

TESTS = Path(__file__).parent
WORDS_MIN = 4


def test_every_test_has_a_name_of_four_words_or_more():
    """A name of fewer words is a subject without what holds of it."""
    short_names = [
        f"{path.relative_to(TESTS)}: {statement.name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        for statement in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.FunctionDef)
        and statement.name.startswith("test_")
        and len(statement.name.split("_")) <= WORDS_MIN
    ]
    assert short_names == []
