"""Transfers: accepted and refused bodies, and every course of statuses."""

from __future__ import annotations

import re

import pytest

from paylab.corridors import examples
from paylab.errors import BadRequestError

DAY = 24 * 3600


def life(service, transfer, seconds=5):
    """The statuses of a transfer, a second apart."""
    seen = [transfer["status"]]
    for _ in range(seconds):
        service.advance(1)
        seen.append(service.get(f"/v1/transfers/{transfer['id']}")["status"])
    return seen


def test_fields_without_a_value_are_null(service):
    """Fields without a value are null; deposit_instructions is left out."""
    made = service.transfer(client_reference_id="r-1")
    assert made.keys() == {
        *("id", "client_reference_id", "source_amount", "source_currency", "destination_amount"),
        *("destination_currency", "exchange_rate", "recipient_id", "financial_account_id"),
        *("payout_method", "status", "total_fee", "fee_currency", "total_tax", "tax_currency"),
        *("net_source_amount", "completed_in", "created_at", "updated_at", "failure_reason"),
        "settlement_reference_id",
    }
    nulls = ("completed_in", "failure_reason", "settlement_reference_id")
    assert [made[name] for name in nulls] == [None] * 3
    assert (made["source_currency"], made["destination_currency"]) == ("USD", "MXN")
    assert (made["status"], made["client_reference_id"]) == ("awaiting_funds", "r-1")


@pytest.mark.parametrize(
    ("scenario", "statuses", "events"),
    [
        (
            None,
            "awaiting_funds started started completed completed completed",
            "created funded payout_initiated completed",
        ),
        (
            "scenario:failed",
            "awaiting_funds started started failed failed failed",
            "created funded payout_initiated failed",
        ),
        (
            "scenario:under_review:7",
            "awaiting_funds started under_review under_review under_review under_review",
            "created funded",
        ),
        ("scenario:expired", "awaiting_funds expired expired expired expired expired", None),
        ("scenario:cancelled:x:y", "awaiting_funds" + " cancelled" * 5, "created"),
        ("xscenario:failed", "awaiting_funds started started completed completed completed", None),
    ],
)
def test_each_scenario_ends_in_its_status(service, scenario, statuses, events):
    """Each scenario ends in its status; any text may follow a second colon."""
    made = service.transfer(client_reference_id=scenario)
    assert life(service, made) == statuses.split()
    if events:
        assert service.events(made["id"]) == [f"transfer.{name}" for name in events.split()]


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("scenario:fialed", "is scenario:failed meant?"),
        ("scenario:fialed:7", "is scenario:failed meant?"),
        ("Scenario:Failed", "is scenario:failed meant?"),
        ("scenario:", "known are scenario:failed, "),
    ],
)
def test_a_misspelt_scenario_is_refused_and_named(lab, reference, hint):
    """A reference that begins as a scenario and is none pays nothing, and names the nearest."""
    person = lab.individuals.create(**examples.recipient("MX"))
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    with pytest.raises(BadRequestError, match=re.escape(hint)) as refusal:
        lab.transfers.create(
            person.financial_accounts[0],
            source_amount="1",
            client_reference_id=reference,
            **terms,
        )
    assert refusal.value.problems[0].field == "client_reference_id"
    assert not [made for made in lab.transfers.list() if made.client_reference_id == reference]


def test_a_completed_transfer_has_completed_in_in_seconds_and_a_settlement_reference(service):
    """A completed transfer has completed_in in seconds and a settlement reference."""
    made = service.transfer()
    service.advance(3)
    done = service.get(f"/v1/transfers/{made['id']}")
    assert (done["completed_in"], done["failure_reason"]) == ("2", None)
    assert done["settlement_reference_id"].isdigit()
    assert done["updated_at"] > done["created_at"] == made["created_at"]


def test_a_failed_transfer_has_a_reason_and_no_settlement_reference(service):
    """A failed transfer has a reason, and no settlement reference."""
    made = service.transfer(client_reference_id="scenario:failed")
    service.advance(3)
    failed = service.get(f"/v1/transfers/{made['id']}")
    assert failed["failure_reason"]
    assert (failed["completed_in"], failed["settlement_reference_id"]) == (None, None)


