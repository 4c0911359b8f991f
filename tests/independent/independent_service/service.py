"""The service: `handle` takes a request and returns an answer."""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, unquote

from . import onramp, payouts, people
from .answers import LISTS, page, present
from .context import Answer, Context, Request
from .deviations import changes_of
from .events import Outbox
from .money import terms
from .refusals import Refusal, refuse, written
from .settings import OPERATIONS, Settings
from .signature import Verifier
from .wording import reworded
from .world import World, timestamp

Response = tuple[int, dict[str, str], bytes]
API_KEY = "independent-key"
SECRET_KEY = "9c1185a5c5e9fc54612808977ee8f548b2258d31ddadaf8f0ee1c2b51d8b2c11"
"""The text is also valid hexadecimal and base64, for services that decode it."""
RETENTION = 24 * 3600
IDEMPOTENT = ("create_transfer", "create_conversion_account")
HANDLERS: dict[str, Callable[[Context, Request], Answer]] = {
    name: next(getattr(home, name) for home in (people, payouts, onramp) if hasattr(home, name))
    for name in OPERATIONS
}
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True)
class Call:
    """A request and the status of its answer; `operation` is None when none was reached."""

    method: str
    target: str
    status: int
    operation: str | None
    at: float


@dataclass(frozen=True)
class Stored:
    """A successful answer that is replayed for the same idempotency key."""

    body: bytes
    response: Response
    at: float


