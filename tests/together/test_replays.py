"""The calls of a notebook are recorded with keys and replayed without them."""

from __future__ import annotations

import pandas as pd
import pytest

import paylab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.views.specimens import specimen

SHARE = "share-9f8e7d6c5b4a.act"


@pytest.fixture
def walk(tmp_path):
    """A function that runs `work` with a recorded lab, then with the replay of the recording."""

    def both(work, lab):
        path = tmp_path / "run.har"
        with lab.record(path):
            first = work(lab)
        return first, work(paylab.connect(replay=path)), path

    return both


def onramp(lab):
    """The whole on-ramp by code."""
    person = lab.individuals.create(**paylab.examples.individual("PH", consent_at=lab.clock()))
    sides = ("document-front", "document-back", "selfie")
    images = {side: specimen(side, name="Juan Halimbawa", country="PH") for side in sides}
    lab.individuals.upload_images(person.id, images)
    person = lab.individuals.wait(person.id)
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
    account = lab.conversion_accounts.create(person.id, wallet.id, "PHP")
    account = lab.conversion_accounts.wait(account.id)
    lab.sandbox.deposit(account.id, amount="50", currency="PHP", sender_name="Juan")
    conversion = lab.conversions.wait(conversion_account_id=account.id)
    events = list(map(str, lab.events(conversion.id)))
    return person.status, account, conversion, events, lab.conversions.frame().to_dict()


def forms(lab):
    """The whole on-ramp by forms."""
    person = lab.forms.onboarding("MX", example=True, consent=True).submit()
    lab.forms.images(person, example=True).submit()
    person = lab.individuals.wait(person.id)
    lab.forms.wallet(person, example=True).submit()
    account = lab.forms.conversion_account(person).submit()
    deposit = lab.forms.deposit(account).submit()
    line = lab.status(deposit)
    return account, deposit, line.resource, lab.conversions.wait(conversion_account_id=account.id)


def payouts(lab):
    """Quotes, a batch with threads, and a frame of several pages."""
    people = [lab.individuals.create(**paylab.examples.recipient(code)) for code in ("MX", "BR")]
    quotes = lab.quotes.compare(people, source_amount="250")
    names = {"rail": "payout_method", "quote_id": "client_reference_id"}
    batch = quotes[["financial_account_id", "destination_currency", *names]].rename(columns=names)
    batch = pd.concat([batch] * 4, ignore_index=True)
    batch["client_reference_id"] = [f"row {at}" for at in range(len(batch))]
    batch["source_amount"] = "25.50"
    result = lab.transfers.create_many(batch, source_currency="USD")
    waited = [lab.transfers.wait(each).status for each in result["id"]]
    frame = lab.transfers.frame(limit=120)
    return sorted(result["id"]), waited, frame.to_dict(), len(list(lab.transfers.list(limit=50)))


def faults(lab):
    """A transfer whose first answer is lost; a retry returns it."""
    lab.simulator.faults.add("drop_after", method="POST", path="/v1/transfers")
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    rail = {"payout_method": "spei", "destination_currency": "MXN", "source_currency": "USD"}
    made = lab.transfers.create(person.financial_accounts[0], **rail, source_amount="10")
    return made, [call.status for call in lab.calls]


@pytest.mark.parametrize("work", [onramp, forms, faults])
def test_a_walk_in_process_runs_again_from_its_recording(walk, work):
    """A replay gives the same results, and the recording contains no secret."""
    lab = paylab.connect()
    first, again, path = walk(work, lab)
    assert again == first
    secrets = [key.reveal() for key in (lab.settings.api_key, lab.settings.secret_key)]
    text = path.read_text()
    assert [word for word in (*secrets, "/9j/", "Signature=", "XEXX") if word in text] == []


def test_a_batch_runs_again_from_its_recording(walk, tmp_path, monkeypatch):
    """Parallel requests are matched by their content; a second replay gives the same results."""
    monkeypatch.chdir(tmp_path)
    with Server(Simulator(frozen=False, speed=200, transfers=130)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys)
        first, again, path = walk(payouts, lab)
    assert again == first == payouts(paylab.connect(replay=path))
    assert not [key for key in keys if key in path.read_text()]


def test_a_replay_needs_no_key_and_touches_no_service(walk, monkeypatch, tmp_path):
    """A replay works when the server is gone, and ignores the base URL of the environment."""
    with Server(Simulator(frozen=False, speed=200)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys)
        path = tmp_path / "one.har"
        with lab.record(path):
            first = onramp(lab)
    monkeypatch.setenv("PAYLAB_BASE_URL", "https://pay.test")
    lab = paylab.connect(replay=path)
    assert "RECORDING (one.har)" in repr(lab)
    again = onramp(lab)
    assert again[:3] == first[:3]
    assert not lab.is_embedded


def test_a_failure_is_found_again(tmp_path):
    """The replay of a refused request shows the same error card."""
    path = tmp_path / "run.har"
    cards = []
    lab = paylab.connect()
    with lab.record(path):
        cards.append(refused(lab))
    cards.append(refused(paylab.connect(replay=path)))
    assert cards[0] == cards[1]
    assert "Invalid pagination token" in cards[0][0]


def refused(lab):
    """The card of a request that the service refuses."""
    with pytest.raises(paylab.BadRequestError) as error:
        lab.request("GET", "/v1/transfers", params={"cursor": "made up"})
    return error.value.card()


def test_a_share_token_is_not_recorded_and_its_call_is_replayed(walk):
    """The recording does not contain the share token, and its call is replayed."""

    def verify(lab):
        person = paylab.examples.individual("PH", consent_at=lab.clock())
        document = {"type": "passport", "number": "K9988776Z"}
        abroad = {"country": "SG", "phone": "+6591234567", "address": {"country": "SG"}}
        made = lab.individuals.create(**person | abroad | {"document": document})
        return lab.individuals.submit_token(made.id, SHARE, "app-1", lab.clock()).status

    first, again, path = walk(verify, paylab.connect())
    assert first == again == "pending"
    recorded = path.read_text()
    assert ("/verification_token" in recorded, SHARE in recorded) == (True, False)


def test_another_payment_than_the_recorded_one_is_an_error(tmp_path):
    """The error names the field that differs; it does not say that a payment may be lost."""
    path = tmp_path / "run.har"

    def pay(lab, amount):
        rail = {"payout_method": "spei", "destination_currency": "MXN", "source_currency": "USD"}
        account = lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0]
        return lab.transfers.create(account, **rail, source_amount=amount)

    lab = paylab.connect()
    with lab.record(path):
        pay(lab, "10")
    with pytest.raises(paylab.ReplayError) as error:
        pay(paylab.connect(replay=path), "12")
    assert error.value.differences == ("body.source_amount: '10' was recorded, '12' was sent",)
    assert "may have been carried out" not in "".join(error.value.card())


@pytest.mark.parametrize("given", [{"base_url": "https://pay.test"}, {"profile": "live"}])
def test_a_replay_takes_no_other_service(tmp_path, given):
    """A replay together with a base URL or a profile is an error."""
    with pytest.raises(paylab.ConfigError, match="a replay takes no base URL"):
        paylab.connect(replay=tmp_path / "run.har", **given)