@pytest.fixture
def off_ramp(service):
    """The body of an off-ramp transfer by an individual with a wallet on base."""
    account = service.payable("MX", "global_payouts", "off_ramp")
    service.wallet(service.get("/v1/individuals")["data"][0])
    return {
        "financial_account": {"id": account["id"]},
        "source_currency": "USDC",
        "destination_currency": "MXN",
        "payout_method": "spei",
        "source_amount": "10.000001",
        "source_network": "base",
    }


def test_a_transfer_by_deposit_has_instructions_and_a_deadline(service, off_ramp):
    """A transfer by deposit has instructions and a deadline; it expires after 24 hours."""
    made = service.made("/v1/transfers", off_ramp | {"source_type": "deposit"})
    instructions = made["deposit_instructions"]
    assert instructions["details"].keys() == {"address", "network"}
    assert (instructions["type"], instructions["currency"]) == ("crypto_wallet", "usdc")
    assert instructions["payment_methods"] == ["base"]
    assert instructions["deadline"] == "2026-01-16T12:00:02.000Z"
    service.advance(DAY - 0.001)
    assert service.get(f"/v1/transfers/{made['id']}")["status"] == "awaiting_funds"
    service.advance(0.001)
    expired = service.get(f"/v1/transfers/{made['id']}").json
    assert (expired["status"], "deposit_instructions" in expired) == ("expired", False)


def test_a_funded_transfer_completes_and_has_no_deposit_instructions(service, off_ramp):
    """A funded transfer completes, and has no deposit instructions."""
    made = service.made("/v1/transfers", off_ramp | {"source_type": "deposit"})
    moved = service.post(f"/_simulator/objects/{made['id']}", {"to": "started"}).json
    assert "deposit_instructions" not in moved
    assert life(service, moved, 2) == ["started", "started", "completed"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 201),
        ({"source_network": "solana"}, 422),
        ({"source_network": "bitcoin"}, 400),
        ({"source_amount": "1.0000001"}, 400),
        ({"source_type": "prefunded"}, 201),
        ({"source_type": "wire"}, 400),
    ],
)
def test_an_off_ramp_transfer_needs_a_wallet_on_the_source_network_and_valid_fields(
    service, off_ramp, change, status
):
    """An off-ramp transfer needs a wallet on the source network, and valid fields."""
    assert service.post("/v1/transfers", off_ramp | change).status == status


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"client_reference_id": "r" * 64}, 201),
        ({"client_reference_id": "r" * 65}, 400),
        ({"source_type": "deposit"}, 400),
        ({"source_amount": None}, 400),
        ({"source_amount": None, "destination_amount": "5"}, 201),
        ({"source_amount": None, "net_source_amount": "5"}, 201),
        ({"source_currency": None}, 400),
        ({"payout_method": None}, 400),
        ({"destination_currency": "VND"}, 400),
        ({"financial_account": None}, 400),
        ({"financial_account": {"id": "x"}}, 404),
        ({"source_currency": "PHP"}, 201),
    ],
)
def test_an_invalid_body_returns_400_an_unknown_account_404(service, transfer_body, change, status):
    """An invalid body returns 400, an unknown account 404."""
    assert service.post("/v1/transfers", transfer_body | change).status == status


def test_one_answer_lists_all_problems(service, transfer_body):
    """One answer lists the problems of the body and those against the account."""
    junk = {"source_amount": 1, "payout_method": "pix", "client_reference_id": "r" * 65}
    fields = service.post("/v1/transfers", transfer_body | junk).fields
    assert fields.keys() == junk.keys()


@pytest.mark.parametrize(
    ("individual", "word"),
    [
        ({"product_types": ["on_ramp", "global_payouts"]}, "not active"),
        ({"product_types": ["global_payouts"]}, None),
    ],
)
def test_a_transfer_to_an_inactive_recipient_returns_422(
    service, person_body, ramp_fields, transfer_body, individual, word
):
    """A transfer to an inactive recipient returns 422."""
    owner = service.made("/v1/individuals", person_body | ramp_fields | individual)
    account = {"financial_account": {"id": service.account(owner)["id"]}}
    answer = service.post("/v1/transfers", transfer_body | account)
    assert answer.status == (422 if word else 201)
    assert (word or "") in answer.json.get("error", "")


def test_a_transfer_to_a_recipient_without_the_product_returns_422(service, transfer_body):
    """A transfer to a recipient without the product returns 422."""
    account = {"financial_account": {"id": service.payable("MX", "on_ramp")["id"]}}
    answer = service.post("/v1/transfers", transfer_body | account)
    assert (answer.status, "global_payouts" in answer["error"]) == (422, True)


