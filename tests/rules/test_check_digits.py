"""Check digits of published numbers."""

from __future__ import annotations

import pytest

from paylab.corridors.account_types import Format
from paylab.rules import accounts, wallet_addresses


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
        ("bic", "COBADEFFXXX", "COBADEFFXX"),
        ("tin", "123456789", "12345678"),
        ("tin", "123-456-789-000", "123-456-789-00"),
        ("tin", "12345678900000", "123456789000000"),
    ],
)
def test_a_correct_check_digit_gives_no_warning_and_a_wrong_one_gives_one_warning(kind, good, bad):
    """A correct check digit gives no warning, and a wrong one gives one warning."""
    form = Format(check_digit=kind)
    assert accounts.find_wrong_check_digits(form, good, "number") == []
    (warning,) = accounts.find_wrong_check_digits(form, bad, "number")
    assert (warning.field, warning.source) == ("number", "check-digits")


@pytest.mark.parametrize(
    ("kind", "bad", "reason"),
    [
        ("curp", "BOXW310820HNERXN08", "(its check digits are wrong)"),
        ("curp", "GOMC900231HDFRRS05", "(a part of it, such as a date, a state or a bank, does"),
        ("curp", "BOXW310820HXXRXN09", "(a part of it, such as a date, a state or a bank, does"),
        ("cpf", "39053344704", "(its check digits are wrong)"),
        ("tin", "12345678", "branch, check every digit"),
    ],
)
def test_a_warning_says_which_part_of_a_number_is_wrong(kind, bad, reason):
    """Check digits, or a date or state that does not exist; nothing where nothing is known."""
    (warning,) = accounts.find_wrong_check_digits(Format(check_digit=kind), bad, "number")
    assert reason in warning.message


def test_the_zero_address_is_a_warning():
    """What is sent to the zero address is lost."""
    (warning,) = wallet_addresses.find_address_warnings("base", "0x" + "0" * 40)
    assert "zero address" in warning.message
    assert wallet_addresses.find_address_warnings("base", "0x" + "0" * 39 + "1") == []


@pytest.mark.parametrize("junk", [None, 7, [], {}, "", " "])
def test_junk_is_not_warned_about(junk):
    """A value that is empty or not text gives no warning, because another rule refuses it."""
    assert accounts.find_wrong_check_digits(Format(check_digit="cpf"), junk, "number") == []


def test_a_form_without_a_check_digit_gives_no_warning():
    """A format without a check digit gives no warning."""
    assert accounts.find_wrong_check_digits(Format(), "anything", "number") == []


ETHEREUM = (
    *("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"),
    *("0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"),
)
"""The addresses of EIP-55."""
SOLANA = ("1" * 32, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
"""The addresses of the system and of the token program."""


@pytest.mark.parametrize("address", ETHEREUM)
def test_one_wrong_capital_of_an_address_is_a_warning(address):
    """An address in one case has no checksum; in both, one wrong capital is a warning."""
    lower = address.lower()
    assert (
        wallet_addresses.add_checksum(lower)
        == wallet_addresses.add_checksum(f"0x{lower[2:].upper()}")
        == address
    )
    for good in (address, lower, f"0x{address[2:].upper()}"):
        assert wallet_addresses.find_address_warnings("base", good) == []
    at = next(at for at in range(2, 42) if address[at].isalpha())
    (warning,) = wallet_addresses.find_address_warnings(
        "base", address[:at] + address[at].swapcase() + address[at + 1 :]
    )
    assert (warning.field, "its checksum (EIP-55) is wrong" in warning.message) == ("address", True)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("2NEpo7TZRRrLZSi2U", b"Hello World!"),
        ("11233QC4", b"\x00\x00\x28\x7f\xb4\xcd"),
        ("", None),
        ("2NEpo7TZRRrLZSi20", None),
    ],
)
def test_the_samples_of_the_base58_specification_are_decoded(text, data):
    """The samples of the Base58 specification (draft-msporny-base58)."""
    assert wallet_addresses.decode_base58(text) == data


@pytest.mark.parametrize(
    ("network", "address", "words"),
    [
        *(("solana", address, None) for address in SOLANA),
        ("solana", "1" * 31, "it has 31 bytes"),
        ("solana", "1" * 33, "it has 33 bytes"),
        ("solana", SOLANA[1][:-1], "it has 31 bytes"),
        ("solana", f"{SOLANA[1]}1", "it has 33 bytes"),
        *(("solana", sign + SOLANA[1][1:], "without 0, O, I, l") for sign in "0OIl"),
        ("solana", "1" * 65, "does not look like a Solana address"),
        ("solana", ETHEREUM[0], "does not look like a Solana address"),
        ("base", SOLANA[0], "0x and 40 hex digits"),
        ("polygon", ETHEREUM[0][:-1], "0x and 40 hex digits"),
        ("polygon", ETHEREUM[0] + "0", "0x and 40 hex digits"),
        *(("base", junk, None) for junk in (None, 7, "")),
    ],
)
def test_an_address_of_another_network_or_length_is_a_warning(network, address, words):
    """An address of another network or length is a warning; what is no text is none."""
    found = [
        problem.message for problem in wallet_addresses.find_address_warnings(network, address)
    ]
    assert len(found) == (words is not None)
    assert all(words in message for message in found)
