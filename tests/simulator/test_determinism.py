"""The same seed and the same requests give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import paylab
from paylab.simulator import Simulator, ids

STORY = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
found = spec_from_file_location("requests_of_tests", sys.argv[1])
requests = module_from_spec(found)
sys.modules["requests_of_tests"] = requests
found.loader.exec_module(requests)
from paylab.simulator import Simulator, ids
service = requests.in_process(Simulator(transfers=30))
print(service.get("/v1/transfers?limit=100").body)
for country in ("MX", "PH"):
    account = service.on_ramp(country)
    service.advance(1)
    print(service.deposit(account).body)
print(service.post("/_simulator/faults", {"zeta": 1, "kind": "x", "alpha": 2, "mu": 3}).body)
service.transfer(client_reference_id="scenario:failed")
service.advance(60)
for target in ("/v1/conversions", "/_simulator/events", "/_simulator/snapshot"):
    print(service.get(target).body)
"""


REQUESTS = str(Path(__file__).with_name("conftest.py"))


def test_two_processes_tell_the_same(capsys, monkeypatch):
    """The answers do not depend on Python's hash seed, which is random in this process."""
    monkeypatch.setattr(sys, "argv", ["", REQUESTS])
    exec(STORY, {})
    monkeypatch.delitem(sys.modules, "requests_of_tests")
    story = capsys.readouterr().out
    command, env = [sys.executable, "-c", STORY, REQUESTS], {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run(command, capture_output=True, check=True, env=env, text=True).stdout
    assert story == there
    assert "conversion.completed" in story


@pytest.mark.parametrize("seed", [0, 8, -1, 10**30])
def test_another_seed_is_another_world(make, seed):
    """Another seed gives another API key, other ids and other CLABEs."""
    one, other = make(), make(seed=seed)
    assert one.simulator.api_key != other.simulator.api_key
    assert one.person()["id"] != other.person()["id"]
    clabes = [each.on_ramp("MX")["deposit_instructions"]["details"] for each in (one, other)]
    assert clabes[0] != clabes[1]


def test_an_id_is_a_prefix_and_26_characters_and_no_id_repeats(service):
    """An id is a prefix and 26 characters, and no id repeats."""
    account = service.payable()
    ids = {service.transfer(account)["id"] for _ in range(50)} | {account["id"]}
    assert len(ids) == 51
    assert all(len(each.split("_")[1]) == 26 for each in ids)
    prefixes = {each.split("_")[0] for each in ids}
    assert prefixes == {"tr", "fa"}


def test_clients_have_keys_of_their_own():
    """Clients of equal worlds have equal keys; those of one world differ."""
    one, other = Simulator(), Simulator()
    first, again = (paylab.connect(simulator=each) for each in (one, other))
    keys = [first.client.new_key() for _ in range(2)]
    assert [again.client.new_key() for _ in range(2)] == keys
    second = paylab.connect(simulator=one)
    assert second.client.new_key() not in keys


def test_made_up_values_have_the_form_of_real_ones():
    """Addresses and hashes have the form of their network, and stay the same for a seed."""
    made = [ids.wallet_address, ids.transaction_hash]
    found = {
        (value[:12], len(value))
        for value in (each(7, network, "a") for each in made for network in ("base", "solana"))
    }
    assert found == {
        ("0xa68383874e", 42),
        ("5KnK1XLKbHtb", 44),
        ("0x86eb2013b6", 66),
        ("4CSPp6BYZpYD", 88),
    }
    assert ids.settlement_reference(7, "a") == "75593341709292779098"
