"""Callers of the third service, with a signer of their own, and two walks through it."""

import base64
import hashlib
import hmac
import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from third_service.service import Service
from third_service.wire import Call

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
KEY = "2b1f6e0c-7a3d-5e54-9c11-6f0a9d1c4b7e"  # version 5
V4 = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
WALLET = {"network": "base", "address": "0x" + "ab" * 20}
CLABE = {"clabe": "646180110400000007"}
PAYEE = {
    "product_types": ["global_payouts"],
    "given_name": "Rosa",
    "family_name": "Lima",
    "country": "MX",
    "address": {"country": "MX"},
}
OWNER = PAYEE | {
    "product_types": ["on_ramp", "global_payouts"],
    "phone": "+525512345678",
    "date_of_birth": "1990-02-03",
    "idv_consent_recorded_at": "2026-01-30T10:00:00.000Z",
    "document": {"type": "curp", "number": "LIRR900203MDFMSS09"},
}


def image(side, size=12_000, kind="image/png", prefix=True):
    """An image as it is uploaded."""
    content = base64.b64encode(bytes(size)).decode()
    return {"type": side, "content": f"data:{kind};base64,{content}" if prefix else content}


class Caller:
    """Signs and sends requests; attributes say how this provider wants them."""

    blank_query = False
    sorted_query = False
    sign_port = True
    header_order = None
    date = "%Y-%m-%dT%H:%M:%S.000Z"
    ahead = 0
    unsigned_prefix = ""
    nonce = "1769851800000{:06d}"
    amount = "20.00"
    image_options = None
    sides = ("document-front", "selfie")
    key_header = "Idempotency-Key"
    key_on_every_post = False
    network = "base"
    upper_names = False

    def __init__(self, service, **dialect):
        self.service = service
        self.sent = 0
        self.ids = {}
        self.http = None
        self.values = {}
        self.renames = {}
        for name, option in dialect.items():
            setattr(self, name, option)

    key_bytes = staticmethod(str.encode)

    @staticmethod
    def body_hash(raw):
        """The hash of a body."""
        return hashlib.sha256(raw).hexdigest()

    @staticmethod
    def encode(mac):
        """The signature as text."""
        return base64.b64encode(mac.hex().encode()).decode()

    def headers(self, method, path, query, raw):
        """The headers of a signed request."""
        self.sent += 1
        moment = NOW + timedelta(seconds=self.ahead)
        date = str(int(moment.timestamp())) if self.date == "unix" else moment.strftime(self.date)
        head = {
            "host": urlsplit(self.service.base_url).netloc or "127.0.0.1:8000",
            "x-api-key": self.service.api_key,
            "x-content-sha256": self.body_hash(raw),
            "x-date": date,
        }
        if self.nonce:
            head["x-nonce"] = self.nonce.format(self.sent)
        names = (self.header_order or ";".join(sorted(head))).split(";")
        signed_path = path.removeprefix(self.unsigned_prefix)
        signed_query = "&".join(sorted(query.split("&"))) if self.sorted_query else query
        lines = [method, signed_path]
        lines += [signed_query] if query or self.blank_query else []
        for name in names:
            port_free = name == "host" and not self.sign_port
            lines.append(f"{name}:{head[name].partition(':')[0] if port_free else head[name]}")
        lines += [";".join(names), head["x-content-sha256"]]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        payload = f"HMAC-SHA256\n{date}\n{digest}".encode()
        secret = self.key_bytes(self.service.secret_key)
        signature = self.encode(hmac.new(secret, payload, hashlib.sha256).digest())
        head["authorization"] = (
            f"HMAC-SHA256 Credential={self.service.api_key},"
            f"SignedHeaders={';'.join(names)},Signature={signature}"
        )
        return head

    def send(self, method, path, body=None, key=None, *, content_type="application/json", **extra):
        """Send a request and return status, headers and body."""
        base = urlsplit(self.service.base_url).path or self.service.settings.base_path
        path, _, query = f"{base}{path}".partition("?")
        raw = b"" if body is None else json.dumps(body).encode()
        head = self.headers(method, path, query, raw) | extra
        if body is not None:
            head["content-type"] = content_type
        if key or (self.key_on_every_post and method == "POST"):
            head[self.key_header.lower()] = key or V4[:-6] + f"{self.sent:06d}"
        if self.http:
            target = f"{path}?{query}" if query else path
            self.http.request(method, target, raw or None, head)
            response = self.http.getresponse()
            content = response.read().decode()
            return response.status, dict(response.getheaders()), content
        answer = self.service.respond(Call(method, path, query, head, raw))
        return answer.status, answer.headers, answer.body

    def operate(self, operation, body, *, key=None):
        """Send the body of an operation as this provider wants it; the service must accept it."""
        body = json.loads(json.dumps(body))
        template = self.service.paths[operation][1]
        fill(body, self.values.get(operation, {}), self.ids)
        for old, new in self.renames.get(operation, {}).items():
            move(body, old, new)
        if self.upper_names:
            body = camel(body)
        path = template.replace("{id}", str(self.ids.get("of", "")))
        for _ in range(2):
            status, _headers, answer = self.send("POST", path, body, key)
            if status != 429:
                break
        assert status in {200, 201, 202}, (operation, body, status, answer)
        self.service.advance(2.5)


