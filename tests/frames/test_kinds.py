"""Frames of individuals, conversion accounts, quotes, events and deliveries."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import pandas as pd
import pytest

import paylab
from paylab import frames
from paylab.corridors import examples
from paylab.frames.columns import SCHEMAS
from paylab.frames.frame import frame
from paylab.webhooks.arrival import Arrival


@pytest.fixture(name="lab", scope="module")
def walked():
    """A lab with 30 transfers and 2 conversions, and the objects they need."""
    lab = paylab.connect()
    lab.simulator.seed(transfers=30, conversions=2)
    return lab


def test_an_individual_is_one_flat_row(lab):
    """Every individual is one flat row, with its products and the ids of its accounts."""
    frame, people = lab.individuals.frame(), list(lab.individuals.list())
    columns = ["id", "email", "product_types", "financial_account_ids"]
    assert frame[columns].to_numpy().tolist() == [
        [one.id, one.email, ",".join(one.product_types), ",".join(a.id for a in accounts)]
        for one in people
        for accounts in [one.financial_accounts]
    ]
    assert {len(person.financial_accounts) for person in people} == {1, 2}
    assert {*frame["product_types"]} == {"on_ramp", "global_payouts"}
    assert str(frame["created_at"].dtype) == "datetime64[us, UTC]"
    assert frame.attrs["complete"]


FRAMES_OF_PAGES = {"transfers": frames.transfers, "conversions": frames.conversions}


@pytest.mark.parametrize("kind", ["transfers", "conversions", "individuals", "conversion_accounts"])
def test_the_records_of_a_frame_make_the_same_frame(lab, kind):
    """Also the fields of inner objects, such as the amounts of conversions."""
    frame = getattr(lab, kind).frame()
    records = frame.to_dict("records")
    assert frames.of(records).equals(frame)
    if kind in FRAMES_OF_PAGES:
        assert FRAMES_OF_PAGES[kind]([records]).equals(frame)


def test_own_columns_of_records_are_kept(lab):
    """With their types and currencies; a field with an object, and those of persons, stay out."""
    frame = lab.transfers.frame()
    own = frame.assign(margin=frame["total_fee"] * 2, note="x", n=1)
    records = own.to_dict("records")
    records[0]["new_object"] = {"a": 1}
    made = frames.of(records)
    assert list(made.columns) == list(own.columns)
    assert made["margin"].equals(own["margin"])
    assert frames.by_currency(made)["margin"].equals(frames.by_currency(own)["margin"])
    people = lab.individuals.frame().assign(tax_number="SECRET18").to_dict("records")
    assert "tax_number" not in frames.of(people)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_value_of_pandas_is_missing(missing):
    """It is no word "nan", no text and no amount."""
    row = {"id": "tr_1", "tax_currency": missing, "total_tax": missing, "created_at": missing}
    frame = frames.of([row | {"failure_reason": missing}, {"id": "tr_2", "tax_currency": "MXN"}])
    names = ["tax_currency", "total_tax", "created_at", "failure_reason"]
    assert frame.loc[0, names].isna().all()
    assert list(frame["tax_currency"].cat.categories) == ["MXN"]


def test_a_document_number_and_account_details_stay_out():
    """A frame contains no document numbers and no account details."""
    person = {"document": {"type": "curp", "number": "SECRET18"}, "status_details": [{"code": "x"}]}
    person["financial_accounts"] = [{"id": "fa_1", "type": "pix", "details": {"pix_key": "SECRET"}}]
    frame = frames.of([person | {"id": "ind_1", "given_name": "A"}], "individuals")
    assert "SECRET" not in frame.to_csv()
    assert frame.loc[0, ["document_type", "status_codes", "financial_account_ids"]].tolist() == [
        "curp",
        "x",
        "fa_1",
    ]


def test_a_conversion_account_has_columns_for_its_deposit_instructions_and_payout_account(lab):
    """A conversion account has columns for its deposit instructions and payout account."""
    frame = lab.conversion_accounts.frame()
    account = lab.conversion_accounts.get(frame["id"][0])
    assert frame["deposit_instructions_clabe"][0] == account.deposit_instructions.details["clabe"]
    assert frame["payout_account_id"][0] == account.payout_account.id


def test_a_frame_of_given_quotes_has_their_exact_amounts(lab):
    """A frame of given quotes has their exact amounts."""
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


def test_an_event_has_the_fields_of_its_payload():
    """An event has the fields of its payload; a delivery has its attempt and status."""
    event = {
        "type": "transfer.failed",
        "payload": {
            "id": "tr_1",
            "status": "failed",
            "source_amount": "1.50",
            "created_at": "2026-01-01T00:00:00Z",
        },
    }
    now = datetime.now(UTC)
    facts = {"type": "transfer.failed", "id": "tr_1", "status": "failed", "order": "in order"}
    body = json.dumps({"event_type": event["type"], "event_payload": event["payload"]}).encode()
    arrival = Arrival(1, now, now, deliveries=1, updated_at=None, body=body, **facts)
    assert frames.of([arrival, arrival.event])["source_amount"].tolist() == [Decimal("1.50")] * 2
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


@pytest.mark.parametrize("kind", ["deliveries", "events", "quotes"])
def test_what_is_no_list_keeps_every_row(kind):
    """Only the rows of a list are kept once."""
    repeated = [{"id": "x_1", "type": "x", "payload": {"id": "x_1"}}] * 2
    assert len(frame([{"data": repeated}], kind)) == 2


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_frame_without_rows_has_all_columns(kind):
    """A frame without rows has all columns."""
    assert list(frames.of([], kind).columns) == SCHEMAS[kind].names


def test_rows_of_a_frame_keep_the_objects_that_they_have():
    """A flat column beside its object is an unknown field: the object is the answer."""
    rows = [{"id": "cv_1", "deposit": {"amount": "1.00", "currency": "PHP"}, "deposit_amount": "2"}]
    assert frames.of(rows, "conversions").deposit_amount.tolist() == [Decimal("1.00")]
    assert rows[0]["deposit"] == {"amount": "1.00", "currency": "PHP"}


def test_a_lab_narrows_and_converts(lab):
    """`frame` selects by status and time; `attrs` has the filter and the type of amounts."""
    frame, whole = lab.transfers.frame, lab.transfers.frame()
    frame = frame(status="completed", since="2025-12-01", amounts="float")
    is_new = whole["created_at"] >= pd.Timestamp("2025-12-01", tz="UTC")
    wanted = whole[is_new & (whole["status"] == "completed")]
    assert 0 < len(wanted) < min(is_new.sum(), (whole["status"] == "completed").sum())
    assert frame["id"].tolist() == wanted["id"].tolist()
    assert frame["source_amount"].tolist() == [float(each) for each in wanted["source_amount"]]
    assert frame.attrs["amounts"] == "float"
    assert frame.attrs["filter"]["status"] == "completed"


def test_a_misspelt_option_is_named(lab):
    """An unknown option raises TypeError with its name before anything is sent."""
    before = len(lab.calls)
    with pytest.raises(TypeError, match=r"no parameter 'statuses' \(is 'status' meant\?\)"):
        lab.transfers.frame(statuses="completed")
    assert len(lab.calls) == before
