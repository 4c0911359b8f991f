"""A simulator follows every setting of its service, as raw requests and answers show."""

from __future__ import annotations

import itertools
import json
import re
import socket
from base64 import b64encode
from collections import Counter
from contextlib import closing
from functools import partial
from threading import Event, Thread
from zlib import crc32

import pytest
import service_keys as look

from paylab.errors import Problem, SimulatorError
from paylab.simulator.messages import RefusedError
from paylab.simulator.refusals import refusal_reply
from paylab.simulator.simulator import Simulator
from paylab.spec.error_body import read_error
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys

KEYS = setting_keys()

NOT_FOLLOWED = {
    "statuses.individuals": "the simulator knows no moves to such a status",
    "statuses.transfers": "the simulator knows no moves to such a status",
    "statuses.conversions": "the simulator knows no moves to such a status",
    "statuses.conversion_accounts": "the simulator knows no moves to such a status",
    "extra": "tested with constants, below",
    "webhooks.timeout": "tested with a receiver that is slow, below",
}
"""Settings that no test in this file reads from the simulator, each with the reason."""

ANSWERED = {
    "individuals": (
        *("product_types", "given_name", "family_name", "country", "phone", "date_of_birth"),
        "idv_consent_recorded_at",
    ),
    "quotes": (
        *("source_amount", "destination_amount", "net_source_amount", "source_currency"),
        *("destination_currency", "source_network", "payout_method"),
        *("recipient_id", "derived_source_amount", "exchange_rate", "total_fee", "fee_currency"),
        *("total_tax", "tax_currency", "expires_at", "created_at"),
    ),
    "transfers": (
        *("client_reference_id", "source_amount", "destination_amount", "net_source_amount"),
        *("source_currency", "destination_currency", "payout_method"),
    ),
    "conversion_accounts": (
        *("individual_id", "source_currency", "destination_currency", "client_reference_id"),
    ),
    "sandbox_deposits": (
        *("conversion_account_id", "amount", "currency", "sender_name", "created_at"),
    ),
}
"""The fields of an answer; only transfers keep their own names when the request has others."""

ONLY_ANSWERED = {
    *("recipient_id", "derived_source_amount", "exchange_rate", "total_fee", "fee_currency"),
    *("total_tax", "tax_currency", "expires_at", "created_at"),
}
INDIVIDUAL = (
    *("product_types", "given_name", "family_name", "country", "email", "phone", "address"),
    *("date_of_birth", "idv_consent_recorded_at", "document", "financial_accounts"),
    *(f"address.{name}" for name in ("country", *look.ADDRESS)),
)


def started(make, key, value, **options):
    """A client of a simulator with one setting changed, and others that it depends on."""
    parts = key.split(".")
    needed = {"paths.conversion": "/v1/conversions/{id}"} if parts[0] == "objects" else {}
    if parts[:2] == ["lists", "webhook_subscriptions"] and parts[2] != "items":
        needed = {"lists.webhook_subscriptions.items": "data"}
    return make(service=Service({**needed, key: value}), **options)


def observed(caller, key, value, sent):
    """The value of a setting, observed from outside; `value` is the one that was set."""
    candidates = list(dict.fromkeys((*usual_values(KEYS[key]), value)))
    seen, parts = reader_of(key)
    return seen(caller, key, candidates, sent, *parts)


def words(candidates):
    """All values in several lists."""
    return list(dict.fromkeys(word for each in candidates for word in each))


def field_of_details(caller, _key, candidates, _sent, place, ours):
    """The name of a field of an account's details."""
    return look.field_name(caller, place, ours, candidates)


def field_of_request(caller, _key, candidates, _sent, table, ours):
    """The name of a field in a request; check whether the answer has the same name."""
    if ours in ONLY_ANSWERED:
        return look.answer_name(caller, table, candidates)
    found, answer = look.request_name(caller, table, ours, candidates)
    assert (found in answer) == (ours in ANSWERED.get(table, ()))
    return found


def required_details(caller, _key, candidates, _sent, place):
    """The required fields of account details."""
    who = look.owner(caller, look.country_of(place)[0])
    body = look.DETAILS[place] | {"label": "mine"}
    names = words([*candidates, body])
    return look.required(caller, body, lambda each: look.account(caller, place, each, who), names)


