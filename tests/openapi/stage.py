"""A strict simulator with the objects that the examples of the document name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from uuid import UUID

import httpx

from paylab import corridors
from paylab.client import Client, Secret, Settings
from paylab.client.base_url import EMBEDDED
from paylab.corridors import examples
from paylab.corridors.on_ramps import need_on_ramp
from paylab.signing.canonical import (
    body_hash,
    key_bytes,
    path_to_sign,
    query_to_sign,
    signed_headers,
)
from paylab.signing.dates import date_text
from paylab.simulator.messages import Request
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service

ID = re.compile(r"(?:ind|fa|qt|ca)_01KF0Y6ZG0A{16}")
"""The ids in the examples, which a test replaces by those of real objects."""


class Signer(httpx.Auth):
    """Signs requests as the document says."""

    requires_request_body = True

    def __init__(self, api_key, secret, now, service):
        self.api_key, self.now, self.service = api_key, now, service.signing
        self.secret = key_bytes(secret, self.service.key_encoding)
        self.count = 0

    def nonce(self):
        """A nonce in the form of the service."""
        if self.service.nonce == "refused":
            return None
        digits = f"1768478400000{self.count:06d}"
        return str(UUID(int=self.count)) if self.service.nonce_form == "uuid" else digits

    def auth_flow(self, request) -> Iterator[httpx.Request]:
        """Add the headers of the signature."""
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        settings, self.count = self.service, self.count + 1
        headers, _ = signed_headers(
            self.api_key,
            self.secret,
            request.method,
            request.headers["host"],
            path_to_sign(path, settings.signed_path),
            query_to_sign(query, settings.query_order),
            content_hash=body_hash(request.content, settings.hash_encoding, settings.empty_body),
            date=date_text(self.now(), settings.date_form),
            nonce=self.nonce(),
            empty_query=settings.empty_query,
            header_order=settings.header_order,
            host_form=settings.signed_host,
            form=settings.signature,
        )
        request.headers.update(headers)
        yield request


class Stage:
    """A strict simulator, a signed client for it, and objects of each kind."""

    def __init__(self, service: Service | None = None) -> None:
        self.service = service or Service()
        self.simulator = Simulator(service=self.service, strict=True)
        keys = self.simulator.api_key, self.simulator.secret_key
        self._client = Client(
            Settings(EMBEDDED, *map(Secret, keys), service=self.service),
            transport=SimulatorTransport(self.simulator.respond, is_trusted=True),
            clock=self.simulator.world.now,
        )
        auth = Signer(*keys, self.simulator.world.now, self.service)
        transport = SimulatorTransport(self.simulator.respond)
        self.http = httpx.Client(base_url=EMBEDDED, transport=transport, auth=auth)

    def move(self, name: str, status: str) -> None:
        """Move an object to a status."""
        body = json.dumps({"to": status}).encode()
        path, head = f"/_simulator/objects/{name}", {"content-type": "application/json"}
        reply = self.simulator.respond(Request("POST", path, "", head, body, is_trusted=True))
        assert reply.status == 200, reply.body

    def person(self, country: str = "MX", *, active: bool = True) -> str:
        """The id of a new individual with every product of its country."""
        products = corridors.of(self.service).get(country).products
        consent = {"idv_consent_recorded_at": self.simulator.world.now()}
        given = {**examples.person(country), "product_types": [*products], **consent}
        person = self._client.individuals.create(
            **examples.add_required_fields(self.service, given)
        )
        if active and person.status == "action_required":
            self.move(person.id, "pending")
            self.move(person.id, "active")
        return person.id

    def account(self, country: str = "MX", owner: str = "") -> str:
        """The id of a new account in a country, whose owner has wallets too."""
        owner = owner or self.person(country)
        self.wallet(owner)
        given = examples.account(country, self.service)
        return self._client.financial_accounts.create(individual_id=owner, **given).id

    def wallet(self, owner: str) -> str:
        """The id of a new wallet of an individual."""
        details = examples.wallet(self.service)
        account = self._client.financial_accounts
        return account.create(individual_id=owner, type="crypto_wallet", details=details).id

    def quote(self, country: str = "MX") -> str:
        """The id of a new quote."""
        name = self.account(country)
        method = self.service.payout_methods(country)[0]
        made = self._client.quotes.create(
            financial_account={"id": name},
            payout_method=method,
            source_currency="USD",
            destination_currency="MXN",
            source_amount="100.00",
        )
        return made.id

    def conversion_account(self, country: str = "MX") -> str:
        """The id of a new active conversion account."""
        owner, currency = self.person(country), need_on_ramp(country=country).currency
        reference = {"client_reference_id": "r", "destination_currency": "USDC"}
        accounts = self._client.conversion_accounts
        made = accounts.create(owner, self.wallet(owner), currency, **reference)
        self.simulator.advance(2)
        return made.id

    def subscription(self) -> str:
        """The id of a new subscription."""
        example = OPERATIONS["webhook_subscriptions.create"].example
        return self._client.webhook_subscriptions.create(**example).id

    def named(self, operation: str, key: str) -> dict[str, str]:
        """The ids of the objects that an example names, by the prefix of the example's ids."""
        country = key if len(key) == 2 else "MX"
        if operation == "financial_accounts.create":
            return {"ind": self.person(country)}
        if operation == "conversion_accounts.create":
            owner = self.person(country)
            return {"ind": owner, "fa": self.wallet(owner)}
        if operation == "sandbox.deposit":
            return {"ca": self.conversion_account(country)}
        if key == "from_quote":
            return {"qt": self.quote()}
        is_paid = operation in ("quotes.create", "transfers.create")
        return {"fa": self.account(country)} if is_paid else {}

    def of_path(self, operation: str, key: str = "") -> str:
        """The id of an object that the path of an operation can name, for one of its examples."""
        resource, _, verb = operation.partition(".")
        if operation == "individuals.submit_token":
            return self.person(self.service.verification.token_countries[0], active=False)
        if resource == "sandbox" and len(key) == 2:
            return self.conversion_account(key)
        if resource == "individuals":
            return self.person(active=verb != "upload_images")
        makers = {
            "financial_accounts": self.account,
            "conversion_accounts": self.conversion_account,
            "sandbox": self.conversion_account,
            "webhook_subscriptions": self.subscription,
            "transfers": self.transfer,
        }
        return makers[resource]()

    def transfer(self) -> str:
        """The id of a new transfer."""
        made = self._client.transfers.create(
            financial_account={"id": self.account()},
            payout_method=self.service.payout_methods("MX")[0],
            source_currency="USD",
            destination_currency="MXN",
            source_amount="100.00",
            client_reference_id="r",
        )
        return made.id
