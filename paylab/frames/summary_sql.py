"""What a summary is: one definition in SQL, for rows anywhere, and how partial ones merge.

A partial summary keeps sums, and how often each completion time and failure reason came: from
those, quantiles over all partitions are exact. Sums are kept in limbs, which have room where 38
digits have none: 10**19 times the first, plus the second, plus the third (the part below one).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ConfigError, Problem, RuleError

CURRENCIES = ("source_currency", "destination_currency", "fee_currency", "tax_currency")
AMOUNTS = ("source_amount", "destination_amount", "total_fee", "total_tax")
BASE = 10**19
LIMBS = ("high", "low", "rest")
COUNTS = {
    "rows": "count(*)",
    "completed": "count(*) filter (status = 'completed')",
    "failed": "count(*) filter (status = 'failed')",
}
SINGLE = {"_time": "completed_in", "_reason": "failure_reason"}
LISTS = {"times": "_time", "reasons": "_reason"}
QUANTILES = {"p50": "0.50", "p90": "0.90", "p99": "0.99"}
FACTS = ("status", "payout_method", "failure_reason", "completed_in", "created_at", "product_type")
COLUMNS = (*CURRENCIES, *AMOUNTS, *FACTS)

READY = {
    "day": "cast(created_at at time zone 'UTC' as date)",
    "corridor": "upper(source_currency) || '-' || upper(destination_currency)",
    "rail": "payout_method",
    "status": "status",
    "product": "product_type",
}
"""The ready groupings; a column's own name is a grouping too."""


