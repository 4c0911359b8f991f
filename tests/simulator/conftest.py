"""Fixtures for a simulator, and a request signer that does not use paylab's signing code."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest

from paylab.simulator.app import SERVER_LIMITS
from paylab.simulator.messages import Request
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

RAMP = {
    "email": "maria@example.com",
    "phone": "+525512345678",
    "date_of_birth": "1990-02-28",
    "idv_consent_recorded_at": "2026-01-15T11:00:00Z",
}
DOCUMENTS = {"MX": "curp", "PH": "tin", "BR": "cpf", "CO": "cc", "AR": "cuit"}
ACCOUNTS = {
    "MX": ("bank_account", {"clabe": "002010077777777771"}),
    "BR": ("pix", {"pix_key": "a@b.co", "pix_key_type": "email"}),
    "IN": ("upi", {"upi_id": "asha@bank"}),
    "GB": (
        "bank_account",
        {
            "bank_account_country": "GB",
            "sort_code": "123456",
            "account_number": "12345678",
            "account_holder_name": "Al Bo",
        },
    ),
}
counted = itertools.count()


@dataclass(frozen=True)
class Answer:
    """The status, headers and body of a response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """The body, decoded from JSON."""
        return json.loads(self.body)

    @property
    def fields(self):
        """The message of each problem, by field name."""
        return {each["field"]: each["message"] for each in self.json.get("errors", [])}

    def __getitem__(self, name):
        return self.json[name]


def signature(secret, method, target, names, headers, content_hash):
    """A signature, built step by step from the chapter "Authentication" of the spec."""
    path, _, query = target.partition("?")
    lines = [method, path, *([query] if query else [])]
    lines += [f"{name}:{headers[name]}" for name in names]
    canonical = "\n".join([*lines, ";".join(names), content_hash])
    hashed = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    payload = "\n".join(["HMAC-SHA256", headers.get("x-date", ""), hashed])
    digest = hmac.new(secret.encode(), payload.encode("latin-1"), hashlib.sha256).hexdigest()
    return base64.b64encode(digest.encode()).decode()


@dataclass
class Service:
    """A client that signs its requests to a simulator, with the common steps of the tests."""

    simulator: Simulator
    carry: object
    now: object
    host: str = "simulator.localhost"
    server: Server | None = None

    def signed(self, method, target, body=b"", **changes):
        """The headers of a signed request; a change to None removes a header before signing."""
        now = self.now().strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        headers = {
            "host": self.host,
            "x-api-key": self.simulator.api_key,
            "x-date": now,
            "x-content-sha256": hashlib.sha256(body).hexdigest(),
            "x-nonce": f"1768478400000{next(counted):06d}",
        } | changes
        headers = {name: value for name, value in headers.items() if value is not None}
        names = sorted(headers)
        value = signature(
            self.simulator.secret_key,
            method,
            target,
            names,
            headers,
            headers.get("x-content-sha256", ""),
        )
        key = headers.get("x-api-key", self.simulator.api_key)
        headers["authorization"] = (
            f"HMAC-SHA256 Credential={key},SignedHeaders={';'.join(names)},Signature={value}"
        )
        return headers

    def call(self, method, target, body=None, **extra):
        """Send a signed request; a body that is not bytes is sent as JSON."""
        raw = body if isinstance(body, bytes) else b"" if body is None else dump(body)
        kind = {"content-type": "application/json"} if raw else {}
        extra = kind | {name.replace("_", "-"): value for name, value in extra.items()}
        return self.carry(method, target, self.signed(method, target, raw) | extra, raw)

    def get(self, target, **extra):
        """Send a GET."""
        return self.call("GET", target, **extra)

    def post(self, target, body=None, **extra):
        """Send a POST."""
        return self.call("POST", target, body, **extra)

    def delete(self, target):
        """Send a DELETE."""
        return self.call("DELETE", target)

    def put(self, target, body):
        """Send a PUT."""
        return self.call("PUT", target, body)

    def advance(self, seconds):
        """Advance the clock."""
        return self.post("/_simulator/clock", {"advance_seconds": seconds})

    def made(self, target, body):
        """POST a body that must be accepted, and return the decoded answer."""
        answer = self.post(target, body)
        assert answer.status in (200, 201, 202), answer.body
        return answer.json

    def person(self, country="MX", *products, **change):
        """Create an individual."""
        return self.made("/v1/individuals", person(country, *products, **change))

    def active(self, country="MX", *products, **change):
        """Create an individual and complete its verification."""
        made = self.person(country, *products, **change)
        if made["status"] == "action_required":
            self.upload(made["id"])
            self.advance(2)
        return self.get(f"/v1/individuals/{made['id']}").json

    def upload(self, individual_id, *sides):
        """Upload verification images, by default of all sides."""
        sides = sides or ("document-front", "document-back", "selfie")
        body = {"images": [{"type": side, "content": image()} for side in sides]}
        return self.post(f"/v1/individuals/{individual_id}/verification_images", body)

    def account(self, owner, kind=None, details=None):
        """Create a financial account, by default of the usual type of the owner's country."""
        usual = ACCOUNTS.get(owner["country"], ("", {}))
        body = {"type": kind or usual[0], "details": details or usual[1]}
        return self.made("/v1/financial_accounts", {"individual_id": owner["id"], **body})

    def wallet(self, owner, network="base"):
        """Create a crypto wallet."""
        return self.account(owner, "crypto_wallet", {"address": "0xabc", "network": network})

    def payable(self, country="MX", *products):
        """Create an active individual with a financial account, and return the account."""
        return self.account(self.active(country, *products))

    def transfer(self, account=None, **change):
        """Create a transfer of 100 dollars to Mexico."""
        account = account or self.payable()
        return self.made("/v1/transfers", transfer(account) | change)

    def on_ramp(self, country="MX", **change):
        """Create a conversion account, and return the answer to its POST."""
        owner = self.active(country, "on_ramp")
        wallet = self.wallet(owner)
        body = {
            "individual_id": owner["id"],
            "payout_account": {"id": wallet["id"]},
            "source_currency": {"MX": "mxn", "PH": "php"}[country],
        }
        return self.made("/v1/conversion_accounts", body | change)

    def deposit(self, account, amount="10", **change):
        """Pay a sandbox deposit into a conversion account."""
        body = {
            "conversion_account_id": account["id"],
            "amount": amount,
            "currency": account["source_currency"],
        }
        return self.post("/v1/sandbox/deposits", body | change)

    def events(self, resource_id=None):
        """The types of all events so far, or of those of one resource."""
        rows = self.get("/_simulator/events").json
        return [each["event_type"] for each in rows if resource_id in (None, each["resource_id"])]


