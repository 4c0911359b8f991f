"""Deviations: how a live service may differ from what is assumed, as data.

A deviation can be followed when a setting of a client says it and an answer of the service leads
to that setting; `why` says what is missing otherwise. `harmless` ones need no setting.
"""

from dataclasses import dataclass

from .fields import NAMES, REQUIRED, SHAPES, WALLET, WORDS, details, names


@dataclass(frozen=True)
class Deviation:
    """Changes of the ways of the service, and whether a client can follow them."""

    group: str
    changes: tuple
    followable: bool = True
    harmless: bool = False
    why: str = ""
    mute: bool = False
    """Its refusals do not say what is wrong, so nothing else that is wrong can be found."""


def _errors(**change):
    return {"errors": change}


def _lists(name="*", **change):
    return {"lists": {name: change}}


def _signing(**change):
    return {"signing": change}


def _paths(**paths):
    return {"paths": {name.replace("__", "."): path for name, path in paths.items()}}


NO_KEY = "no setting names this"
NO_HINT = "a setting names it, but no answer leads to it"


PATHS = {
    "quotes-elsewhere": _paths(quote__create="POST /v1/payouts/quotes"),
    "quotes-estimates": _paths(quote__create="POST /v1/estimates"),
    "deposits-nested": _paths(deposit="POST /v1/conversion_accounts/{id}/deposits"),
    "deposits-simulate": _paths(deposit="POST /v1/simulate/deposit"),
    "accounts-kebab": _paths(
        conversion_account__create="POST /v1/conversion-accounts",
        conversion_account__list="GET /v1/conversion-accounts",
        conversion_account__get="GET /v1/conversion-accounts/{id}",
    ),
    "wallets-kebab": _paths(account__create="POST /v1/financial-accounts"),
    "images-kebab": _paths(
        images__upload="POST /v1/individuals/{id}/verification-images",
        images__read="GET /v1/individuals/{id}/verification-images",
    ),
    "webhooks-short": _paths(
        webhook__create="POST /v1/webhooks",
        webhook__list="GET /v1/webhooks",
        webhook__get="GET /v1/webhooks/{id}",
        webhook__delete="DELETE /v1/webhooks/{id}",
    ),
    "people-customers": _paths(
        individual__create="POST /v1/customers",
        individual__list="GET /v1/customers",
        individual__get="GET /v1/customers/{id}",
    ),
    "everything-kebab": _paths(
        account__create="POST /v1/financial-accounts",
        conversion_account__create="POST /v1/conversion-accounts",
        conversion_account__list="GET /v1/conversion-accounts",
        conversion_account__get="GET /v1/conversion-accounts/{id}",
        deposit="POST /v1/sandbox-deposits",
    ),
}

PAGES = {
    "pages-pagination": _lists(more="pagination.has_more", cursor="pagination.next"),
    "pages-meta": _lists(items="items", more="meta.more", cursor="meta.next_token"),
    "pages-results": _lists(items="results", cursor="next", more=None),
    "pages-arrays": _lists(array=True),
    "pages-resource-names": {
        "lists": {"transfer": {"items": "transfers"}, "individual": {"items": "individuals"}}
    },
    "pages-size-after": _lists(limit="page_size", token="after"),
    "pages-token-strict": _lists(cursor="next_token", token="next_token", parameters="refuse"),
    "pages-at-most-25": _lists(largest=25),
    "pages-at-most-60-transfers": _lists("transfer", largest=60),
}

SIGNING = {
    "sign-blank-line": _signing(query="blank"),
    "sign-key-hex": _signing(key="hex"),
    "sign-key-base64": _signing(key="base64"),
    "sign-hash-base64": _signing(hash="base64"),
    "sign-unversioned": _signing(path="unversioned"),
    "sign-empty-hash": _signing(empty="blank"),
    "sign-blank-line-403": _signing(query="blank", status=403),
}

WAITS = {
    "rate-reset-seconds": {"rates": {"every": 5, "wait": 1.0, "header": "X-RateLimit-Reset"}},
    "rate-reset-ms": {
        "rates": {"every": 5, "wait": 0.5, "header": "RateLimit-Reset", "unit": "milliseconds"}
    },
    "rate-reset-unix": {
        "rates": {"every": 6, "wait": 2.0, "header": "X-RateLimit-Reset", "unit": "unix_time"}
    },
    "rate-date": {"rates": {"every": 6, "wait": 2.0, "unit": "date"}},
}

MISSING = {
    "without-transfer-get": {"without": ["transfer.get"]},
    "without-individual-list": {"without": ["individual.list"]},
    "without-images-read": {"without": ["images.read"]},
    "without-quotes": {"without": ["quote.create"]},
    "without-webhooks": {
        "without": ["webhook.create", "webhook.list", "webhook.get", "webhook.delete"]
    },
    "without-account-list": {"without": ["conversion_account.list"]},
}

STATUSES = {
    "people-screening": {"statuses": {"individual": {"pending": "screening"}}},
    "transfers-queued": {"statuses": {"transfer": {"started": "in_flight"}}},
    "conversions-settling": {"statuses": {"conversion": {"started": "settling"}}},
    "accounts-opening": {"statuses": {"conversion_account": {"pending": "opening"}}},
    "codes-new": {"codes": ["verification_video_needed"]},
}

CREATED = {
    "created-200": {
        "success": dict.fromkeys(
            ("individual.create", "quote.create", "transfer.create", "webhook.create"), 200
        )
    },
    "deposit-202": {"success": {"deposit": 202}},
    "deposit-204": {"success": {"deposit": 204}, "empty": ["deposit"]},
    "delete-200": {"success": {"webhook.delete": 200}, "empty": ["webhook.delete"]},
    "people-202": {"success": {"individual.create": 202}},
}

