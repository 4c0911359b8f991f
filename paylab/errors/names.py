"""Names that do not exist here, and which name is probably meant.

`HABITS` holds what other SDKs call things. The AttributeError of a class with `@suggesting` says
what to use instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

SIMILAR = 0.8
"""The minimum similarity of a suggested name, by difflib."""

_OTHERS: Mapping[tuple[str, ...], str] = {
    # Operations of a resource.
    ("get", "first", "raw"): (
        "retrieve fetch find read describe show lookup get_transfer get_payout retrieve_transfer"
    ),
    ("list", "to_list"): (
        "all list_all iterate paginate list_auto_paging list_transfers get_transfers"
        " get_all_transfers"
    ),
    ("filter", "list().filter(name=value)"): "search query find_by",
    ("create", "deposit", "request"): (
        "new add make post insert send pay initiate create_transfer create_payout transfer_funds"
    ),
    ("update", "lab.request(), as paylab knows no such operation"): "modify edit patch put replace",
    ("delete", "lab.request(), as paylab knows no such operation"): "remove destroy unsubscribe",
    ("wait",): "poll wait_for wait_until get_waiter waiter",
    ("create_many",): "bulk_create create_batch batch_create batch",
    ("upload_images", "export"): "upload upload_document upload_documents",
    ("frame",): "df dataframe to_df to_frame to_pandas to_dataframe",
    ("export",): "to_csv to_parquet to_excel download save",
    ("deposit",): "simulate simulate_deposit fund",
    ("create",): "calculate estimate preview",
    ("lab.request(), as paylab knows no such operation",): "cancel delete update transfer_cancel",
    # Lists and results.
    ("a for loop, which fetches the next pages itself",): "auto_paging_iter auto_paging iter",
    ("raw", "list", "to_list", "body", "response_body"): "data items results value body content",
    ("body", "response_body"): "json text json_body http_body",
    ("pages",): "next_page has_more has_next next_cursor cursor iter_pages get_next",
    ("len(pager.to_list())",): "total length",
    ("limit", "len(pager.to_list())"): "count",
    ("first", "to_list"): "head take limit top",
    ("pager[-1]", "lab.calls[-1]"): "last tail",
    ("filter",): "where select filter_by",
    ("to_dict",): "as_dict to_mapping asdict to_dict_recursive",
    ("to_json",): "as_json dumps to_string serialize",
    ("get(id) of the part of the lab that returned it, which reads it again",): (
        "refresh reload sync"
    ),
    ("status",): "state phase status_code http_status",
    ("text",): "reason user_message",
    ("problems",): "errors details detail param",
    ("response_headers", "call.response_headers"): "headers http_headers",
    ("method, url, request_headers and request_body",): "request",
    ("status, response_headers and response_body",): "response",
    ("source_amount", "amount"): "amount value value_amount amount_money source_value",
    ("deposit_instructions",): "clabe qr qr_code instructions deposit_address",
    ("payout, which has it",): "tx_hash",
    ("expires_at",): "expiration expiry",
    ("elapsed",): "duration",
    ("destination_amount",): "target_amount target_value",
    ("destination_currency",): "target_currency",
    ("code",): "error_code",
    ("id",): "transfer_id payout_id payment_id conversion_id",
    ("created_at",): "created created_on creation_date date",
    ("failure_reason",): "error failure_code failure_message",
    ("total_fee",): "fee fees",
    ("exchange_rate", "quotes"): "rate fx_rate",
    ("given_name",): "name first_name full_name",
    ("family_name",): "last_name",
    ("source_currency",): "currency iso_currency_code",
    ("client_reference_id",): ("reference reference_id external_id metadata merchant_reference"),
    # Parameters.
    ("sender_name",): "sender name_of_sender",
    ("idempotency_key", "client_reference_id"): "customer_transaction_id",
    ("event_types", "list(inbox)"): "enabled_events events",
    ("url", "base_url"): "endpoint",
    ("base_url",): "url host environment platform api_base",
    ("date_of_birth",): "dob birth_date",
    ("phone",): "phone_number",
    ("email",): "email_address",
    ("api_key",): "token xapikey client_id",
    ("secret_key",): "secret api_secret client_secret",
    ("max_retries",): "max_network_retries retries",
    ("timeout",): "timeout_in_seconds request_timeout",
    ("headers",): "extra_headers custom_headers",
    ("limit",): "page_size per_page max_results maxitems size",
    ("since",): "start start_date from_date date_from created_after",
    ("conversion_account_id", "financial_account", "financial_accounts"): "account account_id",
    ("cursor",): "starting_after page_token after next_token",
    ("quote_id", "quotes"): "quote quote_uuid",
    ("financial_account", "financial_account_id"): "destination target_account counterparty",
    ("financial_account", "recipient_id", "individuals"): "recipient",
    # Parts of a lab, and of the package.
    ("connect",): "client session api configure init auth apiclient configuration",
    ("individuals", "connect().individuals"): (
        "customers customer users people persons recipients beneficiaries kyc entities"
        " legal_entities account_holders identity_verification_create"
    ),
    ("transfers", "connect().transfers"): (
        "transfer payouts payments payment remittances transfer_create"
    ),
    ("financial_accounts",): (
        "accounts wallets bank_accounts external_accounts payment_methods recipient_accounts"
        " transfer_instruments"
    ),
    ("webhook_subscriptions to subscribe and inbox() to receive events", "events"): (
        "webhooks webhook"
    ),
    ("webhook_subscriptions",): "webhook_endpoints subscriptions",
    # Errors.
    ("APIError",): "apiexception httperror requestexception restexception twiliorestexception",
    ("APIStatusError",): "httpstatuserror apistatuserror",
    ("BadRequestError",): "invalidrequesterror badrequest",
    ("AuthenticationError",): "unauthorizederror unauthorized authenticationexception",
    ("PermissionDeniedError",): "forbiddenerror permissionerror forbidden",
    ("NotFoundError",): "notfound notfoundexception",
    ("ConflictError",): "idempotencyerror",
    ("RateLimitError",): "toomanyrequests toomanyrequestserror ratelimited",
    ("APITimeoutError",): "timeout timeoutexception readtimeout connecttimeout timeouterror",
    ("APIConnectionError",): "connectionerror connecterror networkerror",
    ("RuleError",): "validationerror",
    ("conversion_accounts",): "virtual_accounts deposit_accounts payins",
    ("quotes",): "rates exchange_rates prices",
    ("simulator",): "sandbox_transfer_simulate simulations",
    ("watch",): "transfer_event_sync",
    ("sandbox",): "deposits test_helpers",
    ("calls",): "logs log history requests debug",
    ("settings",): "config options credentials base_url api_key",
    ("request",): "http raw_request",
    ("onramp",): "wizard walkthrough stepper",
    ("ledger",): "orders idempotency",
    # Without a counterpart here, although another name is similar.
    (): "source_account",
}
"""The names to use here, or a hint that is not a name, with the names in other SDKs."""


def nearest_name(name: str, known: Iterable[str], similar: float = SIMILAR) -> str | None:
    """The known name most similar to a name, ignoring case and underscores.

    Two letters in the wrong order are near in a short name too.

    >>> names.nearest_name("exchangeRate", ["exchange_rate", "total_fee"])
    'exchange_rate'
    """
    plain, folded = {_folded(each): each for each in sorted(known)}, _folded(name)
    near = get_close_matches(folded, plain, 1, similar)
    if not near and similar < 1:
        near = [each for each in plain if sorted(each) == sorted(folded)]
    return plain[near[0]] if near else None


def nearest_names(name: str, known: Mapping[str, object]) -> tuple[str, ...]:
    """The names nearest to a wrong one: by spelling, then by a shared word."""
    close = get_close_matches(name[:60], known, n=3, cutoff=0.5)
    sharing = (each for each in known if set(each.split("_")) & set(name.lower().split("_")))
    return tuple(dict.fromkeys([*close, *sharing]))[:5] or tuple(known)[:5]


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


HABITS = {_folded(other): ours for ours, others in _OTHERS.items() for other in others.split()}
"""Names of other SDKs, and the names to use here; the first existing one is suggested.

