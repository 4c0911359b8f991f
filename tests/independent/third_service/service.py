"""The state of the service, its clock, its routes, and how a request is answered."""

import base64
import hashlib
import heapq
import json
import re
import threading
from collections import Counter, deque
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from urllib.parse import parse_qsl

from third_service.operations import OPERATIONS
from third_service.settings import Settings
from third_service.wire import Answer, Refusal, check_signature

PREFIXES = {
    "individual": "ind",
    "financial_account": "fa",
    "verification_image": "img",
    "quote": "qt",
    "transfer": "tr",
    "conversion_account": "ca",
    "conversion": "conv",
    "deposit": "dep",
    "webhook_subscription": "wh",
}
IDEMPOTENT = {"transfers.create", "conversion_accounts.create"}
PATHS = {
    "individuals.create": ("POST", "/v1/individuals"),
    "individuals.list": ("GET", "/v1/individuals"),
    "individuals.get": ("GET", "/v1/individuals/{id}"),
    "individuals.submit_token": ("POST", "/v1/individuals/{id}/verification_token"),
    "individuals.upload_images": ("POST", "/v1/individuals/{id}/verification_images"),
    "individuals.images": ("GET", "/v1/individuals/{id}/verification_images"),
    "financial_accounts.create": ("POST", "/v1/financial_accounts"),
    "financial_accounts.update": ("POST", "/v1/financial_accounts/{id}"),
    "quotes.create": ("POST", "/v1/quotes"),
    "transfers.create": ("POST", "/v1/transfers"),
    "transfers.list": ("GET", "/v1/transfers"),
    "transfers.get": ("GET", "/v1/transfers/{id}"),
    "conversion_accounts.create": ("POST", "/v1/conversion_accounts"),
    "conversion_accounts.list": ("GET", "/v1/conversion_accounts"),
    "conversion_accounts.get": ("GET", "/v1/conversion_accounts/{id}"),
    "conversions.list": ("GET", "/v1/conversions"),
    "sandbox.deposit": ("POST", "/v1/sandbox/deposits"),
    "webhook_subscriptions.create": ("POST", "/v1/webhook_subscriptions"),
    "webhook_subscriptions.list": ("GET", "/v1/webhook_subscriptions"),
    "webhook_subscriptions.get": ("GET", "/v1/webhook_subscriptions/{id}"),
    "webhook_subscriptions.delete": ("DELETE", "/v1/webhook_subscriptions/{id}"),
}