def fill(body, values, ids):
    """Add the values that the body does not have."""
    for name, value in values.items():
        if isinstance(value, dict) and isinstance(body.get(name, {}), dict):
            fill(body.setdefault(name, {}), value, ids)
        elif name not in body:
            body[name] = ids.get(value, value) if isinstance(value, str) else value


def move(body, old, new):
    """Move the value at one dotted path to another."""
    *parents, last = old.split(".")
    parent = body
    for name in parents:
        parent = parent.get(name, {})
    if last not in parent:
        return
    value = parent.pop(last)
    if parents and not parent:
        del body[parents[0]]
    *parents, last = new.split(".")
    for name in parents:
        body = body.setdefault(name, {})
    body[last] = value


def camel(body):
    """The body with names in camelCase."""
    text = json.dumps(body)
    return json.loads(re.sub(r'_([a-z])(?=\w*":)', lambda m: m[1].upper(), text))


def stored(service, kind, place=-1):
    """The id of a stored object, whatever the answers said; `none` when there is none."""
    ids = list(service.rows[kind])
    return ids[place] if -1 <= place < len(ids) and ids else "none"


def send_people(send, service):
    """Create individuals, read them, and upload images."""
    send("POST", "/v1/individuals", {})
    send("POST", "/v1/individuals", OWNER)
    owner = stored(service, "individual")
    send("GET", f"/v1/individuals/{owner}")
    pix_owner = PAYEE | {"country": "BR", "address": {"country": "BR"}, "email": "r@example.com"}
    same = {"phone": "+525512345678", "document": {"type": "cpf", "number": "39053344705"}}
    send("POST", "/v1/individuals", pix_owner | same)
    send("POST", "/v1/individuals", pix_owner | same)
    send("POST", "/v1/individuals", PAYEE)
    send("POST", "/v1/individuals", PAYEE | {"country": "PH", "address": {}})
    send("GET", "/v1/individuals?limit=2")
    service.advance(3)
    send("GET", "/v1/individuals?limit=2&cursor=e30=")
    send("GET", "/v1/individuals?limit=51")
    send("GET", "/v1/individuals")
    images = f"/v1/individuals/{owner}/verification_images"
    send("POST", images, {"images": [image("document-front")]})
    send("POST", images, {"images": [image("document-front"), image("selfie")]})
    send("GET", images)
    service.advance(3)
    send("GET", f"/v1/individuals/{owner}")


def named(service, country):
    """The id of the first recipient of a country."""
    rows = service.rows["individual"].values()
    ids = [row["id"] for row in rows if row["country"] == country and "phone" not in row]
    return ids[0] if ids else stored(service, "individual", 1)


def send_accounts(send, service):
    """Create financial accounts."""
    gcash = {"issuer": "gcash", "account_number": "09170000000", "account_holder_name": "Rosa"}
    pix = {"pix_key_type": "cpf", "pix_key": "39053344705"}
    accounts = [
        (stored(service, "individual", 0), "crypto_wallet", WALLET),
        (named(service, "MX"), "bank_account", CLABE),
        (named(service, "PH"), "digital_wallet", gcash),
        (named(service, "BR"), "pix", pix),
    ]
    for individual, kind, details in accounts:
        body = {"individual_id": individual, "type": kind, "details": details}
        send("POST", "/v1/financial_accounts", body)


