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


@pytest.mark.other_tools
def test_mypy_notices_a_misspelt_access_of_each_module(tmp_path):
    """The same for one access of each module; a change that is no error is not noticed."""
    misspelt = misspelt_settings.sample()
    assert len(misspelt) > 80
    in_docstring = misspelt[0]._replace(line=1, column=5, name="")
    assert misspelt_settings.unnoticed([*misspelt, in_docstring], tmp_path) == [in_docstring]
