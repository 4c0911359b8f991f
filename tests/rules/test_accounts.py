"""Financial accounts: every field of every type, on both sides of its limits."""

from __future__ import annotations

import pytest

from paylab.rules import accounts
from paylab.spec import codes
from paylab.spec.service import Service

# The CBU is an example of python-stdnum, IBANs are from the registry, the QR text was in use.
QR = (
    "00020101021127770012com.p2pqrpay0111EAWRPHM2XXX02089996440304125000134020460514"
    "+63-91788179125204601653036085802PH5914Komoo Testingg6006AMADEO63041E6F"
)
EVP = "123e4567-e89b-12d3-a456-426614174000"
AR = ("AR", "bank_account", {"account_number": "2850590940090418135201", "account_type": "cbu"})
BR = ("BR", "pix", {"pix_key": "39053344705", "pix_key_type": "cpf"})
CO = (
    "CO",
    "bank_account",
    {"bank_code": "007", "account_number": "12-34", "account_type": "savings"},
)
IN = ("IN", "upi", {"upi_id": "asha.rao@okbank"})
MX = ("MX", "bank_account", {"clabe": "032180000118359719"})
HOLDER = {"account_number": "001234567890", "account_holder_name": "Jose Rizal"}
PH = ("PH", "bank_account", {"issuer": "bdo", **HOLDER})
PH_WALLET = ("PH", "digital_wallet", {"issuer": "gcash", **HOLDER})
PH_QR = ("PH", "ph_qr_code", {"qrph_payload": QR})
GB = (
    "GB",
    "bank_account",
    {
        "bank_account_country": "GB",
        "sort_code": "200000",
        "account_number": "55779911",
        "account_holder_name": "Ada Lovelace",
    },
)
SEPA = (
    "DE",
    "bank_account",
    {
        "bank_account_country": "DE",
        "iban": "DE89370400440532013000",
        "bic": "COBADEFFXXX",
        "account_holder_name": "Emmy Noether",
    },
)
WALLET = ("MX", "crypto_wallet", {"address": "0x52908400098527886E0F7030069857D2E4169EE7"})
WALLET[2]["network"] = "base"
GOOD = [AR, BR, CO, IN, MX, PH, PH_WALLET, PH_QR, GB, SEPA, WALLET]


def changed(sample, **change):
    """The problems of a sample's details with some fields changed."""
    country, kind, details = sample
    return accounts.check_details(country, kind, details | change)


@pytest.mark.parametrize("sample", GOOD, ids=lambda sample: f"{sample[0]} {sample[1]}")
def test_a_valid_account_of_every_type_has_no_problems(sample):
    """A valid account of every type has no problems."""
    country, kind, details = sample
    body = {"individual_id": "ind_1", "type": kind, "details": details}
    assert accounts.check(body, country) == []
    assert accounts.check(body) == []


@pytest.mark.parametrize("sample", GOOD, ids=lambda sample: f"{sample[0]} {sample[1]}")
def test_empty_details_have_a_problem_for_every_field_except_the_bic(sample):
    """Empty details have a problem for every field except the BIC."""
    country, kind, details = sample
    fields = [problem.field for problem in accounts.check_details(country, kind, {})]
    assert fields == [f"details.{name}" for name in details if name != "bic"]


