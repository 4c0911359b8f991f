"""Orders at one time: threads, tasks, and loops that give up waiting."""

import asyncio
import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from order_reports import report
from payments_service import ORDER

from paylab import PaylabError

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}


@pytest.mark.parametrize(
    ("guards", "order", "labs"),
    [(True, ORDER, 2), (True, INVOICE, 1), (False, ORDER, 1), (False, INVOICE, 2)],
)
def test_threads_that_pay_one_order_at_once_pay_once(service, connect, guards, order, labs):
    """Equal orders of several threads and labs at once are paid once and all report it."""
    service.idempotency.guards_concurrent = guards
    service.delay = 0.15
    cells = [connect() for _ in range(labs)]
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda n: cells[n % labs].transfers.create(**order), range(4)))
    assert [payment.id for payment in ends] == ["tr_1"] * 4
    assert sorted(bool(payment.replayed) for payment in ends) == [False, True, True, True]
    assert len(service.payments) == 1


def test_threads_that_pay_different_orders_do_not_wait(service, cell):
    """Different orders do not wait for each other."""
    service.delay = 0.3
    orders = [{**ORDER, "source_amount": f"{n}.00"} for n in range(10, 16)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda order: cell.transfers.create(**order), orders))
    assert service.most_at_once > 1
    assert len(service.payments) == 6


def test_a_raw_post_and_create_at_once_are_one_payment(service, connect):
    """A raw POST and `create` of one order at once are one payment."""
    service.idempotency.guards_concurrent = False
    service.delay = 0.15
    lab = connect()
    with ThreadPoolExecutor(2) as pool:
        created = pool.submit(lab.transfers.create, **ORDER)
        posted = pool.submit(lab.post, "/v1/transfers", json=ORDER)
        for future in (created, posted):
            with contextlib.suppress(PaylabError):
                future.result()
    assert len(service.payments) == 1


def test_a_thread_loop_that_gives_up_waiting(service, connect):
    """A loop that stops waiting for its thread and starts another one pays once."""
    service.idempotency.guards_concurrent = False
    service.delay = 0.3
    lab = connect()
    threads = [threading.Thread(target=lab.transfers.create, kwargs=INVOICE) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join(0.1)
    report(lab.transfers.create, **INVOICE).check("repeated tr_1")
    for thread in threads:
        thread.join()
    assert len(service.payments) == 1


def test_an_asyncio_loop_that_gives_up_waiting(service, connect):
    """`asyncio.wait_for` around `to_thread`, in a loop with a time limit, pays once."""
    service.idempotency.guards_concurrent = False
    service.delay = 0.25
    lab = connect()

    async def pay():
        for _ in range(6):
            with contextlib.suppress(TimeoutError):
                task = asyncio.to_thread(lab.transfers.create, **ORDER)
                return await asyncio.wait_for(task, 0.1)
        return None

    asyncio.run(pay())
    report(lab.transfers.create, **ORDER).check("repeated tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize(("order", "retries"), [(ORDER, 0), (INVOICE, 1)])
def test_calls_that_time_out_pay_once(service, connect, order, retries):
    """Calls that time out before a service that keeps the spec answers pay once."""
    service.delay = 0.5
    impatient = connect(timeout=0.2, max_retries=retries)
    for _ in range(2):
        report(impatient.transfers.create, **order).check("kept")
    report(connect(timeout=10).transfers.create, **order).check("same tr_1")
    assert len(service.payments) == 1


def test_a_call_waits_no_longer_than_its_timeout(service, connect):
    """An equal order under way is waited for within the timeout; then nothing is sent."""
    service.delay = 1.0
    lab = connect()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lab.transfers.create, **INVOICE)
        deadline = time.monotonic() + 5
        while not service.posts() and time.monotonic() < deadline:
            time.sleep(0.01)
        second = report(connect(max_retries=0).transfers.create, **INVOICE, timeout=0.3)
        second.check("error")
        assert first.result().id == "tr_1"
    assert len(service.posts()) == 1
    assert len(service.payments) == 1


def test_an_order_after_one_that_was_lost_at_once(service, connect):
    """A thread that waits for an equal order whose answer is lost gets the payment."""
    service.delay = 0.2
    service.spoiled.append("closed before the first byte")
    lab = connect(max_retries=0)
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda _: report_quietly(lab), range(2)))
    assert sorted(ends) == ["error", "tr_1"]
    assert len(service.payments) == 1


def report_quietly(lab):
    """Return the id of a payment, or `error`; `report` redirects streams, which threads share."""
    try:
        return lab.transfers.create(**INVOICE).id
    except PaylabError:
        return "error"
