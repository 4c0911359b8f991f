"""The files of a dataset, in a local folder or at an fsspec URL, and work on each of them.

The work is done in this process or as tasks of a Dask cluster; use the lazy Dask frame for your
own work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from ..storage.stores import Folder, open_store
from . import summaries
from .decimal_array import DecimalArray
from .decimal_dtype import DecimalDtype
from .exact_decimal import ExactDecimal
from .summary_rows import prepare_rows
from .summary_sql import Grouping

if TYPE_CHECKING:
    import dask.dataframe as dd

T = TypeVar("T")


@dataclass(frozen=True)
class Partition:
    """A file of a dataset, by an address that all machines of a cluster can read."""

    address: str
    name: str
    options: dict[str, Any] = field(default_factory=dict, repr=False)

    def table(self) -> pa.Table:
        """The rows of the file; ConfigError if it is there no more."""
        parquet_bytes = open_store(self.address, self.options).read(self.name)
        if parquet_bytes is None:
            raise ConfigError(f"{self.address} does not have {self.name} any more: sync again")
        return pq.read_table(BytesIO(parquet_bytes))


def summarize_partition_in_parts(partition: Partition, groups: Grouping) -> list[pa.Table]:
    """Summaries of parts of one file, to be merged."""
    store = open_store(partition.address, partition.options)
    if isinstance(store, Folder):
        return summaries.summarize_folder_in_parts(str(store.path / partition.name), groups)
    return [summaries.summarize_part(prepare_rows(partition.table()), groups)]


def summarize_partition_at_once(partition: Partition, groups: Grouping) -> pa.Table | None:
    """The summary of one file by one query; None if DuckDB cannot read it directly."""
    store = open_store(partition.address, partition.options)
    if not isinstance(store, Folder):
        return None
    return summaries.summarize_folder_at_once(str(store.path / partition.name), groups, threads=1)


def on_cluster(
    cluster: Any, work: Callable[..., T], items: Sequence[Any], **options: Any
) -> list[T]:
    """Apply `work` to each item, as tasks of a Dask client or of the cluster at an address.

    Without a cluster the work is done in this process.
    """
    if cluster is None:
        return [work(work_item, **options) for work_item in items]
    if hasattr(cluster, "map"):
        results: list[T] = cluster.gather(cluster.map(work, items, pure=False, **options))
        return results
    with extra_imports():
        from distributed import Client
    with Client(cluster) as client:  # type: ignore[no-untyped-call]
        return on_cluster(client, work, items, **options)


def make_lazy_frame(partitions: Sequence[Partition]) -> dd.DataFrame:
    """The files as one lazy Dask frame, one partition per file.

    The default shuffle is "tasks", because the newer one rounds decimals to 28 digits.
    """
    with extra_imports():
        import dask
        import dask.dataframe as dd
        from dask.dataframe.extensions import make_array_nonempty, make_scalar
    if dask.config.get("dataframe.shuffle.method", None) is None:
        dask.config.set({"dataframe.shuffle.method": "tasks"})
    if not partitions:
        raise ConfigError("the dataset is empty: sync it first")
    # Dask first computes with examples of a type; a sum of amounts is an element.
    make_scalar.register(ExactDecimal, lambda _: ExactDecimal(1))  # type: ignore[no-untyped-call]
    make_array_nonempty.register(DecimalDtype, lambda _: DecimalArray._from_sequence([1, 1]))  # type: ignore[no-untyped-call]
    empty_frame = load_partition(partitions[0]).iloc[:0]
    lazy_frame: dd.DataFrame = dd.from_map(load_partition, list(partitions), meta=empty_frame)  # type: ignore[no-untyped-call]
    return lazy_frame


def load_partition(partition: Partition) -> pd.DataFrame:
    """A file as a frame of Arrow types; amounts are this package's exact decimals."""
    frame: pd.DataFrame = partition.table().to_pandas(types_mapper=_choose_dtype)
    return frame


def _choose_dtype(arrow_type: pa.DataType) -> DecimalDtype | pd.ArrowDtype:
    """The type of a column in a frame: decimals are exact amounts."""
    return DecimalDtype() if pa.types.is_decimal(arrow_type) else pd.ArrowDtype(arrow_type)
