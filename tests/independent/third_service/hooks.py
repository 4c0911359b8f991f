"""Deviations and the hooks of which they are made."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from third_service.checks import MINOR_UNITS, dig
from third_service.wire import Answer, Call, Refusal

FOLLOW = "followable"
FILL = "followable after a person fills in a value"
PART = "hopeless in part: the rest of the service works"
HOPELESS = "hopeless"
MONEY = {  # the currency of each amount
    "source_amount": "source_currency",
    "net_source_amount": "source_currency",
    "destination_amount": "destination_currency",
    "total_fee": "fee_currency",
    "total_tax": "tax_currency",
    "amount": "currency",
}


@dataclass(frozen=True)
class Deviation:
    """One way in which the service differs from the specification, or is no use to a client.

    `gate` runs before the signature is checked, `request` after it; both may change the call or
    raise a refusal. `answer` changes what goes out. `values` are what a client has to add to the
    body of an operation, where $individual and its kind stand for ids; `renames` are new names.
    """

    name: str
    changes: str
    client: str
    words: Any = None
    settings: dict[str, Any] = field(default_factory=dict)
    gate: Callable[[Call, Any], None] | None = None
    request: Callable[[Call, Any], None] | None = None
    answer: Callable[[Call, Answer, Any], None] | None = None
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    renames: dict[str, dict[str, str]] = field(default_factory=dict)


def put(body, path, value):
    """Set the value at a dotted path."""
    *parents, last = path.split(".")
    for name in parents:
        if not isinstance(body.get(name), dict):
            body[name] = {}
        body = body[name]
    body[last] = value


def pop(body, path):
    """Remove and return the value at a dotted path, and parents that are then empty."""
    parent, _, rest = path.partition(".")
    if not rest:
        return body.pop(parent, None)
    if not isinstance(body.get(parent), dict):
        return None
    value = pop(body[parent], rest)
    if not body[parent]:
        del body[parent]
    return value


def refuse(status, words, headers=None):
    """A hook that refuses every request."""

    def hook(call, service):
        raise Refusal(status, words=words, headers=headers)

    return hook


def only(hook, *operations, method=None):
    """The hook for some operations, or one method."""

    def limited(call, *rest):
        if call.operation in operations or (method and call.method == method):
            hook(call, *rest)

    return limited


def require(name, operation, path, value, client, status, words, *, where=None, valid=None):
    """The operation needs a field that the specification lacks or leaves optional.

    `where` says for which bodies, `valid` whether a value is accepted.
    """
    valid = valid or (lambda entered: entered is not None)

    def hook(call, _service):
        wanted = not where or where(call.body)
        if wanted and not valid(dig(call.body, path)):
            raise Refusal(status, words=words)

    values = {}
    put(values, path, value)
    changes = f"{operation} requires {path}"
    hook = only(hook, operation)
    return Deviation(name, changes, client, words, request=hook, values={operation: values})


def rename(name, operations, names, client, status, words, *, needed=lambda body: True):
    """The operations know fields by other names, in bodies and in answers.

    A body with an old name is refused, and one without a new name where it is needed.
    """

    def hook(call, _service):
        entered = {old: pop(call.body, new) for old, new in names.items()}
        old_names = any(dig(call.body, old) is not None for old in names)
        if old_names or (None in entered.values() and needed(call.body)):
            raise Refusal(status, words=words)
        for old, value in entered.items():
            if value is not None:
                put(call.body, old, value)

    def change(row):
        for old, new in names.items():
            if "." not in old and old in row:
                put(row, new, row.pop(old))

    pairs = ", ".join(f"{old} is {new}" for old, new in names.items())
    changes = f"{pairs} in {', '.join(operations)}"
    prefixes = [operation.partition(".")[0] for operation in operations]
    renames = dict.fromkeys(operations, names)
    hook = only(hook, *operations)
    answer = each(change, *prefixes)
    return Deviation(name, changes, client, words, request=hook, answer=answer, renames=renames)


def unique(kind, path, status, words):
    """A hook that refuses a value that another object has."""

    def hook(call, service):
        value = dig(call.body, path)
        if value is not None and any(
            dig(row, path) == value for row in service.rows[kind].values()
        ):
            raise Refusal(status, words=words)

    return hook


def reject(path, wrong, status, words):
    """A hook that refuses a value of a body for which `wrong` is true."""

    def hook(call, _service):
        value = dig(call.body or {}, path)
        if value is not None and wrong(value):
            raise Refusal(status, words=words)

    return hook


def is_page(body):
    """Whether a body is a page of a list."""
    return isinstance(body, list) or (isinstance(body, dict) and "has_next_page" in body)


def rows_of(body):
    """The objects of an answer: the rows of a page, or the object itself."""
    rows = body["data"] if is_page(body) and isinstance(body, dict) else body
    return rows if isinstance(rows, list) else [rows]


def single(wrap):
    """A hook that puts each single object of a 2xx answer into what `wrap(kind, body)` makes."""

    def hook(call, answer, _service):
        if answer.status < 300 and isinstance(answer.body, dict) and not is_page(answer.body):
            kind = call.operation.partition(".")[0].rstrip("s")
            answer.body = wrap(kind.replace("sandbox", "deposit"), answer.body)

    return hook


def page(shape):
    """A hook that gives pages another shape."""

    def hook(call, answer, _service):
        if answer.status < 300 and isinstance(answer.body, dict) and is_page(answer.body):
            kind = call.operation.partition(".")[0]
            answer.body = shape(kind, answer.body["data"], answer.body["cursor"])

    return hook


def each(change, *prefixes):
    """A hook that changes each object in 2xx answers of the operations that begin so."""

    def hook(call, answer, _service):
        wanted = not prefixes or call.operation.startswith(prefixes)
        if answer.status < 300 and answer.body and wanted:
            for row in rows_of(answer.body):
                change(row)

    return hook


def values(change):
    """A hook that changes each value inside 2xx answers: `change(name, value, object)`."""

    def walk(value):
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {name: change(name, walk(item), value) for name, item in value.items()}
        return value

    def hook(call, answer, _service):
        if answer.status < 300:
            answer.body = walk(answer.body)

    return hook


def status(old, new, *operations):
    """A hook that answers with another status of success."""

    def hook(_call, answer, _service):
        if answer.status == old:
            answer.status = new

    return only(hook, *operations) if operations else hook


def rename_answer(old, new):
    """A change of an object: a field has another name."""

    def change(row):
        if old in row:
            row[new] = row.pop(old)

    return change


def parameter(old, new):
    """A hook that knows a query parameter by another name, and ignores the old one."""

    def hook(call, _service):
        call.params.pop(old, None)
        if new in call.params:
            call.params[old] = call.params.pop(new)

    return hook


def both(*hooks):
    """One hook of several."""

    def hook(*arguments):
        for part in hooks:
            part(*arguments)

    return hook


def amounts_in(read):
    """A hook that reads amounts of requests: `read(value, currency)` is text or a refusal."""

    def hook(call, _service):
        body = call.body if isinstance(call.body, dict) else {}
        for name in MONEY.keys() & body.keys():
            currency = str(body.get(MONEY[name]) or "USD").upper()
            try:
                body[name] = read(body[name], currency)
            except Refusal as refusal:  # its words are about `amount`; the field has its own name
                refusal.words = json.loads(json.dumps(refusal.words).replace("amount", name))
                raise

    return hook


def in_minor_units(text, currency):
    """An amount as a whole number of the smallest unit."""
    return int(Decimal(text).scaleb(MINOR_UNITS.get(str(currency).upper(), 2)))


def amounts_out(write):
    """A hook that writes amounts of answers: `write(text, currency)`."""

    def change(name, value, parent):
        return write(value, parent[MONEY[name]]) if name in MONEY and value else value

    return values(change)


def camel_names(value):
    """The value with all its names in camelCase."""
    text = json.dumps(value)
    camel = re.sub(r'"(\w+)":', lambda m: re.sub("_(.)", lambda n: n[1].upper(), m[0]), text)
    return json.loads(camel)


def snake_names(value):
    """The value with all its names in snake_case."""
    text = json.dumps(value)
    snake = re.sub(r'"(\w+)":', lambda m: re.sub("[A-Z]", lambda n: "_" + n[0].lower(), m[0]), text)
    return json.loads(snake)
