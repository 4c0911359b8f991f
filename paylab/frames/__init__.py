"""Read pages into exact pandas frames, read and write CSV, and export as a stream.

Frames and their columns show control and bidirectional characters of the service escaped. What
pandas makes of them as objects of its own shows them as they are, since pandas gives no hook there:
an Index, a Categorical, a plain `pd.DataFrame` or `pd.Series`, and the results of `describe`,
`crosstab` and `groupby(...).groups`. Print it with `print(ascii(...))`.
"""

from ..errors.extras import extra_imports

with extra_imports():
    from .accessor import Accessor as Accessor
    from .by_currency import by_currency as by_currency
    from .currency_rows import CurrencyWarning as CurrencyWarning
    from .databases import read_sql as read_sql
    from .dataset import Dataset as Dataset
    from .dataset import collect_accounts as collect_accounts
    from .decimal_array import DecimalArray as DecimalArray
    from .decimal_array import DecimalDtype as DecimalDtype
    from .decode import MisfitWarning as MisfitWarning
    from .decode import bodies as bodies
    from .export import Export as Export
    from .export import export as export
    from .export import export_list as export_list
    from .files import read_csv as read_csv
    from .files import to_csv as to_csv
    from .frame import conversions as conversions
    from .frame import of as of
    from .frame import transfers as transfers
    from .merges import merge_exact
    from .operands import FloatWarning as FloatWarning
    from .pandas_callers import WindowError as WindowError
    from .parquet_files import read_parquet as read_parquet
    from .parquet_types import WiderDecimalWarning as WiderDecimalWarning
    from .selection import OrderWarning as OrderWarning
    from .summaries import summarize as summarize
    from .times import UnreadableTimeWarning as UnreadableTimeWarning

    merge = merge_exact

__all__ = [
    "Accessor",
    "CurrencyWarning",
    "Dataset",
    "DecimalArray",
    "DecimalDtype",
    "Export",
    "FloatWarning",
    "MisfitWarning",
    "OrderWarning",
    "UnreadableTimeWarning",
    "WindowError",
    "bodies",
    "by_currency",
    "collect_accounts",
    "conversions",
    "export",
    "export_list",
    "merge",
    "of",
    "read_csv",
    "read_parquet",
    "summarize",
    "to_csv",
    "transfers",
]


def __dir__() -> list[str]:
    return sorted(__all__)