@pytest.mark.parametrize(
    ("sample", "field", "good", "bad"),
    [
        (AR, "account_number", ["1" * 22], ["1" * 21, "1" * 23, "1" * 21 + "x", "", 1, None]),
        (AR, "account_type", ["cbu", "cvu"], ["CBU", "savings", None, ["cbu"]]),
        (CO, "bank_code", ["1", "bancolombia"], ["", " ", 7]),
        (CO, "account_number", ["1", "12-3"], ["", 12]),
        (CO, "account_type", ["savings", "checking"], ["current", ""]),
        (IN, "upi_id", ["a@b", "a" * 42 + "@ok"], ["a" * 43 + "@ok", "ab", "a@b@c", "@b", "a@"]),
        (IN, "upi_id", ["a.b-c_d@x1"], ["a b@x", "a@x\n", "", 5, {}]),
        (MX, "clabe", ["0" * 18, "9" * 18], ["1" * 17, "1" * 19, "1" * 17 + "\u0661", 10**17]),
        (MX, "clabe", [], ["032180000118359719 ", "032 180 00011835971 9", None, True]),
        (PH, "issuer", ["bdo", "bpi", "unionbank"], ["gcash", "BDO", "", None]),
        (PH, "account_holder_name", ["J"], ["", " ", 3]),
        (PH_WALLET, "issuer", ["gcash", "grabpay", "maya"], ["bdo", "paymaya"]),
        (PH_QR, "qrph_payload", [QR], [QR[:-1], QR[:-4] + "0000", "x", "", 5]),
        (GB, "bank_account_country", ["GB"], ["DE", "gb", None]),
        (GB, "sort_code", ["0" * 6], ["0" * 5, "0" * 7, "20-00-00"]),
        (GB, "account_number", ["0" * 8], ["0" * 7, "0" * 9]),
        (GB, "account_holder_name", ["ab", "a" * 140], ["a", "a" * 141, "  ", None]),
        (SEPA, "bank_account_country", ["FR", "CH", "IS"], ["GB", "MX", None]),
        (SEPA, "account_holder_name", ["Ñu", "a" * 140], ["a", "a" * 141]),
        (SEPA, "iban", ["NO9386011117947", "MT84MALT011000012345MTLCAST001S"], ["", None]),
        (SEPA, "iban", ["XX00" + "A" * 11, "XX00" + "A" * 30], ["XX00" + "A" * 10]),
        (SEPA, "iban", [], ["XX00" + "A" * 31, "de89370400440532013000", "8DE9370400440532013000"]),
        (SEPA, "iban", [], ["DE89 3704 0044 0532 0130 00", "DEX9370400440532013000"]),
        (SEPA, "bic", ["COBADEFF", "COBADEFFXXX", None], ["COBADEF", "COBADEFFX", "COBADEFFXX"]),
        (SEPA, "bic", [], ["COBADEFFXXXX", "COBA-EFF", "", 8]),
        (WALLET, "address", ["anything"], ["", None, 5]),
        (WALLET, "network", list(codes.NETWORKS), ["Base", "tron", None]),
    ],
)
def test_values_within_each_limit_are_accepted_and_values_outside_are_refused(
    sample, field, good, bad
):
    """Values within each limit are accepted, and values outside are refused."""
    assert [value for value in good if changed(sample, **{field: value})] == []
    assert [value for value in bad if not changed(sample, **{field: value})] == []


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("cpf", ["39053344705"], ["3905334470", "390533447050", "390.533.447-05", EVP]),
        ("cnpj", ["16727230000197"], ["39053344705", "1672723000019", "167272300001970"]),
        ("email", ["a@b.co", "a" * 70 + "@bcd.co"], ["a@b", "a@@b.co", "a" * 71 + "@bcd.co", EVP]),
        ("phone", ["+5511987654321"], ["5511987654321", "+55 11 98765", "+0511987654321", "+5"]),
        ("evp", [EVP, EVP.upper()], [EVP[:-1], EVP + "0", EVP.replace("-", ""), "39053344705"]),
    ],
)
def test_pix_key_matches_its_type(kind, good, bad):
    """A PIX key must have the form of its type."""
    assert [key for key in good if changed(BR, pix_key=key, pix_key_type=kind)] == []
    assert [key for key in bad if not changed(BR, pix_key=key, pix_key_type=kind)] == []


@pytest.mark.parametrize("kind", ["CPF", "random", "", None, 7, [], {}])
def test_an_unknown_pix_key_type_is_the_only_problem(kind):
    """An unknown PIX key type is the only problem; the key itself is not checked."""
    assert [p.field for p in changed(BR, pix_key_type=kind)] == ["details.pix_key_type"]


@pytest.mark.parametrize(
    ("country", "kind", "good"),
    [
        ("MX", "pix", False),
        ("BR", "bank_account", False),
        ("US", "bank_account", False),
        ("GB", "ph_qr_code", False),
        ("PH", "ph_qr_code", True),
        *((country, "crypto_wallet", True) for country in codes.COUNTRIES),
    ],
)
def test_an_account_type_that_a_country_does_not_use_is_a_problem(country, kind, good):
    """A type that the country does not use is a problem; every country has crypto wallets."""
    problems = accounts.check_entry({"type": kind, "details": {}}, country)
    assert ("account.country" not in [problem.source for problem in problems]) is good


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["individual_id", "type", "details"]),
        ({"individual_id": "", "type": "x", "details": []}, ["individual_id", "type", "details"]),
        (
            {"individual_id": 5, "type": "pix", "details": None},
            ["individual_id", "type", "details"],
        ),
        ({"individual_id": "i", "type": ["pix"], "details": "x"}, ["type", "details"]),
        ([], [""]),
        (None, [""]),
    ],
)
def test_all_problems_of_a_body_are_listed_at_once(body, fields):
    """All problems of a body are listed at once."""
    assert [problem.field for problem in accounts.check(body, "MX")] == fields


