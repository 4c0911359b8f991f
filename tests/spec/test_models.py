"""Everything the service may send can be read, and nothing that was sent is lost."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import statistics
import warnings
from datetime import UTC, datetime, timedelta, timezone
from decimal import Context, Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.errors import FloatWarning
from paylab.spec import models
from paylab.spec.answers import ANSWERS
from paylab.spec.models import ConversionAccount, Individual, Resource, Transfer
from paylab.spec.money import Amount

KINDS = [
    kind
    for kind in vars(models).values()
    if isinstance(kind, type) and issubclass(kind, Resource) and kind.model_fields
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "sent", "field", "read"),
    [
        (Individual, {"nickname": "Ana"}, "nickname", "Ana"),
        (Individual, {"status": "paused"}, "status", "paused"),
        (Individual, {"status_details": None, "status": "active"}, "status_details", None),
        (Individual, {}, "status_details", None),
        (Individual, {"status_details": []}, "status_details", []),
        (
            Individual,
            {"product_types": ["on_ramp", "loans"]},
            "product_types",
            ["on_ramp", "loans"],
        ),
        (Individual, {"financial_accounts": "none"}, "financial_accounts", "none"),
        (Individual, {"address": "Calle 1"}, "address", "Calle 1"),
        (Individual, {"created_at": "2026-01-31T12:00:00Z"}, "created_at", NOON),
        (Individual, {"created_at": "2026-01-31T12:00:00.000Z"}, "created_at", NOON),
        (Individual, {"created_at": "2026-01-31T12:00:00.000000+00:00"}, "created_at", NOON),
        (Individual, {"created_at": "2026-01-31T06:00:00-06:00"}, "created_at", NOON),
        (Individual, {"created_at": "2026-01-31T14:00:00.0+02:00"}, "created_at", NOON),
        (Individual, {"created_at": "yesterday"}, "created_at", "yesterday"),
        (Individual, {"created_at": "0001-01-01T00:00:00+14:00"}, "created_at", None),
        (Individual, {"created_at": 1769860800}, "created_at", 1769860800),
        (Transfer, {"failure_reason": "", "status": "pending"}, "failure_reason", ""),
        (Transfer, {"completed_in": "0", "status": "pending"}, "completed_in", "0"),
        (Transfer, {"completed_in": None}, "completed_in", None),
        (Transfer, {"payout_method": "carrier_pigeon"}, "payout_method", "carrier_pigeon"),
        (Transfer, {"source_amount": "1000"}, "source_amount", Decimal(1000)),
        (Transfer, {"source_amount": "0.10"}, "source_amount", Decimal("0.1")),
        (Transfer, {"source_amount": 1000}, "source_amount", Decimal(1000)),
        (Transfer, {"source_amount": Decimal("1E+3")}, "source_amount", Decimal(1000)),
        (Transfer, {"source_amount": "n/a"}, "source_amount", "n/a"),
        (Transfer, {"source_amount": "NaN"}, "source_amount", "NaN"),
        (Transfer, {"source_amount": "1e9"}, "source_amount", "1e9"),
        (Transfer, {"source_amount": "1_000"}, "source_amount", "1_000"),
        (Transfer, {"source_amount": True}, "source_amount", True),
        (Transfer, {"source_currency": "uSd"}, "source_currency", "uSd"),
        (Transfer, {"id": "prefix-ü/1"}, "id", "prefix-ü/1"),
        (Transfer, {"id": None}, "id", ""),
        (Transfer, {"id": 7}, "id", "7"),
        (Transfer, {"recipient_id": 7, "id": True}, "recipient_id", "7"),
        (Transfer, {"raw": 1, "model_dump": 2}, "source_amount", None),
        (models.WebhookSubscription, {"is_active": "yes"}, "is_active", "yes"),
        (
            models.WebhookSubscription,
            {"event_types": ["transfer.lost"]},
            "event_types",
            ["transfer.lost"],
        ),
        (models.Quote, {"derived_source_amount": 1}, "derived_source_amount", 1),
    ],
)
def test_an_oddity_is_read_and_kept(kind, sent, field, read):
    """A value that cannot be parsed stays as it was sent, and `.raw` is the whole object."""
    resource = kind.model_validate(sent)
    value = getattr(resource, field)
    assert value == (sent[field] if read is None and sent.get(field) else read)
    assert resource.raw == sent


def test_instructions_of_an_unknown_type_are_read():
    """Deposit instructions of an unknown type with unknown details are read."""
    sent = {"type": "moon_bank", "details": {"crater": "7"}, "payment_methods": ["rocket"]}
    transfer = Transfer.model_validate({"deposit_instructions": sent})
    assert transfer.deposit_instructions.type == "moon_bank"
    assert transfer.deposit_instructions.details == {"crater": "7"}
    assert transfer.deposit_instructions.raw == sent


def test_a_pending_account_may_have_instructions():
    """Deposit instructions of a pending account are read."""
    account = ConversionAccount.model_validate(
        {"status": "pending", "deposit_instructions": {"details": {"clabe": "9"}}}
    )
    assert account.deposit_instructions.details["clabe"] == "9"


def test_an_unknown_code_is_kept_beside_the_known():
    """A status detail that cannot be parsed does not change how the others are read."""
    details = [{"code": "verification_mood"}, "odd", {"code": "verification_image_blurry"}]
    individual = Individual.model_validate({"status": "active", "status_details": details})
    first, odd, last = individual.status_details
    assert (first.code, odd, last.code) == ("verification_mood", "odd", "verification_image_blurry")


@given(kind=st.sampled_from(KINDS), data=st.data())
@settings(max_examples=30, deadline=None)
def test_no_object_fails_to_load(kind, data):
    """Every resource loads with any JSON in any field."""
    keys = st.sampled_from([*kind.model_fields]) | st.text()
    sent = data.draw(st.dictionaries(keys, JSON, max_size=6))
    resource = kind.model_validate(sent)
    assert resource.raw == sent
    assert repr(resource).startswith(kind.__name__)


def test_null_and_absent_read_alike():
    """A null field and an absent one read alike and are equal; `.raw` shows which was sent."""
    null, absent = Transfer.model_validate({"status": None}), Transfer.model_validate({})
    assert null.status is absent.status is None
    assert null == absent
    assert ("status" in null.raw, "status" in absent.raw) == (True, False)
    assert (null.model_fields_set, absent.model_fields_set) == ({"status"}, set())


def test_resources_compare_by_kind_and_values_can_be_in_sets_and_are_immutable():
    """Resources compare by kind and values, can be in sets, and are immutable."""
    one, same = Transfer(id="tr_1", status="started"), Transfer(id="tr_1", status="started")
    assert {one} == {same}
    assert one != Transfer(id="tr_1", status="failed")
    assert one != models.Deposit(id="tr_1", status="started")


@pytest.mark.parametrize(
    "change",
    [
        lambda person: setattr(person, "status", "active"),
        lambda person: setattr(person, "nickname", "Ana"),
        lambda person: person.__setitem__("status", "active"),
        lambda person: person.__delitem__("status"),
        lambda person: delattr(person, "status"),
    ],
)
def test_a_change_of_a_resource_is_refused_with_what_to_write(change):
    """A resource cannot be changed; the error says how to make a changed copy."""
    person = Individual(status="pending", nickname="A")
    with pytest.raises(AttributeError, match=r"Individual\..* makes a changed copy"):
        change(person)
    changed = person.model_copy(update={"status": "active"})
    assert (person.status, changed.status, person.nickname) == ("pending", "active", "A")


@pytest.mark.parametrize("name", ANSWERS)
def test_each_field_with_words_of_the_spec_is_typed_with_them(name):
    """Editors complete the words of every field for which the spec has some."""
    kind = getattr(models, name)
    for field, form in ANSWERS[name].words.items():
        typed = {
            word
            for found in re.findall(r"Literal\[(.*?)\]", str(kind.model_fields[field].annotation))
            for word in re.findall(r"'([^']+)'", found)
        }
        assert typed >= {*form.words} != set(), field


@pytest.mark.parametrize("kind", KINDS)
def test_a_tooltip_shows_the_fields_as_their_class_declares_them(kind):
    """The signature of a model has names such as Money, before and after it was first read."""
    before = str(inspect.signature(kind))
    kind.model_validate({})
    assert str(inspect.signature(kind)) == before
    assert not re.search(r"Annotated|Optional|Validator|ForwardRef|'\w+\[", before)
    assert [*inspect.signature(kind).parameters] == [*kind.model_fields]


def test_resources_survive_copying_and_pickling():
    """A copied or pickled resource keeps its raw object and the text of its amounts."""
    transfer = Transfer.model_validate({"id": "tr_1", "source_amount": "1.00", "x": None})
    for clone in (pickle.loads(pickle.dumps(transfer)), copy.deepcopy(transfer)):
        assert clone == transfer
        assert clone.raw == transfer.raw
        assert clone.source_amount.text == "1.00"


def test_a_resource_is_replayed_only_if_its_answer_was():
    """What does not come from an answer was not replayed."""
    assert Transfer(id="tr_1").replayed is False
    assert Transfer.model_validate({"id": "tr_1"}).replayed is False


def test_the_repr_shows_what_was_said():
    """The repr of a resource shows only the fields that have a value."""
    assert repr(Transfer(id="tr_1", source_amount="1.50")) == (
        "Transfer(id='tr_1', source_amount=Amount('1.50'))"
    )
    many = dict.fromkeys(("a", "b", "c", "d", "e", "f", "g"), "x" * 70)
    assert repr(Resource(**many)).count("=") == 6
    assert repr(Resource(a="x" * 58)) == f"Resource(a={'x' * 58!r})"
    assert repr(Resource(a="x" * 59)) == f"Resource(a='{'x' * 58}…)"


def test_printing_a_resource_shows_a_field_on_each_line():
    """The text of a resource has a line for each field, with times as the service writes them."""
    transfer = Transfer(
        id="tr_1", source_amount="1.50", created_at="2026-01-31T12:00:00Z", note="a\nb"
    )
    assert str(transfer).splitlines() == [
        "Transfer",
        "  id             tr_1",
        "  source_amount  1.50",
        "  created_at     2026-01-31T12:00:00.000Z",
        "  note           a\\nb",
    ]
    assert str(Resource()) == "Resource"


def test_a_document_number_is_not_shown():
    """A document number can be read as an attribute but is not in repr or str."""
    individual = Individual.model_validate({"document": {"type": "curp", "number": "GOHM9005"}})
    assert individual.document.number == "GOHM9005"
    assert "GOHM9005" not in repr(individual) + str(individual)
    assert "GOHM9005" not in repr(individual.document) + str(individual.document)


def test_a_time_that_is_given_is_aware():
    """A resource takes an aware datetime, in UTC; a naive one is kept as it is and is no time."""
    manila = timezone(timedelta(hours=8))
    [aware, naive] = [datetime(2026, 1, 31, 20, tzinfo=zone) for zone in (manila, None)]
    made = Transfer.model_validate({"created_at": aware}).created_at
    assert (made, made.utcoffset()) == (NOON, timedelta(0))
    assert Transfer.model_validate({"created_at": naive}).created_at is naive


def test_dumping_a_value_of_the_wrong_type_does_not_warn():
    """Dumping a resource with values of the wrong type gives no warning."""
    transfer = Transfer.model_validate({"status": 5, "created_at": "soon", "total_fee": "free"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert transfer.model_dump(exclude_none=True)["status"] == 5
        assert '"total_fee":"free"' in transfer.model_dump_json()


@pytest.mark.parametrize("text", ["0", "-1.50", "+2", "0.000000000", "007", "1" * 60])
def test_an_amount_keeps_its_text(text):
    """An Amount keeps its text beside its exact value."""
    amount = Amount(text)
    assert amount == Decimal(text)
    assert amount.text == str(amount) == f"{amount}" == text
    assert pickle.loads(pickle.dumps(amount)).text == copy.deepcopy(amount).text == text


NAN = float("nan")
LONG = "12345678901234567890123456789.12"


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: sum([x, Amount("0.001"), Amount(1)]), "12345678901234567890123456790.121"),
        (lambda x: Decimal("0.001") - x, "-12345678901234567890123456789.119"),
        (lambda x: 2 * x, "24691357802469135780246913578.24"),
        (lambda x: -x, f"-{LONG}"),
        (lambda x: abs(Amount(-x)), LONG),
        (lambda x: +x, LONG),
        (lambda x: statistics.mean([Amount("1"), Amount("2.50")]), "1.75"),
        (lambda x: statistics.pvariance([Amount("1"), Amount("2.50")]), "0.5625"),
    ],
)
def test_amounts_compute_exactly_at_any_length(compute, expected):
    """Sums, differences, products and signs keep every digit, whatever the decimal context."""
    with localcontext(Context(prec=6)):
        result = compute(Amount(LONG))
    assert str(result) == expected


@pytest.mark.parametrize(
    ("compare", "warns"),
    [
        (lambda x: x == 279.1, True),
        (lambda x: x in [279.1], True),
        (lambda x: x == np.float64(279.1), True),
        (lambda x: x >= 279.1, False),
        (lambda x: x <= 279.1, False),
        (lambda x: x < 279.2, False),
        (lambda x: x != NAN, False),
        (lambda x: x < float("inf"), False),
        (lambda x: x != 279.0, False),
        (lambda x: x != "279.10", False),
    ],
)
def test_an_amount_is_compared_with_a_float_as_it_is_printed(compare, warns):
    """As in a frame, an amount is found by a float, and `==` warns of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert compare(Amount("279.10"))
    assert [warning.category for warning in caught] == [FloatWarning] * warns


