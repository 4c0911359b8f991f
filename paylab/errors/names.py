"""Names that do not exist here, and which name is probably meant.

`HABITS` holds what other SDKs call things. The AttributeError of a class with `@suggesting` says
what to use instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

SIMILARITY_MIN = 0.8
"""The minimum similarity of a suggested name, by difflib."""

_USE_REQUEST = "lab.request(), as paylab knows no such operation @get,list,create,request"
_HABIT_TABLE = f"""
# Operations of a resource.
retrieve fetch find read describe show lookup get_transfer get_payout: get | first | raw
retrieve_transfer: get | first | raw
all list_all iterate paginate list_auto_paging list_transfers get_transfers: list | to_list
get_all_transfers: list | to_list
search query find_by: filter | list().filter(name=value) @list
new add make post insert: create | deposit | request
send pay initiate: create | deposit | submit | transfers.create @transfers | request
create_transfer create_payout send_payout: create | transfers.create @transfers
transfer_funds: create | deposit | request
retry repeat: create(..., new=id), which pays again @create_many | new | max_retries
modify edit patch put replace: update | {_USE_REQUEST}
remove destroy unsubscribe: delete | {_USE_REQUEST}
poll wait_for wait_until get_waiter: wait
bulk_create create_batch batch_create batch: create_many
upload upload_documents: upload_images | export
df dataframe to_df to_pandas to_dataframe: frame
to_csv to_parquet to_excel download save: export
simulate simulate_deposit fund: deposit
calculate estimate preview: create
cancel delete update transfer_cancel: {_USE_REQUEST}
# Lists and results.
auto_paging_iter auto_paging iter: a for loop, which fetches the next pages itself @to_list
data items results value body content: raw | list | to_list | body | response_body
json text json_body http_body: body | response_body
next_page has_more has_next next_cursor cursor iter_pages get_next: pages
total length: len(pager.to_list()) @to_list
count: limit | len(pager.to_list()) @to_list
head take limit top: first | to_list
last tail: pager[-1] @to_list | lab.calls[-1] @on_screen
where select: filter
as_dict to_mapping asdict to_dict_recursive: to_dict
as_json dumps to_string serialize: to_json
refresh reload sync: refresh | get(id) of the part that returned it, which reads it again @to_dict
state phase status_code http_status: status
paid success succeeded successful settled done finalized: completed
declined rejected unsuccessful: failed
processing in_progress in_flight executing: started
reason user_message: text
errors details param: problems
headers http_headers: response_headers | call.response_headers @call
request: method, url, request_headers and request_body @request_body
response: status, response_headers and response_body @request_body
value value_amount amount_money source_value: source_amount | amount
clabe qr qr_code deposit_address: deposit_instructions
tx_hash: payout, which has it @payout
duration: elapsed
target_amount target_value: destination_amount
target_currency: destination_currency
error_code: code
transfer_id payout_id payment_id conversion_id: id
created_on creation_date date: created_at
error failure_code failure_message: failure_reason | failed
fees: total_fee
fx_rate: exchange_rate | quotes
name first_name full_name: given_name
last_name: family_name
currency iso_currency_code: source_currency
mapping column_map: columns
reference reference_id external_id metadata merchant_reference: client_reference_id
# Parameters.
name_of_sender: sender_name
customer_transaction_id: idempotency_key | client_reference_id
enabled_events events: event_types | list(inbox) @replay
endpoint: url | base_url
host environment platform api_base: base_url
dob birth_date: date_of_birth
phone_number: phone
document_number document_type: document
street city postal_code postcode zip zip_code: address
email_address: email
token client_id: api_key
api_secret client_secret: secret_key
max_network_retries: max_retries
timeout_in_seconds request_timeout: timeout
extra_headers custom_headers: headers
page_size per_page max_results maxitems size: limit
start start_date from_date date_from created_after: since
account_id: conversion_account_id | financial_account | financial_accounts
starting_after page_token after next_token: cursor
quote_uuid: quote_id | quotes
destination target_account counterparty: financial_account | financial_account_id
recipient: financial_account | recipient_id | individuals | individual_id
# Parts of a lab, and of the package.
client session api configure init auth apiclient configuration: connect
customers users people persons recipients: individuals | connect().individuals @connect
beneficiaries entities legal_entities: individuals | connect().individuals @connect
kyc: individuals | connect().individuals @connect | onboarding
account_holders identity_verification_create: individuals | connect().individuals @connect
payments remittances transfer_create: transfers | connect().transfers @connect
transfer payouts: transfers | connect().transfers @connect | transfer
wallets external_accounts payment_methods: financial_accounts
bank_accounts: financial_accounts | account
recipient_accounts transfer_instruments: financial_accounts
webhooks: webhook_subscriptions to subscribe and inbox() to receive events @inbox | events
webhook_endpoints: webhook_subscriptions
readiness ready: simulator.readiness() @simulator
advance tick: simulator.clock.advance @simulator | clock.advance @deliveries
fail inject: simulator.faults @simulator | faults
available amount: currencies @top_up
# Errors.
apiexception httperror requestexception restexception twiliorestexception: APIError
unauthorizederror unauthorized authenticationexception: AuthenticationError
forbiddenerror forbidden: PermissionDeniedError
notfound notfoundexception: NotFoundError
idempotencyerror: ConflictError
toomanyrequests toomanyrequestserror: RateLimitError
timeoutexception readtimeout connecttimeout: APITimeoutError
connecterror networkerror: APIConnectionError
validationerror: RuleError
virtual_accounts deposit_accounts payins: conversion_accounts
rates exchange_rates prices: quotes
sandbox_transfer_simulate: simulator
transfer_event_sync: watch
deposits test_helpers: sandbox
logs history requests debug: calls
config options credentials base_url api_key: settings
http: request
wizard walkthrough stepper: onramp
orders idempotency ledger: transfers
# Without a counterpart here, although another name is similar.
expiration expiry valid_until: expires_at
account accounts: conversion_account_id | financial_account | financial_accounts
end end_date to_date date_to created_before: until
curl to_curl: as_curl
to_code as_code: snippet
customer_id recipient_id: individual_id
rail: payout_method
source_account:
"""
"""Names in other SDKs: the names to use here, of which the first that exists is suggested.