def allowed_words(caller, key, candidates, _sent, place):
    """The accepted values of a field of account details."""
    return look.allowed(caller, place, KEYS[key].field, words(candidates))


def required_of_people(caller, key, _candidates, _sent):
    """The required fields of every individual, or the additional ones of a ramp individual."""
    ramp = key.endswith("ramp_required")
    body = look.person("MX", "on_ramp" if ramp else "global_payouts")
    body |= {"financial_accounts": []}
    found = look.required(
        caller, body, lambda each: look.posted(caller, "individuals", each), INDIVIDUAL
    )
    usual = {
        "product_types",
        "given_name",
        "family_name",
        "country",
        "address",
        "phone",
        "document",
    }
    return found - usual - {"date_of_birth", "idv_consent_recorded_at"} if ramp else found


def listed(caller, _key, candidates, _sent, name, setting):  # noqa: PLR0911 - a setting each
    """The value of a setting of one list."""
    if setting == "order":
        return look.order(caller, name)
    if setting == "default_limit":
        return len(look.rows_of(caller.get(look.filled(caller, name, 60))))
    target = look.filled(caller, name)
    answer = caller.get(f"{target}?limit=1")
    if setting == "limit_parameter":
        sizes = {each: len(look.rows_of(caller.get(f"{target}?{each}=1"))) for each in candidates}
        return next((each for each, size in sizes.items() if size == 1), "none")
    if setting == "cursor_parameter":
        cursor, first = answer["cursor"], look.rows_of(answer)
        pages = {each: caller.get(f"{target}?limit=1&{each}={cursor}") for each in candidates}
        return next(each for each, page in pages.items() if look.rows_of(page) != first)
    if setting in ("max_limit", "over_limit"):
        return largest(caller, target, setting, candidates)
    if setting == "items" and isinstance(answer.json, list):
        return "none"
    kind = {"items": list, "more": bool, "cursor": str}[setting]
    return look.find(answer.json, lambda value: isinstance(value, kind))


def largest(caller, target, setting, candidates):
    """The maximum limit, or the effect of a larger limit."""
    statuses = {
        n: caller.get(f"{target}?limit={n}").status for n in (101, *candidates) if type(n) is int
    }
    if setting == "over_limit":
        return {200: "cap", 400: "refuse"}[statuses[101]]
    refused = {n: caller.get(f"{target}?limit={n + 1}").status for n in candidates}
    return next(n for n in candidates if (statuses[n], refused[n]) == (200, 400))


def usual_list(caller, key, candidates, sent, setting):
    """The value of a setting of all lists, observed on the transfers."""
    return listed(caller, key, candidates, sent, "transfers", setting)


def rail(caller, _key, candidates, _sent, country):
    """The accepted payout methods to an account in a country."""
    place = {"BR": "BR.pix", "IN": "IN.upi"}.get(country, f"{country}.bank_account")
    body = look.terms(caller, place)
    sent = {
        each: look.posted(caller, "quotes", body | {"payout_method": each})
        for each in words(candidates)
    }
    return [each for each, answer in sent.items() if answer.status == 201]


def instruction(caller, _key, candidates, _sent, kind):
    """The name of a field of deposit instructions."""
    details = look.instructions(caller, kind)["deposit_instructions"]["details"]
    return next(each for each in candidates if each in details)


def event_field(caller, key, candidates, sent):
    """The name of a field or header of a delivery."""
    body, headers, raw = look.delivered(caller, sent)
    name = key.rpartition(".")[2]
    if name == "signature_header":
        signed = look.hmac.new(caller.simulator.secret_key.encode(), raw, "sha256").hexdigest()
        return next((each for each, value in headers.items() if value == signed), "none")
    if name == "type_field":
        return look.find(body, lambda value: value == "transfer.created")
    if name == "payload_field":
        return look.find(body, lambda value: isinstance(value, dict) and "status" in value)
    return next((each for each in candidates if str(body.get(each)).startswith("ev_")), "none")


def delays(caller, _key, _candidates, _sent):
    """The seconds between the attempts of a failing delivery."""
    look.posted(caller, "webhook_subscriptions", look.SUBSCRIPTION)
    look.posted(caller, "transfers", look.terms(caller))
    caller.advance(1_000_000)
    at = [each["at"] for each in caller.get("/_simulator/deliveries").json]
    return [look.seconds_between(*pair) for pair in itertools.pairwise(at)]


