"""What the tests of this folder share."""

import pytest
from one_order import Place


@pytest.fixture
def place(tmp_path):
    """A simulated service and an empty ledger."""
    return Place(tmp_path)
