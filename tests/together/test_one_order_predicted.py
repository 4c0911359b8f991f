"""Ten outcomes that a reader predicts who knows only the README's paragraph about orders.

1. Two colleagues whose ledgers are links to one file pay the same rent: 1 payment.
2. The same reference for two recipients: 2.
3. The same invoice for 50 sent, for 50 arriving, and for 50 after fees: 3.
4. A loop of three with new=True, run twice: 6.
5. Five salaries by reference, run again with a new API key and again with the old one: 5.
6. 50 by mistake, 51 to correct it, and both again: 2.
7. At 9:00 on Monday, at 8:00 and 10:00 on Tuesday, at 9:00 on Wednesday: 2.
8. A form, another form with the same values, and the form again: 1.
9. A quote that was paid, then its terms as a row of a CSV file, then the file again: 1.
10. The rent as a test at the sandbox, then at the service, each twice: 2.
"""

from __future__ import annotations

import csv

import pytest
from one_order import ASKED, EQUAL, HOUR, NAMED, NEW, ONCE, SAME, SPELT, TERMS, Cases

from paylab.errors import ChoiceError

predicted = Cases()


@predicted(ASKED, pays=1)
def one_ledger_under_two_names(place):
    """Two colleagues whose ledgers are links to one file pay the same rent."""
    (place.folder / "home").mkdir()
    link = place.folder / "home" / "mine.sqlite3"
    link.symlink_to(place.folder / "ledger.sqlite3")
    place.lab().pay()
    assert place.lab(ledger=link).pay().replayed


@predicted(NAMED, pays=2)
def one_reference_for_two_people(place):
    """The same reference for two recipients."""
    for _ in range(2):
        for to in ("id", "other"):
            place.lab().pay(to, client_reference_id="rent")


@predicted(EQUAL, pays=3)
def three_ways_to_say_fifty(place):
    """The same invoice for 50 sent, for 50 arriving, and for 50 after fees."""
    for name in ("source_amount", "destination_amount", "net_source_amount") * 2:
        place.lab().pay(**{"source_amount": "left out", name: "50"})


@predicted(NEW, pays=6)
def a_loop_on_purpose(place):
    """A loop of three with new=True, run twice."""
    for _ in range(2):
        lab = place.lab()
        assert not any(lab.pay(new=True).replayed for _ in range(3))


@predicted(SPELT, pays=5)
def salaries_with_a_new_key(place):
    """Five salaries by reference, run again with a new API key and again with the old one."""
    names = [f"salary {number}" for number in range(5)]
    for name in names:
        place.lab().pay(client_reference_id=name)
    for name in names:
        with pytest.raises(ChoiceError):
            place.rotated().pay(client_reference_id=name)
    for name in names:
        assert place.lab().pay(client_reference_id=name).replayed


@predicted(EQUAL, pays=2)
def a_corrected_amount(place):
    """50 by mistake, 51 to correct it, and both again."""
    for amount in ("50", "51", "50", "51"):
        place.lab().pay(source_amount=amount)


@predicted(ONCE, pays=2)
def three_days(place):
    """At 9:00 on Monday, at 8:00 and 10:00 on Tuesday, at 9:00 on Wednesday."""
    for pause in (0, 23, 2, 23):
        place.simulator.advance(pause * HOUR)
        place.lab().pay()


@predicted(ASKED, pays=1)
def two_forms(place):
    """A form, another form with the same values, and the form again."""
    forms = [place.lab().forms.transfer(place.person, amount=text) for text in ("50", "50.00")]
    for form in (*forms, forms[0]):
        form.submit()


@predicted(ASKED, pays=1)
def a_quote_and_a_file(place):
    """A quote that was paid, then its terms as a row of a CSV file, then the file again."""
    lab = place.lab()
    lab.pay_quote(lab.quote())
    row = {"source_amount": "50.00", "financial_account_id": place.people[0].id, **TERMS}
    path = place.folder / "rent.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([row.keys(), row.values()])
    for _ in range(2):
        place.lab().transfers.create_many(path)


@predicted(SAME, pays=2)
def a_test_at_the_sandbox_first(place):
    """The rent as a test at the sandbox, then at the service, each twice."""
    for host in ("https://sandbox.pay.example", "https://pay.example") * 2:
        place.lab(host=host).pay(client_reference_id="rent")


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize(("act", "sentence", "pays"), predicted)
def test_what_a_reader_predicts(place, act, sentence, pays):
    """The number of payments at the service is what a reader of the rule predicts."""
    act(place)
    assert len(place.transfers) == pays, sentence