def retry_order(caller, _key, _candidates, _sent):
    """Whether a later event of a transfer is delivered before an earlier one that failed."""
    types = {"event_types": ["transfer.created", "transfer.funded"]}
    look.posted(caller, "webhook_subscriptions", look.SUBSCRIPTION | types)
    look.posted(caller, "transfers", look.terms(caller))
    caller.advance(2)
    attempts = [each["event_type"] for each in caller.get("/_simulator/deliveries").json]
    return "independent" if "transfer.funded" in attempts else "in_order"


def one_of(test):
    """An observer of the only candidate that meets a condition, `test(caller, candidate)`."""
    return lambda caller, key, candidates, sent: next(
        (each for each in candidates if test(caller, each)), "none"
    )


def seen(value):
    """An observer that calls `value(caller)`."""
    return lambda caller, key, candidates, sent: value(caller)


def posting(target, body):
    """An observer of the status of a POST."""
    return seen(lambda caller: look.posted(caller, target, body(caller)).status)


def every(test):
    """An observer of all values that meet a condition."""
    return lambda caller, key, candidates, sent: [
        word for word in words(candidates) if test(caller, word)
    ]


PLAIN = {"transfers": look.terms, "conversion_accounts": look.opening}


def update(caller):
    """Whether an update merges or replaces the details."""
    made = look.account(caller, "GB.bank_account").json["id"]
    body = {"details": {"sort_code": "654321"}}
    answer = look.posted(caller, f"financial_accounts/{made}", body)
    return {201: "merge", 400: "replace"}[answer.status]


def place_of_id(caller, key, candidates, _sent, table):
    """Where a body has the id of an object: in an object or alone, and under which names."""
    target, make = PLACED[table]
    body = make(caller)
    head = key.rpartition(".")[2].removesuffix("_id")
    outer = head if head in body else f"{head}_id"
    id_ = body.pop(outer)
    id_ = id_["id"] if isinstance(id_, dict) else id_
    fields = {*look.posted(caller, target, body).fields}
    place = next(each for each in candidates if fields & {each, each.removesuffix(".id")})
    assert look.good(look.posted(caller, target, body | look.placed(place, id_)).status)
    return place


PLACED = {
    **look.BODIES,
    "financial_accounts": (
        "financial_accounts",
        lambda caller: {
            "individual_id": look.owner(caller),
            "type": "bank_account",
            "details": look.DETAILS["MX.bank_account"],
        },
    ),
}


MADE = {
    "individuals": ("individuals", lambda caller: look.person()),
    "financial_accounts": PLACED["financial_accounts"],
    "quotes": look.BODIES["quotes"],
    "transfers": look.BODIES["transfers"],
    "conversion_accounts": look.BODIES["conversion_accounts"],
    "sandbox_deposits": look.BODIES["sandbox_deposits"],
    "webhook_subscriptions": ("webhook_subscriptions", lambda caller: look.SUBSCRIPTION),
}


def item(caller, _key, candidates, _sent, resource):
    """Under which key the answer to a creation, and to a GET, holds the object."""
    if resource == "conversions":
        return item_of_conversion(caller)
    target, make = MADE[resource]
    return item_of(look.posted(caller, target, make(caller)).json)


def item_of(body):
    """The place of the object that has an id of its own, or "none"."""
    return (
        look.find(body, lambda value: isinstance(value, dict) and "created_at" in value) or "none"
    )


def item_of_conversion(caller):
    """The same of a conversion, which only a GET reads."""
    look.posted(caller, "sandbox/deposits", look.paying(caller))
    (row,) = caller.get("/v1/conversions").json["data"]
    return item_of(caller.get(f"/v1/conversions/{row['id']}").json)


def missing(caller):
    """What an individual does without status_details, and a transfer that is not completed."""
    person = look.posted(caller, "individuals", look.person()).json
    transfer = look.posted(caller, "transfers", look.terms(caller)).json
    kinds = ("status_details" in person, "completed_in" in transfer)
    return {(False, False): "absent", (True, True): "null"}.get(kinds, "as_specified")


def missing_in_transfers(caller):
    """What a transfer does without completed_in, while individuals leave out their fields."""
    person = look.posted(caller, "individuals", look.person()).json
    transfer = look.posted(caller, "transfers", look.terms(caller)).json
    assert "status_details" not in person
    return "null" if "completed_in" in transfer else "absent"


