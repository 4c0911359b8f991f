"""Random sequences of orders, lost answers and hours, compared with a model of the rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from one_order import HOUR, Place

DAY = 24


@dataclass
class Payment:
    """A payment of the model: when it was asked for first, and whether it was made and answered."""

    since: int
    new: bool
    made: bool = False
    answered: bool = False


@dataclass
class Model:
    """The rule, as a reader of the README would carry it out by hand."""

    now: int = 0
    orders: dict[object, list[Payment]] = field(default_factory=dict)

    def asked(self, order, new):
        """The payment that a call is about: an earlier one, or another."""
        payments = self.orders.setdefault(order, [])
        if payments and self._is_same(payments[-1], new):
            return payments[-1]
        payments.append(Payment(self.now, new))
        return payments[-1]

    def _is_same(self, latest, new):
        if not latest.answered:
            return latest.new or not new
        return not new and self.now - latest.since < DAY

    def pay(self, payment):
        """Whether the payment existed before this call, which answers it."""
        existed = payment.made
        if not existed and self.now - payment.since >= DAY:
            payment.since = self.now  # surely not made: sent as if for the first time
        payment.made = payment.answered = True
        return existed

    @property
    def made(self):
        """The number of payments."""
        return sum(each.made for payments in self.orders.values() for each in payments)


def step(place, model, draw):
    """One random step at the service and in the model."""
    amount, reference = draw.choice(["50", "51"]), draw.choice([None, "a"])
    spelling = draw.choice([amount, f"{amount}.00", int(amount)])
    fields = {"source_amount": spelling, "client_reference_id": reference}
    kind = draw.choice(["pay", "pay", "pay", "new", "carried out, lost", "lost", "hours"])
    if kind == "hours":
        hours = draw.choice([1, 5, 12, 25])
        model.now += hours
        place.simulator.advance(hours * HOUR)
        return
    latest = model.orders.get((amount, reference), [])[-1:]
    is_lost = any(not each.answered for each in latest)
    payment = model.asked((amount, reference), new := kind == "new" and not is_lost)
    if kind in ("pay", "new") or payment.answered or model.now - payment.since >= DAY:
        assert place.lab().pay(**fields, new=new).replayed == model.pay(payment)
        return
    place.lose(carried_out=kind != "lost", **fields)
    payment.made |= kind != "lost"


@pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
@pytest.mark.parametrize("seed", range(10))
def test_a_random_walk_pays_as_the_model_does(tmp_path, seed):
    """After every step of a walk there are as many payments as in the model."""
    place, model, draw = Place(tmp_path), Model(), Random(seed)
    for _ in range(15):
        step(place, model, draw)
        assert len(place.transfers) == model.made
