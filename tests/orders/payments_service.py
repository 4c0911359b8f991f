"""A payments service for tests: what the spec says of idempotency, and switches that break it.

It shares no code with the package. Every time is that of `service.clock`, which tests move.
"""

import json
import re
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from payments_list import Listing
from service_answer import Answer, RefusalError

RATE = Decimal(17)
FEE = Decimal("0.50")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")
DECIMALS = {"USDC": 6, "VND": 0}
QUOTE_LIFETIME = timedelta(minutes=2)
AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")


class Clock:
    """The time of the service: that of the machine, moved."""

    def __init__(self):
        self.offset = timedelta()

    def __call__(self):
        """Return the present time of the service."""
        return datetime.now(UTC) + self.offset

    def advance(self, **by):
        """Move the time by the parts of a timedelta."""
        self.offset += timedelta(**by)


@dataclass
class Idempotency:
    """What the service does with keys; the defaults are those of the spec."""

    ignored: bool = False
    lifetime: timedelta | None = timedelta(hours=24)
    compares_bodies: bool = True
    guards_concurrent: bool = True
    marks_replays: bool = True
    replay_mark: str = "true"
    always_conflicts: bool = False


def iso(moment):
    """Write a time as the service does."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class PaymentsService:
    """State and rules; `respond` answers one request."""

    def __init__(self):
        self.base_url = ""
        self.clock = Clock()
        self.idempotency = Idempotency()
        self.listing = Listing()
        self.keys = {"key-1": "secret-1", "key-2": "secret-2"}
        self.payments = []
        self.conversion_accounts = []
        self.quotes = {}
        self.accounts = dict.fromkeys(("fa_1", "fa_2", "fa_3"), "bank_account")
        self.accounts["fa_wallet"] = self.accounts["fa_wallet_2"] = "crypto_wallet"
        self.requests = []
        self.refusals = deque()  # answers to the next POSTs, which are not carried out
        self.spoiled = deque()  # names of spoiled answers to the next POSTs, which are carried out
        self.spoiled_always = ""
        self.spoiled_by_amount = {}
        self.failures_after_commit = deque()  # statuses; the payment is made, the key is not kept
        self.meanwhile = []  # fields of payments that others make during the next POST that fails
        self.unreadable = 0  # a status that answers every GET of one payment
        self.provisioning = 201
        self.date_error = timedelta()  # of the Date header; None sends none
        self.delay = 0.0  # seconds between the search for a key and the payment
        self.on_search = lambda: None  # called before these seconds
        self.stored = {}
        self.lock = threading.RLock()
        self.key_locks = {}
        self.running = self.most_at_once = 0
        self.numbers = Counter()
        self.status_of_new = "awaiting_funds"
        self.repeats_ids = False  # every payment gets the id of the first one

    def respond(self, method, path, query, headers, raw):
        """Answer one request whose signature has been checked."""
        with self.lock:
            self.requests.append((method, path, headers, raw))
        try:
            if method == "POST" and path in ("/v1/transfers", "/v1/conversion_accounts"):
                return self._answer_once(path, headers, raw)
            if method == "POST":
                return self._post(path, json.loads(raw or b"null"))
            return self._get(path, query)
        except RefusalError as refusal:
            return refusal.answer

    # Idempotency

    def _answer_once(self, path, headers, raw):
        """Carry out a request once for each key, as far as the switches let it."""
        key = headers.get("idempotency-key")
        if key is not None and not UUID.fullmatch(key):
            raise RefusalError(400, "Idempotency-Key must be a UUID of 36 characters")
        if self.refusals:
            return self._fail(self.refusals.popleft())
        if key is None or self.idempotency.ignored:
            return self._execute(path, raw)
        scope = (headers["x-api-key"], path, key.lower())
        if not self.idempotency.guards_concurrent:
            return self._replay_or_execute(scope, path, raw)
        with self.lock:
            key_lock = self.key_locks.setdefault(scope, threading.Lock())
        with key_lock:
            return self._replay_or_execute(scope, path, raw)

    def _replay_or_execute(self, scope, path, raw):
        stored = self._find_stored(scope)
        if stored is None:
            answer = self._execute(path, raw)
            if answer.status in (200, 201):
                self.stored[scope] = (self.clock(), raw, json.dumps(answer.body), answer.status)
            return answer
        _, body, text, status = stored
        other = self.idempotency.compares_bodies and body != raw
        if other or self.idempotency.always_conflicts:
            raise RefusalError(409, "this Idempotency-Key was used with a different body")
        marks = self.idempotency.marks_replays
        return Answer(
            status,
            json.loads(text),
            {"Idempotency-Replayed": self.idempotency.replay_mark} if marks else {},
        )

    def _find_stored(self, scope):
        stored = self.stored.get(scope)
        lifetime = self.idempotency.lifetime
        if stored and lifetime is not None and self.clock() - stored[0] >= lifetime:
            return None
        return stored

    def _execute(self, path, raw):
        with self.lock:
            self.running += 1
            self.most_at_once = max(self.most_at_once, self.running)
        self.on_search()
        time.sleep(self.delay)
        with self.lock:
            self.running -= 1
            body = json.loads(raw)
            if path == "/v1/conversion_accounts":
                account = self._create_conversion_account(body)
                return Answer(self.provisioning, dict(account))
            payment = self._create_payment(body)
            if self.failures_after_commit:
                status = self.failures_after_commit.popleft()
                return self._fail(Answer(status, {"error": "internal error"}))
            return Answer(201, dict(payment))

    def _fail(self, answer):
        """Make the payments of others, then answer with an error."""
        with self.lock:
            for fields in self.meanwhile:
                self.add_payment(**fields)
            self.meanwhile = []
        return answer

    # Payments

    def _number(self, prefix):
        self.numbers[prefix] += 1
        return f"{prefix}_{1 if self.repeats_ids else self.numbers[prefix]}"

    def _terms(self, body):
        """Return account, currencies, rail and amounts of a body without a quote."""
        account = (body.get("financial_account") or {}).get("id", body.get("financial_account_id"))
        if account not in self.accounts:
            raise RefusalError(404, f"financial account {account} not found")
        names = [name for name in AMOUNTS if body.get(name) is not None]
        if len(names) != 1 or not AMOUNT.fullmatch(str(body[names[0]])):
            raise RefusalError(400, "exactly one amount is required")
        if not isinstance(body[names[0]], str):
            raise RefusalError(400, "an amount must be text")
        source = str(body.get("source_currency", "")).upper()
        destination = str(body.get("destination_currency", "")).upper()
        if not source or not destination or not body.get("payout_method"):
            raise RefusalError(
                400, "source_currency, destination_currency and payout_method: required"
            )
        return {
            "financial_account_id": account,
            "recipient_id": "ind_1",
            "source_currency": source,
            "destination_currency": destination,
            "payout_method": str(body["payout_method"]).lower(),
            "source_network": body.get("source_network"),
            **price(names[0], Decimal(body[names[0]]), source, destination),
        }

    def _create_payment(self, body):
        quote_id = body.get("quote_id")
        terms = self._use_quote(quote_id) if quote_id else self._terms(body)
        now = iso(self.clock())
        payment = {
            "id": self._number("tr"),
            "client_reference_id": body.get("client_reference_id"),
            **terms,
            "status": self.status_of_new,
            "completed_in": None,
            "failure_reason": None,
            "settlement_reference_id": None,
            "created_at": now,
            "updated_at": now,
        }
        self.payments.append(payment)
        return payment

    def _use_quote(self, quote_id):
        quote = self.quotes.get(quote_id)
        if quote is None:
            raise RefusalError(404, f"quote {quote_id} not found")
        if quote["used"] or self.clock() >= quote["until"]:
            raise RefusalError(422, f"quote {quote_id} has expired or was used")
        quote["used"] = True
        return quote["terms"]

    def _create_quote(self, body):
        terms = self._terms(body)
        identity = self._number("qt")
        until = self.clock() + QUOTE_LIFETIME
        self.quotes[identity] = {"terms": terms, "until": until, "used": False}
        derived = body.get("source_amount") is None
        times = {"created_at": iso(self.clock()), "expires_at": iso(until)}
        return Answer(201, {"id": identity, **terms, "derived_source_amount": derived, **times})

    # Conversion accounts

    def _create_conversion_account(self, body):
        wallet = (body.get("payout_account") or {}).get("id")
        if self.accounts.get(wallet) != "crypto_wallet":
            raise RefusalError(422, "payout_account is not a crypto_wallet")
        now = iso(self.clock())
        ready = self.provisioning == 201
        account = {
            "id": self._number("ca"),
            "individual_id": body.get("individual_id"),
            "client_reference_id": body.get("client_reference_id"),
            "payout_account": {"id": wallet, "type": "crypto_wallet"},
            "source_currency": str(body.get("source_currency", "")).lower(),
            "destination_currency": str(body.get("destination_currency") or "USDC").upper(),
            "status": "active" if ready else "pending",
            "created_at": now,
            "updated_at": now,
        }
        details = {"clabe": "646180110400000007"}
        if ready:
            account["deposit_instructions"] = {
                "type": "mx_virtual_account",
                "currency": "mxn",
                "payment_methods": ["spei"],
                "details": details,
            }
        self.conversion_accounts.append(account)
        return account

    # Everything else

    def _post(self, path, body):
        if path == "/v1/quotes":
            return self._create_quote(body)
        if path == "/v1/individuals":
            person = {**body, **PERSON, "id": self._number("ind")}
            return Answer(201, person)
        if path == "/v1/financial_accounts":
            identity = self._number("fa")
            self.accounts[identity] = body["type"]
            now = iso(self.clock())
            return Answer(201, {**body, "id": identity, "created_at": now, "updated_at": now})
        raise RefusalError(404, "not found")

    def _get(self, path, query):
        with self.lock:
            if path == "/v1/transfers":
                return self.listing.answer(self.payments, query, self.clock())
            if path == "/v1/conversion_accounts":
                return self.listing.answer(self.conversion_accounts, query, self.clock())
            if path.startswith("/v1/individuals/"):
                return Answer(200, {**PERSON, "id": path.rpartition("/")[2]})
            kind, _, identity = path.removeprefix("/v1/").partition("/")
            if kind == "transfers" and self.unreadable:
                raise RefusalError(self.unreadable, "not available")
            rows = {"transfers": self.payments, "conversion_accounts": self.conversion_accounts}
            for row in rows.get(kind, ()):
                if row["id"] == identity:
                    return Answer(200, self.listing.show(row))
        raise RefusalError(404, "not found")

    # What tests ask and arrange

    def posts(self, path="/v1/transfers"):
        """Return headers and bytes of every POST to a path."""
        rows = list(self.requests)
        return [
            (headers, raw) for method, to, headers, raw in rows if (method, to) == ("POST", path)
        ]

    def sent_keys(self, path="/v1/transfers"):
        """Return the Idempotency-Keys of every POST to a path, in order."""
        return [headers.get("idempotency-key") for headers, _ in self.posts(path)]

    def add_payment(self, reference=None, **fields):
        """Add a payment that another program made, the default being `ORDER` without key."""
        body = {**ORDER, "client_reference_id": reference}
        age = fields.pop("age", timedelta())
        values = {name: value for name, value in fields.items() if name in (*AMOUNTS, *ORDER)}
        if set(values) & set(AMOUNTS):
            body = {name: value for name, value in body.items() if name not in AMOUNTS}
        payment = self._create_payment({**body, **values})
        payment["created_at"] = iso(self.clock() - age)
        shown = {name: value for name, value in fields.items() if name not in values}
        payment.update(shown)
        self.numbers["tr"] -= "id" in fields
        return payment

    def add_conversion_account(self, status, age, **changes):
        """Add a conversion account that another program made."""
        body = {
            "individual_id": "ind_1",
            "payout_account": {"id": "fa_wallet"},
            "source_currency": "mxn",
        }
        account = self._create_conversion_account(body)
        created = iso(self.clock() - age)
        account.update(status=status, created_at=created, updated_at=created, **changes)
        self.conversion_accounts.sort(key=lambda row: row["created_at"])


ORDER = {
    "financial_account_id": "fa_1",
    "payout_method": "spei",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "source_amount": "10.00",
}
PERSON = {
    "id": "ind_1",
    "given_name": "Ana",
    "family_name": "Lopez",
    "email": "ana@example.com",
    "phone": "+525512345678",
    "date_of_birth": "1990-01-01",
    "idv_consent_recorded_at": "2026-01-01T00:00:00.000Z",
    "address": {"country": "MX"},
    "country": "MX",
    "status": "active",
    "product_types": ["global_payouts", "on_ramp"],
    "financial_accounts": [],
    "created_at": "2026-01-01T00:00:00.000Z",
    "updated_at": "2026-01-01T00:00:00.000Z",
}


def price(name, amount, source, destination):
    """Return the three amounts, rate and fee that follow from one amount."""
    net = {
        "source_amount": amount - FEE,
        "net_source_amount": amount,
        "destination_amount": amount / RATE,
    }[name]
    amounts = {
        "source_amount": amounts_text(net + FEE, source),
        "net_source_amount": amounts_text(net, source),
        "destination_amount": amounts_text(net * RATE, destination),
    }
    amounts[name] = amounts_text(amount, destination if name.startswith("dest") else source)
    fees = {"total_fee": str(FEE), "fee_currency": source, "total_tax": "0.00"}
    return {**amounts, "exchange_rate": str(RATE), **fees, "tax_currency": source}


def amounts_text(amount, currency):
    """Write an amount with the decimals of its currency."""
    return f"{amount:.{DECIMALS.get(currency, 2)}f}"
