"""mypy notices every misspelt setting in the package."""

from __future__ import annotations

import misspelt_settings
import pytest


@pytest.mark.whole_table
def test_mypy_notices_every_misspelt_access():
    """Every access to a group or a setting is misspelt once; mypy has an error for each."""
    count, missed = misspelt_settings.check()
    assert count > 400
    assert missed == []


def test_mypy_notices_a_sample_of_misspelt_accesses():
    """The same for one access of every 40."""
    count, missed = misspelt_settings.check(step=40)
    assert count > 10
    assert missed == []


def test_what_mypy_does_not_notice_is_told(tmp_path):
    """A change that is no error, here in a docstring, is one that mypy does not notice."""
    access = next(misspelt_settings.accesses())
    elsewhere = access._replace(line=1, column=5, name="")
    assert misspelt_settings.unnoticed([elsewhere], tmp_path) == [elsewhere]