def test_a_transfer_to_a_crypto_wallet_uses_the_wallet_own_network_and_usdc(service):
    """A transfer to a crypto wallet uses the wallet's own network, and USDC."""
    wallet = service.wallet(service.person(), "polygon")
    body = {
        "financial_account": {"id": wallet["id"]},
        "source_currency": "USD",
        "destination_currency": "USDC",
        "source_amount": "10",
    }
    assert service.post("/v1/transfers", body | {"payout_method": "polygon"}).status == 201
    assert service.post("/v1/transfers", body | {"payout_method": "base"}).status == 400


def test_an_unknown_transfer_returns_404(service):
    """An unknown transfer returns 404."""
    assert service.get("/v1/transfers/tr_x").status == 404


@pytest.mark.parametrize(
    ("product", "count"), [("global_payouts", 1), ("off_ramp", 1), ("on_ramp", 0), ("", 2)]
)
def test_a_transfer_with_a_stablecoin_source_is_off_ramp_any_other_is_global_payouts(
    service, off_ramp, product, count
):
    """A transfer with a stablecoin source is off_ramp, any other is global_payouts."""
    service.made("/v1/transfers", off_ramp)
    service.transfer()
    query = f"?product_type={product}" if product else ""
    assert len(service.get(f"/v1/transfers{query}")["data"]) == count


@pytest.mark.parametrize("product", ["payouts", "", "ON_RAMP", "%00"])
def test_an_unknown_product_type_returns_400(service, product):
    """An unknown product type returns 400."""
    answer = service.get(f"/v1/transfers?product_type={product}")
    assert (answer.status, [*answer.fields]) == (400, ["product_type"])


@pytest.mark.parametrize(
    ("method", "seconds", "status"),
    [
        ("instapay", 3, "completed"),
        ("pesonet", 3, "started"),
        ("pesonet", 48 * 3600 - 1, "started"),
        ("pesonet", 48 * 3600, "completed"),
    ],
)
def test_pesonet_takes_two_days(service, method, seconds, status):
    """PESONet settles in batches, InstaPay in real time; completed_in has the seconds of both."""
    owner = service.post("/_simulator/people", {"country": "PH", "verified": True})
    account = service.post("/_simulator/accounts", {"individual_id": owner["id"]})
    made = service.transfer(
        financial_account={"id": account["id"]}, destination_currency="PHP", payout_method=method
    )
    service.advance(seconds)
    row = service.get(f"/v1/transfers/{made['id']}").json
    assert row["status"] == status
    if status == "completed":
        assert row["completed_in"] == str(seconds - 1)


@pytest.mark.parametrize("network", ["base", "solana"])
@pytest.mark.parametrize("ends", ["scenario", "move"])
def test_the_coins_of_a_failed_off_ramp_go_back(service, network, ends):
    """A failed off-ramp has a return to the wallet on its network; nothing else has one."""
    products = ["global_payouts", "off_ramp"]
    owner = service.post("/_simulator/people", {"verified": True, "product_types": products})
    owned = {"individual_id": owner["id"]}
    account = service.post("/_simulator/accounts", owned)
    wallets = {}
    for name in ("base", "solana"):
        details = {"address": f"{name}-1", "network": name}
        wallet = {**owned, "type": "crypto_wallet", "details": details}
        wallets[name] = service.post("/_simulator/accounts", wallet)["id"]
    terms = {"financial_account": {"id": account["id"]}, "source_currency": "USDC"}
    reference = {"client_reference_id": "scenario:failed"} if ends == "scenario" else {}
    made = service.transfer(**terms, source_network=network, **reference)
    service.transfer(financial_account={"id": account["id"]}, client_reference_id="scenario:failed")
    if ends == "move":
        for to in ("started", "failed"):
            service.post(f"/_simulator/objects/{made['id']}", {"to": to})
    service.advance(10)
    (row,) = service.get("/_simulator/returns").json
    assert (row["transfer_id"], row["amount"]) == (made["id"], made["source_amount"])
    assert (row["financial_account_id"], row["address"]) == (wallets[network], f"{network}-1")
    assert (row["currency"], row["network"], bool(row["tx_hash"])) == ("USDC", network, True)
    dump = service.get("/_simulator/snapshot").json
    assert service.call("PUT", "/_simulator/snapshot", dump).status == 200
    assert service.get("/_simulator/returns").json == [row]