@pytest.mark.parametrize(
    ("sample", "field", "sources"),
    [
        (MX, "clabe", ("details.mx", "spec")),
        (SEPA, "iban", ("details.sepa", "spec")),
        (IN, "upi_id", ("spec", "spec")),
        (CO, "account_type", ("details.co", "details.co")),
        (PH, "issuer", ("spec", "details.ph")),
    ],
)
def test_a_missing_field_and_a_wrong_value_may_have_different_sources_spec_or_assumption(
    sample, field, sources
):
    """A missing field and a wrong value may have different sources: spec or assumption."""
    missing, wrong = changed(sample, **{field: None}), changed(sample, **{field: "@"})
    assert (missing[0].source, wrong[0].source) == sources


def test_issuers_are_named_and_can_be_set():
    """The problem lists the assumed issuers and their key; a Service can replace the list."""
    (problem,) = changed(PH_WALLET, issuer="shopee")
    key = "financial_accounts.PH.digital_wallet.allowed"
    assert (problem.message, problem.source) == (
        "must be one of gcash, grabpay, maya, not shopee",
        "details.ph",
    )
    country, kind, details = PH_WALLET
    other, given = Service({key: ["shopee"]}), details | {"issuer": "shopee"}
    assert accounts.check_details(country, kind, given, service=other) == []


@pytest.mark.parametrize(("required", "missing"), [(["clabe", "label"], ["label"]), ([], [])])
def test_fields_that_a_service_requires_are_required(required, missing):
    """The fields that a service.toml requires are required, with the assumption as source."""
    key = "financial_accounts.MX.bank_account.required"
    given = {"clabe": "032180000118359719"} if required else {}
    found = accounts.check_details("MX", "bank_account", given, "", Service({key: required}))
    assert [problem.field for problem in found] == missing
    assert {problem.source for problem in found} <= {"details.mx"}


@pytest.mark.parametrize(
    ("sample", "change"),
    [
        (AR, {"account_number": "2850590940090418135202"}),
        (BR, {"pix_key": "39053344704"}),
        (BR, {"pix_key": "16727230000198", "pix_key_type": "cnpj"}),
        (MX, {"clabe": "032180000118359718"}),
        (SEPA, {"iban": "DE89370400440532013001"}),
    ],
)
def test_check_digits_are_warnings(sample, change):
    """A wrong check digit gives a warning and no problem."""
    country, kind, details = sample
    assert accounts.find_warnings(country, kind, details) == []
    assert changed(sample, **change) == []
    (warning,) = accounts.find_warnings(country, kind, details | change)
    assert "mistyped" in warning.message


@pytest.mark.parametrize("details", [None, [], {"clabe": 5}, {"clabe": "1"}, {}])
def test_no_warning_where_there_is_a_problem(details):
    """Details that have a problem get no warning."""
    assert accounts.find_warnings("MX", "bank_account", details) == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"type": "bank_account", "details": MX[2]}, []),
        ({"type": "bank_account", "details": {"clabe": "032180000118359718"}}, ["mistyped"]),
        (
            {"type": "bank_account", "details": {"clabe": "1"}},
            ["18 digits, if the person is in MX"],
        ),
        (
            {"type": "bank_account", "details": {"iban": "DE89370400440532013000"}},
            ["required, if the person is in a SEPA country"] * 2,
        ),
        ({"type": "pix", "details": {**BR[2], "pix_key": "39053344704"}}, ["mistyped"]),
        ({"type": "bank_account", "details": {"account_number": "1"}}, []),
        ({"type": "bank_account", "details": {"new": "1"}}, []),
        ({"type": "bank_account", "details": {}}, []),
        ({"type": "bank_account", "details": 7}, []),
        ({}, []),
        (None, []),
    ],
)
def test_doubts_of_an_account_whose_country_is_not_known(body, words):
    """The rules are those of the only account type with these fields."""
    found = [problem.message for problem in accounts.find_warnings_without_country(body)]
    assert len(found) == len(words)
    assert all(word in message for word, message in zip(words, found, strict=True))
