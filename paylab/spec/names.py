"""Names that do not exist here, which name is probably meant, and what a service calls our fields.

`HABITS` holds what other SDKs call things. The AttributeError of a class with `@suggesting` says
what to use instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

SIMILAR = 0.6
"""The minimum similarity of a suggested name, by difflib."""

_READ = ("get", "first", "raw")
_LIST = ("list", "to_list")
_WAY = ("create", "deposit", "request")

HABITS: Mapping[str, tuple[str, ...]] = {
    # Operations of a resource.
    **dict.fromkeys(("retrieve", "fetch", "find", "read", "describe", "show", "lookup"), _READ),
    **dict.fromkeys(("all", "list_all", "search", "query", "iterate", "paginate"), _LIST),
    **dict.fromkeys(("new", "add", "make", "post", "insert", "send", "pay", "initiate"), _WAY),
    **dict.fromkeys(("modify", "edit", "patch", "put", "replace"), ("update",)),
    **dict.fromkeys(("remove", "destroy", "unsubscribe"), ("delete",)),
    **dict.fromkeys(("poll", "wait_for", "wait_until", "get_waiter", "waiter"), ("wait",)),
    **dict.fromkeys(("bulk_create", "create_batch", "batch_create", "batch"), ("create_many",)),
    **dict.fromkeys(("upload", "upload_document", "upload_documents"), ("upload_images", "export")),
    **dict.fromkeys(
        ("df", "dataframe", "to_df", "to_frame", "to_pandas", "to_dataframe"), ("frame",)
    ),
    **dict.fromkeys(("to_csv", "to_parquet", "to_excel", "download", "save"), ("export",)),
    **dict.fromkeys(("simulate", "simulate_deposit", "fund"), ("deposit",)),
    **dict.fromkeys(("calculate", "estimate", "preview"), ("create",)),
    **dict.fromkeys(
        ("cancel", "delete", "update"), ("lab.request(), as paylab knows no such operation",)
    ),
    # Lists and results.
    **dict.fromkeys(
        ("auto_paging_iter", "auto_paging", "iter"),
        ("a for loop, which fetches the next pages itself",),
    ),
    **dict.fromkeys(("data", "items", "results", "value", "body", "content"), ("raw", *_LIST)),
    **dict.fromkeys(("next_page", "has_more", "has_next", "next_cursor", "cursor"), ("pages",)),
    **dict.fromkeys(("count", "total", "length"), ("len(pager.to_list())",)),
    **dict.fromkeys(("head", "take", "limit", "top"), ("first", "to_list")),
    **dict.fromkeys(("last", "tail"), ("pager[-1]",)),
    **dict.fromkeys(("where", "select", "filter_by"), ("filter",)),
    **dict.fromkeys(("as_dict", "to_mapping", "asdict", "to_dict_recursive"), ("to_dict",)),
    **dict.fromkeys(("as_json", "dumps", "to_string", "serialize"), ("to_json",)),
    **dict.fromkeys(
        ("refresh", "reload", "sync"), ("lab.transfers.get(id) or its like, which reads it again",)
    ),
    **dict.fromkeys(("state", "phase"), ("status",)),
    **dict.fromkeys(("amount", "value_amount"), ("source_amount",)),
    **dict.fromkeys(("created", "created_on", "creation_date", "date"), ("created_at",)),
    **dict.fromkeys(("error", "reason", "failure_code", "failure_message"), ("failure_reason",)),
    **dict.fromkeys(("fee", "fees"), ("total_fee",)),
    **dict.fromkeys(("rate", "fx_rate"), ("exchange_rate", "quotes")),
    **dict.fromkeys(("name", "first_name"), ("given_name",)),
    "last_name": ("family_name",),
    "currency": ("source_currency",),
    "reference": ("client_reference_id",),
    # Parameters.
    **dict.fromkeys(("page_size", "per_page", "max_results", "maxitems", "size"), ("limit",)),
    **dict.fromkeys(("starting_after", "page_token", "after", "next_token"), ("cursor",)),
    **dict.fromkeys(("external_id", "metadata", "merchant_reference"), ("client_reference_id",)),
    **dict.fromkeys(("quote", "destination", "recipient"), ("quote_id", "financial_account")),
    # Parts of a lab, and of the package.
    **dict.fromkeys(("client", "session", "api", "configure", "init", "auth"), ("connect",)),
    **dict.fromkeys(("customers", "customer", "users", "people", "persons"), ("individuals",)),
    **dict.fromkeys(("recipients", "beneficiaries", "kyc", "entities"), ("individuals",)),
    **dict.fromkeys(("payouts", "payments", "payment", "remittances"), ("transfers",)),
    **dict.fromkeys(("accounts", "wallets", "bank_accounts"), ("financial_accounts",)),
    **dict.fromkeys(("external_accounts", "payment_methods"), ("financial_accounts",)),
    **dict.fromkeys(("webhooks", "webhook_endpoints", "subscriptions"), ("webhook_subscriptions",)),
    **dict.fromkeys(("virtual_accounts", "deposit_accounts", "payins"), ("conversion_accounts",)),
    **dict.fromkeys(("rates", "prices"), ("quotes",)),
    **dict.fromkeys(("deposits", "test_helpers"), ("sandbox",)),
    **dict.fromkeys(("logs", "log", "history", "requests", "debug"), ("calls",)),
    **dict.fromkeys(("config", "options", "credentials", "base_url", "api_key"), ("settings",)),
    **dict.fromkeys(("http", "raw_request"), ("request",)),
    **dict.fromkeys(("wizard", "walkthrough", "stepper"), ("onramp",)),
    **dict.fromkeys(("orders", "idempotency"), ("ledger",)),
}
"""Names of other SDKs, and the names to use here; the first existing one is suggested.