Text that is not a name is a hint, for owners that have one of the names in `NEEDS`.
"""

NEEDS = {
    "connect().individuals": ("connect",),
    "connect().transfers": ("connect",),
    "a for loop, which fetches the next pages itself": ("to_list",),
    "len(pager.to_list())": ("to_list",),
    "pager[-1]": ("to_list",),
    "lab.calls[-1]": ("on_screen",),
    "list(inbox)": ("replay",),
    "payout, which has it": ("payout",),
    "list().filter(name=value)": ("list",),
    "lab.request(), as paylab knows no such operation": ("get", "list", "create", "request"),
    "get(id) of the part of the lab that returned it, which reads it again": ("to_dict",),
    "webhook_subscriptions to subscribe and inbox() to receive events": ("inbox",),
    "call.response_headers": ("call",),
    "method, url, request_headers and request_body": ("request_body",),
    "status, response_headers and response_body": ("request_body",),
}
"""Hints that are not names, and the names of which the owner must have one."""


def meant(name: str, known: Iterable[str]) -> str | None:
    """What to use instead of an unknown name: a known synonym, a similar name, or a hint.

    >>> names.meant("retrieve", ["create", "get", "list"])
    'get'
    """
    names = set(known)
    own = HABITS.get(_folded(name))
    habits = HABITS.get(f"{_folded(name)}s", ()) if own is None else own
    fits = (each for each in habits if each in names or names.intersection(NEEDS.get(each, ())))
    same_letters = 1.0
    return next(fits, None) or nearest_name(name, names, SIMILAR if own is None else same_letters)


def suggest(owner: object, name: str) -> NoReturn:
    """The `__getattr__` of a class: AttributeError with the name to use instead."""
    message = f"{type(owner).__name__} has no attribute {name!r}"
    if name.startswith("_"):  # attributes that Python and IPython look up on any object
        raise AttributeError(message)
    public = [each for each in dir(owner) if not each.startswith("_")]
    instead = meant(name, public)
    advice = f"use {instead}" if instead else f"it has {', '.join(public)}"
    raise AttributeError(f"{message}: {advice}")


def public_names(owner: object) -> list[str]:
    """The `__dir__` of a class: its public names."""
    return sorted(name for name in object.__dir__(owner) if not name.startswith("_"))


def offers(owner: object) -> str:
    """The `__repr__` of a part of a lab: its public names."""
    return f"{type(owner).__name__.removeprefix('Lab')}: {', '.join(public_names(owner))}"


K = TypeVar("K")


def suggesting(kind: type[K]) -> type[K]:
    """Give a class `suggest`, `public_names` and a repr, and hide no unknown name from mypy."""
    named: Any = kind
    named.__getattr__, named.__dir__ = suggest, public_names
    if kind.__repr__ is object.__repr__:
        named.__repr__ = offers
    return kind
