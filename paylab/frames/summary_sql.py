"""The SQL of summaries and partial summaries, and how partial ones are merged.

A partial summary has sums and the counts of each completion time and failure reason, so that
quantiles over all partitions are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..errors.base import ConfigError, Problem, RuleError
from .times import time_zone

CURRENCIES = ("source_currency", "destination_currency", "fee_currency", "tax_currency")
AMOUNTS = ("source_amount", "destination_amount", "total_fee", "total_tax")
COUNTS = {
    "rows": "count(*)",
    "completed": "count(*) filter (status = 'completed')",
    "failed": "count(*) filter (status = 'failed')",
}
ADDED_COUNTS = {name: f"sum({name})::bigint" for name in COUNTS}
QUANTILES = {"p50": "0.50", "p90": "0.90", "p95": "0.95", "p99": "0.99"}
FACTS = ("status", "payout_method", "failure_reason", "completed_in", "created_at", "product_type")
COLUMNS = (*CURRENCIES, *AMOUNTS, *FACTS)
WORDS = {"rail": "payout_method", "status": "status", "product": "product_type"}
PERIODS = ("day", "week", "month")
READY = (*PERIODS, "corridor", *WORDS)
"""The predefined groupings; a column name is a grouping too."""


@dataclass(frozen=True)
class Grouping:
    """The grouping of rows in a time zone; with sums, also by currency.

    `words` are the values of currency columns that are coded as numbers for speed.
    """

    by: tuple[str, ...]
    tz: str = "UTC"
    sums: bool = True
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.by)) < len(self.by):
            raise ConfigError("a grouping is named twice")
        time_zone(self.tz)

    def check(self, columns: Sequence[str]) -> None:
        """RuleError for a name that is not a grouping and not a column."""
        unknown = [name for name in self.by if name not in READY and name not in columns]
        message = f"must be one of {', '.join(READY)}, or the name of a column"
        if unknown:
            raise RuleError([Problem(f"by: {name!r:.60}", message) for name in unknown])

    @property
    def keys(self) -> dict[str, str]:
        """The SQL of the grouping columns, by their names.

        A corridor is grouped by its two currencies, and sums by every currency.
        """
        sql_by_name = {name: self._write_key(name) for name in self.by if name != "corridor"}
        source_and_destination = CURRENCIES[:2]
        currencies = source_and_destination if "corridor" in self.by else ()
        for name in CURRENCIES if self.sums else currencies:
            # The words of a coded column are in upper case already.
            sql_by_name.setdefault(name, name if name in self.words else f"upper({name})")
        return sql_by_name

    @property
    def is_daily(self) -> bool:
        """Whether every group has rows of one UTC day only."""
        return "day" in self.by and self.tz == "UTC"

    @property
    def decoded(self) -> str:
        """The SQL that decodes coded columns."""
        replacements = [
            f"list_extract([{', '.join(map(sql_text, words))}]::varchar[], {name} + 1) as {name}"
            for name, words in self.words.items()
        ]
        return f"* replace ({', '.join(replacements)})" if replacements else "*"

    @property
    def shown(self) -> str:
        """The SQL of the group columns of a finished summary, in order."""
        corridor = "upper(s.source_currency || '-' || s.destination_currency) as corridor"
        grouped_names = [
            corridor if name == "corridor" else f"s.{quote_name(name)}" for name in self.by
        ]
        other_keys = [f"s.{name}" for name in self.keys if self.sums and name not in self.by]
        return "".join(f"{name_text}, " for name_text in [*grouped_names, *other_keys])

    def _write_key(self, key_name: str) -> str:
        if key_name not in PERIODS:
            return WORDS.get(key_name) or quote_name(key_name)
        created_sql = "make_timestamp(epoch_us(created_at))"  # in UTC, without a calendar
        if self.tz != "UTC":
            created_sql = f"(created_at at time zone '{self.tz}')"
        return (
            f"date_trunc('{key_name}', {created_sql}::date)::date"
            if key_name != "day"
            else f"{created_sql}::date"
        )


def write_whole_query(groups: Grouping, source: str) -> str:
    """The SQL of a summary of all rows of `source`; completion times are whole seconds."""
    shares = ", ".join(QUANTILES.values())
    columns = ", ".join(
        # A quantile of integers at these shares has two decimals; only a float has more.
        f"round(list_extract(shares, {at}), 2)::decimal(38, 2) as {name}"
        for at, name in enumerate(QUANTILES, 1)
    )
    return f"""
        with s as (select {groups.decoded} from (
            select {_write_named_keys(groups)} {_write_measures(groups, COUNTS)},
                quantile_cont(completed_in, [{shares}]) as shares,
                map_entries(histogram(failure_reason)) as counted
            from {source} group by all))
        select {groups.shown} s.* exclude (shares, counted {_write_more_keys(groups)}), {columns},
            array_to_string([rtrim(e.reason, '.') || ': ' || -e.n for e in list_sort(
                [{{'n': -e.value::bigint, 'reason': e.key}} for e in counted])], '; ')
                as failure_reasons
        from s order by all"""


def write_partial_query(groups: Grouping, source: str) -> str:
    """The SQL of a partial summary of the rows of `source`: `whole`, ready to be merged."""
    lists = ", ".join(
        f"list({{'v': {expression}, 'n': rows}}) filter ({expression} is not null) as {many}"
        for many, expression in (("times", "_time"), ("reasons", "_reason"))
    )
    return f"""
        select {_write_key_names(groups)} {_write_measures(groups, ADDED_COUNTS)}, {lists} from (
            select {_write_named_keys(groups)} {_write_measures(groups, COUNTS)},
                completed_in as _time, failure_reason as _reason
            from {source} group by all)
        group by all"""


def write_merging_query(groups: Grouping) -> str:
    """The SQL of a summary from the partial ones in the table `parts`."""
    ordered = _write_key_names(groups).rstrip(", ") or "1"
    quantiles = ", ".join(_write_quantile(share, name) for name, share in QUANTILES.items())
    choice = "select g, e.v as {0}, sum(e.n)::bigint as n"
    many = "unnest({0}s) as e from keyed)"
    return f"""
        with keyed as (select dense_rank() over (order by {ordered}) as g, * from parts),
        s as (
            select g, {_write_key_names(groups)} {_write_measures(groups, ADDED_COUNTS)}
            from keyed group by all
        ),
        times as ({choice.format("v")} from (select g, {many.format("time")} group by all),
        ranked as (
            select g, v, sum(n) over (partition by g order by v) as upto,
                sum(n) over (partition by g) as n from times),
        quantiles as (select g, {quantiles} from ranked group by g),
        counted as ({choice.format("reason")} from (select g, {many.format("reason")} group by all),
        r as (select g, string_agg(rtrim(reason, '.') || ': ' || n, '; ' order by n desc, reason)
            as failure_reasons from counted group by g)
        select {groups.shown} s.* exclude (g {_write_more_keys(groups)}), {", ".join(QUANTILES)},
            failure_reasons
        from s left join quantiles using (g) left join r using (g) order by all"""


def sql_text(word: str) -> str:
    """A text for SQL."""
    return "'" + word.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _write_key_names(groups: Grouping) -> str:
    return "".join(f"{quote_name(name)}, " for name in groups.keys)


def _write_more_keys(groups: Grouping) -> str:
    return "".join(f", {quote_name(name)}" for name in groups.keys)


def _write_named_keys(groups: Grouping) -> str:
    return "".join(f"{sql} as {quote_name(name)}, " for name, sql in groups.keys.items())


def _write_measures(groups: Grouping, counts: Mapping[str, str]) -> str:
    sums = {name: f"sum({name})" for name in AMOUNTS if groups.sums}
    return ", ".join(f"{sql} as {name}" for name, sql in {**counts, **sums}.items())


def _write_quantile(share: str, column_name: str) -> str:
    """The quantile by linear interpolation, in decimals."""
    position_sql = f"({share} * (n - 1))"
    low, high = (f"min(v) filter (upto > {side}({position_sql}))" for side in ("floor", "ceil"))
    fraction_sql = f"any_value({position_sql} - floor({position_sql}))::decimal(3, 2)"
    return f"{low} + ({high} - {low}) * {fraction_sql} as {column_name}"
