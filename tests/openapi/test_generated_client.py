"""A client that is generated from the document makes an on-ramp against the served simulator."""

from __future__ import annotations

import base64
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from importlib import import_module

import pytest
from stage import Signer, Stage

from paylab.openapi import document

IMAGE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(10_240)).decode()


class Package:
    """The generated package: `call` is the function of an operation, `model` a class."""

    def __init__(self, world):
        keys = world.api_key, world.secret_key
        auth = Signer(*keys, lambda: datetime.now(UTC), world.service)
        made = import_module("generated_client").AuthenticatedClient
        self.client = made(world.base_url, token="", httpx_args={"auth": auth})
        self.models = import_module("generated_client.models")

    def call(self, operation, *ids, **given):
        """The answer of an operation such as "individuals.get_individual"."""
        module = import_module(f"generated_client.api.{operation}")
        return module.sync(*ids, client=self.client, **given)

    def model(self, name, **fields):
        """A body; words become members of the enumerations."""
        return getattr(self.models, name)(**fields)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A folder with the client, generated from the document that a simulator serves."""
    pytest.importorskip("openapi_python_client", reason="pip install -e '.[test]'")
    there = tmp_path_factory.mktemp("generated")
    served = Stage().http.get("/_simulator/openapi.json")
    (there / "openapi.json").write_bytes(served.content)
    (there / "config.yml").write_text("post_hooks: []\n")
    command = "-m openapi_python_client generate --meta none --fail-on-warning"
    files = "--path openapi.json --config config.yml --output-path generated_client"
    whole = [sys.executable, *command.split(), *files.split()]
    done = subprocess.run(whole, cwd=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return there


@pytest.fixture
def package(generated, paylab_world, monkeypatch):
    """The generated client of a served world."""
    monkeypatch.syspath_prepend(generated)
    yield Package(paylab_world)
    for name in [each for each in sys.modules if each.startswith("generated_client")]:
        del sys.modules[name]


@pytest.mark.paylab(strict=True)
def test_a_generated_client_makes_an_on_ramp(package, paylab_world):
    """An individual with images, a wallet, a conversion account, a deposit, its conversion."""
    models, model, call = package.models, package.model, package.call
    there = document()["paths"]["/v1/individuals"]["post"]["requestBody"]["content"]
    example = there["application/json"]["examples"]["MX_on_ramp"]["value"]
    person = call("individuals.create_individual", body=models.IndividualInput.from_dict(example))
    assert person.status == "action_required"
    assert person.status_details[0].code == "verification_front_image_needed"
    sides = (models.ImageSide.DOCUMENT_FRONT, models.ImageSide.SELFIE)
    images = [model("ImageEntry", type_=side, content=IMAGE) for side in sides]
    upload = model("ImageUpload", images=images)
    stored = call("individuals.upload_verification_images", person.id, body=upload)
    assert [each.type_ for each in stored.images] == [side.value for side in sides]
    paylab_world.clock.advance("5 seconds")
    active = call("individuals.get_individual", person.id)
    assert active.status == "active"

    details = model("CryptoWalletDetails", address="0x" + "1" * 40, network=models.Network.BASE)
    kind = models.AccountType.CRYPTO_WALLET
    body = model("FinancialAccountInput", individual_id=person.id, type_=kind, details=details)
    wallet = call("financial_accounts.create_financial_account", body=body)
    body = model(
        "ConversionAccountInput",
        individual_id=person.id,
        payout_account=model("ObjectReference", id=wallet.id),
        source_currency=models.OnRampCurrency.MXN,
    )
    key = str(uuid.uuid4())
    opened, again = (
        call("conversion_accounts.create_conversion_account", body=body, idempotency_key=key)
        for _ in range(2)
    )
    assert again.id == opened.id
    assert len(opened.deposit_instructions.details.clabe) == 18

    currency = models.OnRampCurrency.MXN
    body = model("DepositInput", conversion_account_id=opened.id, amount="50.00", currency=currency)
    call("sandbox.simulate_deposit", body=body)
    paylab_world.clock.advance("10 seconds")
    page = call("conversions.list_conversions", limit=5)
    assert [each.status for each in page.data] == ["completed"]
    assert page.data[0].deposit.amount == "50.00"
    assert page.data[0].payout.payout_account_id == wallet.id
    assert not page.has_next_page


@pytest.mark.paylab(strict=True)
def test_a_refusal_is_typed_too(package):
    """An invalid body gives the error of the document, with the field that is wrong."""
    body = package.models.IndividualInput.from_dict(
        {
            "product_types": ["global_payouts"],
            "given_name": "Ana",
            "family_name": " ",
            "country": "MX",
            "address": {},
        }
    )
    refused = package.call("individuals.create_individual", body=body)
    assert isinstance(refused, package.models.ErrorResponse)
    assert [each.field for each in refused.errors] == ["family_name"]
