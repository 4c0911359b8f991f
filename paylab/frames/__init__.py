"""Transfers and conversions as exact frames, files, datasets and database tables.

| from | to | write |
|---|---|---|
| lab | frame | `lab.transfers.frame(since=..., columns=[...])` |
| lab | Arrow, polars | `lab.transfers.to_arrow()`, `lab.transfers.to_polars()` |
| lab | .csv, .jsonl, .parquet, .xlsx, folder, URL | `lab.transfers.export("t.parquet")` |
| lab | folder that is kept up to date | `Dataset("days").sync(lab.transfers)` |
| lab | pipeline of dlt | `dlt_source(lab, "transfers")` |
| file | frame | `read_csv`, `read_excel`, `read_jsonl`, `read_parquet` |
| frame | file | `frame.paylab.to_csv`, `frame.paylab.to_excel` |
| frame | database, and back | `frame.paylab.to_database`, `read_sql` |
| frame | sums, rates, durations | `summarize`, `by_currency`, `frame.paylab.failures()` |
| frame | charts | `paylab.charts`: `volume(frame)`, `statuses`, `completion`, `failures`, `fees` |

Amounts are exact decimals: `+ - *`, sums, quantiles, groups and merges lose no digit. A comparison
takes a float as it is printed, and `==` warns; a float as a key of a merge or an index, or among
the values of a column, is an error. Statistics (`std`, `corr`,
`np.histogram`), bins of `pandas.cut` and charts use floats; what pandas computes with floats only,
such as `rolling` or a `mean` of objects, is an error that says what to write. pandas' own readers
of CSV and Excel make floats, and those of Parquet make Decimals that round at 28 digits: use
`read_csv`, `read_excel` and `read_parquet` here, or `.astype("decimal")` of text or Decimals.
Arrow's own columns of decimals, as `pd.ArrowDtype` gives them, cut a `mean` to their decimals, and
their `median` and `quantile` are floats: write `.astype("decimal")` before these.
Notebook 80 has two tables: what is exact, a float or refused, and what other readers, libraries and
a `pd.DataFrame` that you made do with amounts, with what to write instead.

A column of `frame()` and of `read_csv` knows the currency of each row, and so does an amount that
you take from it: `sum`, `mean`, `median`, `quantile`, `std`, `cumsum` and `+` of several currencies
give a CurrencyWarning, also of sums per group, objects and results of `map`. A product or quotient
of two columns, of a column and one amount that knows its own, or of one amount and a Decimal does
not know it, and neither does a column of your own after a file or a database, unless it is named as
those of the service are: `own_amount` beside `own_currency`. `max`, `min` and orders compare
numbers of any currency.

Parquet has DECIMAL(24, 6) for amounts and DECIMAL(13, 8) for rates, so that DuckDB and Spark can
multiply them. DuckDB reads a frame with ids as it is; give it `frame.paylab.arrow()` for others.

Frames and their columns show control and bidirectional characters of the service escaped. What
pandas makes of them as objects of its own shows them as they are, since pandas gives no hook there:
an Index, a Categorical, a plain `pd.DataFrame` or `pd.Series`, and the results of `describe`,
`crosstab` and `groupby(...).groups`. Print it with `print(ascii(...))`.
"""

from typing import TYPE_CHECKING, NoReturn

from ..errors.base import FloatWarning as FloatWarning
from ..errors.extras import extra_imports
from ..errors.module_names import raise_unknown_name

with extra_imports():
    from .accessor import Accessor as Accessor
    from .by_currency import by_currency as by_currency
    from .currency_rows import CurrencyWarning as CurrencyWarning
    from .databases import read_sql as read_sql
    from .dataset import Dataset as Dataset
    from .dataset import collect_accounts as collect_accounts
    from .decimal_array import DecimalArray as DecimalArray
    from .decimal_dtype import DecimalDtype as DecimalDtype
    from .decode import MisfitWarning as MisfitWarning
    from .decode import bodies as bodies
    from .dlt_source import dlt_source as dlt_source
    from .exact_index import AmountKeyError as AmountKeyError
    from .excel import SheetTextWarning as SheetTextWarning
    from .excel_reader import read_excel as read_excel
    from .export import export as export
    from .export import export_list as export_list
    from .files import read_csv as read_csv
    from .files import to_csv as to_csv
    from .float_errors import MixedColumnError as MixedColumnError
    from .float_errors import ObjectColumnError as ObjectColumnError
    from .float_errors import WindowError as WindowError
    from .frame import conversions as conversions
    from .frame import of as of
    from .frame import transfers as transfers
    from .json_lines import read_jsonl as read_jsonl
    from .merges import merge_exact
    from .parquet_files import read_parquet as read_parquet
    from .parquet_types import WiderDecimalWarning as WiderDecimalWarning
    from .results import Export as Export
    from .selection import OrderWarning as OrderWarning
    from .summaries import summarize as summarize
    from .times import UnreadableTimeWarning as UnreadableTimeWarning
    from .unknown_columns import UnknownColumnWarning as UnknownColumnWarning
    from .word_uses import UnknownWordWarning as UnknownWordWarning

    merge = merge_exact

__all__ = [
    "Accessor",
    "AmountKeyError",
    "CurrencyWarning",
    "Dataset",
    "DecimalArray",
    "DecimalDtype",
    "Export",
    "FloatWarning",
    "MisfitWarning",
    "MixedColumnError",
    "ObjectColumnError",
    "OrderWarning",
    "SheetTextWarning",
    "UnknownColumnWarning",
    "UnknownWordWarning",
    "UnreadableTimeWarning",
    "WiderDecimalWarning",
    "WindowError",
    "bodies",
    "by_currency",
    "collect_accounts",
    "conversions",
    "dlt_source",
    "export",
    "export_list",
    "merge",
    "of",
    "read_csv",
    "read_excel",
    "read_jsonl",
    "read_parquet",
    "read_sql",
    "summarize",
    "to_csv",
    "transfers",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise_unknown_name(__name__, name, __all__)