A hint that is not a name is for an owner that has one of the names after its @.
"""


def find_nearest_name(
    name: str, known: Iterable[str], similar: float = SIMILARITY_MIN
) -> str | None:
    """The known name most similar to a name, ignoring case and underscores; None if none is.

    `similar` is the minimum similarity. Two letters in the wrong order are near in a short name
    too.

    >>> names.find_nearest_name("exchangeRate", ["exchange_rate", "total_fee"])
    'exchange_rate'
    """
    from difflib import get_close_matches  # only for a wrong name

    names_by_folded = {_fold_name(candidate): candidate for candidate in sorted(known)}
    folded = _fold_name(name)
    matches = get_close_matches(folded, names_by_folded, 1, similar)
    if not matches and similar < 1:
        letters = sorted(folded)
        matches = [candidate for candidate in names_by_folded if sorted(candidate) == letters]
    return names_by_folded[matches[0]] if matches else None


def find_nearest_names(name: str, known: Mapping[str, object]) -> tuple[str, ...]:
    """Up to five names nearest to a wrong one: by spelling, then by a shared word.

    The first five known names if none is near.
    """
    from difflib import get_close_matches  # only for a wrong name

    close_names = get_close_matches(name[:60], known, n=3, cutoff=0.5)
    words = {*name.lower().split("_")}
    sharing_names = [candidate for candidate in known if words & {*candidate.split("_")}]
    nearest = tuple(dict.fromkeys([*close_names, *sharing_names])) or tuple(known)
    return nearest[:5]


def _fold_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _read_habits(table: str) -> Iterator[tuple[str, list[tuple[str, set[str]]]]]:
    """Each name of other SDKs with its suggestions, and the names that each of these needs."""
    for line in table.strip().splitlines():
        if line.startswith("#"):
            continue
        other_names, _, our_names = line.partition(": ")
        suggestions: list[tuple[str, set[str]]] = []
        for alternative in our_names.split(" | "):
            suggestion, _, needed_names = alternative.partition(" @")
            if suggestion:
                suggestions.append((suggestion, set((needed_names or suggestion).split(","))))
        for other_name in other_names.rstrip(":").split():
            yield _fold_name(other_name), suggestions


HABITS = dict(_read_habits(_HABIT_TABLE))
"""Names of other SDKs: what to use here, and the names of which the owner must have one."""


def find_suggestion(name: str, known: Iterable[str], noun: str = "") -> str | None:
    """What to use instead of an unknown name: a synonym, a similar name, or names that contain it.

    `noun` is what the owner of the names is about, which a guess may repeat, as in `get_transfer`.
    None if there is no such name.

    >>> names.find_suggestion("retrieve", ["create", "get", "list"])
    'get'
    >>> names.find_suggestion("amount", ["source_amount", "status", "destination_amount"])
    'source_amount or destination_amount'
    """
    known_names = set(known)
    folded = _fold_name(name)
    is_habit = folded in HABITS
    suggestions = HABITS[folded] if is_habit else HABITS.get(f"{folded}s", [])
    for suggestion, needed_names in suggestions:
        if known_names & needed_names:
            return suggestion
    # A name of another SDK is no misspelling: only one with the same letters is meant.
    nearest = find_nearest_name(name, known_names, 1.0 if is_habit else SIMILARITY_MIN)
    return nearest or _find_longer_names(name, known) or _find_shorter_name(name, known_names, noun)


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGER_NAMES_MAX = 3


def _words_of(name: str) -> list[str]:
    """The words of a name in snake case or camel case."""
    return [word.lower() for word in _WORD.findall(name)]


def _find_longer_names(name: str, known: Iterable[str]) -> str | None:
    """The few known names with all words of a guess, such as `source_amount` for `amount`."""
    words = {*_words_of(name)}
    if not words or words <= _GENERAL_WORDS:
        return None
    longer_names = [candidate for candidate in known if words <= {*_words_of(candidate)}]
    if not 1 <= len(longer_names) <= _LONGER_NAMES_MAX:
        return None
    *first_names, last_name = longer_names
    return f"{', '.join(first_names)} or {last_name}" if first_names else last_name


_GENERAL_WORDS = frozenset({"id", "at", "by", "is", "to", "get", "set", "of", "on", "type", "name"})
"""Words that say too little about what is meant."""


def _find_shorter_name(name: str, known: Collection[str], noun: str) -> str | None:
    """The verb of a guess that repeats its owner's noun, such as `get` of `get_transfer`."""
    nouns = _words_of(noun)
    owner_words = {*nouns, *(word.removesuffix("s") for word in nouns)}
    verbs = [word for word in _words_of(name) if word not in owner_words]
    is_repeated = owner_words and len(verbs) < len(_words_of(name))
    return verbs[0] if is_repeated and len(verbs) == 1 and verbs[0] in known else None


