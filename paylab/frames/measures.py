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


def partial(groups: dict[str, str], source: str, *, roomy: bool = False) -> str:
    """The SQL of a partial summary of the rows of `source`.

    Plain sums are fast and fail when one passes 38 digits; `roomy` ones add limb by limb.
    """
    named = [f"{sql} as {quoted(name)}" for name, sql in groups.items()]
    named += [f"upper({name}) as {name}" for name in CURRENCIES if name not in groups]
    if roomy:
        sums = [f"sum({sql}) as {limb}" for name in AMOUNTS for limb, sql in limbs(name).items()]
        split = "*"
    else:
        sums = [f"sum({name}) as {name}" for name in AMOUNTS]
        each = [f"{sql} as {limb}" for name in AMOUNTS for limb, sql in limbs(name).items()]
        split = f"* exclude ({', '.join(AMOUNTS)}), {', '.join(each)}"
    return f"""
        select {split} from (select {", ".join(named)}, count(*) as rows,
            count(*) filter (status = 'completed') as completed,
            count(*) filter (status = 'failed') as failed,
            {", ".join(sums)},
            histogram(completed_in) as times,
            histogram(failure_reason) as reasons
        from {source} group by all)"""


def limbs(name: str) -> dict[str, str]:
    """The SQL of each limb of an amount."""
    whole = f"cast(trunc({name}) as hugeint)"
    made = (f"{whole} // {BASE}", f"{whole} % {BASE}", f"{name} - trunc({name})")
    return dict(zip(limb_names(name), made, strict=True))


def limb_names(name: str) -> list[str]:
    """The columns of a partial summary that hold an amount."""
    return [f"{name}_{limb}" for limb in LIMBS]


def merged(by: Sequence[str], source: str) -> str:
    """The SQL of a summary from partial ones, amounts still in limbs."""
    group = ", ".join(quoted(name) for name in (*by, *_others(by)))
    names = [limb for name in AMOUNTS for limb in limb_names(name)]
    sums = ", ".join(f"sum({name}) as {name}" for name in names)
    return f"""
        with parts as (select row({group}) as k, * from {source}),
        sums as (
            select k, {group}, sum(rows)::bigint as rows, sum(completed)::bigint as completed,
                sum(failed)::bigint as failed, {sums}
            from parts group by all),
        times as (
            select k, e.key as v, sum(e.value)::bigint as n
            from (select k, unnest(map_entries(times)) as e from parts) group by all),
        ranked as (
            select k, v, sum(n) over (partition by k order by v) as upto,
                sum(n) over (partition by k) as n from times),
        quantiles as (select k, {_quantiles()} from ranked group by k),
        told as (
            select k, e.key as reason, sum(e.value)::bigint as n
            from (select k, unnest(map_entries(reasons)) as e from parts) group by all),
        reasons as (
            select k, string_agg(reason || ': ' || n, '; ' order by n desc, reason) as reasons
            from told group by k)
        select sums.* exclude (k), {", ".join(QUANTILES)}, reasons.reasons as failure_reasons
        from sums
        left join quantiles on sums.k is not distinct from quantiles.k
        left join reasons on sums.k is not distinct from reasons.k
        order by {group}"""


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _others(by: Sequence[str]) -> list[str]:
    return [name for name in CURRENCIES if name not in by]


def _quantiles() -> str:
    """Between the two neighbours of the place, in proportion: what `quantile_cont` gives."""
    return ", ".join(_quantile(share, name) for name, share in QUANTILES.items())


def _quantile(share: str, name: str) -> str:
    place = f"({share} * (n - 1))"
    low, high = (f"min(v) filter (upto > {side}({place}))::double" for side in ("floor", "ceil"))
    part = f"any_value({place} - floor({place}))::double"
    return f"{low} + ({high} - {low}) * {part} as {name}"
