"""Secrets of every kind are sent and echoed; no output that a user can look at shows them."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from base64 import b64encode
from dataclasses import asdict
from random import Random
from urllib.parse import quote, quote_plus

import httpx
import pytest
from IPython.core.formatters import DisplayFormatter

import paylab
from paylab.client.settings import Secret, Settings
from paylab.corridors import examples
from paylab.lab.lab import Lab

KEY, SECRET = "pk_live_0a1b2c", "sk_live/9z+8y=x w\"'\u00f1"
NUMBER = "XEXX010101HNEXXXA4"
SHARE, APPLICANT = "share-9f8e7d6c5b4a.act", "app-778899"
IMAGE = b64encode(b"\x89PNG\r\n\x1a\n" + Random(3).randbytes(12_000)).decode()
URI = f"data:image/png;base64,{IMAGE}"


class Echo(httpx.BaseTransport):
    """A service that echoes each request, with secrets; it refuses or fails some requests."""

    def __init__(self):
        self.signatures = []

    def handle_request(self, request):
        """Repeat the headers and the body of the request in the response."""
        line = request.headers["authorization"]
        self.signatures.append(line.rpartition("Signature=")[2])
        body = request.read().decode()
        if "cut" in request.url.path:
            raise httpx.ReadError(f"{line} {SECRET} {URI} {body}")
        said = {
            "error": f"{line}; {SECRET}; X-API-Key: {KEY}; {URI}; {NUMBER}; {SHARE}",
            "sent": body,
        }
        headers = {"X-Echo": f"{line} {quote(SECRET)} {KEY}", "Set-Cookie": f"s={SECRET.encode()}"}
        status = 400 if "refuse" in request.url.path else 200
        return httpx.Response(status, json=said, headers=headers)


@pytest.fixture(scope="module", name="lab")
def lab_of_all_channels():
    """A lab that the tests only look at."""
    return talkative()


def talkative():
    """A lab that sent every secret to the echo."""
    echo = Echo()
    settings = Settings("https://pay.test", Secret(KEY), Secret(SECRET))
    lab = Lab(settings, transport=echo, max_retries=0)
    lab.errors = []
    person = examples.individual("MX", consent_at=lab.clock())
    body = {**json.loads(json.dumps(person, default=str)), "note": [SECRET, KEY, URI]}
    body["document"] = {"type": "curp", "number": NUMBER}
    body["share"] = {"provider": "idv_provider", "token": SHARE, "applicant_id": APPLICANT}
    for path in ("/v1/ok", "/v1/refuse", "/v1/cut"):
        try:
            lab.request("POST", path, json=body, params={"q": SECRET, "document": NUMBER})
        except paylab.PaylabError as error:
            lab.errors.append(error)
    assert len(lab.errors) == 2
    spelled = [quote(SECRET, safe=""), quote_plus(SECRET), json.dumps(SECRET)[1:-1]]
    lab.secrets = [KEY, SECRET, *spelled]
    lab.secrets += [NUMBER, SHARE, IMAGE[:40], IMAGE[-40:], *echo.signatures]
    return lab


def shown(thing):
    """Everything that a notebook may display of an object."""
    return json.dumps(DisplayFormatter().format(thing)[0], default=str, ensure_ascii=False)


def tracebacks(errors):
    """The tracebacks, texts, cards and attributes of errors."""
    for error in errors:
        yield from traceback.format_exception(error)
        yield from (error.traceback(), str(error), repr(error), *error.card(), str(vars(error)))


CHANNELS = {
    "repr of the lab": lambda lab: repr(lab) + shown(lab) + str(lab.sources()),
    "repr of the log": lambda lab: repr(lab.calls) + repr(lab.calls.failed) + str([*lab.calls]),
    "table of the log": lambda lab: shown(lab.calls),
    "cards": lambda lab: "".join(map(shown, lab.calls)),
    "dataclass of a call": lambda lab: str([asdict(call) for call in lab.calls]),
    "pickle of a call": lambda lab: str([pickle.dumps(call, protocol=0) for call in lab.calls]),
    "copy of a call": lambda lab: str([vars(copy.deepcopy(call)) for call in lab.calls]),
    "frame": lambda lab: lab.calls.frame().to_csv() + lab.calls.frame().to_html(),
    "HAR": lambda lab: json.dumps(lab.calls.har(), ensure_ascii=False),
    "HAR escaped": lambda lab: json.dumps(lab.calls.har()),
    "curl": lambda lab: "".join(call.as_curl() for call in lab.calls),
    "python": lambda lab: "".join(call.as_python() for call in lab.calls),
    "httpx": lambda lab: "".join(call.as_httpx() for call in lab.calls),
    "explanations": lambda lab: "".join(repr(call.explain()) for call in lab.calls),
    "tracebacks": lambda lab: "".join(tracebacks(lab.errors)),
}


@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_secret_is_shown(lab, channel):
    """No output contains a key, signature, document number, share token or image."""
    text = CHANNELS[channel](lab)
    assert len(text) > 100
    assert [secret for secret in lab.secrets if secret in text] == []


@pytest.mark.parametrize("channel", ["HAR", "HAR escaped"])
def test_a_file_to_share_names_no_applicant(lab, channel):
    """A HAR has `***` as the applicant id, which is no secret for the one who sent it."""
    text = CHANNELS[channel](lab).replace("\\", "")
    assert APPLICANT in CHANNELS["dataclass of a call"](lab)
    assert APPLICANT not in text
    assert '"applicant_id":"***"' in text


def test_nothing_secret_is_logged(caplog):
    """No logger writes a secret, at any level."""
    caplog.set_level(logging.DEBUG)
    secrets = talkative().secrets
    lines = "\n".join(record.getMessage() for record in caplog.records)
    assert {record.name for record in caplog.records} >= {"paylab", "httpx"}
    assert "/v1/refuse" in lines
    assert [secret for secret in secrets if secret in lines] == []


def test_a_saved_world_holds_no_secret(tmp_path):
    """The saved state contains no key and no image, and no document number."""
    lab = paylab.connect()
    person = examples.individual("MX", consent_at=lab.simulator.clock.now)
    made = lab.individuals.create(**{**person, "document": {"type": "curp", "number": NUMBER}})
    wallet = lab.financial_accounts.create(made.id, "crypto_wallet", examples.WALLET)
    lab.individuals.upload_images(
        made.id, dict.fromkeys(("document-front", "document-back", "selfie"), URI)
    )
    lab.individuals.wait(made.id)
    lab.conversion_accounts.create(made.id, wallet.id, "mxn", client_reference_id=URI[:60] + NUMBER)
    lab.simulator.save(tmp_path / "world.json")
    keys = [lab.settings.api_key.reveal(), lab.settings.secret_key.reveal(), IMAGE[:40]]
    world = (tmp_path / "world.json").read_text()
    assert len(world) > 1000
    assert [key for key in keys if key in world] == []
    assert f'"number": "{NUMBER}"' not in world
