"""What is true of each deviation of the third service, as settings; read from its own table."""

import re

from third_service.deviations import DEVIATIONS
from third_service.service import PATHS

TABLES = {
    "individuals.create": "individuals",
    "financial_accounts.create": "financial_accounts",
    "quotes.create": "quotes",
    "transfers.create": "transfers",
    "conversion_accounts.create": "conversion_accounts",
    "sandbox.deposit": "sandbox_deposits",
}
"""The table of settings with the names of the body of an operation."""
SIGNING = {
    "query_line": {"blank": ("empty_query", "blank")},
    "query_sorted": {True: ("query_order", "sorted")},
    "header_order": {
        "host;x-api-key;x-date;x-content-sha256;x-nonce": ("header_order", "sample"),
    },
    "port_signed": {False: ("signed_host", "portless")},
    "key": {"hex": ("key_encoding", "hex"), "base64": ("key_encoding", "base64")},
    "body_hash": {
        "base64": ("hash_encoding", "base64"),
        "hex, nothing for no body": ("empty_body", "blank"),
    },
    "signature": {"hex": ("signature", "hex"), "bytes in base64": ("signature", "base64")},
    "date_form": {form: ("date_form", form) for form in ("seconds", "compact", "unix")},
    "nonce": {"refused": ("nonce", "refused"), "required": ("nonce", "required")},
    "nonce_form": {"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": ("nonce_form", "uuid")},
    "base_path_signed": {False: ("base_path", "/api/pay")},
    "version_signed": {False: ("signed_path", "unversioned")},
}
"""A way to sign in the words of the third service, and as a setting."""
KINDS = {"sandbox_deposits": "deposit"}
LISTS = r"lists\.(individuals|transfers|conversion_accounts|conversions)\."
ITEM = r"objects\.(\w+)\.item"
SETTLED = {"needs_input", "approved", "awaiting_payment", "succeeded", "processing"}
UPPER = {"ACTIVE", "COMPLETED", "ACTION_REQUIRED", "AWAITING_FUNDS", "STARTED", "PENDING"}
OTHERS = {  # deviation: patterns of keys and of their values
    "envelope-data": {ITEM: "data"},
    "envelope-result": {ITEM: "result"},
    "envelope-kind": {ITEM: lambda kind: KINDS.get(kind, kind.removesuffix("s"))},
    "envelope-meta": {ITEM: "data"},
    "envelope-success": {ITEM: "payload"},
    "envelope-nested": {ITEM: "response.data"},
    "page-items": {f"{LISTS}items": "items"},
    "page-next-cursor": {f"{LISTS}more": "has_more", f"{LISTS}cursor": "next_cursor"},
    "page-nested": {
        f"{LISTS}items": "result.rows",
        f"{LISTS}more": "none",
        f"{LISTS}cursor": "paging.cursors.after",
    },
    "page-kind": {f"{LISTS}items": lambda kind: kind, f"{LISTS}more": "none"},
    "page-enveloped": {
        f"{LISTS}items": "data.data",
        f"{LISTS}more": "data.has_next_page",
        f"{LISTS}cursor": "data.cursor",
    },
    "page-bare": {f"{LISTS}items": "none"},
    "names-camel": {f"{LISTS}more": "hasNextPage"},
    "page-url": {f"{LISTS}more": "none"},
    "page-parameters": {
        f"{LISTS}limit_parameter": "page_size",
        f"{LISTS}cursor_parameter": "page_token",
    },
    "page-no-limit": {f"{LISTS}limit_parameter": "none"},
    "limit-50": {r"lists\.max_limit": 50},
    "invalid-422": {r"error_codes\.validation": 422},
    "amounts-number": {r"amounts\.requests": "number"},
    "amounts-minor": {r"amounts\.answers": "number"},
    "amounts-answered-as-numbers": {r"amounts\.answers": "number"},
    "currencies-upper": {r"currencies\.case": "upper"},
    "currencies-lower": {r"currencies\.case": "lower"},
    "words-status": {r"statuses\.\w+": SETTLED},
    "words-status-upper": {r"statuses\.\w+": UPPER},
    "words-networks": {r".*crypto_wallet\.allowed": {"base_sepolia", "ethereum_sepolia"}},
    "words-pix": {r".*BR\.pix\.allowed": {"CPF", "CNPJ", "EMAIL", "PHONE", "EVP"}},
    "words-issuers": {r".*PH\.\w+\.allowed": {"BOPIPHMM", "BNORPHMM", "GXCHPHM2"}},
    "renamed-expiry": {r"quotes\.fields\.expires_at": "valid_until"},
    "created-200": {r"success_codes\.\w+": 200},
    "created-202": {r"success_codes\.\w+": 202},
    "deleted-200": {r"success_codes\.webhook_subscription": 200},
    "key-every-post": {r"idempotency\.operations": "every_post"},
    "key-other-name": {r"idempotency\.header": "X-Request-Key"},
}


def false_values(name, declared):
    """The settings of a file that are not true of a deviation."""
    deviation = DEVIATIONS[name]
    checks = (is_renamed, is_required, is_constant, is_path, is_signing, is_other)
    return {
        key: value
        for key, value in declared.items()
        if not any(check(deviation, key, value) for check in checks)
    }


def leaves(body, at=""):
    """The dotted places of a body and their values."""
    for name, value in body.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def is_renamed(deviation, key, value):
    """Whether a field has this name in an operation."""
    for operation, names in deviation.renames.items():
        for ours, theirs in names.items():
            field = ours.removeprefix("details.").replace(".", "_")
            table = TABLES.get(operation, "-")
            is_detail = ours.startswith("details.")
            if key.startswith(f"{table}.") and key.endswith(f".fields.{field}"):
                return value == (theirs.removeprefix("details.") if is_detail else theirs)
    return False


def is_required(deviation, key, value):
    """Whether an operation needs each further field of a list of required ones."""
    table, _, rest = key.partition(".")
    places = {
        place.removeprefix("details.")
        for operation, body in deviation.values.items()
        if TABLES.get(operation) == table
        for place, _ in leaves(body)
    }
    heads = {place.partition(".")[0] for place in places}
    usual = {"address", "network", "product_types", "given_name", "family_name", "country"}
    return rest.endswith("required") and {*value} <= usual | places | heads


def is_constant(deviation, key, value):
    """Whether each constant field is one that its operation needs."""
    needed = {
        (operation, place)
        for operation, body in deviation.values.items()
        for place, _ in leaves(body)
    }
    sent = (
        {(operation, place) for operation, body in value.items() for place, _ in leaves(body)}
        if (key == "extra")
        else {("", "")}
    )
    return sent <= needed


def is_path(deviation, key, value):
    """Whether the service has this path, and the specification's is another."""
    moved = {template for _, template in deviation.settings.get("paths", {}).values()}
    return key.startswith("paths.") and value in moved - {path for _, path in PATHS.values()}


def is_signing(deviation, key, value):
    """Whether requests are signed in this way."""
    pairs = [
        SIGNING[name][option]
        for name, option in deviation.settings.items()
        if name in SIGNING and option in SIGNING[name]
    ]
    if deviation.settings.get("signature_status") == value:
        return key == "error_codes.signature"
    return key.startswith("signing.") and (key.partition(".")[2], value) in pairs


def is_other(deviation, key, value):
    """Whether the table of other deviations has the value."""
    for pattern, wanted in OTHERS.get(deviation.name, {}).items():
        if match := re.fullmatch(pattern, key):
            if callable(wanted):
                return value == wanted(match[1])
            return {*value} <= wanted if isinstance(wanted, set) else value == wanted
    return False