def send_payouts(send, service):
    """Create quotes and transfers, and repeat them."""
    terms = {
        "payout_method": "spei",
        "source_currency": "usd",
        "destination_currency": "MXN",
        "source_amount": "100.5",
    }
    rows = service.rows["financial_account"].values()
    accounts = [row["id"] for row in rows if row["details"] == CLABE]
    terms["financial_account"] = {"id": accounts[0] if accounts else "none"}
    send("POST", "/v1/quotes", terms)
    service.advance(3)
    send("POST", f"/v1/financial_accounts/{terms['financial_account']['id']}", {"details": CLABE})
    no_currency = {k: v for k, v in terms.items() if k not in {"source_currency", "source_amount"}}
    send("POST", "/v1/quotes", no_currency | {"destination_amount": "900"})
    send("POST", "/v1/quotes", terms)
    send("POST", "/v1/transfers", {"quote_id": stored(service, "quote")}, V4)
    send("POST", "/v1/transfers", terms, KEY)
    transfer = stored(service, "transfer")
    send("GET", f"/v1/transfers/{transfer}")
    send("POST", "/v1/transfers", terms, KEY)
    send("POST", "/v1/transfers", terms | {"source_amount": "9"}, KEY)
    send("GET", "/v1/transfers?product_type=off_ramp&limit=1")
    service.advance(3)
    send("GET", f"/v1/transfers/{transfer}")


def send_onramps(send, service):
    """Create conversion accounts and deposits."""
    other = OWNER | {"country": "PH", "address": {}, "document": {"type": "tin"}}
    send("POST", "/v1/individuals", other)
    other = stored(service, "individual")
    service.advance(3)
    images = {"images": [image("document-front"), image("selfie")]}
    send("POST", f"/v1/individuals/{other}/verification_images", images)
    send("POST", f"/v1/individuals/{other}/verification_images", {"images": [image("selfie", 1)]})
    body = {"individual_id": other, "type": "crypto_wallet", "details": WALLET}
    send("POST", "/v1/financial_accounts", body)
    service.advance(3)
    body = {"id": stored(service, "financial_account")}
    body = {"individual_id": other, "payout_account": body, "source_currency": "php"}
    send("POST", "/v1/conversion_accounts", body)
    owner = stored(service, "individual", 0)
    wallet = stored(service, "financial_account", 0)
    body = {"individual_id": owner, "payout_account": {"id": wallet}, "source_currency": "MXN"}
    send("POST", "/v1/conversion_accounts", body, KEY)
    account = stored(service, "conversion_account")
    send("GET", f"/v1/conversion_accounts/{account}")
    service.advance(3)
    send("GET", f"/v1/conversion_accounts/{account}")
    send("GET", "/v1/conversion_accounts")
    for amount in ("10.50", "40"):
        paid = {"conversion_account_id": account, "amount": amount, "currency": "mxn"}
        send("POST", "/v1/sandbox/deposits", paid)
    service.advance(3)
    send("GET", "/v1/conversions?limit=1")


def send_subscriptions(send, service):
    """Create, list, read and delete a webhook subscription."""
    send("POST", "/v1/webhook_subscriptions", {"url": "https://a.example/", "event_types": []})
    hook = {"url": "https://a.example/", "event_types": ["transfer.created"]}
    send("POST", "/v1/webhook_subscriptions", hook)
    subscription = stored(service, "webhook_subscription")
    send("GET", "/v1/webhook_subscriptions")
    send("GET", f"/v1/webhook_subscriptions/{subscription}")
    send("DELETE", f"/v1/webhook_subscriptions/{subscription}")
    send("GET", "/v1/individuals/none")


def transcript(service):
    """What the service answers to a fixed list of requests, good and bad."""
    caller = Caller(service)
    answers = []

    def send(method, path, body=None, key=None):
        answers.append(caller.send(method, path, body, key))

    for part in (send_people, send_accounts, send_payouts, send_onramps, send_subscriptions):
        part(send, service)
    caller.nonce = None
    send("GET", "/v1/conversions")
    path = "/v1/individuals"
    head = Caller(service, nonce="9{:018d}").headers("GET", path, "", b"")
    for signature in (head["authorization"], head["authorization"] + "A"):
        call = Call("GET", path, "", head | {"authorization": signature}, b"")
        answer = service.respond(call)
        answers.append((answer.status, answer.headers, answer.body))
    return answers