def dump(body):
    """Encode a body as JSON bytes."""
    return json.dumps(body).encode()


def image(size=10_240, mime="image/png", magic=b"\x89PNG\r\n\x1a\n"):
    """A data URI of an image with this many bytes."""
    content = base64.b64encode(magic.ljust(size, b"."))
    return f"data:{mime};base64,{content.decode()}"


def person(country="MX", *products, **change):
    """The body of a new individual."""
    products = products or ("global_payouts",)
    ramp = set(products) & {"on_ramp", "off_ramp"}
    document = {"document": {"type": DOCUMENTS.get(country, "passport")}}
    asked = {"MX": {}, "IN": {"email": "a@b.in", "phone": "+919876543210"}}.get(country, {})
    return {
        "product_types": list(products),
        "given_name": "María",
        "family_name": "González Hernández",
        "country": country,
        "address": {"city": "Puebla"},
        **(RAMP | document if ramp else asked),
        **change,
    }


def transfer(account):
    """The body of a transfer of 100 dollars to an account in Mexico."""
    return {
        "financial_account": {"id": account["id"]},
        "source_currency": "usd",
        "destination_currency": "mxn",
        "payout_method": "spei",
        "source_amount": "100",
    }


def in_process(simulator):
    """A client that calls the simulator directly, without a socket."""

    def carry(method, target, headers, body):
        path, _, query = target.partition("?")
        reply = simulator.respond(Request(method, path, query, headers, body))
        return Answer(reply.status, dict(reply.headers), reply.body)

    return Service(simulator, carry, simulator.world.now)


def over_http(server, client):
    """A client that calls the simulator through a socket."""

    def carry(method, target, headers, body):
        response = client.request(method, server.base_url + target, headers=headers, content=body)
        return Answer(response.status_code, dict(response.headers), response.content)

    host = f"{server.host}:{server.port}"
    return Service(server.simulator, carry, lambda: datetime.now(UTC), host, server)


@pytest.fixture
def service():
    """A client of a new simulator in this process, with a frozen clock."""
    return in_process(Simulator())


@pytest.fixture
def make():
    """A function that creates a simulator in this process and returns its client."""
    return lambda **options: in_process(Simulator(**options))


@pytest.fixture(scope="module")
def server():
    """A running server with a frozen simulator, shared by the tests of a module."""
    with Server(Simulator()) as server:
        yield server


@pytest.fixture
def wire(server):
    """A client of the module's server, after a reset."""
    server.simulator.reset()
    with httpx.Client(timeout=20, trust_env=False, verify=False) as client:
        yield over_http(server, client)


@pytest.fixture
def serve():
    """A function that creates a simulator, starts a server for it and returns its client."""
    with httpx.Client(timeout=20, trust_env=False, verify=False) as client:
        servers = []

        def started(*, limits=SERVER_LIMITS, **options):
            servers.append(Server(Simulator(**options), limits=limits).start())
            return over_http(servers[-1], client)

        yield started
        for server in servers:
            server.stop()


@pytest.fixture(name="image")
def image_fixture():
    """A function that returns a data URI of an image with this many bytes."""
    return image


@pytest.fixture
def person_body():
    """The body of a Mexican recipient."""
    return person()


@pytest.fixture
def person_of():
    """A function that returns the body of a recipient of a country."""
    asked = {"CO": {"email": "a@b.co", "document": {"type": "cc"}}}
    return lambda country: person(country, **asked.get(country, {}))


@pytest.fixture
def ramp_fields():
    """The additional fields of a Mexican on-ramp individual."""
    return RAMP | {"document": {"type": "curp"}}


@pytest.fixture
def transfer_body(service):
    """The body of a transfer of 100 dollars to a Mexican account."""
    return transfer(service.payable())


@pytest.fixture(scope="module")
def module_service():
    """A client of a simulator shared by the tests of a module; it sends no real webhooks."""
    return in_process(Simulator(send=lambda url, body: 200))


@pytest.fixture
def run_app():
    """A function that sends a chunked POST to an ASGI app: chunks read, messages sent."""

    async def run(app, source, sent):
        taken = 0

        async def receive():
            nonlocal taken
            taken += 1
            return await anext(source)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "POST", "raw_path": b"/v1/transfers"}
        scope |= {"query_string": b"", "headers": [], "client": None}
        await app(scope, receive, send)
        return taken

    def ran(app, source):
        sent = []
        return asyncio.run(run(app, source, sent)), sent

    return ran


@pytest.fixture(name="in_process")
def in_process_fixture():
    """A function that returns a client of a simulator in this process."""
    return in_process


@pytest.fixture(name="over_http")
def over_http_fixture():
    """A function that returns a client of a server, using an httpx client."""
    return over_http
