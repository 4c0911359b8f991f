"""The filters of lists: which rows to keep, by their status, time, and objects they belong to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from itertools import pairwise
from typing import Any, TypedDict

from ..errors.base import OptionError, Problem
from ..errors.suggestions import find_nearest_name, find_suggestion
from ..light_dataclass import light_dataclass
from .codes import (
    CONVERSION_ACCOUNT_STATUSES,
    CONVERSION_STATUSES,
    INDIVIDUAL_STATUSES,
    PRODUCTS,
    TRANSFER_STATUSES,
    ConversionAccountStatus,
    ConversionStatus,
    IndividualStatus,
    Product,
    TransferStatus,
)
from .text import normalize_name, plain
from .time_arguments import read_period
from .timestamps import from_text, to_text

FIELDS: Mapping[str, Mapping[str, str]] = {
    "transfers": {"individual_id": "recipient_id", "client_reference_id": "client_reference_id"},
    "conversions": {
        "individual_id": "individual_id",
        "conversion_account_id": "conversion_account_id",
    },
    "individuals": {"product_type": "product_types"},
    "conversion_accounts": {
        "individual_id": "individual_id",
        "client_reference_id": "client_reference_id",
    },
}
"""The field of a row that a filter compares, by the list."""

SENT: Mapping[str, tuple[str, ...]] = {"transfers": ("product_type",)}
"""The filters that the service applies itself, by the list."""


STATUSES: Mapping[str, tuple[str, ...]] = {
    "transfers": TRANSFER_STATUSES,
    "conversions": CONVERSION_STATUSES,
    "individuals": INDIVIDUAL_STATUSES,
    "conversion_accounts": CONVERSION_ACCOUNT_STATUSES,
}
"""The statuses of the specification, by the list."""


class TimeFilters(TypedDict, total=False):
    """Rows created at or after `since`, and before `until`."""

    since: date | str | None
    until: date | str | None


class TransferFilters(TimeFilters, total=False):
    """Which transfers to keep."""

    status: TransferStatus | str | Collection[str] | None
    individual_id: object
    client_reference_id: str | None
    product_type: Product | str | None


class ConversionFilters(TimeFilters, total=False):
    """Which conversions to keep."""

    status: ConversionStatus | str | Collection[str] | None
    individual_id: object
    conversion_account_id: object


class IndividualFilters(TimeFilters, total=False):
    """Which individuals to keep."""

    status: IndividualStatus | str | Collection[str] | None
    product_type: Product | str | None


class ConversionAccountFilters(TimeFilters, total=False):
    """Which conversion accounts to keep."""

    status: ConversionAccountStatus | str | Collection[str] | None
    individual_id: object
    client_reference_id: str | None


class RowFilters(TimeFilters, total=False):
    """The filters of all lists; a list refuses those that its rows do not have."""

    status: str | Collection[str] | None
    individual_id: object
    client_reference_id: str | None
    product_type: str | None
    conversion_account_id: object


FILTER_NAMES = frozenset(RowFilters.__annotations__)


@light_dataclass(frozen=True)
class RowFilter:
    """Keeps rows with one of `statuses`, created from `since` to `until`, with these `fields`.

    A row without a readable time is kept.
    """

    statuses: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        conditions = (self.statuses, self.since, self.until)
        return bool(self.fields) or any(condition is not None for condition in conditions)

    def keeps(self, value_of: Callable[[str], Any]) -> bool:
        """Whether to keep a row; `value_of` returns a field of it by name, as `row.get` does."""
        if self.statuses is not None and value_of("status") not in self.statuses:
            return False
        created_at = _read_time(value_of("created_at"))
        if created_at is not None and not self._is_in_period(created_at):
            return False
        return all(
            _has_text(value_of(field_name), wanted_text)
            for field_name, wanted_text in self.fields.items()
        )

    def _is_in_period(self, created_at: datetime) -> bool:
        """Whether a time is at or after `since` and before `until`; None is no bound."""
        is_late_enough = self.since is None or created_at >= self.since
        is_early_enough = self.until is None or created_at < self.until
        return is_late_enough and is_early_enough

    def is_past(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a page of a list with the newest rows first ends before `since`.

        False without `since`, without a readable time, or if the rows are not sorted so.
        """
        row_times = [_read_time(row.get("created_at")) for row in rows]
        known_times = [row_time for row_time in row_times if row_time is not None]
        if self.since is None or not known_times:
            return False
        are_in_order = all(row_time >= next_time for row_time, next_time in pairwise(known_times))
        return are_in_order and known_times[-1] < self.since

    def describe(self) -> dict[str, str]:
        """The filters that are set, by name, as text for people."""
        text_by_filter = dict(self.fields)
        if self.statuses is not None:
            text_by_filter["status"] = ",".join(sorted(self.statuses))
        for bound_name, bound in (("since", self.since), ("until", self.until)):
            if bound is not None:
                text_by_filter[bound_name] = to_text(bound)
        return text_by_filter


def _has_text(field_value: object, wanted_text: str) -> bool:
    """Whether a field is the wanted text, in any Unicode form, or a list that contains it."""
    if isinstance(field_value, list | tuple):
        return wanted_text in field_value
    return isinstance(field_value, str) and normalize_name(field_value) == wanted_text