ADAPTED = {  # deviation: how a caller follows it
    "signing-query-blank": {"blank_query": True},
    "signing-query-sorted": {"sorted_query": True},
    "signing-header-order": {"header_order": "host;x-api-key;x-date;x-content-sha256;x-nonce"},
    "signing-port": {"sign_port": False},
    "signing-key-hex": {"key_bytes": bytes.fromhex},
    "signing-key-base64": {"key_bytes": base64.b64decode},
    "signing-hash-base64": {
        "body_hash": lambda raw: base64.b64encode(hashlib.sha256(raw).digest()).decode()
    },
    "signing-hash-empty": {"body_hash": lambda raw: hashlib.sha256(raw).hexdigest() if raw else ""},
    "signing-signature-hex": {"encode": lambda mac: mac.hex()},
    "signing-signature-bytes": {"encode": lambda mac: base64.b64encode(mac).decode()},
    "signing-date-seconds": {"date": "%Y-%m-%dT%H:%M:%SZ"},
    "signing-date-compact": {"date": "%Y%m%dT%H%M%SZ"},
    "signing-date-unix": {"date": "unix"},
    "signing-nonce-absent": {"nonce": None},
    "signing-nonce-uuid": {"nonce": "6f9619ff-8b86-4d11-b42d-00c04f{:06d}"},
    "signing-clock": {"ahead": 600},
    "signing-base-path-unsigned": {"unsigned_prefix": "/api/pay"},
    "signing-version-unsigned": {"unsigned_prefix": "/v1"},
    "amounts-number": {"amount": 20},
    "amounts-minor": {"amount": 2000},
    "amounts-whole": {"amount": "20"},
    "amounts-maximum": {"amount": "15.00"},
    "currencies-upper": {"currencies": ("USD", "MXN", "MXN")},
    "currencies-lower": {"currencies": ("usd", "mxn", "mxn")},
    "images-one": {"one_image": True},
    "images-least": {"image_options": {"size": 60_000}},
    "images-jpeg": {"image_options": {"kind": "image/jpeg"}},
    "images-base64": {"image_options": {"prefix": False}},
    "images-back": {"sides": ("document-front", "document-back", "selfie")},
    "words-networks": {"network": "base_sepolia"},
    "key-every-post": {"key_on_every_post": True},
    "key-other-name": {"key_header": "X-Request-Key"},
    "kyc-none": {"sides": ()},
    "email-elsewhere": {
        "values": {"individuals.create": {"email": "rosa@example.com"}},
    },
    "ids-number": {"number_ids": True},
    "page-no-limit": {"query": "product_type=global_payouts"},
    "version-header": {"version": "2026-01-01"},
}


def follow(deviation, adapted):
    """Walk to a completed transfer and a completed conversion as the deviation wants it."""
    service = Service([deviation], lambda: NOW)
    dialect = {"values": deviation.values, "renames": deviation.renames} | adapted
    caller = Caller(service, **dialect)
    if version := dialect.get("version"):
        plain = caller.headers
        caller.headers = lambda *parts: plain(*parts) | {"x-api-version": version}
    usd, mxn, source = dialect.get("currencies", ("usd", "MXN", "mxn"))

    def known(kind, place=-1):
        if dialect.get("number_ids"):
            caller.send("GET", f"/v1/{kind}s")
            return service.numbers[stored(service, kind, place)]
        return stored(service, kind, place)

    caller.operate("individuals.create", OWNER)
    owner = known("individual")
    caller.ids["of"] = owner
    images = [image(side, **(caller.image_options or {})) for side in caller.sides]
    batches = [[item] for item in images] if dialect.get("one_image") else [images]
    for batch in [batch for batch in batches if batch]:
        caller.operate("individuals.upload_images", {"images": batch})
    caller.operate("individuals.create", PAYEE)
    caller.ids["$individual"] = payee = known("individual")
    accounts = "financial_accounts.create"
    wallet = WALLET | {"network": caller.network}
    body = {"individual_id": owner, "type": "crypto_wallet", "details": wallet}
    caller.operate(accounts, body)
    wallet = known("financial_account")
    body = {"individual_id": payee, "type": "bank_account", "details": CLABE}
    caller.operate(accounts, body)
    account = known("financial_account")
    terms = {"payout_method": "spei", "source_currency": usd, "destination_currency": mxn}
    terms |= {"financial_account": {"id": account}, "source_amount": caller.amount}
    for whole in (terms, {}):  # with its own terms, and with those of a quote
        caller.operate("quotes.create", terms)
        caller.ids["$quote"] = known("quote")
        key = V4[:-1] + str(len(whole))
        caller.operate("transfers.create", whole or {"quote_id": known("quote")}, key=key)
    query = dialect.get("query", "product_type=global_payouts&limit=5")
    statuses = [caller.send("GET", f"/v1/transfers?{query}")[0] for _ in range(2)]
    assert 200 in statuses, query
    assert 200 in [caller.send("GET", "/v1/individuals")[0] for _ in range(2)]
    body = {"individual_id": owner, "payout_account": {"id": wallet}, "source_currency": source}
    caller.operate("conversion_accounts.create", body, key=V4)
    paid = {"conversion_account_id": known("conversion_account")}
    caller.operate("sandbox.deposit", paid | {"amount": caller.amount, "currency": source})
    hook = {"url": "https://a.example/", "event_types": ["transfer.created"]}
    caller.operate("webhook_subscriptions.create", hook)
    return service