FORMS = {
    "problem-wallet": ({"style": "problem", "count": "first"}, ["wallet-both"]),
    "problem-several": (
        {"style": "problem", "count": "first"},
        ["ph-three", "people-need-contact"],
    ),
    "invalid-params": ({"style": "invalid-params"}, ["quote-currencies"]),
    "json-api-first": ({"style": "json-api", "count": "first"}, ["pix-plain"]),
    "json-api-street": ({"style": "json-api"}, ["people-need-street"]),
    "message-two": (
        {"style": "message", "count": "first"},
        ["wallet-destination", "clabe-number"],
    ),
    "param": ({"style": "param", "count": "first"}, ["deposit-two"]),
    "by-field": ({"style": "by-field"}, ["account-two"]),
    "located": ({"style": "located"}, ["gb-short", "clabe-with-owner"]),
    "sentences": ({"style": "sentences"}, ["deposit-account", "networks-capitals"]),
    "violations": ({"style": "violations"}, ["issuers-codes"]),
    "bare-list": ({"style": "bare-list"}, ["account-needs-reference"]),
    "text": ({"style": "text", "count": "first"}, ["currencies-upper"]),
    "html-words": ({"style": "html-words", "count": "first"}, ["amounts-numbers"]),
    "brackets": ({"path": "brackets"}, ["people-need-street", "wallet-chain"]),
    "must-be-present": ({"words": {"missing": "must be present"}}, ["wallet-chain"]),
    "cannot-be-blank": ({"words": {"missing": "can't be blank"}}, ["quote-amount"]),
    "missing-field": ({"words": {"missing": "missing required field: {last}"}}, ["clabe-number"]),
    "property": (
        {"style": "message", "words": {"missing": "'{field}' is a required property"}},
        ["deposit-amount"],
    ),
    "unexpected": ({"words": {"unknown": "unexpected field"}}, ["unknown-refused", "wallet-both"]),
}
"""Error bodies, with the deviations that make the service refuse something."""

HARMLESS = {
    "extra-fields": {
        "extra": {kind: {"livemode": False, "tags": []} for kind in ("individual", "transfer")}
    },
    "unknown-refused": {"unknown": "refuse"},
    "deposit-answers-conversion": {"deposit": "conversion"},
    "slow-verification": {"seconds": {"verification": 40, "provisioning": 25, "payout": 20}},
    "all-at-once": {"at_once": ["MX", "PH"]},
    "none-at-once": {"at_once": []},
    "errors-problem": _errors(style="problem"),
    "errors-json-api": _errors(style="json-api"),
    "errors-html": _errors(style="html"),
    "errors-empty": _errors(style="empty"),
    "errors-text": _errors(style="text"),
    "sign-403": _signing(status=403),
    "nonce-required": _signing(nonce="required"),
    "rate-retry-after": {"rates": {"every": 5, "wait": 1.0}},
    "oldest-first": _lists(order="oldest"),
    "pages-cut": _lists(largest=50, over="cap"),
    "key-required": {"key": "required"},
    "status-422": _errors(invalid=422),
    "payouts-pending": {"initial": "pending"},
}

HOPELESS = {
    "people-camel-case": (
        names("individual.create", given_name="givenName", family_name="familyName"),
        NO_KEY,
    ),
    "transfer-source-amount": (
        {"without": ["quote.create"]} | names("transfer.create", source_amount="amount"),
        "the interface shows this name, so no setting changes it",
    ),
    "deposit-id-nested": (
        names("deposit", conversion_account_id="account.id"),
        "a name in a request is one level",
    ),
    "wallet-path-nested": (
        _paths(account__create="POST /v1/individuals/{id}/financial_accounts"),
        "the path of a new account holds no id",
    ),
    "pages-count-strict": (
        _lists(limit="count", token="start", parameters="refuse"),
        NO_HINT,
    ),
    "quotes-odd-noun": (_paths(quote__create="POST /v1/zephyr/9"), NO_HINT),
    "images-one-by-one": ({"needs": {"images.upload": ["side"]}}, NO_KEY),
    "people-need-tax-id": ({"needs": {"individual.create": ["tax_id"]}}, NO_KEY),
    "without-deposits": ({"without": ["deposit"]}, "no sandbox deposit, no conversion"),
    "mute-names": (
        details(WALLET, names={"address": "xpub"}) | _errors(style="empty"),
        "refusals say nothing",
    ),
    "html-names": (
        names("quote.create", source_amount="sum") | _errors(style="html"),
        "refusals say nothing",
    ),
}

MUTE = {"errors-html", "errors-empty"}
GROUPS = {
    "names": NAMES, "shapes": SHAPES, "words": WORDS, "required": REQUIRED, "paths": PATHS,
    "pages": PAGES, "signing": SIGNING, "rate limits": WAITS, "missing": MISSING,
    "statuses": STATUSES, "created": CREATED,
}  # fmt: skip
DEVIATIONS = {
    name: Deviation(group, (change,))
    for group, table in GROUPS.items()
    for name, change in table.items()
}
DEVIATIONS |= {
    name: Deviation("harmless", (change,), harmless=True, mute=name in MUTE)
    for name, change in HARMLESS.items()
}
DEVIATIONS |= {
    name: Deviation("hopeless", (change,), followable=False, why=why)
    for name, (change, why) in HOPELESS.items()
}


DEVIATIONS |= {
    f"errors-of-{name}": Deviation(
        "error bodies", ({"errors": errors}, *(DEVIATIONS[each].changes[0] for each in others))
    )
    for name, (errors, others) in FORMS.items()
}


def changes_of(names):
    """The changes of deviations."""
    return [change for name in names for change in DEVIATIONS[name].changes]
