"""The same order is paid once, whoever asks: values, spellings, references and addresses."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from unicodedata import normalize

import pytest
from one_order import (
    ASKED,
    EQUAL,
    NAMED,
    NEW,
    ONCE,
    SAME,
    SPELT,
    Cases,
)

from paylab.errors import ChoiceError, LedgerError, PaylabError, RuleWarning

CAFE = "Café 7"

case = Cases()

# Every row: the part of the rule, the payments that must exist, a name, and the calls.
case.row(ONCE, 1, "six equal calls", *[{}] * 6)
case.row(
    SPELT,
    1,
    "an amount as text, number and Decimal",
    {"source_amount": "50"},
    {"source_amount": "50.00"},
    {"source_amount": 50},
    {"source_amount": Decimal("50.0")},
    {"source_amount": Decimal("5E+1")},
)
case.row(EQUAL, 2, "a cent more", {"source_amount": "50"}, {"source_amount": "50.01"})
case.row(
    SPELT,
    1,
    "currencies in another case",
    {},
    {"source_currency": "usd", "destination_currency": "Mxn"},
)
case.row(
    SPELT,
    1,
    "the account as id, object, by position and by name",
    *({"to": way} for way in ("id", "object", "keyword", "id by name", "object by name")),
)
case.row(
    EQUAL,
    1,
    "a field that is null or left out",
    {},
    {"client_reference_id": None},
    {"source_network": None, "net_source_amount": None, "extra": {}},
    {"extra": None},
)
case.row(EQUAL, 2, "another recipient", {}, {"to": "other"})
case.row(
    EQUAL,
    2,
    "the same amount on the other side",
    {},
    {"source_amount": "left out", "destination_amount": "50"},
)
case.row(
    EQUAL,
    2,
    "a default that only the service knows",
    {},
    {"source_type": "prefunded"},
    {"source_type": "prefunded"},
)
case.row(
    EQUAL,
    1,
    "unknown fields in another order",
    {"extra": {"memo": "a", "tags": {"x": 1, "y": [1, 2]}}},
    {"extra": {"tags": {"y": [1, 2], "x": 1}, "memo": "a"}},
)
case.row(
    EQUAL,
    3,
    "unknown fields with other values",
    {"extra": {"memo": "a"}},
    {"extra": {"memo": "b"}},
    {"extra": {"memo": ["a"]}},
)
case.row(
    SPELT,
    1,
    "an unknown field composed and decomposed",
    *({"extra": {"memo": normalize(form, CAFE)}} for form in ("NFC", "NFD")),
)
case.row(
    EQUAL,
    1,
    "options that are not sent in the body",
    {},
    {"timeout": 5},
    {"headers": {"X-Trace": "7"}},
)
case.row(NAMED, 3, "three references", *({"client_reference_id": each} for each in "abc"))
case.row(NAMED, 2, "a reference and none", {}, {"client_reference_id": "a"}, {})
case.row(NAMED, 2, "references are text", *({"client_reference_id": each} for each in "aA"))
case.row(EQUAL, 1, "the same reference", *[{"client_reference_id": "a"}] * 3)
case.row(
    SPELT,
    1,
    "a reference composed and decomposed",
    *({"client_reference_id": normalize(form, CAFE)} for form in ("NFC", "NFD")),
)
case.row(NEW, 3, "new three times", *[{"new": True}] * 3)
case.row(NEW, 2, "plain, new, plain", {}, {"new": True}, {})
case.row(NEW, 1, "new first, then plain", {"new": True}, {}, {})
case.row(NEW, 2, "new with a reference", *({"client_reference_id": "a", "new": n} for n in (0, 1)))


@case(ONCE, pays=1)
def a_loop(place):
    """A loop of equal calls is one order, and each later answer says that it is a repeat."""
    lab = place.lab()
    answers = [lab.pay() for _ in range(3)]
    assert [each.replayed for each in answers] == [False, True, True]
    assert len({each.id for each in answers}) == 1


@case(NAMED, pays=3)
def a_loop_over_references_run_twice(place):
    """A loop over references pays each of them once."""
    for _ in range(2):
        lab = place.lab()
        for name in ("a", "b", "c"):
            lab.pay(client_reference_id=name)


@case(ONCE, pays=1)
def a_loop_that_tries_again(place):
    """A loop that tries again after two lost answers pays once."""
    for _ in range(2):
        place.lose()
    assert place.lab().pay().replayed


@case(ASKED, pays=1)
def labs_in_one_process(place):
    """Two labs with one ledger file ask for one order."""
    assert place.lab().pay().id == place.lab().pay().id


@case(ASKED, pays=2)
def two_ledgers(place):
    """Another ledger knows nothing of the order."""
    place.lab().pay()
    place.lab(ledger=place.folder / "other.sqlite3").pay()


@case(ONCE, pays=1)
def the_amount_of_an_answer(place):
    """The amount and the account of an answer are spellings of those that were asked for."""
    first = place.lab().pay()
    again = place.lab().transfers.create(
        first.financial_account_id,
        payout_method=first.payout_method,
        source_amount=first.source_amount,
        source_currency=first.source_currency,
        destination_currency=first.destination_currency,
    )
    assert again.id == first.id


@case(ONCE, pays=1)
def lost_then_spelt_otherwise(place):
    """A lost order is sent with the bytes of its first attempt, however it is spelt now."""
    place.lose(source_amount="50.0", extra={"memo": "a", "tag": 1})
    changes = {"source_amount": Decimal(50), "extra": {"tag": 1, "memo": "a"}}
    assert place.lab().pay("object by name", source_currency="usd", **changes).replayed


@case(SAME, pays=2)
def embedded_labs(place):
    """An embedded simulator without a ledger file is an address of its own for each lab."""
    for _ in range(2):
        lab = place.embedded()
        assert lab.pay().id == lab.pay().id


@case(ASKED, pays=0)
def a_ledger_that_cannot_be_used(place):
    """If the ledger cannot be used, nothing is sent."""
    notes = place.folder / "notes.sqlite3"
    notes.write_text("not a ledger")
    with pytest.raises(LedgerError):
        place.lab(ledger=notes).pay()
    assert notes.read_text() == "not a ledger"


@case(SAME, pays=3)
def another_address(place):
    """An equal order at another host or port is another order."""
    for host in ("https://pay.example", "https://sandbox.example", "https://pay.example:8443"):
        place.lab(host=host).pay()


@case(SAME, pays=1)
def the_address_spelt_otherwise(place):
    """Scheme and host without case, the default port and a final slash are one address."""
    for host in ("https://pay.example", "HTTPS://Pay.Example:443/", "https://pay.example/v1"):
        place.lab(host=host).pay()


@case(EQUAL, pays=2)
def a_reference_with_another_amount(place):
    """A used reference with another amount is another order, and one warning names the first."""
    first = place.lab().pay(client_reference_id="a")
    with pytest.warns(RuleWarning, match=first.id):
        place.lab().pay(client_reference_id="a", source_amount="51")


@case(ONCE, pays=0)
def a_payment_that_the_service_has_no_more(place):
    """An answered payment that the service does not know any more raises ChoiceError."""
    place.lab().pay()
    place.simulator.reset()
    with pytest.raises(ChoiceError):
        place.lab().pay()


@case(ONCE, pays=1)
def the_payment_as_it_is_now(place):
    """A repeated order returns the payment as it is now, not as it was answered."""
    assert place.lab().pay().status == "awaiting_funds"
    place.simulator.advance(60)
    assert place.lab().pay().status == "completed"


@case(ONCE, pays=1)
def refused_then_corrected_at_the_service(place):
    """A refused order is sent again under the same key, once what was wrong is corrected."""
    place.faults.status(method="POST", path="/v1/transfers", status=403, times=1)
    first, second = place.lab(), place.lab()
    with pytest.raises(PaylabError):
        first.pay()
    second.pay()
    assert first.calls[-1].idempotency_key == second.calls[-1].idempotency_key


@case(ONCE, pays=1)
def a_form_clicked_twice(place):
    """A form that is clicked twice sends once, and the code that it shows is the same order."""
    form = place.lab().forms.transfer(place.person, amount="50.00")
    for _ in range(2):
        form.click()
    shown = {"lab": place.lab()}
    exec(form.code().replace("50.00", "50"), shown)
    assert shown["transfer"].id == form.result.id


test_as_many_payments_as_the_rule_says = case.test()


@pytest.mark.parametrize("sentence", [SAME, EQUAL, ONCE, ASKED, SPELT, NAMED, NEW])
def test_the_readme_has_the_rule(sentence):
    """Every part of the rule that a case shows stands in the README in the same words."""
    readme = Path(__file__).parents[2] / "README.md"
    assert sentence in " ".join(readme.read_text().split())
