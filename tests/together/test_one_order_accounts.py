"""A conversion account is an order too: the same one is created once in 24 hours."""

from __future__ import annotations

import pytest
from one_order import EQUAL, HOUR, NAMED, NEW, ONCE, SPELT, Cases, Place

from paylab.corridors import examples
from paylab.errors import ChoiceError, PaylabError

PATH = "/v1/conversion_accounts"

case = Cases()


class OnRamp(Place):
    """A place with an individual of the Philippines, whose accounts are answered with 202."""

    def __init__(self, folder):
        super().__init__(folder)
        lab = self.observer
        self.filipina = lab.individuals.create(
            **examples.individual("PH", consent_at=self.simulator.world.now())
        )
        self.controls.move(self.filipina.id, "pending")
        self.simulator.advance(60)
        address = "crypto_wallet", examples.WALLET
        self.wallets = [lab.financial_accounts.create(self.filipina, *address) for _ in range(2)]

    def open(self, lab=None, wallet=0, currency="php", **more):
        """Create a conversion account."""
        orders = (lab or self.lab()).conversion_accounts
        return orders.create(self.filipina.id, self.wallets[wallet].id, currency, **more)

    @property
    def accounts(self):
        """The ids of the conversion accounts at the service."""
        return [each.id for each in self.observer.conversion_accounts.list()]


@case(ONCE, pays=1)
def twice(place):
    """The second call returns the account as it is now."""
    assert place.open().status == "pending"
    place.simulator.advance(60)
    again = place.open()
    assert (again.status, again.replayed) == ("active", True)


@case(SPELT, pays=1)
def spelt_otherwise(place):
    """Currencies without case, objects and ids are one order."""
    place.open()
    place.open(currency="PHP")
    place.lab().conversion_accounts.create(place.filipina, place.wallets[0], "Php")


@case(EQUAL, pays=2)
def another_wallet(place):
    """Another wallet is another order."""
    for wallet in (0, 1, 0, 1):
        place.open(wallet=wallet)


@case(NAMED, pays=3)
def references(place):
    """References make different orders."""
    for name in ("a", "b", None, "a", "b", None):
        place.open(client_reference_id=name)


@case(NEW, pays=2)
def on_purpose(place):
    """new=True makes another account."""
    for new in (False, True, False):
        place.open(new=new)


@case(ONCE, pays=1)
def lost(place):
    """After a lost 202, whose key stores nothing, the account is found in the list."""
    place.faults.drop_after(path=PATH, times=3)
    with pytest.raises(PaylabError):
        place.open()
    place.faults.clear()
    found = place.open()
    assert [found.id] == place.accounts
    assert place.open().id == found.id


@case(SPELT, pays=1)
def lost_and_another_key(place):
    """Under another API key, a lost account is neither searched nor created."""
    place.faults.drop_after(path=PATH, times=3)
    with pytest.raises(PaylabError):
        place.open()
    place.faults.clear()
    with pytest.raises(ChoiceError):
        place.open(place.rotated())


@case(ONCE, pays=2)
def the_next_day(place):
    """After 24 hours an answered account is a new order."""
    for _ in range(2):
        place.open()
        place.simulator.advance(25 * HOUR)


@pytest.fixture
def place(tmp_path):
    """A simulated service and an empty ledger."""
    return OnRamp(tmp_path)


@pytest.mark.parametrize(("act", "sentence", "pays"), case)
def test_as_many_accounts_as_the_rule_says(place, act, sentence, pays):
    """The number of conversion accounts at the service is what the rule says."""
    act(place)
    assert len(place.accounts) == pays, sentence
