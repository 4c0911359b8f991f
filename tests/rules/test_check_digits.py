"""Check digits of published numbers."""

from __future__ import annotations

import pytest

from paylab.corridors.account_types import Format
from paylab.rules import accounts


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("curp", "BOXW310820HNERXN09", "BOXW310820HNERXN08"),
        ("cpf", "39053344705", "39053344704"),
        ("cnpj", "16727230000197", "16727230000198"),
        ("cuit", "20055361682", "20055361683"),
        ("cbu", "2850590940090418135201", "2810590940090418135201"),
        ("nit", "2131234321", "2131234325"),
        ("iban", "GR1601101250000000012300695", "GR1601101250000000012300696"),
        ("iban", "FR1420041010050500013M02606", "FR1420041010050500013M02607"),
        ("clabe", "032180000118359719", "032180000118359718"),
    ],
)
def test_check_digits(kind, good, bad):
    """A correct check digit gives no warning, and a wrong one gives one warning."""
    form = Format(check_digit=kind)
    assert accounts.warn_check_digits(form, good, "number") == []
    (warning,) = accounts.warn_check_digits(form, bad, "number")
    assert (warning.field, warning.source) == ("number", "check-digits")


@pytest.mark.parametrize("junk", [None, 7, [], {}, "", " "])
def test_junk_is_not_warned_about(junk):
    """A value that is empty or not text gives no warning, because another rule refuses it."""
    assert accounts.warn_check_digits(Format(check_digit="cpf"), junk, "number") == []


def test_forms_without_a_check_digit():
    """A format without a check digit gives no warning."""
    assert accounts.warn_check_digits(Format(), "anything", "number") == []