class Service:
    """A payments service in memory. `deviations` are names of the table in `deviations.py`.

    `delay` is the time in seconds of every automatic step. `settings` changes single keys of
    `settings.py` and overrides the deviations. `calls` lists the requests, and
    `outbox.deliveries` lists the events that were sent.
    """

    def __init__(
        self,
        deviations: Iterable[str] = (),
        *,
        delay: float = 0.05,
        settings: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.api_key, self.secret_key = API_KEY, SECRET_KEY
        self.deviations = tuple(deviations)
        self.settings = Settings({**changes_of(self.deviations), **(settings or {})})
        self.world = World(clock)
        self.calls: list[Call] = []
        self.outbox = Outbox(self.world, self.settings, self.secret_key)
        self._context = Context(self.world, self.settings, delay, self.outbox)
        self._verifier = Verifier(self.api_key, self.secret_key, self.settings, clock)
        self._stored: dict[tuple[str, ...], Stored] = {}
        self._recent: deque[float] = deque()
        self._lock = threading.RLock()
        self._routes = [
            (name, method, re.compile(re.sub(r"\\{id\\}", "(?P<id>[^/]+)", re.escape(path))))
            for name, (method, _) in OPERATIONS.items()
            if (path := self.settings[f"paths.{name}"]) is not None
        ]

    def handle(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | Iterable[tuple[str, str]],
        body: bytes = b"",
    ) -> Response:
        """Answer a request. `target` is the path and the query as they were sent."""
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        lower = {name.lower(): value for name, value in pairs}
        with self._lock:
            self.world.advance()
            operation = None
            try:
                self._limit_rate()
                operation, params = self._authorized(method, target, lower, body)
                response = self._carry_out(operation, params, target, lower, body)
            except Refusal as refusal:
                refusal = reworded(refusal, self.settings["errors.words"])
                media, content = written(refusal, self.settings["errors.style"])
                response = self._response(refusal.status, media, content, refusal.headers)
            moment = self.world.now
            self.calls.append(Call(method, target, response[0], operation, moment))
        return response

    def advance(self) -> None:
        """Run the steps that are due. Every request does this first."""
        with self._lock:
            self.world.advance()

    def seed_transfers(self, count: int, minutes_apart: float = 1.0) -> None:
        """Add completed payouts in the past; the last one is `minutes_apart` minutes old."""
        with self._lock:
            self.world.advance()
            present_time = self.world.now
            self.world.now = present_time - 60 * minutes_apart * (count + 1)
            owner = self.world.add("individuals", _SEED_OWNER)
            details = {"clabe": onramp.clabe("64618011000000001")}
            values = {"type": "bank_account", "details": details, "_individual": owner["id"]}
            account = self.world.add("financial_accounts", values)
            for number in range(count):
                self.world.now += 60 * minutes_apart
                self._seed_transfer(owner["id"], account["id"], Decimal(10 + number))
            self.world.now = present_time

    def _seed_transfer(self, owner: str, account: str, amount: Decimal) -> None:
        row = self.world.add(
            "transfers",
            {
                "client_reference_id": None,
                "source_currency": "USD",
                "destination_currency": "MXN",
                "payout_method": "spei",
                "recipient_id": owner,
                "financial_account_id": account,
                **terms("source_amount", amount, "USD", "MXN"),
                "status": "completed",
                "completed_in": "2",
                "failure_reason": None,
                "_product": "global_payouts",
            },
        )
        row["settlement_reference_id"] = f"SETTLE{row['_number']:08}"
        row["updated_at"] = timestamp(self.world.now + 2)

    def _authorized(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[str, dict[str, str]]:
        """Verify the signature and find the operation, in the configured order."""
        if self.settings["signing.after_routing"]:
            found = self._route(method, target)
            self._verifier.verify(method, target, headers, body)
            return found
        self._verifier.verify(method, target, headers, body)
        return self._route(method, target)

    def _route(self, method: str, target: str) -> tuple[str, dict[str, str]]:
        path = target.partition("?")[0]
        matches = [
            (name, verb, match)
            for name, verb, pattern in self._routes
            if (match := pattern.fullmatch(path))
        ]
        for name, verb, match in matches:
            if verb == method:
                return name, {key: unquote(text) for key, text in match.groupdict().items()}
        if matches:
            allowed = ", ".join(sorted({verb for _, verb, _ in matches}))
            raise Refusal(405, "Method not allowed", headers={"Allow": allowed})
        raise Refusal(404, "Not found")

    def _carry_out(
        self,
        operation: str,
        params: Mapping[str, str],
        target: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Response:
        """Replay the stored answer, or run the operation and store its answer."""
        path, _, query = target.partition("?")
        key = self._key(operation, path, headers)
        if key is not None:
            stored = self._stored.get(key)
            if stored is not None and self.world.now - stored.at < RETENTION:
                if stored.body != path.encode() + b"\n" + body:
                    raise Refusal(409, "Idempotency-Key was already used with another request")
                status, before, content = stored.response
                return status, {**before, "Idempotency-Replayed": "true"}, content
        pairs = dict(parse_qsl(query, keep_blank_values=True))
        content = self._parsed(operation, headers, body)
        request = Request(operation, params, pairs, content, headers)
        response = self._written(operation, request, HANDLERS[operation](self._context, request))
        if key is not None and response[0] in self.settings["idempotency.stores"]:
            self._stored[key] = Stored(path.encode() + b"\n" + body, response, self.world.now)
        return response

    def _key(self, operation: str, path: str, headers: Mapping[str, str]) -> tuple[str, ...] | None:
        """The key of a stored answer, or None when the request is not idempotent."""
        text = headers.get("idempotency-key")
        if operation not in IDEMPOTENT:
            return None
        if text is None:
            if self.settings["idempotency.required"]:
                raise Refusal(400, "Idempotency-Key header is required")
            return None
        if not _UUID.fullmatch(text):
            raise Refusal(400, "Idempotency-Key must be a valid UUID")
        own = () if self.settings["idempotency.scope"] == "key" else (path,)
        return (text.lower(), *own)

    def _parsed(self, operation: str, headers: Mapping[str, str], body: bytes) -> Any:
        if OPERATIONS[operation][0] != "POST":
            return None
        media = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != "application/json":
            raise Refusal(415, "Content-Type must be application/json")
        try:
            return json.loads(body, parse_float=Decimal, parse_constant=_not_json)
        except (ValueError, RecursionError):
            refuse([("", "Request body is not valid JSON")])

    def _written(self, operation: str, request: Request, answer: Answer) -> Response:
        """The status, headers and body of a successful answer."""
        settings, value = self.settings, answer.value
        status = answer.status or settings[f"status.{operation}"]
        name = LISTS.get(operation)
        if name is not None:
            value = page(value, name, request.query, settings)
            data = settings.of_list(name, "data")
            if isinstance(value, dict):
                value[data] = present(value[data], operation, settings)
            else:
                value = present(value, operation, settings)
        else:
            value = present(value, operation, settings)
        if value is None:
            return self._response(status, "", b"", answer.headers)
        if status == 202 and settings["answers.empty_202"]:
            return self._response(status, "", b"", self._location(operation, answer))
        content = json.dumps(value, ensure_ascii=False).encode()
        return self._response(status, "application/json", content, answer.headers)

    def _location(self, operation: str, answer: Answer) -> dict[str, str]:
        """The Location header of a 202 without a body, or no header when it is turned off."""
        kind = "conversion_account" if operation == "create_conversion_account" else "individual"
        template = self.settings[f"paths.get_{kind}"]
        if not self.settings["answers.location_202"] or template is None:
            return {}
        return {"Location": template.replace("{id}", answer.value["id"])}

    def _response(
        self, status: int, media: str, content: bytes, headers: Mapping[str, str]
    ) -> Response:
        always = {
            name: text.replace("{id}", str(uuid.uuid4()))
            for name, text in self.settings["answers.headers"].items()
        }
        about = {"Content-Type": media} if media else {}
        return status, {**about, **always, **headers}, content

    def _limit_rate(self) -> None:
        """Raise a 429 when the window is full. A refused request does not count."""
        most, window = self.settings["limits.requests"], self.settings["limits.window"]
        if most is None:
            return
        now = self.world.now
        while self._recent and now - self._recent[0] >= window:
            self._recent.popleft()
        if len(self._recent) < most:
            self._recent.append(now)
            return
        free = self._recent[0] + window
        raise Refusal(429, "Too many requests", headers=self._retry(free - now, free))

    def _retry(self, seconds: float, moment: float) -> dict[str, str]:
        """The header that says when to retry, rounded up to its unit."""
        later = -int(-seconds // 1)
        text = {
            "seconds": str(later),
            "milliseconds": str(-int(-seconds * 1000 // 1)),
            "timestamp": str(-int(-moment // 1)),
            "date": formatdate(-int(-moment // 1), usegmt=True),
        }[self.settings["limits.unit"]]
        return {self.settings["limits.header"]: text}


_SEED_OWNER = {
    "given_name": "Ana",
    "family_name": "Ejemplo",
    "country": "MX",
    "address": {"country": "MX"},
    "product_types": ["global_payouts"],
    "status": "active",
}


def _not_json(word: str) -> None:
    raise ValueError(word)