def keyed_operations(caller):
    """Whether a POST of an individual is replayed under its Idempotency-Key."""
    made = [look.posted(caller, "individuals", look.person(), **look.KEY)["id"] for _ in range(2)]
    return "every_post" if len(set(made)) == 1 else "as_specified"


def key_header(caller):
    """The header that makes a second transfer the first one."""
    body = look.terms(caller, client_reference_id="r")
    found = []
    for name in ("Idempotency-Key", *KEYS["idempotency.header"].others):
        key = {name.lower().replace("-", "_"): look.UUID}
        made = [look.posted(caller, "transfers", body, **key)["id"] for _ in range(2)]
        found += [name] if made[0] == made[1] else []
    return found[0] if len(found) == 1 else found


def default_currency(caller):
    """The default source currency of a quote."""
    body = look.without(look.terms(caller), "source_currency") | {"source_network": "base"}
    answer = look.posted(caller, "quotes", body)
    return answer["source_currency"].lower() if answer.status == 201 else "none"


def default_coin(caller, key):
    """The default destination currency of a conversion account; answers hide its case."""
    answer = look.posted(caller, "conversion_accounts", look.opening(caller))
    if answer.status != 201:
        return "none"
    known = caller.simulator.world.service.value(key)
    return known if answer["destination_currency"] == str(known).upper() else None


def deadline(caller):
    """The hours until the deposit deadline of a transfer."""
    made = look.posted(caller, "transfers", look.off_ramp(caller, source_type="deposit")).json
    seconds = look.seconds_between(made["created_at"], made["deposit_instructions"]["deadline"])
    return seconds / 3600


def is_code(caller, code):
    """Whether a verification can end with this status detail code."""
    return look.status_after(caller, code.replace("_", " ")) == "action_required"


def amount_form(caller):
    """Whether amounts in requests must be text or numbers."""
    body, found = look.terms(caller), []
    for form, amount in (("text", "100.10"), ("number", 100.10)):
        answer = look.posted(caller, "quotes", body | {"source_amount": amount})
        found += [form] if answer.status == 201 and answer["source_amount"] == "100.10" else []
    return found[0] if len(found) == 1 else found


def base_path(caller):
    """The path in front of the others that is not signed: signed with it, a request is refused."""
    return {401: "/payments", 404: "none"}[caller.get("/payments/v1/transfers").status]


def nonce(caller):
    """Whether a request has to have a nonce, may have one, or must have none."""
    with_and_without = look.signed(caller), look.signed(caller, nonce="")
    return {(200, 200): "optional", (200, 401): "required", (401, 200): "refused"}[with_and_without]