def _read_time(time_value: object) -> datetime | None:
    """Read the time of a row, as a datetime or as text; None if it cannot be read."""
    if isinstance(time_value, datetime):
        return time_value
    if not isinstance(time_value, str):
        return None
    try:
        return from_text(time_value)
    except ValueError:
        return None


def list_filter_names(kind: str) -> tuple[str, ...]:
    """The names of the filters that a list has, such as "status" and "since"."""
    return ("status", "since", "until", *FIELDS.get(kind, {}), *SENT.get(kind, ()))


def read_row_filter(
    kind: str, filters: Mapping[str, object], declared: Collection[str] = ()
) -> RowFilter:
    """Make the filter of a list from its arguments, by name; OptionError lists the wrong ones.

    `kind` is the list, such as "transfers". `declared` are the statuses of the service besides
    those of the specification. Filters that are sent to the service, which applies them, are not
    accepted here.
    """
    value_by_filter = {
        filter_name: filter_value
        for filter_name, filter_value in filters.items()
        if filter_value is not None
    }
    names_applied_here = [
        argument_name
        for argument_name in list_filter_names(kind)
        if argument_name not in SENT.get(kind, ())
    ]
    unknown_names = value_by_filter.keys() - {*names_applied_here}
    if unknown_names:
        message = f"is no field of {kind}: keep rows by {', '.join(names_applied_here)}"
        raise OptionError(
            Problem(argument_name, message) for argument_name in sorted(unknown_names)
        )
    statuses = read_statuses(value_by_filter.get("status"), kind, declared)
    since_argument: Any = value_by_filter.get("since")
    until_argument: Any = value_by_filter.get("until")
    begin_time, end_time = read_period(since_argument, until_argument)
    text_by_field = {
        field_name: _read_compared_text(value_by_filter[filter_name], filter_name)
        for filter_name, field_name in FIELDS.get(kind, {}).items()
        if filter_name in value_by_filter
    }
    return RowFilter(statuses, since=begin_time, until=end_time, fields=text_by_field)


def _read_compared_text(value: object, filter_name: str) -> str:
    """Read the text that a filter compares: a product, a reference, or the id of an object.

    OptionError for any other value, and for a product that does not exist.
    """
    is_reference = filter_name == "client_reference_id"
    takes_object = filter_name.endswith("_id") and not is_reference
    text_or_id = value
    if takes_object and isinstance(value, Mapping):
        text_or_id = value.get("id")
    elif takes_object and not isinstance(value, str):
        text_or_id = getattr(value, "id", value)
    compared_text = normalize_name(text_or_id) if isinstance(text_or_id, str) else ""
    if not compared_text:
        required_text = "text that is not blank" if is_reference else "an id, or an object"
        message = f"must be {required_text}, not {plain(repr(text_or_id), 60)}"
        raise OptionError([Problem(filter_name, message)])
    if filter_name == "product_type":
        check_product(compared_text)
    return compared_text


def check_product(product: object) -> None:
    """Raise OptionError for a product that the specification does not have; None is none."""
    if product is None or product in PRODUCTS:
        return
    nearest_product = find_nearest_name(str(product), PRODUCTS)
    hint = f" (is {nearest_product!r} meant?)" if nearest_product else ""
    raise OptionError([Problem("product_type", f"must be one of {', '.join(PRODUCTS)}{hint}")])


def read_statuses(
    values: object, kind: str, declared: Collection[str] = ()
) -> frozenset[str] | None:
    """Read the statuses to keep, from "failed", "failed,expired" or a list; None for all.

    OptionError for one that neither the specification nor the settings have, with the nearest.
    """
    if values is None:
        return None
    status_words = values.split(",") if isinstance(values, str) else values
    if not isinstance(status_words, Collection) or not all(
        isinstance(status_word, str) for status_word in status_words
    ):
        message = f"must be a status or a list of statuses, not {plain(repr(values), 60)}"
        raise OptionError([Problem("status", message)])
    statuses = frozenset(status_word.strip() for status_word in status_words) - {""}
    if not statuses:
        raise OptionError([Problem("status", "is empty: name a status, or leave it out for all")])
    check_statuses(statuses, kind, declared)
    return statuses


def check_statuses(statuses: Collection[str], kind: str, declared: Collection[str]) -> None:
    """Raise OptionError for statuses that neither the specification nor the settings have.

    `declared` are those of the settings. Without a known `kind` of list nothing is checked.
    """
    if kind not in STATUSES:
        return
    known_status_names = dict.fromkeys((*STATUSES[kind], *declared))
    problems = []
    for unknown_status in sorted({*statuses} - {*known_status_names}):
        nearest_status = find_suggestion(unknown_status, known_status_names)
        hint = f"is {nearest_status!r} meant? " if nearest_status else ""
        reason = f"{plain(unknown_status, 40)!r} is no status of {kind}"
        message = f"{reason}: {hint}known are {', '.join(known_status_names)}"
        problems.append(Problem("status", message))
    if problems:
        raise OptionError(problems)
