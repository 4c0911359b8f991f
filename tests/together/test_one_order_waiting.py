"""The same order asked for while it is under way: threads, asyncio, hedging, timeouts."""

from __future__ import annotations

import asyncio
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress

import httpx
import pytest
from one_order import ASKED, HOUR, NAMED, NEW, ONCE, PAID, SPELT, Cases, Gate

from paylab.errors import ChoiceError, PaylabError
from paylab.simulator.transport import SimulatorTransport

SHORT = 0.05
"""Seconds after which a caller gives up; the payment is held, so that they always pass."""

case = Cases()


def gated(place, **options):
    """A gate to the simulator."""
    return Gate(SimulatorTransport(place.simulator.respond), **options)


def lost(request, response):
    """The answer to the payment is lost."""
    raise httpx.ReadError("connection reset", request=request)


def forbidden(request, response):
    """A gateway refuses the answer to the payment."""
    return httpx.Response(403, content=b"<html>forbidden</html>")


@case(ASKED, pays=1)
def threads_that_give_up_waiting(place):
    """A loop that submits the payment again whenever its future is not done in time pays once."""
    with ThreadPoolExecutor(4) as pool, gated(place) as gate:
        lab = place.lab(gate)
        tries = []
        for _ in range(4):
            tries.append(pool.submit(lab.pay))
            with pytest.raises(TimeoutError):
                tries[-1].result(timeout=SHORT)
        gate.opened.set()
        assert len({each.result().id for each in tries}) == 1
    assert gate.arrivals == 1


@case(ASKED, pays=1)
def coroutines_that_give_up_waiting(place):
    """The same with asyncio.wait_for over asyncio.to_thread."""

    async def insist():
        with gated(place, after=True) as gate:
            lab = place.lab(gate)
            for _ in range(3):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(asyncio.to_thread(lab.pay), SHORT)
        return await asyncio.to_thread(lab.pay)

    assert asyncio.run(insist()).replayed


@case(ASKED, pays=1)
def a_hedged_pair(place):
    """A second request that is sent because the first is slow returns the same payment."""
    with ThreadPoolExecutor(2) as pool, gated(place) as slow:
        first = pool.submit(place.lab(slow).pay)
        assert slow.reached.wait(60)
        second = pool.submit(place.lab().pay)
        done, _ = wait({first, second}, timeout=SHORT, return_when=FIRST_COMPLETED)
        assert not done
        slow.opened.set()
        assert first.result().id == second.result().id
        assert [each.result().replayed for each in (first, second)] == [False, True]


@case(ASKED, pays=1)
def twelve_threads(place):
    """Twelve threads with one lab get one payment."""
    lab = place.lab()
    with ThreadPoolExecutor(12) as pool:
        made = list(pool.map(lambda _: lab.pay(), range(12)))
    assert len({each.id for each in made}) == 1
    assert sum(not each.replayed for each in made) == 1


@case(NAMED, pays=12)
def twelve_threads_with_references(place):
    """Twelve threads with a reference each make twelve payments."""
    lab = place.lab()
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda at: lab.pay(client_reference_id=f"{at}"), range(12)))


@case(NEW, pays=12)
def twelve_threads_on_purpose(place):
    """Twelve threads with new=True make twelve payments: none of them is lost."""
    lab = place.lab()
    with ThreadPoolExecutor(12) as pool:
        made = list(pool.map(lambda _: lab.pay(new=True), range(12)))
    assert len({each.id for each in made}) == 12


@case(NEW, pays=4)
def new_while_one_is_under_way(place):
    """new=True does not wait for an equal order that is under way, with new=True or without."""
    for new in (False, True):
        with ThreadPoolExecutor(1) as pool, gated(place) as gate:
            first = pool.submit(place.lab(gate).pay, new=new)
            assert gate.reached.wait(60)
            second = place.lab().pay(new=True)
            gate.opened.set()
            assert first.result().id != second.id