HASH_FORMS = {
    "hex": {},
    "base64": {"body_hash": b64encode(bytes.fromhex(look.EMPTY_HASH)).decode()},
}
EMPTY_FORMS = {"hash": {}, "blank": {"body_hash": ""}}
SIGNATURE_FORMS = {
    "base64_hex": {},
    "hex": {"finish": bytes.hex},
    "base64": {"finish": lambda mac: b64encode(mac).decode()},
}
DATE_FORMS = {
    "milliseconds": {},
    "seconds": {"date": "{:%Y-%m-%dT%H:%M:%SZ}".format},
    "compact": {"date": "{:%Y%m%dT%H%M%SZ}".format},
    "unix": {"date": lambda moment: f"{moment.timestamp():.0f}"},
}
ORDERS = {
    "sorted": {},
    "sample": {
        "order": lambda names: ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce"]
    },
}
QUERY = {"query": "product_type=off_ramp&limit=2"}
QUERY_ORDERS = {"sent": QUERY, "sorted": {**QUERY, "signed_query": "limit=2&product_type=off_ramp"}}
HOSTS = {"whole": {}, "portless": {"host": "simulator.localhost"}}
PATH_FORMS = {"whole": {}, "unversioned": {"path": "/transfers"}}
SEEN = (
    (r"paths\..+", lambda caller, key, candidates, sent: look.path(caller, key, candidates)),
    (
        r"signing\.empty_query",
        seen(lambda caller: "blank" if look.signed(caller, blank=True) == 200 else "omit"),
    ),
    (r"signing\.key_encoding", seen(look.key_encoding)),
    (
        r"signing\.nonce",
        seen(nonce),
    ),
    (r"signing\.hash_encoding", seen(partial(look.form_of, variants=HASH_FORMS))),
    (r"signing\.empty_body", seen(partial(look.form_of, variants=EMPTY_FORMS))),
    (r"signing\.signature", seen(partial(look.form_of, variants=SIGNATURE_FORMS))),
    (r"signing\.date_form", seen(partial(look.form_of, variants=DATE_FORMS))),
    (r"signing\.header_order", seen(partial(look.form_of, variants=ORDERS))),
    (r"signing\.query_order", seen(partial(look.form_of, variants=QUERY_ORDERS))),
    (r"signing\.signed_host", seen(partial(look.form_of, variants=HOSTS))),
    (
        r"signing\.nonce_form",
        seen(lambda caller: "digits" if look.signed(caller) == 200 else "uuid"),
    ),
    (r"signing\.base_path", seen(base_path)),
    (r"signing\.signed_path", seen(partial(look.form_of, variants=PATH_FORMS))),
    (r"signing\.tolerance", lambda caller, k, candidates, s: look.tolerance(caller, candidates)),
    (r"error_codes\.signature", seen(lambda caller: look.signed(caller, sign=False))),
    (r"error_codes\.validation", posting("quotes", lambda caller: {})),
    (r"error_codes\.state", seen(look.state)),
    (
        r"errors\.words",
        seen(
            lambda caller: look.find(
                caller.get("/v1/nowhere").json, lambda text: text == "the path does not exist"
            )
        ),
    ),
    (
        r"errors\.problems",
        seen(
            lambda caller: look.find(
                look.posted(caller, "individuals", {}).json, lambda value: isinstance(value, list)
            )
        ),
    ),
    (
        r"errors\.field",
        seen(lambda caller: look.find(look.problem(caller)[0][0], lambda v: v == "document.type")),
    ),
    (
        r"errors\.message",
        seen(lambda caller: look.find(look.problem(caller)[0][0], lambda v: v == "is required")),
    ),
    (r"errors\.list_form", seen(look.list_form)),
    (r"errors\.field_form", seen(look.field_form)),
    (
        r"rate_limits\.header",
        one_of(lambda caller, name: name.lower() == look.limited(caller)[0]),
    ),
    (r"rate_limits\.unit", seen(look.unit)),
    (r"currencies\.case", seen(look.case)),
    (r"success_codes\.individuals", posting("individuals", lambda caller: look.person())),
    (r"success_codes\.quotes", posting("quotes", look.terms)),
    (r"success_codes\.transfers", posting("transfers", look.terms)),
    (r"success_codes\.sandbox_deposits", posting("sandbox/deposits", look.paying)),
    (
        r"success_codes\.webhook_subscriptions",
        posting("webhook_subscriptions", lambda caller: look.SUBSCRIPTION),
    ),
    (
        r"success_codes\.webhook_subscription",
        seen(
            lambda caller: (
                caller.delete(
                    "/v1/webhook_subscriptions/"
                    + look.posted(caller, "webhook_subscriptions", look.SUBSCRIPTION)["id"]
                ).status
            )
        ),
    ),
    (r"individuals\.(?:ramp_)?required", required_of_people),
    (
        r"individuals\.initial_status",
        seen(lambda caller: look.posted(caller, "individuals", look.person())["status"]),
    ),
    (
        r"verification\.terminal_codes",
        every(lambda caller, code: look.status_after(caller, code.replace("_", " ")) == "rejected"),
    ),
    (
        r"verification\.one_sided_documents",
        every(
            lambda caller, kind: (
                "verification_back_image_needed"
                not in look.asked_for(caller, {"curp": "MX", "tin": "PH"}.get(kind, "GB"), kind)
            )
        ),
    ),
    (
        r"verification\.token_countries",
        every(
            lambda caller, country: look.asked_for(caller, country) == {"verification_token_needed"}
        ),
    ),
    (r"verification\.provider", lambda caller, k, each, s: look.provider(caller, each)),
    (r"financial_accounts\.(.+)\.required", required_details),
    (r"financial_accounts\.(.+)\.allowed", allowed_words),
    (r"financial_accounts\.update", seen(update)),
    (r"(quotes|transfers)\.fields\.financial_account_id", place_of_id),
    (r"(conversion_accounts)\.fields\.(?:payout_account|individual)_id", place_of_id),
    (r"(financial_accounts)\.fields\.individual_id", place_of_id),
    (r"financial_accounts\.(.+)\.fields\.(.+)", field_of_details),
    (r"quotes\.default_source_currency", seen(default_currency)),
    (
        r"quotes\.lifetime",
        seen(
            lambda caller: look.seconds_between(
                *map(
                    look.posted(caller, "quotes", look.terms(caller)).json.get,
                    ("created_at", "expires_at"),
                )
            )
        ),
    ),
    (
        r"(individuals|quotes|transfers|conversion_accounts|sandbox_deposits)\.fields\.(.+)",
        field_of_request,
    ),
    (
        r"(transfers|conversion_accounts)\.required",
        lambda caller, k, c, s, table: {
            each["field"]
            for each in look.posted(caller, table, PLAIN[table](caller)).json.get("errors", [])
        },
    ),
    (
        r"(transfers|conversion_accounts)\.max_reference",
        lambda caller, k, candidates, s, table: look.longest(caller, table, candidates),
    ),
    (r"transfers\.deadline_hours", seen(deadline)),
    (r"transfers\.default_network", seen(look.default_network)),
    (
        r"conversion_accounts\.default_destination_currency",
        lambda caller, key, candidates, s: default_coin(caller, key),
    ),
    (
        r"conversion_accounts\.at_once",
        every(
            lambda caller, country: (
                look.posted(caller, "conversion_accounts", look.opening(caller, country)).status
                == 201
            )
        ),
    ),
    (r"statuses\.detail_codes", every(is_code)),
    (
        r"webhooks\.event_types",
        every(
            lambda caller, kind: (
                look.posted(
                    caller, "webhook_subscriptions", look.SUBSCRIPTION | {"event_types": [kind]}
                ).status
                == 201
            )
        ),
    ),
    (r"webhooks\.delays", delays),
    (r"webhooks\.order", retry_order),
    (r"webhooks\..+", event_field),
    (r"idempotency\.stored", seen(lambda caller: {200, *look.stored(caller)})),
    (r"idempotency\.header", seen(key_header)),
    (r"idempotency\.operations", seen(keyed_operations)),
    (
        r"idempotency\.key",
        seen(
            lambda caller: {201: "optional", 400: "required"}[
                look.posted(caller, "transfers", look.terms(caller)).status
            ]
        ),
    ),
    (r"sandbox_deposits\.missing_sender", seen(look.missing_sender)),
    (r"deposit_instructions\.(.+)\.fields\..+", instruction),
    (
        r"requests\.unknown_fields",
        seen(
            lambda caller: {201: "ignore", 400: "refuse"}[
                look.posted(caller, "individuals", look.person(nickname="A")).status
            ]
        ),
    ),
    (r"rails\.(.+)", rail),
    (r"amounts\.requests", seen(amount_form)),
    (
        r"amounts\.answers",
        seen(
            lambda caller: {str: "text", int: "number", float: "number"}[
                type(look.posted(caller, "quotes", look.terms(caller))["source_amount"])
            ]
        ),
    ),
    (r"objects\.missing", seen(missing)),
    (r"transfers\.missing", seen(missing_in_transfers)),
    (r"objects\.item", lambda caller, k, c, s: item(caller, k, c, s, "individuals")),
    (r"objects\.(\w+)\.item", item),
    (r"lists\.(\w+)\.(\w+)", listed),
    (r"lists\.(\w+)", usual_list),
)
"""Pattern of the key and function that reads the setting; the first match is used."""