def test_amounts_compute_as_decimals():
    """Amounts add and format like Decimals, and can be made from Amounts and integers."""
    assert Amount("0.10") + Amount("0.20") == Decimal("0.30")
    assert f"{Amount('1234.5'):,.2f}" == "1,234.50"
    assert Amount(Amount("1.00")).text == "1.00"
    assert Amount(5).text == "5"


@pytest.mark.parametrize(
    "junk", ["", " 1", "1.", ".5", "1e5", "NaN", "1_0", "\u0661", "0x1", "1,5", "--1"]
)
def test_what_is_no_amount(junk):
    """Text other than plain digits with at most one point raises ValueError."""
    with pytest.raises(ValueError, match="plain digits"):
        Amount(junk)


def test_the_instructions_of_a_pending_account_say_what_to_call():
    """They are false and equal to None; their fields name the wait. Others are None."""
    pending = ConversionAccount.model_validate({"id": "ca_1", "status": "pending"})
    assert not pending.deposit_instructions
    assert pending.deposit_instructions == None  # noqa: E711 - what users write
    for use in (
        lambda: pending.deposit_instructions.qr_code,
        lambda: pending.deposit_instructions.details["clabe"],
        lambda: pending.deposit_instructions["details"],
        lambda: pending.deposit_instructions.raw,
    ):
        with pytest.raises((AttributeError, KeyError), match=r'conversion_accounts.wait\("ca_1"\)'):
            use()
    assert not hasattr(pending.deposit_instructions, "details")
    assert pending.get("deposit_instructions", 7) == 7
    assert dict(pending)["deposit_instructions"] is None
    assert dict(pending.items())["deposit_instructions"] is None
    assert pending.to_dict() == {"id": "ca_1", "status": "pending"}
    assert pickle.loads(pickle.dumps(pending)) == pending
    for status in ("active", "disabled", None):
        account = ConversionAccount.model_validate({"id": "ca_1", "status": status})
        assert account.deposit_instructions is None
