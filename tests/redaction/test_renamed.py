"""Personal data in fields that a service calls by names of its own."""

import json

import pytest

import paylab
from paylab.cli.main import main
from paylab.simulator.simulator import Simulator

CLABE = "64618011000000001X"
SERVICE = paylab.Service(
    {
        "financial_accounts.MX.bank_account.fields.clabe": "cuenta",
        "financial_accounts.crypto_wallet.fields.address": "wallet",
        "sandbox_deposits.fields.sender_name": "payer",
    }
)


@pytest.fixture
def lab():
    """A lab on a service with such names, after it sent some of the data."""
    lab = paylab.connect(simulator=Simulator(service=SERVICE), ledger="none")
    person = lab.individuals.create(**paylab.examples.recipient("MX", lab.service))
    with pytest.raises(paylab.BadRequestError):
        lab.request(
            "POST",
            "/v1/financial_accounts",
            json={"individual_id": person.id, "type": "bank_account", "details": {"cuenta": CLABE}},
        )
    return lab


def test_a_har_has_no_value_of_a_renamed_field(lab):
    """Unless it is asked to keep personal data."""
    assert CLABE in json.dumps(lab.calls.har(keep_personal=True))
    assert "999999999000000002" not in json.dumps(lab.calls.har())
    assert CLABE not in json.dumps(lab.calls.har())


def test_scrub_removes_them_by_the_names_of_a_service(lab, tmp_path, monkeypatch):
    """Of `--service`, or of the file in the environment."""
    path, service = tmp_path / "calls.har", tmp_path / "service.toml"
    service.write_text(SERVICE.to_toml())
    path.write_text(json.dumps(lab.calls.har(keep_personal=True)))
    assert main(["scrub", "--check", "--service", str(service), str(path)]) == 1
    monkeypatch.setenv("PAYLAB_SERVICE", str(service))
    assert main(["scrub", str(path)]) == 0
    assert CLABE not in path.read_text()
    assert "cuenta" in path.read_text()
