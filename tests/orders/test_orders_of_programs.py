"""Orders of several programs: scripts, forks, pools, machines; killed programs."""

import pytest
from order_scripts import PAY, START, ids


def test_scripts_of_two_machines_pay_an_order_once(service, start):
    """Scripts on machines that share no file pay an order once, one after the other or at once."""
    script = PAY.replace("NAME", "ORDER") + PAY.replace("NAME", "INVOICE").removeprefix(START)
    service.delay = 0.2
    at_once = [start(script, machine) for machine in ("first", "second")]
    assert ids(*at_once) == ["tr_1", "tr_2", "tr_1", "tr_2"]
    service.clock.advance(hours=5)
    assert ids(start(script, "third")) == ["tr_1", "tr_2"]
    assert len(service.payments) == 2


def test_scripts_of_one_machine_wait_for_each_other(service, start):
    """Two scripts of one machine wait for each other where the service does not guard."""
    service.idempotency.guards_concurrent = False
    service.delay = 1.5
    scripts = [start(PAY.replace("NAME", "INVOICE")) for _ in range(2)]
    assert ids(*scripts) == ["tr_1", "tr_1"]
    assert len(service.payments) == 1


FORK = (
    START
    + """
import os, sys
lab = paylab.connect()
lab.transfers.list(limit=1).first()
child = os.fork()
print('ID', lab.transfers.create(**INVOICE).id, flush=True)
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print('ID', lab.transfers.create(**INVOICE).id)
"""
)
FORK_UNDER_WAY = (
    START
    + """
import os, threading, time
lab = paylab.connect()
lab.transfers.list(limit=1).first()
thread = threading.Thread(target=lab.transfers.create, kwargs=INVOICE)
thread.start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    try:
        print('ID', lab.transfers.create(**INVOICE, timeout=20).id, flush=True)
    finally:
        os._exit(0)
thread.join()
print('ID', lab.transfers.create(**INVOICE).id, flush=True)
assert os.waitpid(child, 0)[1] == 0
"""
)
SHARED_POOL = (
    START
    + """
import multiprocessing
lab = paylab.connect()

def pay(number):
    return lab.transfers.create(**ORDER).id

with multiprocessing.get_context('fork').Pool(2) as pool:
    for identity in pool.map(pay, range(3), chunksize=1):
        print('ID', identity)
"""
)
CELLS = (
    START
    + """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.user_ns['ORDER'] = ORDER
shell.run_cell('import paylab; lab = paylab.connect()')
for _ in range(3):
    shell.run_cell("print('ID', lab.transfers.create(**ORDER).id)")
shell.run_cell('lab = paylab.connect()')
shell.run_cell("print('ID', lab.transfers.create(**ORDER).id)")
"""
)
PROGRAMS = {
    "a fork": (FORK, 3),
    "a fork during an order": (FORK_UNDER_WAY, 2),
    "a pool of processes that shares a lab": (SHARED_POOL, 3),
    "cells": (CELLS, 4),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_several_processes_pay_an_order_once(service, start, program):
    """Forks, pools and cells pay an order once, and each call reports that payment."""
    script, calls = PROGRAMS[program]
    service.idempotency.guards_concurrent = False
    service.delay = 0.6 if "during" in program else 0.1
    assert ids(start(script)) == ["tr_1"] * calls
    assert len(service.payments) == 1


KILLED = (
    START
    + """
import os, threading, time
lab = paylab.connect()
threading.Timer(0.3, os._exit, (9,)).start()
lab.transfers.create(**ORDER)
os._exit(9)
"""
)


def test_a_killed_program_is_run_again(service, start):
    """A program that is killed during an order and run again pays once."""
    service.delay = 0.5
    killed = start(KILLED)
    killed.communicate(timeout=60)
    assert killed.returncode == 9
    service.delay = 0
    assert ids(start(PAY.replace("NAME", "ORDER"))) == ["tr_1"]
    assert len(service.payments) == 1
