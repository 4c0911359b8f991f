"""The assumptions about one service: paths, names, limits, words and dialects.

    service = Service.load("service.toml")
    service.signing.empty_query, service.path("transfer", id="tr_1"), service.list("conversions")

`Service()` has the default assumptions. The client, rules, forms and simulator take a Service and
read from it what the spec leaves open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, Self

from ..errors.base import ServiceError
from . import assumptions, codes, service_file
from .operations import routes
from .operations.records import LISTS, OPERATIONS
from .operations.routes import Route, RouteTable
from .paging import ListForm
from .renames import SAME, Convert, Names
from .service_file import KeyTable
from .service_keys import Value
from .setting_groups import SettingGroup, setting_tree


class Setting(NamedTuple):
    """One line of the table of settings; `origin` is as in `Service.origin`."""

    key: str
    value: Value
    default: Value
    origin: str
    row: str
    question: str


@dataclass(frozen=True)
class AccountDetails:
    """The details of one account type in one country: our names and the service's.

    `allowed` are the words of `field`, if there is a field with fixed words.
    """

    key: str
    names: Names
    fields: tuple[str, ...]
    required: tuple[str, ...]
    field: str = ""
    allowed: tuple[str, ...] = ()


class Service:
    """The assumptions about a service; immutable, and equal if all values are equal.

    `given` are the values that were set.
    """

    given: Mapping[str, Value]
    _values: Mapping[str, Value]

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        """Set values by dotted keys or nested, over the defaults; ServiceError for unknown keys.

        >>> paylab.Service({"signing.tolerance": 60}).signing.tolerance
        60
        """
        given = dict(_keys().values_by_key(values or {}))
        in_force = _in_force(given) if given else _defaults()
        _check_names(in_force, given)
        own = MappingProxyType(given)
        tree = setting_tree(in_force) if given else _default_tree()
        self.__dict__.update(given=own, _values=in_force, **tree)
        if given:
            routes.check(self.routes, given)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a service.toml; ServiceError names the line, the key and the values it can have.

        >>> path.write_text(lab.service.to_toml()) and paylab.Service.load(path)
        Service()
        """
        tables, text = service_file.read_service_file(Path(path))
        try:
            return cls(tables)
        except ServiceError as error:
            line = service_file.line_of(text, error.key)
            message = f"{Path(path)}, line {line}: {error}"
            raise ServiceError(message, error.key, line) from None

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """This service with other values.

        >>> lab.service.with_values({"signing.tolerance": 60}).signing.tolerance
        60
        """
        new = dict(_keys().values_by_key(values))
        return type(self)({**self.given, **new})

    def diff(self) -> dict[str, Value]:
        """The values that differ from the defaults, by dotted key.

        >>> lab.service.with_values({"signing.tolerance": 60}).diff()
        {'signing.tolerance': 60}
        """
        keys, values = assumptions.KEYS, self._values
        usual = {name: key.default for name, key in keys.items()}
        usual |= {name: values[keys[name].base] for name, value in usual.items() if value is None}
        return {name: values[name] for name in keys if values[name] != usual[name]}

    def to_toml(self) -> str:
        """A service.toml of values that differ or were set, each below its question.

        >>> lab.service.with_values({"signing.tolerance": 60}).to_toml().splitlines()[-1]
        'tolerance = 60'
        """
        return service_file.service_file_text(_keys(), {**self.given, **self.diff()})

    def value(self, key: str) -> Value:
        """The value of a dotted key; ServiceError with similar keys if it does not exist.

        >>> lab.service.value("signing.tolerance")
        300
        """
        return self._values[_keys().known(key).name]

    def origin(self, key: str) -> str:
        """The origin of a value: spec, public, chosen, or "yours".

        >>> lab.service.origin("signing.tolerance")
        'chosen'
        """
        name = _keys().known(key).name
        return "yours" if name in self.given else assumptions.KEYS[name].origin

    def declares(self, key: str) -> bool:
        """Whether the value was set, not assumed.

        >>> lab.service.declares("signing.tolerance")
        False
        """
        return self.origin(key) != assumptions.KEYS[key].origin

    def settings(self) -> tuple[Setting, ...]:
        """Every key with its value, in the order of the assumptions.

        >>> lab.service.settings()[0].key
        'signing.empty_query'
        """
        usual = _defaults()
        return tuple(
            Setting(name, self._values[name], usual[name], self.origin(name), key.row, key.ask)
            for name, key in assumptions.KEYS.items()
        )

    def path(self, name: str, **parts: str) -> str:
        """The path of a key of [paths] or of an operation, with placeholders filled in.

        MissingOperationError names the key to set if the service has no such operation.
        """
        key = OPERATIONS[name].path if name in OPERATIONS else name
        return routes.path(self.paths, key, parts, assumptions.KEYS)

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the service."""
        return routes.routes(OPERATIONS.values(), self.paths)

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The operations at a path by method, and the values of placeholders."""
        return self._table.match(path)

    def list(self, name: str) -> ListForm:
        """The form of one list, such as "conversions"."""
        return self._lists[name]

    def names(self, of: str) -> Names:
        """The names of the fields of quotes, transfers, conversion_accounts, sandbox_deposits.

        Names of instructions are under keys such as "deposit_instructions.crypto_wallet".
        """
        return self._names[of]

    def with_instructions(self, body: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
        """A resource with the names in the details of its deposit instructions converted."""
        new, given = dict(body), body.get("deposit_instructions")
        if isinstance(given, dict) and isinstance(details := given.get("details"), Mapping):
            names = self._names.get(f"deposit_instructions.{given.get('type')}", SAME)
            new["deposit_instructions"] = {**given, "details": convert(names, details)}
        return new

    def account(self, country: object, kind: object) -> AccountDetails | None:
        """An account type in a country; without a country, one that only one country has."""
        if country is None:
            found = self.accounts_of(kind)
            return found[0] if len(found) == 1 else None
        place = "SEPA" if country in codes.SEPA else country
        own = self._accounts.get(f"{place}.{kind}")
        return own or self._accounts.get(str(kind))

    def accounts_of(self, kind: object) -> tuple[AccountDetails, ...]:
        """The forms of an account type in every country that has it."""
        found = self._accounts.items()
        return tuple(form for name, form in found if name.rpartition(".")[2] == kind)

    def payout_methods(self, country: object) -> tuple[str, ...]:
        """The rails to accounts in a country; empty without a corridor."""
        place = "SEPA" if country in codes.SEPA else str(country)
        return tuple(vars(self.rails).get(place, ()))

    @property
    def accounts(self) -> Any:
        """The settings of financial accounts."""
        return self.financial_accounts

    @cached_property
    def _table(self) -> RouteTable:
        return RouteTable(self.routes)

    @cached_property
    def _lists(self) -> dict[str, ListForm]:
        forms = {name: {**self.lists[name].__dict__} for name in LISTS}
        for form in forms.values():
            form["default_limit"] = min(form["default_limit"], form["max_limit"])
        return {name: ListForm(name, **form) for name, form in forms.items()}

    @cached_property
    def _names(self) -> dict[str, Names]:
        tables: dict[str, dict[str, str]] = {}
        for key, value in self._values.items():
            table, dot, our = key.partition(".fields.")
            if dot:
                tables.setdefault(table, {})[our] = str(value)
        return {table: Names(theirs) for table, theirs in tables.items()}

    @cached_property
    def _accounts(self) -> dict[str, AccountDetails]:
        start = "financial_accounts."
        return {
            key.removeprefix(start): self._account_form(key, names)
            for key, names in self._names.items()
            if key.startswith(start)
        }

    def _account_form(self, key: str, names: Names) -> AccountDetails:
        inside: Any = self.__dict__
        for part in key.split("."):
            inside = inside[part]
        allowed = assumptions.KEYS.get(f"{key}.allowed")
        own = (allowed.field, inside.allowed) if allowed else ("", ())
        return AccountDetails(key, names, tuple(inside.fields), inside.required, *own)

    def __getattr__(self, name: str) -> Any:
        near = get_close_matches(name, self.__dict__)
        hint = f"; nearest: {near[0]}" if near else ""
        raise AttributeError(f"a Service has no settings {name!r}{hint}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Service cannot be changed: use with_values()")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Service) and self._values == other._values

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self._values.items()))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Service({self.diff() or ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.given),)