SAMPLE = 4
"""Cases of each way of reading a setting, besides limits; `-m whole_table` runs all."""


def reader_of(key):
    """The function that reads a setting, and the parts of the key that its pattern found."""
    for pattern, seen in SEEN:
        if match := re.fullmatch(pattern, key):
            return seen, match.groups()
    raise AssertionError(f"no test sees {key}: add it to SEEN, or to NOT_FOLLOWED with the reason")


LIMITS_NOT_SEEN = {
    "lists.default_limit": "a page is never longer than lists.max_limit",
    "idempotency.stored": "no operation answers with 299",
    "individuals.ramp_required": "most of these fields are required without the setting",
    "verification.token_countries": "many countries have no ramp",
    "conversion_accounts.at_once": "many countries have no on-ramp",
}
"""Settings whose limits no answer shows, each with the reason."""


def limits_of(key):
    """The least and the most number that a setting takes; of a list, all words or numbers."""
    if key.name in LIMITS_NOT_SEEN:
        return ()
    if key.kind == "words":
        return (key.limit.words,) if key.limit.words else ()
    if key.kind not in ("integer", "integers"):
        return ()
    limits = (key.limit.least, key.limit.most)
    return limits if key.kind == "integer" else (limits,)


def usual_values(key):
    """The default of a setting and its other values."""
    return (Service().value(key.name), *key.others)


