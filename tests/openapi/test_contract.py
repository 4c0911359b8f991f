"""The simulator keeps to the document: schemathesis finds nothing in strict mode."""

from __future__ import annotations

import pytest

pytest.importorskip("schemathesis", reason="pip install -e '.[test]'")

from contract import prove

from paylab.spec.service import Service

NAMES = sorted(route.operation for route in Service().routes)
FEW, MANY = 14, 5000


@pytest.mark.parametrize("name", NAMES)
def test_random_requests_are_answered_as_documented(name):
    """No 5xx, no undocumented answer, no unexplained refusal, and nothing invalid accepted."""
    assert any(200 <= status < 300 for status in prove(name, FEW))


@pytest.mark.whole_table
@pytest.mark.parametrize("name", NAMES)
def test_many_random_requests_are_answered_as_documented(name):
    """The same with 5,000 requests."""
    print(name, prove(name, MANY))