class Service:
    """One payments service: `respond(call)` answers, `advance(seconds)` moves its clock."""

    def __init__(self, deviations=(), now=None):
        self.deviations = deviations
        self.settings = Settings()
        for deviation in deviations:
            self.settings = replace(self.settings, **deviation.settings)
        self.paths = PATHS | self.settings.paths
        self.now = now or (lambda: datetime.now(UTC))
        self.api_key = "key_third"
        self.secret_key = hashlib.sha256(b"third service").hexdigest()
        self.base_url = ""
        self.requests = Counter()  # (method, path): how often
        self.created = Counter()  # kind: how many
        self.rows = {kind: {} for kind in PREFIXES}
        self.events = deque()  # (url, body) that have to be delivered
        self.lock = threading.RLock()
        self._offset = timedelta()
        self._moment = None  # while a step runs: when it fell due
        self._due = []
        self._numbers = count()
        self._nonces = set()
        self._replies = {}  # (operation, key): body, status, answer, time

    # Time

    def time(self):
        """The time of the objects: the clock and what was added with `advance`."""
        return self._moment or self.now() + self._offset

    def stamp(self, moment=None):
        """A time as text, the present one by default."""
        text = (moment or self.time()).isoformat(timespec="milliseconds")
        return text.replace("+00:00", "Z")

    def advance(self, seconds):
        """Move the clock of the objects forward."""
        with self.lock:
            self._offset += timedelta(seconds=seconds)
            self.run_due()

    def after(self, seconds, step):
        """Call `step` when the seconds have passed."""
        due = self.time() + timedelta(seconds=seconds)
        heapq.heappush(self._due, (due, next(self._numbers), step))

    def run_due(self):
        """Carry out the steps that fell due, in order."""
        with self.lock:
            while self._due and self._due[0][0] <= self.now() + self._offset:
                self._moment, _, step = heapq.heappop(self._due)
                step()
            self._moment = None

    # Objects

    def add(self, kind, row):
        """Store a new object with its id and times."""
        self.created[kind] += 1
        digest = hashlib.sha256(f"{kind} {self.created[kind]}".encode()).hexdigest()
        stamp = self.stamp()
        row = {"id": f"{PREFIXES[kind]}_{digest[:24]}"} | row
        row |= {"created_at": stamp, "updated_at": stamp}
        self.rows[kind][row["id"]] = row
        return row

    def find(self, kind, identifier, name="id"):
        """The object with the id; 404 while it cannot be seen yet, and when there is none."""
        row = self.rows[kind].get(identifier) if isinstance(identifier, str) else None
        if identifier is None:
            raise Refusal(400, f"{name}: is required", field=name)
        if row is None or self._age(row) < self.settings.late.get(kind, 0):
            raise Refusal(404, f"{kind} {identifier} not found")
        return row

    def _age(self, row):
        return (self.time() - datetime.fromisoformat(row["created_at"])).total_seconds()

    def change(self, row, **values):
        """Change an object and its updated_at."""
        row |= values
        row["updated_at"] = self.stamp()

    def emit(self, event_type, payload):
        """Send an event to the subscriptions that want it."""
        body = json.dumps({"event_type": event_type, "event_payload": payload})
        for subscription in self.rows["webhook_subscription"].values():
            if event_type in subscription["event_types"]:
                self.events.append((subscription["url"], body))

    def page(self, kind, params, keep=lambda row: True):
        """One page of a list with its cursor."""
        limit = params.get("limit", "20")
        if not re.fullmatch(r"\d{1,4}", limit) or not 1 <= int(limit) <= self.settings.limit_most:
            most = self.settings.limit_most
            raise Refusal(400, f"limit must be between 1 and {most}", field="limit")
        numbered = [
            (number, row)
            for number, row in enumerate(self.rows[kind].values())
            if keep(row) and self._age(row) >= self.settings.late_lists
        ]
        if self.settings.newest_first:
            numbered.reverse()
        if "cursor" in params:
            position = self._position(params["cursor"])
            sign = -1 if self.settings.newest_first else 1
            numbered = [(n, row) for n, row in numbered if sign * n > sign * position]
        rows = numbered[: int(limit)]
        more = len(numbered) > len(rows)
        cursor = None
        if more:
            text = json.dumps({"position": rows[-1][0], "direction": "next"})
            cursor = base64.urlsafe_b64encode(text.encode()).decode()
        return {"data": [row for _, row in rows], "has_next_page": more, "cursor": cursor}

    def _position(self, cursor):
        try:
            token = json.loads(base64.urlsafe_b64decode(cursor.encode()))
            if token["direction"] == "next":
                return int(token["position"])
        except (ValueError, KeyError, TypeError):
            pass
        raise Refusal(400, "Invalid pagination token")

    # Requests

    def respond(self, call):
        """The answer to a request."""
        with self.lock:
            self.run_due()
            self.requests[call.method, call.path] += 1
            try:
                answer = self._answer(call)
            except Refusal as refusal:
                answer = self._refuse(refusal)
            answer.body = json.loads(
                json.dumps(answer.body)
            )  # hooks must not change what is stored
            for deviation in self.deviations:
                if deviation.answer:
                    deviation.answer(call, answer, self)
            return answer

    def _refuse(self, refusal):
        status = refusal.status
        status = {400: self.settings.invalid_status, 409: self.settings.conflict_status}.get(
            status, status
        )
        body = self.settings.errors(refusal) if refusal.words is None else refusal.words
        kind = "application/json"
        if isinstance(body, str):
            kind = "text/html" if body.startswith("<") else "text/plain"
        return Answer(status, body, dict(refusal.headers), kind)

    def _answer(self, call):
        for deviation in self.deviations:
            if deviation.gate:
                deviation.gate(call, self)
        now = self.now() + timedelta(seconds=self.settings.clock_ahead)
        keys = (self.api_key, self.secret_key)
        check_signature(call, self.settings, keys, now, self._nonces)
        self._route(call)
        call.params = dict(parse_qsl(call.query, keep_blank_values=True))
        if call.method == "POST":
            if not call.headers.get("content-type", "").startswith("application/json"):
                raise Refusal(415, "Content-Type must be application/json")
            try:
                call.body = json.loads(call.raw)
            except ValueError:
                raise Refusal(400, "The body is not JSON") from None
            if not isinstance(call.body, dict):
                raise Refusal(400, "The body must be an object")
        for deviation in self.deviations:
            if deviation.request:
                deviation.request(call, self)
        return self._replay(call) if call.operation in IDEMPOTENT else self._carry_out(call)

    def _route(self, call):
        path = call.path.removeprefix(self.settings.base_path)
        if not call.path.startswith(self.settings.base_path):
            raise Refusal(404, "No such path")
        methods = set()
        for operation, (method, template) in self.paths.items():
            match = re.fullmatch(template.replace("{id}", "([^/]+)"), path)
            if match and method == call.method:
                call.operation = operation
                call.ids = list(match.groups())
                return
            if match:
                methods.add(method)
        if methods:
            raise Refusal(405, "Method not allowed", headers={"Allow": ", ".join(sorted(methods))})
        raise Refusal(404, "No such path")

    def _carry_out(self, call):
        status, body = OPERATIONS[call.operation](self, call)
        return Answer(status, body)

    def _replay(self, call):
        key = call.headers.get("idempotency-key")
        if key is None:
            return self._carry_out(call)
        if not re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", key):
            raise Refusal(400, "Idempotency-Key must be a UUID of 36 characters")
        stored = self._replies.get((call.operation, key))
        if stored and self.time() - stored[3] < timedelta(hours=24):
            if stored[0] != call.raw:
                raise Refusal(409, "Idempotency-Key was used with a different body")
            return Answer(stored[1], stored[2], {"Idempotency-Replayed": "true"})
        answer = self._carry_out(call)
        if answer.status in {200, 201}:
            body = json.loads(json.dumps(answer.body))
            self._replies[call.operation, key] = (call.raw, answer.status, body, self.time())
        return answer
