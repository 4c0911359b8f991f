"""Personal data in fields for which a service has its own names."""

import json
import re
from base64 import b64decode

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
    """A lab on a service with other names, after it sent personal data."""
    lab = paylab.connect(simulator=Simulator(service=SERVICE))
    person = lab.individuals.create(**paylab.examples.recipient("MX", lab.service))
    with pytest.raises(paylab.BadRequestError):
        lab.request(
            "POST",
            "/v1/financial_accounts",
            json={"individual_id": person.id, "type": "bank_account", "details": {"cuenta": CLABE}},
        )
    return lab


def test_a_har_has_no_value_of_a_renamed_field(lab):
    """A HAR contains personal data only with `keep_personal`."""
    assert CLABE in json.dumps(lab.calls.har(keep_personal=True))
    assert "999999999000000002" not in json.dumps(lab.calls.har())
    assert CLABE not in json.dumps(lab.calls.har())


def test_scrub_removes_them_by_the_names_of_a_service(lab, tmp_path, monkeypatch):
    """`scrub` takes the names from `--service` or from PAYLAB_SERVICE."""
    path, service = tmp_path / "calls.har", tmp_path / "service.toml"
    service.write_text(SERVICE.to_toml())
    path.write_text(json.dumps(lab.calls.har(keep_personal=True)))
    assert main(["scrub", "--check", "--service", str(service), str(path)]) == 1
    monkeypatch.setenv("PAYLAB_SERVICE", str(service))
    assert main(["scrub", str(path)]) == 0
    assert CLABE not in path.read_text()
    assert "cuenta" in path.read_text()


def test_a_saved_world_has_no_value_of_a_renamed_field(lab, tmp_path):
    """The values are also removed from stored answers, which are in Base64."""
    lab.onramp("MX", example=True, consent=True).submit()
    address = paylab.examples.WALLET["address"]
    kept = lab.simulator.save(tmp_path / "kept.json", keep_personal=True)
    saved = lab.simulator.save(tmp_path / "saved.json")
    assert f'"wallet":"{address}"' in unpacked(kept)
    assert address not in unpacked(saved)
    lab.simulator.load(saved)


def unpacked(path):
    """The text of a file, and the decoded text of its Base64."""
    text = path.read_text()
    packed = re.findall(r'"((?:[A-Za-z0-9+/]{4}){10,}[A-Za-z0-9+/]*={0,2})"', text)
    return text + "".join(b64decode(each + "==").decode(errors="replace") for each in packed)