def cases():
    """Each setting that is followed, with its default, its other values and its limits."""
    found = {
        f"{name}={value}": (name, value)
        for name, key in KEYS.items()
        if name not in NOT_FOLLOWED
        for value in (*usual_values(key), *limits_of(key))
    }
    read = Counter()
    for label in sorted(found, key=lambda label: crc32(label.encode())):
        key = found[label][0]
        pattern = next((each for each, _ in SEEN if re.fullmatch(each, key)), key)
        read[pattern] += 1
        is_always_run = read[pattern] <= SAMPLE or found[label][1] in limits_of(KEYS[key])
        marks = [] if is_always_run else [pytest.mark.whole_table]
        yield pytest.param(*found[label], id=label, marks=marks)


@pytest.mark.parametrize(("key", "value"), list(cases()))
def test_the_value_observed_from_outside_is_the_value_of_the_setting(make, key, value):
    """The value observed from outside is the value of the setting."""
    sent = []

    def receive(url, body, headers=None):
        sent.append((body, headers or {}))
        return 500

    caller = started(make, key, value, send=receive)
    found = observed(caller, key, value, sent)
    if isinstance(value, tuple):
        found, value = set(found), set(value)
    assert found == value, f"is the first pattern in SEEN that fits {key} the right one?"


def test_what_is_not_followed_is_a_setting():
    """Every setting either has a test here or a reason in NOT_FOLLOWED."""
    followed = {case.values[0] for case in cases()}
    assert followed | NOT_FOLLOWED.keys() == KEYS.keys()
    assert not followed & NOT_FOLLOWED.keys()


OTHERS = {
    "financial_accounts.MX.bank_account.fields.clabe": "account_number",
    "financial_accounts.crypto_wallet.fields.address": "wallet_address",
    "quotes.fields.source_amount": "amount",
    "conversion_accounts.fields.payout_account_id": "destination_account.id",
    "errors.field_form": "pointer",
}


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("individuals", look.person(financial_accounts=[{"type": "bank_account", "details": {}}]),
         ["/financial_accounts/0/details/account_number"]),
        ("quotes", {"destination_currency": "mxn", "payout_method": "spei"},
         ["/financial_account", "/amount"]),
        ("conversion_accounts", {},
         ["/individual_id", "/destination_account/id", "/source_currency"]),
    ],
)  # fmt: skip
def test_refusals_name_the_fields_of_the_service(make, path, body, fields):
    """An error names a field by the name that the service uses."""
    answer = look.posted(make(service=Service(OTHERS)), path, body)
    assert [each["field"] for each in answer.json["errors"]] == fields
    assert not re.search(r"\bsource_amount\b", answer.json["error"])


def test_a_field_is_not_taken_under_paylabs_own_name(make):
    """A renamed field is not accepted under paylab's own name."""
    caller = make(service=Service(OTHERS))
    answer = look.account(caller, "MX.bank_account")
    assert (answer.status, list(answer.fields)) == (400, ["/details/account_number"])


CONSTANTS = {"quotes.create": {"purpose": "P01", "meta": {"source": {"app": "x"}}}}


@pytest.mark.parametrize(
    ("more", "fields"),
    [
        ({"purpose": "P01", "meta": {"source": {"app": "x"}}}, set()),
        ({"purpose": "P02", "meta": {"source": {"app": "y"}}}, set()),
        ({"purpose": "P01", "meta": {"source": {}}}, {"meta.source.app"}),
        ({}, {"purpose", "meta"}),
    ],
)
def test_constant_fields_are_required_and_known(make, more, fields):
    """A body without a constant field is refused; a strict simulator knows them at any depth."""
    caller = make(service=Service({"extra": CONSTANTS}), strict=True)
    answer = look.posted(caller, "quotes", look.terms(caller) | more)
    assert (answer.status, {*answer.fields}) == ((400, fields) if fields else (201, set()))