def keys(by: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """The SQL of each grouping; RuleError for one that is neither ready nor a column."""
    unknown = [name for name in by if name not in READY and name not in columns]
    if unknown:
        known = ", ".join(READY)
        message = f"must be one of {known}, or the name of a column"
        raise RuleError([Problem(f"by: {name!r:.60}", message) for name in unknown])
    if len(set(by)) < len(by):
        raise ConfigError("a grouping is named twice")
    return {name: READY.get(name, quoted(name)) for name in by}


def whole(groups: dict[str, str], source: str, *, roomy: bool = False) -> str:
    """The SQL of a summary of all the rows of `source`, amounts in limbs.

    Plain sums are fast and fail when one passes 38 digits; `roomy` ones add limb by limb.
    """
    keys, split = ", ".join(_names(groups)), "*" if roomy else _split()
    shares = ", ".join(QUANTILES.values())
    parts = ", ".join(
        f"list_extract(shares, {at})::double as {name}" for at, name in enumerate(QUANTILES, 1)
    )
    joined = " and ".join(f"s.{name} is not distinct from r.{name}" for name in _names(groups))
    return f"""
        with s as (
            select {split} from (
                select {_named(groups)}, {_counts()}, {_sums(roomy=roomy)},
                    quantile_cont(completed_in, [{shares}]) as shares
                from {source} group by all)),
        told as (
            select {_named(groups)}, failure_reason as reason, count(*) as n from {source}
            where failure_reason is not null group by all),
        r as (select {keys}, {_told()} from told group by all)
        select s.* exclude (shares), {parts}, r.failure_reasons
        from s left join r on {joined}
        order by {", ".join(f"s.{name}" for name in _names(groups))}"""


def partial(groups: dict[str, str], source: str, *, roomy: bool = False) -> str:
    """The SQL of a partial summary of the rows of `source`: `whole`, ready to be merged."""
    keys, split = ", ".join(_names(groups)), "*" if roomy else _split()
    counts = ", ".join(f"sum({name})::bigint as {name}" for name in COUNTS)
    sums = ", ".join(f"sum({name}) as {name}" for name in (_limbs() if roomy else AMOUNTS))
    lists = ", ".join(
        f"list({{'v': {one}, 'n': rows}}) filter ({one} is not null) as {many}"
        for many, one in LISTS.items()
    )
    fine = ", ".join(f"{of} as {one}" for one, of in SINGLE.items())
    return f"""
        select {split} from (
            select {keys}, {counts}, {sums}, {lists} from (
                select {_named(groups)}, {fine}, {_counts()}, {_sums(roomy=roomy)}
                from {source} group by all)
            group by all)"""


def limbs(name: str) -> dict[str, str]:
    """The SQL of each limb of an amount."""
    whole = f"cast(trunc({name}) as hugeint)"
    made = (f"{whole} // {BASE}", f"{whole} % {BASE}", f"{name} - trunc({name})")
    return dict(zip(limb_names(name), made, strict=True))


def limb_names(name: str) -> list[str]:
    """The columns of a partial summary that hold an amount."""
    return [f"{name}_{limb}" for limb in LIMBS]


def merged(by: Sequence[str]) -> str:
    """The SQL of a summary from the partial ones in the table `parts`, amounts in limbs."""
    keys = ", ".join(_names(dict.fromkeys(by, "")))
    counts = ", ".join(f"sum({name})::bigint as {name}" for name in COUNTS)
    sums = ", ".join(f"sum({name}) as {name}" for name in _limbs())
    one, many = ("select g, e.v as {0}, sum(e.n)::bigint as n", "unnest({0}s) as e from keyed)")
    return f"""
        with keyed as (select dense_rank() over (order by {keys}) as g, * from parts),
        s as (select g, {keys}, {counts}, {sums} from keyed group by all),
        times as ({one.format("v")} from (select g, {many.format("time")} group by all),
        ranked as (
            select g, v, sum(n) over (partition by g order by v) as upto,
                sum(n) over (partition by g) as n from times),
        quantiles as (select g, {_quantiles()} from ranked group by g),
        told as ({one.format("reason")} from (select g, {many.format("reason")} group by all),
        r as (select g, {_told()} from told group by g)
        select s.* exclude (g), {", ".join(QUANTILES)}, failure_reasons
        from s left join quantiles using (g) left join r using (g)
        order by {keys}"""


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _names(groups: dict[str, str]) -> list[str]:
    """The columns that tell groups apart: what was asked for, and the currencies."""
    others = [name for name in CURRENCIES if name not in groups]
    return [quoted(name) for name in (*groups, *others)]


def _named(groups: dict[str, str]) -> str:
    named = [f"{sql} as {quoted(name)}" for name, sql in groups.items()]
    named += [f"upper({name}) as {name}" for name in CURRENCIES if name not in groups]
    return ", ".join(named)


def _counts() -> str:
    return ", ".join(f"{sql} as {name}" for name, sql in COUNTS.items())


def _sums(*, roomy: bool) -> str:
    if not roomy:
        return ", ".join(f"sum({name}) as {name}" for name in AMOUNTS)
    each = (f"sum({sql}) as {limb}" for name in AMOUNTS for limb, sql in limbs(name).items())
    return ", ".join(each)


def _split() -> str:
    """Sums of a plain summary to limbs."""
    each = [f"{sql} as {limb}" for name in AMOUNTS for limb, sql in limbs(name).items()]
    return f"* exclude ({', '.join(AMOUNTS)}), {', '.join(each)}"


def _limbs() -> list[str]:
    return [limb for name in AMOUNTS for limb in limb_names(name)]


def _told() -> str:
    said = "string_agg(reason || ': ' || n, '; ' order by n desc, reason)"
    return f"{said} as failure_reasons"


def _quantiles() -> str:
    """Between the two neighbours of the place, in proportion: what `quantile_cont` gives."""
    return ", ".join(_quantile(share, name) for name, share in QUANTILES.items())


def _quantile(share: str, name: str) -> str:
    place = f"({share} * (n - 1))"
    low, high = (f"min(v) filter (upto > {side}({place}))::double" for side in ("floor", "ceil"))
    part = f"any_value({place} - floor({place}))::double"
    return f"{low} + ({high} - {low}) * {part} as {name}"
