"""Financial accounts: valid and invalid details of every type, and updates."""

from __future__ import annotations

import pytest

HOLDER = {"account_holder_name": "Al"}
GB = {"bank_account_country": "GB", "sort_code": "1" * 6, "account_number": "2" * 8, **HOLDER}
EU = {"bank_account_country": "FR", "iban": "DE89" + "0" * 18, **HOLDER}
PH = {"issuer": "bdo", "account_number": "1", "account_holder_name": "Ana"}
AR = {"account_number": "1" * 22, "account_type": "cbu"}
CO = {"bank_code": "7", "account_number": "1", "account_type": "savings"}
PIX = {"pix_key": "a@b.co", "pix_key_type": "email"}
QR = (
    "00020101021127770012com.p2pqrpay0111EAWRPHM2XXX02089996440304125000134020460514+63-91788179"
    "125204601653036085802PH5914Komoo Testingg6006AMADEO63041E6F"
)


@pytest.mark.parametrize(
    ("country", "kind", "good", "change"),
    [
        ("MX", "bank_account", {"clabe": "1" * 18}, {"clabe": "1" * 17}),
        ("MX", "bank_account", {"clabe": "1" * 18}, {"clabe": "1" * 19}),
        ("AR", "bank_account", AR, {"account_number": "1" * 21}),
        ("AR", "bank_account", AR, {"account_number": "1" * 23}),
        ("AR", "bank_account", AR | {"account_type": "cvu"}, {"account_type": "cbx"}),
        ("BR", "pix", PIX, {"pix_key_type": "cpf"}),
        ("BR", "pix", {"pix_key": "1" * 11, "pix_key_type": "cpf"}, {"pix_key": "1" * 10}),
        ("BR", "pix", {"pix_key": "1" * 14, "pix_key_type": "cnpj"}, {"pix_key": "1" * 15}),
        ("CO", "bank_account", CO, {"account_type": "cbu"}),
        ("IN", "upi", {"upi_id": "a" * 40 + "@bank"}, {"upi_id": "a" * 41 + "@bank"}),
        ("IN", "upi", {"upi_id": "a@bank"}, {"upi_id": "a@b@ank"}),
        ("IN", "upi", {"upi_id": "a@bank"}, {"upi_id": "abank"}),
        ("PH", "bank_account", PH, {"issuer": "gcash"}),
        ("PH", "digital_wallet", PH | {"issuer": "gcash"}, {"issuer": "bdo"}),
        ("PH", "ph_qr_code", {"qrph_payload": QR}, {"qrph_payload": QR[:-1] + "0"}),
        ("GB", "bank_account", GB, {"sort_code": "1" * 5}),
        ("GB", "bank_account", GB, {"sort_code": "1" * 7}),
        ("GB", "bank_account", GB, {"account_number": "1" * 7}),
        ("GB", "bank_account", GB, {"account_number": "1" * 9}),
        ("GB", "bank_account", GB, {"account_holder_name": "A"}),
        ("GB", "bank_account", GB | {"account_holder_name": "A" * 140}, {"sort_code": None}),
        ("GB", "bank_account", GB, {"account_holder_name": "A" * 141}),
        ("GB", "bank_account", GB, {"bank_account_country": "FR"}),
        ("DE", "bank_account", EU | {"iban": "NO12" + "0" * 11}, {"iban": "NO12" + "0" * 10}),
        ("DE", "bank_account", EU | {"iban": "MT12" + "0" * 30}, {"iban": "MT12" + "0" * 31}),
        ("CH", "bank_account", EU, {"iban": "de89" + "0" * 18}),
        ("IE", "bank_account", EU | {"bic": "ABCDEFGH"}, {"bic": "ABCDEFGHI"}),
        ("NO", "bank_account", EU | {"bic": "ABCDEFGHIJK"}, {"bic": "ABCDEFG"}),
        ("FR", "bank_account", EU, {"bank_account_country": "GB"}),
        ("US", "crypto_wallet", {"address": "0x", "network": "base"}, {"network": "bitcoin"}),
        ("MX", "crypto_wallet", {"address": "0x", "network": "solana"}, {"address": " "}),
    ],
)
def test_valid_details_create_an_account(service, person_of, country, kind, good, change):
    """Valid details create an account; one changed field returns a 400 that names the field."""
    owner = service.made("/v1/individuals", person_of(country))
    body = {"individual_id": owner["id"], "type": kind, "details": good}
    made = service.post("/v1/financial_accounts", body)
    assert (made.status, made["type"], made["details"]) == (201, kind, good)
    refused = service.post("/v1/financial_accounts", body | {"details": good | change})
    assert refused.status == 400
    assert all(field.startswith("details.") for field in refused.fields)
    assert refused.fields


@pytest.mark.parametrize(
    ("country", "kind"),
    [("MX", "pix"), ("MX", "upi"), ("BR", "bank_account"), ("US", "bank_account"), ("MX", "gold")],
)
def test_a_type_the_country_does_not_use(service, person_of, country, kind):
    """A type that the country does not use returns a 400 that names the type."""
    owner = service.made("/v1/individuals", person_of(country))
    body = {"individual_id": owner["id"], "type": kind, "details": {}}
    answer = service.post("/v1/financial_accounts", body)
    assert (answer.status, "type" in answer.fields) == (400, True)


def test_an_account_has_the_five_fields_of_the_spec_and_the_individual_contains_it(service):
    """An account has the five fields of the spec, and the individual contains it."""
    owner = service.person()
    made = service.account(owner)
    assert made.keys() == {"id", "type", "details", "created_at", "updated_at"}
    listed = service.get(f"/v1/individuals/{owner['id']}")["financial_accounts"]
    assert listed == [made]


def test_update_replaces_the_details(service):
    """An update returns 201, the same id and a later updated_at, and replaces all details."""
    made = service.account(service.person("BR"))
    service.advance(3)
    new = {"pix_key": "1" * 11, "pix_key_type": "cpf"}
    answer = service.post(f"/v1/financial_accounts/{made['id']}", {"details": new})
    assert (answer.status, answer["id"], answer["details"]) == (201, made["id"], new)
    assert (answer["created_at"], answer["updated_at"]) == (
        "2026-01-15T12:00:00.000Z",
        "2026-01-15T12:00:03.000Z",
    )


def test_an_unknown_account_returns_404_invalid_details_400_a_crypto_wallet_422(service):
    """An unknown account returns 404, invalid details 400, a crypto wallet 422."""
    owner = service.person()
    account, wallet = service.account(owner), service.wallet(owner)
    good = {"details": wallet["details"]}
    path = "/v1/financial_accounts/"
    assert service.post(f"{path}x", {}).status == 404
    assert service.post(f"{path}{account['id']}", {}).status == 400
    assert service.post(f"{path}{account['id']}", {"details": {"clabe": "1"}}).status == 400
    assert service.post(f"{path}{wallet['id']}", good).status == 422


@pytest.mark.parametrize(
    ("individual_id", "status"), [("x", 404), (None, 400), (7, 400), (" ", 400), ([], 400)]
)
def test_an_unknown_individual_id_returns_404(service, individual_id, status):
    """An unknown individual_id returns 404; a missing or invalid one returns 400."""
    body = {"individual_id": individual_id, "type": "bank_account", "details": {"clabe": "1" * 18}}
    assert service.post("/v1/financial_accounts", body).status == status
