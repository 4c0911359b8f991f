"""A payments service as one function from request to answer."""

import json
import re
import time
from decimal import Decimal
from typing import NamedTuple

from . import lists, onramp, payouts, people, rules, signature
from .deviations import changes_of
from .dialect import dialect
from .names import inward, outward, their_path
from .problems import JSON, Problem, RefusedError, answer
from .world import World

API_KEY, SECRET = "live-looking-key-2", "7f" * 16 + "0123456789abcdef" * 2
UUID = re.compile(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
PATHS = {
    "individual.create": "POST /v1/individuals",
    "individual.list": "GET /v1/individuals",
    "individual.get": "GET /v1/individuals/{id}",
    "images.upload": "POST /v1/individuals/{id}/verification_images",
    "images.read": "GET /v1/individuals/{id}/verification_images",
    "account.create": "POST /v1/financial_accounts",
    "account.update": "POST /v1/financial_accounts/{id}",
    "quote.create": "POST /v1/quotes",
    "transfer.create": "POST /v1/transfers",
    "transfer.list": "GET /v1/transfers",
    "transfer.get": "GET /v1/transfers/{id}",
    "conversion_account.create": "POST /v1/conversion_accounts",
    "conversion_account.list": "GET /v1/conversion_accounts",
    "conversion_account.get": "GET /v1/conversion_accounts/{id}",
    "deposit": "POST /v1/sandbox/deposits",
    "conversion.list": "GET /v1/conversions",
    "webhook.create": "POST /v1/webhook_subscriptions",
    "webhook.list": "GET /v1/webhook_subscriptions",
    "webhook.get": "GET /v1/webhook_subscriptions/{id}",
    "webhook.delete": "DELETE /v1/webhook_subscriptions/{id}",
}
MAKES = {
    "individual.create": people.create,
    "account.create": people.add_account,
    "quote.create": payouts.quote,
    "transfer.create": payouts.transfer,
    "conversion_account.create": onramp.open_account,
    "deposit": onramp.deposit,
    "webhook.create": lambda world, body: world.new("webhook", **body, is_active=True),
}
CHANGES = {
    "images.upload": people.upload,
    "images.read": lambda world, held, _: people.images(world, held),
    "account.update": people.update_account,
    "webhook.delete": lambda world, held, _: world.objects["webhook"].pop(held["id"]) and None,
}
STATUS = dict.fromkeys(MAKES, 201) | {"account.update": 201, "webhook.delete": 204}
IDEMPOTENT = ("transfer.create", "conversion_account.create")
KINDS = {"images": "individual"}


class Request(NamedTuple):
    """A request as it was sent; the names of the headers are in lower case."""

    method: str
    target: str
    headers: dict
    body: bytes


class Service:
    """A world and the ways of one service; `api_key` and `secret_key` open it."""

    api_key, secret_key = API_KEY, SECRET

    def __init__(self, deviations=(), clock=time.time):
        self.ways = dialect(changes_of(deviations))
        self.world = World(self.ways, clock)
        self.routes = [
            (name, *(self.ways["paths"].get(name, default)).split(" "))
            for name, default in PATHS.items()
            if name not in self.ways["without"]
        ]

    def seed(self, transfers):
        """Fill the list of transfers."""
        body = {
            "product_types": ["global_payouts"], "given_name": "Seed", "family_name": "Row",
            "country": "BR", "address": {"country": "BR"},
        }  # fmt: skip
        person = people.create(self.world, body)
        account = people._account(self.world, person, "pix", "BR.pix", {"pix_key": "a@b.c"})
        terms = {"source_amount": "5.00", "source_currency": "USD", "destination_currency": "BRL"}
        terms |= {"payout_method": "pix", "financial_account_id": account["id"]}
        for _ in range(transfers):
            payouts.transfer(self.world, terms)

    def handle(self, method, target, headers, body):
        """Status, headers and body of the answer to a request."""
        lower = {name.lower(): value for name, value in headers}
        return respond(self, Request(method, target, lower, body))


def respond(service, request):
    """The answer of a service to a request."""
    world, ways = service.world, service.ways
    world.catch_up()
    operation, names = "", {}
    try:
        _signed(service, request)
        _paced(world, ways["rates"])
        operation, key = _route(service.routes, request)
        names = ways["names"].get(operation, {})
        return _answered(service, operation, key, request, names)
    except RefusedError as error:
        error.problems = [
            Problem(their_path(each.field, names), each.kind, each.words) for each in error.problems
        ]
        return answer(error, ways["errors"], getattr(error, "headers", ()))


def _signed(service, request):
    ways, world = service.ways["signing"], service.world
    why = signature.complaint(request, ways, API_KEY, SECRET, world.clock())
    nonce = request.headers.get("x-nonce")
    if why or (nonce and nonce in world.nonces):
        raise RefusedError(ways["status"], why or "the nonce was used before")
    world.nonces.add(nonce)


def _paced(world, rates):
    now = world.clock()
    world.requests = [each for each in world.requests if each > now - rates["wait"]]
    if rates["every"] and len(world.requests) >= rates["every"]:
        error = RefusedError(429, "too many requests")
        left = max(world.requests[0] + rates["wait"] - now, 0.001)
        whole = -int(-left // 1)
        forms = {
            "seconds": str(whole),
            "milliseconds": str(-int(-left * 1000 // 1)),
            "unix_time": str(-int(-(now + left) // 1)),
            "date": time.strftime(
                "%a, %d %b %Y %H:%M:%S GMT", time.gmtime(-int(-(now + left) // 1))
            ),
        }
        error.headers = [(rates["header"], forms[rates["unit"]])] if rates["header"] else []
        raise error
    world.requests.append(now)


def _route(routes, request):
    path = request.target.partition("?")[0]
    methods = []
    for name, method, template in routes:
        found = re.fullmatch(re.sub(r"\{\w+\}", "([^/]+)", template), path)
        if found and method == request.method:
            return name, (found.groups() or ("",))[0]
        methods += [method] if found else []
    error = RefusedError(405 if methods else 404, "no such resource")
    error.headers = [("Allow", ", ".join(methods))] if methods else []
    raise error


def _answered(service, operation, key, request, names):
    world, ways = service.world, service.ways
    kind, _, verb = operation.partition(".")
    if verb == "list":
        query = request.target.partition("?")[2]
        rows = [_shown(each, operation, ways) for each in world.newest(kind)]
        return _reply(200, lists.page(kind, rows, query, ways))
    held = world.objects.get(KINDS.get(kind, kind), {}).get(key) if key else None
    if key and operation in MAKES:  # the id of another object, such as a deposit's account
        held = key
    if key and held is None:
        raise RefusedError(404, f"{kind} not found")
    if verb == "get":
        return _reply(200, _shown(held, operation, ways))
    body = _body(request, operation, key if operation in MAKES else "", names, ways)
    repeat = (operation, request.headers.get("idempotency-key"))
    if operation in IDEMPOTENT and (stored := _stored(world, repeat, request.body, ways)):
        return stored
    make = MAKES.get(operation)
    made = make(world, body) if make else CHANGES[operation](world, held, body)
    status = ways["success"].get(operation, STATUS.get(operation, 200))
    if operation == "conversion_account.create" and made["status"] == "pending":
        status = 202
    if operation in ways["empty"] or status == 204:
        return status, [], b""
    reply = _reply(status, _shown(made, operation, ways))
    if operation in IDEMPOTENT and repeat[1] and status in (200, 201):
        world.stored[repeat] = (request.body, reply)
    return reply


def _body(request, operation, key, names, ways):
    """The body in our names, after the checks that every operation has."""
    if request.method in ("GET", "DELETE"):
        return {}
    if "application/json" not in request.headers.get("content-type", ""):
        raise RefusedError(415, "the body must be application/json")
    try:
        sent = json.loads(request.body)
    except ValueError as error:
        raise RefusedError(400, "the body is not JSON") from error
    body = inward(sent, names)
    if key:
        body = {"conversion_account_id": key} | body
    if found := rules.check(operation, body, ways):
        raise RefusedError(ways["errors"]["invalid"], problems=found)
    return body


def _stored(world, repeat, body, ways):
    key = repeat[1]
    if key is None:
        if ways["key"] == "required":
            raise RefusedError(400, "the header Idempotency-Key is required")
        return None
    if not UUID.fullmatch(key):
        raise RefusedError(400, "Idempotency-Key must be a UUID")
    if repeat not in world.stored:
        return None
    same, (status, headers, answered) = world.stored[repeat]
    if same != body:
        raise RefusedError(409, "this Idempotency-Key was used with another body")
    return status, [*headers, ("Idempotency-Replayed", "true")], answered


FILLED = ("individual", "account", "webhook")


def _shown(made, operation, ways):
    """An object as the service shows it."""
    kind = operation.partition(".")[0]
    if kind == "deposit" and ways["deposit"] == "conversion":
        kind = "conversion"
    result = _public(made, drop=kind in FILLED)
    words = ways["statuses"].get(kind, {})
    if "status" in result:
        result["status"] = words.get(result["status"], result["status"])
    if ways["amounts"]["answers"] == "number":
        result = _numbers(result)
    result = outward(result, ways["names"].get(kind, {}) | ways["names"].get(operation, {}))
    return result | ways["extra"].get(kind, {})


def _public(value, *, drop=False):
    """Without what is only for the service, and without empty values where they are omitted."""
    if isinstance(value, list):
        return [_public(each, drop=drop) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _public(each, drop=drop)
        for name, each in value.items()
        if not name.startswith("_") and not (drop and each is None)
    }


MONEY = re.compile(r".*(amount|fee|tax|rate)")


def _numbers(value, name=""):
    if isinstance(value, list):
        return [_numbers(each, name) for each in value]
    if isinstance(value, dict):
        return {key: _numbers(each, key) for key, each in value.items()}
    is_money = isinstance(value, str) and MONEY.fullmatch(name)
    return float(Decimal(value)) if is_money else value


def _reply(status, body):
    return status, [("Content-Type", JSON)], json.dumps(body).encode()