@cache
def _keys() -> KeyTable:
    return KeyTable(assumptions.KEYS)


@cache
def _defaults() -> dict[str, Value]:
    return _in_force({})


@cache
def _default_tree() -> dict[str, SettingGroup]:
    return setting_tree(_defaults())


def _in_force(given: Mapping[str, Value]) -> dict[str, Value]:
    """The value of every key; keys of single lists inherit from those of all lists."""
    keys = assumptions.KEYS
    own = {name: given.get(name, key.default) for name, key in keys.items()}
    both = {name: own[keys[name].base] if value is None else value for name, value in own.items()}
    return {name: value for name, value in both.items() if value is not None}


def _check_names(values: Mapping[str, Value], given: Collection[str]) -> None:
    """ServiceError if two fields of one object have the same name, renamed or fixed."""
    renamed = [key for key in given if ".fields." in key]
    if not renamed:
        return
    fields: dict[tuple[str, Value], list[str]] = {}
    for name, value in values.items():
        fields.setdefault((name.partition(".fields.")[0], value), []).append(name)
    for key in renamed:
        table, their = key.partition(".fields.")[0], values[key]
        bodies = [each.by_name for each in OPERATIONS.values() if each.names == table]
        is_sent = any(their in body for body in bodies)
        is_fixed = is_sent and f"{table}.fields.{their}" not in values
        for name in (*fields[table, their], *([str(their)] if is_fixed else [])):
            if name != key:
                message = f"{key} and {name} cannot both be {their!r}"
                raise ServiceError(message, key)
