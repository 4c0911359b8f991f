"""One service: its settings, and what follows from them.

    service = Service.load("service.toml")
    service.signing.empty_query, service.path("transfers.get", id="tr_1")

`Service()` has the default assumptions. The client, rules, forms and simulator take a Service and
read from it what the spec leaves open.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

from ...errors.arguments import explain_arguments
from ...errors.base import ConfigWarning, ServiceError, warn_caller
from ...errors.names import with_name_suggestions
from .. import codes
from ..route import Route, RouteTable, strip_base_path
from .accounts import ACCOUNTS, AccountDetails, AccountSettings
from .frozen import FrozenDict, to_json_value
from .key import Value
from .keys import find_setting_key, read_own_value, read_value, setting_keys
from .lists import ListForm, Order
from .rails import RAILS
from .setting import setting_key_of
from .tree import ServiceSettings

YOURS = "yours"
"""The origin of a value that was set."""


class SettingRow(NamedTuple):
    """One line of the table of settings; `origin` is as in `Service.origin`."""

    key: str
    value: Value
    default: Value
    origin: str
    row: str
    question: str


def _read_problem_by_key(error: ServiceError) -> Mapping[str, str]:
    """The sentences of an error by the wrong key that each is about."""
    from .loader import WrongSettingError

    cause_error = error.__cause__
    if isinstance(cause_error, WrongSettingError):
        return cause_error.problems
    return {error.key: str(error)}


def _pass_on_warnings(
    caught_warnings: list[warnings.WarningMessage], add_place: Callable[[str, str], str]
) -> None:
    """Warn again; a warning about a key of older files begins with the line of that key.

    `add_place` puts this line before a sentence about a key.
    """
    for warning in caught_warnings:
        if isinstance(warning.message, ConfigWarning):
            sentence = add_place(warning.message.key, str(warning.message))
            warn_caller(sentence, ConfigWarning)
        else:  # not about the service: it is passed on unchanged
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


@with_name_suggestions
@explain_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Service(ServiceSettings):
    """The assumptions about a service; immutable, and equal if all settings are equal.

    `values` go over the defaults, by dotted keys or nested; ServiceError for wrong ones. `given`
    are the values that were set, by dotted key.

    >>> paylab.Service({"signing.tolerance": 60}).signing.tolerance
    60
    """

    values: InitVar[Mapping[str, Any] | None] = None
    given: Mapping[str, Value] = field(default_factory=FrozenDict, compare=False, kw_only=True)

    def __post_init__(self, values: Mapping[str, Any] | None) -> None:
        """Lay `values` over the defaults; ServiceError for wrong ones."""
        if not values:
            return
        from ..operations import routes  # not needed without other values
        from . import loader

        try:
            settings, declared_values = loader.read_declared_settings(values)
        except loader.WrongSettingError as error:
            raise ServiceError(str(error), next(iter(error.problems))) from error
        vars(self).update(vars(settings), given=FrozenDict(declared_values))
        routes.check_routes(self.routes, declared_values)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a service.toml; ServiceError has a line for each wrong key, with its place.

        >>> _ = path.write_text(lab.service.to_toml())
        >>> paylab.Service.load(path)
        Service()
        """
        from . import files

        file_path = Path(path)
        tables, file_text = files.read_service_file(file_path)

        def add_place(key: str, sentence: str) -> str:
            """Put the file and the line of a key before a sentence about it."""
            return f"{file_path}, line {files.find_line(file_text, key)}: {sentence}"

        try:
            # Warnings are caught to be issued below with the line of their key.
            with warnings.catch_warnings(record=True) as caught_warnings:
                warnings.simplefilter("always", ConfigWarning)
                service = cls(tables)
        except ServiceError as error:
            problem_lines = [
                add_place(key, sentence) for key, sentence in _read_problem_by_key(error).items()
            ]
            line_number = files.find_line(file_text, error.key)
            raise ServiceError("\n".join(problem_lines), error.key, line_number) from None
        _pass_on_warnings(caught_warnings, add_place)
        return service

    def with_values(self, values: Mapping[str, object]) -> Self:
        """This service with other values.

        >>> lab.service.with_values({"signing.tolerance": 60}).signing.tolerance
        60
        """
        from .loader import flatten_values, merge_values

        new_values = merge_values(flatten_values(values))
        return type(self)({**self._declared, **new_values})

    def diff(self) -> dict[str, Value]:
        """The values that differ from the defaults, by dotted key.

        >>> lab.service.with_values({"signing.tolerance": 60}).diff()
        {'signing.tolerance': 60}
        """
        return dict(self._differing_values)

    @property
    def is_default(self) -> bool:
        """Whether all settings have their defaults."""
        return not self._changed_groups

    @cached_property
    def _changed_groups(self) -> frozenset[str]:
        """The names of the groups in which a value differs from its default."""
        default_groups = vars(ServiceSettings()).items()
        return frozenset(name for name, group in default_groups if getattr(self, name) != group)

    @cached_property
    def _differing_values(self) -> dict[str, Value]:
        """The values that differ from the defaults, by dotted key; `diff` returns a copy."""
        if self.is_default:  # the keys are made only for a service that has other values
            return {}
        differing_values = {}
        for dotted_key, setting in setting_keys().items():
            if dotted_key.partition(".")[0] not in self._changed_groups:
                continue
            own_value = read_own_value(self, dotted_key)
            inherits = setting.default is None  # then it has the value of its base
            default = read_value(self, setting.base) if inherits else setting.default
            if own_value not in (None, default):
                differing_values[dotted_key] = own_value
        return differing_values

    @property
    def declared(self) -> dict[str, Any]:
        """The values that were set or differ, as JSON has them, by dotted key."""
        return {
            setting_key: to_json_value(setting_value)
            for setting_key, setting_value in self._declared.items()
        }

    @property
    def _declared(self) -> dict[str, Value]:
        """The values that were set or differ from the defaults, by dotted key."""
        return {**self.given, **self._differing_values}

    def to_toml(self, schema: str = "") -> str:
        """A service.toml of values that differ or were set, each below its question.

        `schema` is the file or the address of its JSON Schema, for editors.

        >>> lab.service.with_values({"signing.tolerance": 60}).to_toml().splitlines()[-1]
        'tolerance = 60'
        """
        from .files import service_file_text

        return service_file_text(self._declared, schema)

    def value(self, key: str) -> Value:
        """The value of a dotted key; ServiceError with similar keys if it does not exist.

        >>> lab.service.value("signing.tolerance")
        300
        """
        setting_value: Value = read_value(self, find_setting_key(key).name)
        return setting_value

    def origin(self, key: str) -> str:
        """The origin of a value: spec, public, chosen, or "yours".

        >>> lab.service.origin("signing.tolerance")
        'chosen'
        """
        setting = find_setting_key(key)
        return YOURS if setting.name in self._declared else setting.origin

    def declares(self, read: Callable[[ServiceSettings], object]) -> bool:
        """Whether the setting that a function reads was set, not assumed.

        >>> lab.service.declares(lambda service: service.signing.tolerance)
        False
        """
        return setting_key_of(read) in self._declared

    def settings(self) -> tuple[SettingRow, ...]:
        """Every key with its value, in the order of the assumptions.

        >>> lab.service.settings()[0].key
        'signing.empty_query'
        """
        default_settings = ServiceSettings()
        return tuple(
            SettingRow(
                key=dotted_key,
                value=read_value(self, dotted_key),
                default=read_value(default_settings, dotted_key),
                origin=self.origin(dotted_key),
                row=setting.row,
                question=setting.question,
            )
            for dotted_key, setting in setting_keys().items()
        )

    def path(self, operation: str, **parts: str) -> str:
        """The path of an operation, with placeholders filled in.

        MissingOperationError if the service has no such operation.

        >>> lab.service.path("transfers.get", id="tr_1")
        '/v1/transfers/tr_1'
        """
        from ..operations import routes

        return routes.fill_path(operation, self, parts)

    def list(self, resource: str) -> ListForm:
        """The form of the list of a resource, such as "conversions"."""
        from ..operations.records import OPERATIONS

        return OPERATIONS[f"{resource}.list"].list_form(self)

    def declared_order(self, resource: str) -> Order:
        """The order of the list of a resource if it was set, else "unknown"."""
        from ..operations.records import OPERATIONS

        read_list_settings = OPERATIONS[f"{resource}.list"].listing
        if read_list_settings is None:
            return "unknown"
        is_set_for_all = self.declares(lambda service: service.lists.order)
        is_set_for_one = self.declares(lambda service: read_list_settings(service.lists).order)
        if not is_set_for_all and not is_set_for_one:
            return "unknown"  # the default of the setting is only assumed
        return self.list(resource).order

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The method and the path of each operation that the service has."""
        from ..operations import routes

        return routes.make_routes(self)

    def match(self, path: str) -> tuple[Mapping[str, Route], dict[str, str]]:
        """The operations at a path by method, and the values of placeholders."""
        return self._route_table.match(strip_base_path(path, self.signing.base_path))

    def account(self, country: object, kind: object) -> AccountDetails | None:
        """The settings of an account type in a country; None if it is not used there.

        Without a country, those of the only country that has the type.
        """
        if country is None:
            possible_settings = self.accounts_of(kind)
            return possible_settings[0] if len(possible_settings) == 1 else None
        region_code = "SEPA" if country in codes.SEPA else country
        read_account = ACCOUNTS.get(f"{region_code}.{kind}") or ACCOUNTS.get(str(kind))
        return read_account(self.financial_accounts) if read_account else None

    def accounts_of(self, kind: object) -> tuple[AccountDetails, ...]:
        """The settings of an account type in every country that has it; empty without any."""
        return tuple(
            read_account(self.financial_accounts)
            for setting_key, read_account in ACCOUNTS.items()
            if setting_key.rpartition(".")[2] == kind
        )

    def payout_methods(self, country: object) -> tuple[str, ...]:
        """The rails to accounts in a country; empty without a corridor."""
        region_code = "SEPA" if country in codes.SEPA else str(country)
        read_rails = RAILS.get(region_code)
        return read_rails(self.rails) if read_rails else ()

    @property
    def accounts(self) -> AccountSettings:
        """The settings of financial accounts."""
        return self.financial_accounts

    @cached_property
    def _route_table(self) -> RouteTable:
        """The routes of the service, to look up a path."""
        return RouteTable(self.routes)

    @cached_property
    def _groups(self) -> tuple[object, ...]:
        """All groups of settings, for comparison: groups that two services share compare fast."""
        return tuple(getattr(self, group.name) for group in fields(ServiceSettings))

    @cached_property
    def _hash(self) -> int:
        """The hash of all settings, computed once."""
        return hash(self._groups)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self._groups == other._groups if isinstance(other, Service) else NotImplemented

    def __repr__(self) -> str:
        return f"Service({self.diff() or ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self._declared),)
