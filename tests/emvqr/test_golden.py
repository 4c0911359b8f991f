"""Texts made by others: two Philippine banks, and a published sample of EMVCo."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from paylab import emvqr

GOLDEN = {
    path.stem: path.read_text(encoding="utf-8").strip()
    for path in sorted(Path(__file__).with_name("golden").glob("*.txt"))
}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_text_rebuilt_from_its_fields_or_from_nested_dicts_is_identical(name):
    """A text rebuilt from its fields or from nested dicts is identical."""
    payload = emvqr.parse(GOLDEN[name])
    assert emvqr.build(payload) == GOLDEN[name]
    assert emvqr.build(payload.tree()) == GOLDEN[name]


def test_the_check_value_of_crc_16_ccitt_false_is_the_published_one():
    """The check value of CRC-16/CCITT-FALSE is the published one."""
    assert emvqr.crc("123456789") == "29B1"


@pytest.mark.parametrize(
    ("name", "crc", "payee", "city", "country", "amount", "currency", "static"),
    [
        ("maya", "C116", "Rui", "Manila", "PH", Decimal("1.00"), "PHP", False),
        ("komo", "1E6F", "Komoo Testingg", "AMADEO", "PH", None, "PHP", True),
        ("emvco", "A13A", "BEST TRANSPORT", "BEIJING", "CN", Decimal("23.72"), "CNY", False),
    ],
)
def test_the_payee_the_place_and_the_amount_of_each_text_are_read(
    name, crc, payee, city, country, amount, currency, static
):
    """The payee, the place and the amount of each text are read."""
    payload = emvqr.parse(GOLDEN[name])
    assert (payload.crc, payload.merchant_name, payload.city) == (crc, payee, city)
    assert (payload.country, payload.amount, payload.currency) == (country, amount, currency)
    assert payload.is_static is static


@pytest.mark.parametrize(
    ("name", "issuer", "acquirer"),
    [
        ("maya", "PAPHPHM1XXX · ph.ppmi.p2m", "PAPHPHM1XXX"),
        ("komo", "EAWRPHM2XXX · com.p2pqrpay", "EAWRPHM2XXX"),
        ("emvco", "D15600000000", None),
    ],
)
def test_a_qr_ph_account_names_its_institution(name, issuer, acquirer):
    """A QR Ph account names its institution; other schemes give only their identifier."""
    payload = emvqr.parse(GOLDEN[name])
    assert (payload.issuer, payload.acquirer) == (issuer, acquirer)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("maya", "28.03", "102140529"),
        ("maya", "62.05", "28oYUr47CjKVCKh57wfb3s"),
        ("komo", "27.00", "com.p2pqrpay"),
        ("komo", "27.05", "+63-9178817912"),
        ("emvco", "64.01", "最佳运输"),
        ("emvco", "91.07", "12345678"),
        ("emvco", "91.08", None),
        ("emvco", "", None),
    ],
)
def test_find_returns_a_value_at_any_depth_or_none(name, path, value):
    """`find` returns a value at any depth, or None."""
    assert emvqr.parse(GOLDEN[name]).find(path) == value


@pytest.mark.parametrize(
    ("name", "path", "called"),
    [
        ("maya", "28", "Merchant account information"),
        ("maya", "28.01", "Acquirer ID"),
        ("maya", "28.05", "Proxy-notify flag"),
        ("maya", "62.05", "Reference label"),
        ("komo", "27.05", "Mobile number"),
        ("komo", "52", "Merchant category code"),
        ("emvco", "29.05", "Scheme specific"),
        ("emvco", "62.09", "Additional consumer data request"),
        ("emvco", "64.02", "Merchant city, alternate language"),
        ("emvco", "91", "Unreserved template"),
    ],
)
def test_fields_have_the_names_of_the_emv_standard_or_those_of_qr_ph(name, path, called):
    """Fields have the names of the EMV standard, or those of QR Ph."""
    fields = {field.path: field.name for field in emvqr.parse(GOLDEN[name]).walk()}
    assert fields[path] == called
