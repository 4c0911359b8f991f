"""Frames of individuals, conversion accounts, quotes, events and deliveries."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest

import paylab
from paylab import frames
from paylab.corridors import examples
from paylab.frames.columns import SCHEMAS


@pytest.fixture(name="lab", scope="module")
def walked():
    """A lab with some people, an account that waits for money, and events."""
    lab = paylab.connect()
    lab.simulator.seed(transfers=30, conversions=2)
    return lab


def test_individuals(lab):
    """One flat row each; accounts by their ids; no document number."""
    frame = lab.individuals.frame()
    person = lab.individuals.get(frame["id"][0])
    assert frame["financial_account_ids"][0] == ",".join(a.id for a in person.financial_accounts)
    assert frame["product_types"][0] == "on_ramp"
    assert str(frame["created_at"].dtype) == "datetime64[us, UTC]"
    assert len(frame) == len(list(lab.individuals.list()))
    assert frame.attrs["complete"]


def test_a_document_number_and_account_details_stay_out():
    """Wherever they stand."""
    person = {"document": {"type": "curp", "number": "SECRET18"}, "status_details": [{"code": "x"}]}
    person["financial_accounts"] = [{"id": "fa_1", "type": "pix", "details": {"pix_key": "SECRET"}}]
    frame = frames.of([person | {"id": "ind_1", "given_name": "A"}], "individuals")
    assert "SECRET" not in frame.to_csv()
    assert frame.loc[0, ["document_type", "status_codes", "financial_account_ids"]].tolist() == [
        "curp",
        "x",
        "fa_1",
    ]


def test_conversion_accounts(lab):
    """With the instructions where to pay."""
    frame = lab.conversion_accounts.frame()
    account = lab.conversion_accounts.get(frame["id"][0])
    assert frame["deposit_instructions_clabe"][0] == account.deposit_instructions.details["clabe"]
    assert frame["payout_account_id"][0] == account.payout_account.id


def test_quotes(lab):
    """Those you hold, exact."""
    person = lab.individuals.create(**examples.recipient("MX"))
    account = person.financial_accounts[0]
    quote = lab.quotes.create(
        financial_account=account,
        source_currency="USD",
        source_amount="100",
        destination_currency="MXN",
        payout_method="spei",
    )
    frame = lab.quotes.frame([quote])
    assert frame["source_amount"].tolist() == [quote.source_amount]
    assert frame["total_fee"].sum() == quote.total_fee


def test_events_and_deliveries():
    """An event with its snapshot; a delivery with its answer."""
    event = {
        "type": "transfer.failed",
        "payload": {
            "id": "tr_1",
            "status": "failed",
            "source_amount": "1.50",
            "created_at": "2026-01-01T00:00:00Z",
        },
    }
    told = frames.of([event], "events")
    assert told.loc[0, ["type", "id", "status"]].tolist() == ["transfer.failed", "tr_1", "failed"]
    assert told["source_amount"].sum() == Decimal("1.50")
    tried = frames.of(
        [
            {
                "id": "del_1",
                "event_type": "x",
                "attempt": 2,
                "status": 503,
                "url": "u",
                "error": None,
                "at": "2026-01-01T00:00:00Z",
            }
        ],
        "deliveries",
    )
    assert tried.loc[0, ["attempt", "status"]].tolist() == [2, 503]
    assert tried["created_at"][0] == pd.Timestamp("2026-01-01", tz="UTC")


@pytest.mark.parametrize("kind", SCHEMAS)
def test_nothing(kind):
    """No rows have all columns."""
    assert list(frames.of([], kind).columns) == SCHEMAS[kind].names


def test_a_lab_narrows_and_converts(lab):
    """By status and time; as floats, which the frame says."""
    frame = lab.transfers.frame(status="completed", since="2025-12-01", amounts="float")
    assert set(frame["status"]) == {"completed"}
    assert frame["created_at"].min() >= pd.Timestamp("2025-12-01", tz="UTC")
    assert frame.attrs["amounts"] == "float"
    assert frame.attrs["filter"]["status"] == "completed"


def test_a_misspelt_option_is_named(lab):
    """Before anything is fetched."""
    with pytest.raises(TypeError, match="statuses"):
        lab.transfers.frame(statuses="completed")