def describe_unknown_parameters(
    function: str, names: Iterable[str], known: Iterable[str]
) -> tuple[str, str]:
    """What to use instead of unknown parameters, or all; and a name that nothing resembles."""
    known_names = list(known)
    hints = {name: find_suggestion(name, known_names) for name in sorted(names)}
    parts = [
        f"{name!r} (is {hint!r} meant?)" if hint else repr(name) for name, hint in hints.items()
    ]
    unlike_name = next((name for name, hint in hints.items() if not hint), "")
    listing = "" if any(hints.values()) else f": it takes {', '.join(known_names) or 'none'}"
    return f"{function}() has no parameter {' or '.join(parts)}{listing}", unlike_name


def raise_unknown_attribute(owner: Any, name: str) -> NoReturn:
    """The `__getattr__` of a class: AttributeError with the name to use instead."""
    message = f"{type(owner).__name__} has no attribute {name!r}"
    if name.startswith("_"):  # attributes that Python and IPython look up on any object
        raise AttributeError(message)
    public = [attribute for attribute in dir(owner) if not attribute.startswith("_")]
    suggestion = find_suggestion(name, public, type(owner).__name__.removeprefix("Lab"))
    if not suggestion and "client" in public and name in dir(owner.client):
        suggestion = f"client.{name}"  # a resource that a lab does not extend
    if suggestion:
        raise AttributeError(f"{message}: use {suggestion}")
    raise AttributeError(f"{message}: {_list(public)}")


class UnknownModuleName(AttributeError):  # noqa: N818 - shown as an AttributeError
    """An unknown name of a module; similar names are searched for when the error is shown.

    The import of a submodule asks for its name, too, and nobody sees this error.
    """

    def __init__(self, module: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"module {module!r} has no attribute {name!r}")
        self._missing = name
        self._known = sorted(known)

    def __str__(self) -> str:
        message = super().__str__()
        if self._missing.startswith("_"):  # that Python and IPython look up on any module
            return message
        suggestion = find_suggestion(self._missing, self._known)
        return f"{message}: " + (f"use {suggestion}" if suggestion else _list(self._known))


def raise_unknown_name(module: str, name: str, known: Iterable[str]) -> NoReturn:
    """The `__getattr__` of a module: AttributeError with the name to use instead, or all names."""
    raise UnknownModuleName(module, name, known)


def _list(names: Iterable[str]) -> str:
    return f"it has {', '.join(names)}"


def public_names(owner: object) -> list[str]:
    """The `__dir__` of a class: its public names, or those of them in its `USER_NAMES`."""
    names = {name for name in object.__dir__(owner) if not name.startswith("_")}
    return sorted(names & {*getattr(type(owner), "USER_NAMES", names)})


def list_offers(owner: object) -> str:
    """The `__repr__` of a part of a lab: its public names."""
    return f"{type(owner).__name__.removeprefix('Lab')}: {', '.join(public_names(owner))}"


K = TypeVar("K")


def with_name_suggestions(class_: type[K]) -> type[K]:
    """Give a class `raise_unknown_attribute`, `public_names` and a repr.

    They are set here, because a `__getattr__` in the class would hide unknown names from mypy.
    """
    target: Any = class_
    target.__getattr__ = raise_unknown_attribute
    target.__dir__ = public_names
    if class_.__repr__ is object.__repr__:
        target.__repr__ = list_offers
    return class_