Text that is not a name is a hint if none of the names exists.
"""


def nearest_name(name: str, known: Iterable[str], similar: float = SIMILAR) -> str | None:
    """The known name most similar to a name, ignoring case and underscores.

    >>> names.nearest_name("exchangeRate", ["exchange_rate", "total_fee"])
    'exchange_rate'
    """
    plain = {_folded(each): each for each in sorted(known)}
    near = get_close_matches(_folded(name), plain, 1, similar)
    return plain[near[0]] if near else None


def meant(name: str, known: Iterable[str]) -> str | None:
    """What to use instead of an unknown name: a known synonym, a similar name, or a hint.

    >>> names.meant("retrieve", ["create", "get", "list"])
    'get'
    """
    names = set(known)
    habits = HABITS.get(name.lower()) or HABITS.get(f"{name.lower()}s", ())
    habit = next((each for each in habits if each in names), None)
    advice = next((each for each in habits if not each.isidentifier()), None)
    return habit or advice or (None if habits else nearest_name(name, names))


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


K = TypeVar("K")


def suggesting(kind: type[K]) -> type[K]:
    """Give a class `suggest` and `public_names`, without hiding unknown names from mypy."""
    named: Any = kind
    named.__getattr__, named.__dir__ = suggest, public_names
    return kind


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


class Names:
    """The names of a service's fields: from our names to theirs, and back."""

    def __init__(self, theirs: Mapping[str, str]) -> None:
        self.theirs = {our: their for our, their in theirs.items() if our != their}
        self.ours = {their: our for our, their in self.theirs.items()}

    def send(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object with the service's names; other fields are unchanged."""
        return _renamed(body, self.theirs)

    def read(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """An object of the service with our names; other fields are unchanged."""
        return _renamed(body, self.ours)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names) and self.theirs == other.theirs

    def __hash__(self) -> int:
        return hash(frozenset(self.theirs.items()))

    def __repr__(self) -> str:
        return f"Names({self.theirs})"


def _renamed(body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The object with other names; a field that already has such a name is dropped."""
    new = {names[name]: value for name, value in body.items() if name in names}
    return {
        names.get(name, name): value
        for name, value in body.items()
        if name in names or name not in new
    }
