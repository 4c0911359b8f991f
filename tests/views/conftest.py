"""Golden QR texts, made by other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "emvqr" / "golden"


@pytest.fixture(scope="session")
def golden():
    """The golden QR texts by name."""
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in GOLDEN.glob("*.txt")}


@pytest.fixture(scope="session")
def komo(golden):
    """A static QR text of a bank in the Philippines."""
    return golden["komo"]