def test_over_http_the_paths_of_the_service_apply(serve):
    """Over HTTP the paths of the service apply; the default paths return 405 or 404."""
    service = Service({"paths.quotes": "none", "paths.transfers": "/v1/payouts/all"})
    caller = serve(service=service)
    listed, old = caller.get("/v1/payouts/all"), caller.get("/v1/transfers")
    assert (listed.status, listed["data"]) == (200, [])
    assert (old.status, old.json) == (405, {"error": "this path takes POST"})
    assert old.headers["allow"] == "POST"
    gone = caller.post("/v1/quotes", {})
    assert (gone.status, gone.json) == (404, {"error": "the path does not exist"})


@pytest.mark.parametrize("body", [None, {"paths.quotes": "/v1/quote"}])
def test_a_snapshot_of_another_service_is_refused(make, body):
    """A snapshot made with other settings is refused and names them; with the same it loads."""
    made = make(service=Service({"lists.max_limit": 50}), transfers=2)
    dump = made.get("/_simulator/snapshot").json
    answer = make(service=Service(body or {})).put("/_simulator/snapshot", dump)
    assert answer.status == 400
    assert "another service" in answer["error"]
    assert all(key in answer["error"] for key in ("lists.max_limit", *(body or {})))
    alike = make(service=Service({"lists.max_limit": 50}))
    assert alike.put("/_simulator/snapshot", dump).json["counts"]["transfers"] == 2


def test_data_of_another_service_is_refused(tmp_path):
    """A data file made with other settings is refused, and does not change."""
    path = tmp_path / "world.db"
    Simulator(data=path, transfers=1, service=Service({"rails.MX": ["local"]})).close()
    with pytest.raises(SimulatorError, match=r"made with another service: rails\.MX differ"):
        Simulator(data=path)
    again = Simulator(data=path, service=Service({"rails.MX": ["local"]}))
    assert len(again.world.tables["transfers"]) == 1
    again.close()


@pytest.mark.parametrize("encoding", ["hex", "base64"])
def test_a_secret_that_is_no_such_text_is_refused(encoding):
    """A simulator does not start with a secret that its key encoding cannot decode."""
    with pytest.raises(SimulatorError, match=f"is not {encoding} text"):
        Simulator(service=Service({"signing.key_encoding": encoding}), keys=("pk", "sk_?"))


def test_a_receiver_has_the_time_of_the_service(serve, receiver_url):
    """A delivery fails when the receiver takes longer than the service's timeout."""
    caller = serve(service=Service({"webhooks.timeout": 1}))
    body = look.SUBSCRIPTION | {"url": receiver_url(seconds=1.5)}
    look.posted(caller, "webhook_subscriptions", body)
    look.posted(caller, "transfers", look.terms(caller))
    caller.simulator.delivery.send_due_and_wait()
    (note,) = caller.get("/_simulator/deliveries").json
    assert (note["status"], "Timeout" in note["error"]) == (None, True)


@pytest.fixture
def receiver_url():
    """A function that starts a receiver which answers after some seconds; returns its URL."""
    stopped = Event()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def slow(seconds):
            def answer():
                connection, _ = listener.accept()
                with connection:
                    stopped.wait(seconds)
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

            Thread(target=answer, daemon=True).start()
            return f"http://127.0.0.1:{listener.getsockname()[1]}/"

        yield slow
        stopped.set()


@pytest.mark.parametrize(
    ("errors", "body"),
    [
        ({"words": "a.b", "problems": "a.b.c"}, {"a": {"b": {"c": ..., "message": "refused"}}}),
        ({"words": "none", "problems": "error"}, {"error": ...}),
        (
            {"words": "errors", "list_form": "by_field"},
            {"errors": {"email": "is required", "message": "refused"}},
        ),
        (
            {"field": "at.name", "message": "at.text"},
            {"errors": [{"at": {"name": "email", "text": "is required"}}], "error": "refused"},
        ),
    ],
)
def test_a_simulator_answers_with_each_value_at_its_place(errors, body):
    """The text and the problems are both in the body, and are read from it with the settings."""
    service = Service({"errors": errors})
    refused = RefusedError(400, "refused", [Problem("email", "is required")])
    sent = json.loads(refusal_reply(refused, service).body)
    listed = [{"field": "email", "message": "is required"}]
    assert sent == json.loads(json.dumps(body, default=lambda _: listed))
    assert Problem("email", "is required", "service") in read_error(sent, service.errors).problems
