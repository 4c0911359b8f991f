"""The SQL of summaries and partial summaries, and how partial ones are merged.

A partial summary has sums and the counts of each completion time and failure reason, so that
quantiles over all partitions are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..errors.base import ConfigError, OptionError, Problem
from ..errors.suggestions import find_suggestion
from .times import read_time_zone

CURRENCY_COLUMNS = ("source_currency", "destination_currency", "fee_currency", "tax_currency")
AMOUNT_COLUMNS = ("source_amount", "destination_amount", "total_fee", "total_tax")
RATIO_SUMS = {
    "_rate_dividend": ("destination_amount", "source_amount"),
    "_rate_divisor": ("source_amount", "destination_amount"),
    "_share_fees": ("total_fee", "source_amount"),
    "_share_divisor": ("source_amount", "total_fee"),
}
"""The sums of ratios: of the first amount, in rows that have the second one too."""
_IS_STATUS_KNOWN = "(count(status) > 0 or count(*) = 0)"
COUNTS = {
    "rows": "count(*)",
    "completed": f"if({_IS_STATUS_KNOWN}, count(*) filter (status = 'completed'), null)",
    "failed": f"if({_IS_STATUS_KNOWN}, count(*) filter (status = 'failed'), null)",
}
"""The counts of a group; of rows without a status, it is not known how many completed or failed."""
ADDED_COUNTS = {name: f"sum({name})::bigint" for name in COUNTS}
QUANTILES = {"p50": "0.50", "p90": "0.90", "p95": "0.95", "p99": "0.99"}
MEASURES = (*COUNTS, *QUANTILES, "failure_rate", "effective_rate", "fee_share", "failure_reasons")
FACT_COLUMNS = (
    "status",
    "payout_method",
    "failure_reason",
    "completed_in",
    "created_at",
    "product_type",
)
SUMMARIZED_COLUMNS = (*CURRENCY_COLUMNS, *AMOUNT_COLUMNS, *FACT_COLUMNS)
COLUMN_BY_GROUPING = {"rail": "payout_method", "status": "status", "product": "product_type"}
PERIODS = ("day", "week", "month", "quarter")
SQL_BY_CLOCK_PART = {"weekday": "isodow", "hour": "hour"}
"""Parts of the time: the day of the week from 1, Monday, and the hour from 0; by their function."""
READY = (*PERIODS, *SQL_BY_CLOCK_PART, "corridor", *COLUMN_BY_GROUPING)
"""The predefined groupings; a column name is a grouping too."""


@dataclass(frozen=True)
class Grouping:
    """The grouping of rows in a time zone; with sums, also by currency.

    `words` are the values of currency columns that are coded as numbers for speed, `complete` the
    amounts that are known to be in every row.
    """

    by: tuple[str, ...]
    tz: str = "UTC"
    sums: bool = True
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    complete: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(set(self.by)) < len(self.by):
            raise ConfigError("a grouping is named twice")
        read_time_zone(self.tz)  # refuses an unknown zone

    def check(self, column_names: Sequence[str]) -> None:
        """OptionError for a name that is neither a grouping nor a column, or that is both."""
        problems = []
        for grouping_name in self.by:
            message = self._find_misuse(grouping_name, column_names)
            if message:
                problems.append(Problem(f"by: {grouping_name!r:.60}", message))
        if problems:
            raise OptionError(problems)

    def _find_misuse(self, grouping_name: str, column_names: Sequence[str]) -> str:
        """Why rows cannot be grouped by a name; empty if they can."""
        is_column = grouping_name in column_names
        # The grouping `status` is the column `status`.
        is_own_column = COLUMN_BY_GROUPING.get(grouping_name) == grouping_name
        if grouping_name in AMOUNT_COLUMNS and self.sums:
            return "is summed in every group: pass sums=False to group by it"
        is_measure = grouping_name in MEASURES
        if is_measure and is_column:
            return "is a column of every summary, too: rename yours before you group by it"
        if grouping_name in READY and is_column and not is_own_column:
            return "is a grouping, and a column of these rows, too: rename the column"
        if grouping_name in READY or is_column:
            return ""
        suggested_name = find_suggestion(grouping_name, [*READY, *column_names])
        hint_text = f" (is {suggested_name} meant?)" if suggested_name and not is_measure else ""
        measured_text = "is computed for each group, and " if is_measure else ""
        return (
            f"{measured_text}must be one of {', '.join(READY)}, or the name of a column{hint_text}"
        )

    @property
    def keys(self) -> dict[str, str]:
        """The SQL of the grouping columns, by their names.

        A corridor is grouped by its two currencies, and sums by every currency.
        """
        sql_by_name = {
            column_name: self._write_key(column_name)
            for column_name in self.by
            if column_name != "corridor"
        }
        currency_columns: Sequence[str] = ()
        if self.sums:
            currency_columns = CURRENCY_COLUMNS
        elif "corridor" in self.by:
            currency_columns = CURRENCY_COLUMNS[:2]  # source and destination
        for column_name in currency_columns:
            # The words of a coded column are in upper case already.
            key_sql = column_name if column_name in self.words else f"upper({column_name})"
            sql_by_name.setdefault(column_name, key_sql)  # unless `by` has the column
        return sql_by_name

    @property
    def is_daily(self) -> bool:
        """Whether every group has rows of one UTC day only."""
        return "day" in self.by and self.tz == "UTC"

    @property
    def columns_sql(self) -> str:
        """The SQL of all columns, coded ones as words."""
        if not self.words:
            return "*"
        replacement_sqls = []
        for column_name, coded_texts in self.words.items():
            words_sql = ", ".join(map(sql_text, coded_texts))
            replacement_sqls.append(
                f"list_extract([{words_sql}]::varchar[], {column_name} + 1) as {column_name}"
            )
        return f"* replace ({', '.join(replacement_sqls)})"

    @property
    def group_columns_sql(self) -> str:
        """The SQL of the group columns of a finished summary, in order."""
        corridor_sql = "upper(s.source_currency || '-' || s.destination_currency) as corridor"
        column_sqls = [
            corridor_sql if key_name == "corridor" else f"s.{quote_name(key_name)}"
            for key_name in self.by
        ]
        if self.sums:
            column_sqls += [f"s.{key_name}" for key_name in self.keys if key_name not in self.by]
        return "".join(f"{column_sql}, " for column_sql in column_sqls)

    def _write_key(self, key_name: str) -> str:
        """The SQL of a name in `by`: a part of the time, a predefined grouping, or a column."""
        if key_name not in (*PERIODS, *SQL_BY_CLOCK_PART):
            return COLUMN_BY_GROUPING.get(key_name) or quote_name(key_name)
        created_sql = "make_timestamp(epoch_us(created_at))"  # in UTC, without a calendar
        if self.tz != "UTC":
            created_sql = f"(created_at at time zone '{self.tz}')"
        if key_name in SQL_BY_CLOCK_PART:
            return f"{SQL_BY_CLOCK_PART[key_name]}({created_sql})"
        if key_name == "day":
            return f"{created_sql}::date"
        return f"date_trunc('{key_name}', {created_sql}::date)::date"


def write_whole_query(groups: Grouping, source: str) -> str:
    """The SQL of a summary of all rows of `source`; completion times are whole seconds."""
    shares_sql = ", ".join(QUANTILES.values())
    quantiles_sql = ", ".join(
        # A quantile of integers at these shares has two decimals; only a float has more.
        f"round(list_extract(shares, {list_index}), 2)::decimal(38, 2) as {quantile_name}"
        for list_index, quantile_name in enumerate(QUANTILES, 1)
    )
    return f"""
        with s as (select {groups.columns_sql} from (
            select {_write_named_keys(groups)} {_write_measures(groups)},
                quantile_cont(completed_in, [{shares_sql}]) as shares,
                map_entries(histogram(failure_reason)) as counted
            from {source} group by all))
        select {groups.group_columns_sql} s.* exclude (shares, counted {_write_more_keys(groups)}),
            {quantiles_sql},
            array_to_string([rtrim(e.reason, '.') || ': ' || -e.n for e in list_sort(
                [{{'n': -e.value::bigint, 'reason': e.key}} for e in counted])], '; ')
                as failure_reasons
        from s order by all"""


def write_partial_query(groups: Grouping, source: str) -> str:
    """The SQL of a partial summary of the rows of `source`.

    It has lists of the completion times and reasons, with how often each occurs.
    """
    lists_sql = ", ".join(
        f"list({{'v': {column_name}, 'n': rows}}) filter ({column_name} is not null) as {list_name}"
        for list_name, column_name in (("times", "_time"), ("reasons", "_reason"))
    )
    return f"""
        select {_write_key_names(groups)} {_write_added_measures(groups)}, {lists_sql}
        from (
            select {_write_named_keys(groups)} {_write_measures(groups)},
                completed_in as _time, failure_reason as _reason
            from {source} group by all)
        group by all"""


def write_merging_query(groups: Grouping) -> str:
    """The SQL of a summary from the partial ones in the table `parts`."""
    order_sql = _write_key_names(groups).rstrip(", ") or "1"
    quantiles_sql = ", ".join(
        _write_quantile(share_sql, quantile_name) for quantile_name, share_sql in QUANTILES.items()
    )
    # g is the number of a group, v a completion time or reason, n how many rows have it.
    added_entries_sql = "select g, e.v as {0}, sum(e.n)::bigint as n"
    group_entries_sql = "(select g, unnest({0}s) as e from keyed) group by all"
    times_sql = f"{added_entries_sql.format('v')} from {group_entries_sql.format('time')}"
    reasons_sql = f"{added_entries_sql.format('reason')} from {group_entries_sql.format('reason')}"
    return f"""
        with keyed as (select dense_rank() over (order by {order_sql}) as g, * from parts),
        s as (
            select g, {_write_key_names(groups)} {_write_added_measures(groups)}
            from keyed group by all
        ),
        times as ({times_sql}),
        ranked as (
            select g, v, sum(n) over (partition by g order by v) as upto,
                sum(n) over (partition by g) as n from times),
        quantiles as (select g, {quantiles_sql} from ranked group by g),
        counted as ({reasons_sql}),
        r as (select g, string_agg(rtrim(reason, '.') || ': ' || n, '; ' order by n desc, reason)
            as failure_reasons from counted group by g)
        select {groups.group_columns_sql} s.* exclude (g {_write_more_keys(groups)}),
            {", ".join(QUANTILES)},
            failure_reasons
        from s left join quantiles using (g) left join r using (g) order by all"""


def sql_text(word: str) -> str:
    """A text for SQL. DuckDB reads none with a null character in it, so that one is computed."""
    quoted_text = "'" + word.replace("'", "''") + "'"
    if "\0" not in word:
        return quoted_text
    return "(" + quoted_text.replace("\0", "' || chr(0) || '") + ")"


def quote_name(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _write_key_names(groups: Grouping) -> str:
    """The names of the grouping columns before other columns: `"day", `."""
    return "".join(f"{quote_name(key_name)}, " for key_name in groups.keys)


def _write_more_keys(groups: Grouping) -> str:
    """The names of the grouping columns after other columns: `, "day"`."""
    return "".join(f", {quote_name(key_name)}" for key_name in groups.keys)


def _write_named_keys(groups: Grouping) -> str:
    """The grouping columns with their SQL, before other columns."""
    return "".join(
        f"{key_sql} as {quote_name(key_name)}, " for key_name, key_sql in groups.keys.items()
    )


def _write_measures(groups: Grouping) -> str:
    """The counts of rows, and the sums of their amounts."""
    sql_by_measure = dict(COUNTS)
    if groups.sums:
        sql_by_measure |= {amount_name: f"sum({amount_name})" for amount_name in AMOUNT_COLUMNS}
        sql_by_measure |= {
            sum_name: f"sum({amount_name})"
            if other_name in groups.complete
            else f"sum({amount_name}) filter ({other_name} is not null)"
            for sum_name, (amount_name, other_name) in RATIO_SUMS.items()
        }
    return _write_columns(sql_by_measure)


def _write_added_measures(groups: Grouping) -> str:
    """The counts and sums of groups from those of their parts."""
    sum_names = (*AMOUNT_COLUMNS, *RATIO_SUMS) if groups.sums else ()
    added_sums = {sum_name: f"sum({sum_name})" for sum_name in sum_names}
    return _write_columns(ADDED_COUNTS | added_sums)


def _write_columns(sql_by_name: Mapping[str, str]) -> str:
    """The SQL of columns with their names."""
    return ", ".join(f"{sql} as {column_name}" for column_name, sql in sql_by_name.items())


def _write_quantile(share: str, column_name: str) -> str:
    """The quantile by linear interpolation, in decimals."""
    position_sql = f"({share} * (n - 1))"
    low_sql = f"min(v) filter (upto > floor({position_sql}))"
    high_sql = f"min(v) filter (upto > ceil({position_sql}))"
    fraction_sql = f"any_value({position_sql} - floor({position_sql}))::decimal(3, 2)"
    return f"{low_sql} + ({high_sql} - {low_sql}) * {fraction_sql} as {column_name}"
