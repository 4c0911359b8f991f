"""What a service may do in its own way, as plain data, and how deviations are laid over it."""

from copy import deepcopy

DEFAULTS = {
    "signing": {
        "query": "omit",  # or blank
        "key": "text",  # or hex, base64
        "hash": "hex",  # or base64
        "empty": "hash",  # or blank: of a request without a body
        "path": "whole",  # or unversioned
        "nonce": "optional",  # or required
        "status": 401,
    },
    "paths": {},  # operation: path
    "without": [],  # operations that do not exist
    "success": {},  # operation: status
    "empty": [],  # operations whose success has no body
    "names": {},  # operation: {dotted path of ours: last part of theirs}
    "extra": {},  # operation: fields that an answer has besides ours
    "details": {},  # "MX.bank_account": {"names", "needs", "words", "case"}
    "references": {"quote": "either", "account": "object"},  # object, id or either
    "needs": {},  # operation: fields that are required besides ours
    "wants": {},  # operation: fields that may be left out although we require them
    "unknown": "ignore",  # or refuse
    "currencies": "any",  # or upper, lower: in requests
    "amounts": {"requests": "text", "answers": "text"},  # or number
    "errors": {
        "style": "listed",
        "count": "all",  # or first
        "invalid": 400,
        "words": {
            "missing": "is required",
            "unknown": "is not a known field",
        },
        "path": "dotted",
    },
    "lists": {
        "*": {
            "items": "data",
            "more": "has_next_page",
            "cursor": "cursor",
            "array": False,
            "limit": "limit",
            "token": "cursor",
            "largest": 100,
            "default": 20,
            "over": "refuse",
            "order": "newest",
            "parameters": "ignore",  # unknown ones; or refuse
        },
        "webhook": {"array": True},
    },
    "rates": {"every": 0, "wait": 1.0, "header": "Retry-After", "unit": "seconds"},
    "seconds": {"verification": 1, "provisioning": 1, "payout": 1},
    "statuses": {},  # kind: {status of ours: status of theirs}
    "codes": [],  # status detail codes of a new individual besides ours
    "at_once": ["MX"],
    "key": "optional",  # or required: Idempotency-Key
    "deposit": "deposit",  # or conversion: what the sandbox deposit answers with
    "initial": "active",  # of an individual with payouts only
    "times": "text",
}


def dialect(changes):
    """The defaults with these changes laid over them, each a nested dict."""
    result = deepcopy(DEFAULTS)
    for change in changes:
        _lay(result, change)
    return result


def _lay(under, over):
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            _lay(under[key], value)
        elif isinstance(value, list) and isinstance(under.get(key), list):
            under[key] = value if key in ("at_once", "words") else [*under[key], *value]
        else:
            under[key] = deepcopy(value)


def keys_of(change, prefix=()):
    """Every leaf that a change sets, as a tuple of keys: two changes of one leaf conflict."""
    for key, value in change.items():
        if isinstance(value, dict) and value:
            yield from keys_of(value, (*prefix, key))
        else:
            yield (*prefix, key)