@case(NEW, pays=2)
def plain_while_a_new_one_is_under_way(place):
    """A call without new makes no payment while one on purpose is under way."""
    place.lab().pay()
    with ThreadPoolExecutor(1) as pool, gated(place) as gate:
        first = pool.submit(place.lab(gate).pay, new=True)
        assert gate.reached.wait(60)
        with suppress(PaylabError):
            assert place.lab().pay(timeout=SHORT).replayed
        gate.opened.set()
        assert place.lab().pay().id == first.result().id


@case(ASKED, pays=1)
def threads_of_an_embedded_lab(place):
    """The rule holds for a ledger in memory: threads that give up waiting get one payment."""
    lab = place.embedded()
    with ThreadPoolExecutor(8) as pool:
        assert len({each.id for each in pool.map(lambda _: lab.pay(), range(8))}) == 1


@case(ONCE, pays=1)
def past_the_timeout(place):
    """Past its timeout a waiting call says since when the order is under way, and asks again."""
    with ThreadPoolExecutor(1) as pool, gated(place, after=True) as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        for lab, options in ((place.lab(), {"timeout": SHORT}), (place.lab(timeout=SHORT), {})):
            with pytest.raises(PaylabError, match="under way") as error:
                lab.pay(**options)
            assert not isinstance(error.value, ChoiceError)
            words = f"{error.value} {error.value.hint}"
            assert "12:00" in words
            assert "paying twice" in words
        gate.opened.set()
        assert place.lab().pay().id == first.result().id


@case(ASKED, pays=1)
def the_one_that_is_waited_for_loses_its_answer(place):
    """A call that waits for one whose answer is lost sends the key again."""
    with ThreadPoolExecutor(2) as pool, gated(place, after=True, answer=lost) as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        second = pool.submit(place.lab().pay)
        wait({second}, timeout=SHORT)
        gate.opened.set()
        assert isinstance(first.exception(), PaylabError)
        assert second.result().replayed


@case(ASKED, pays=1)
def the_one_that_is_waited_for_is_refused_after_it_was_paid(place):
    """A call that waits for one that a gateway refuses sends the key again."""
    with ThreadPoolExecutor(2) as pool, gated(place, after=True, answer=forbidden) as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        second = pool.submit(place.lab().pay)
        wait({second}, timeout=SHORT)
        gate.opened.set()
        assert isinstance(first.exception(), PaylabError)
        assert second.result().replayed


@case(SPELT, pays=1)
def another_key_while_one_is_under_way(place):
    """Under another API key, an order that is under way is neither paid nor lost."""
    with ThreadPoolExecutor(1) as pool, gated(place) as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        with pytest.raises(PaylabError):
            place.rotated().pay(timeout=SHORT)
        gate.opened.set()
        assert first.result().id


@case(ONCE, pays=1)
def a_day_passes_while_it_is_under_way(place):
    """An order that is still waited for is not lost, however long it takes."""
    with ThreadPoolExecutor(1) as pool, gated(place, after=True) as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        place.simulator.advance(25 * HOUR)
        with pytest.raises(PaylabError, match="under way"):
            place.lab().pay(timeout=SHORT)
        gate.opened.set()
        wait({first})


@case(ONCE, pays=1)
def a_batch_while_one_is_under_way(place):
    """A row of a batch waits for the equal order that is under way."""
    with ThreadPoolExecutor(2) as pool, gated(place) as gate:
        first = pool.submit(place.lab(gate).pay, client_reference_id="a")
        assert gate.reached.wait(60)
        second = pool.submit(place.lab().batch, {"client_reference_id": "a"})
        wait({second}, timeout=SHORT)
        gate.opened.set()
        assert first.result().id
        assert second.result()[0] in PAID


@case(ASKED, pays=3)
def two_batches_at_once(place):
    """Two equal batches at once make each payout once, with references and without."""
    rows = [{"client_reference_id": "a"}, {"client_reference_id": "b"}, {"source_amount": "51"}]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(place.lab().batch, *rows) for _ in range(2)]
        outcomes = [each.result() for each in runs]
    assert all({*each} <= {*PAID} for each in outcomes)


test_as_many_payments_as_the_rule_says = case.test()
