"""Days of a dataset on a Dask cluster: the same summary, and lazy frames for people's own work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import ConfigError
from . import summaries
from .storage import Folder, storage
from .summaries import prepared
from .summary_sql import Grouping

if TYPE_CHECKING:
    import dask.dataframe as dd

T = TypeVar("T")
ROOMY = pa.decimal256(60, 18)  # holds every amount of a dataset, and any sum of them


@dataclass(frozen=True)
class Partition:
    """One file of a dataset, by an address that any machine of a cluster can read."""

    address: str
    name: str
    options: dict[str, Any] = field(default_factory=dict, repr=False)

    def table(self) -> pa.Table:
        """Its rows."""
        content = storage(self.address, self.options).read(self.name)
        if content is None:
            raise ConfigError(f"{self.address} has no {self.name} any more")
        return pq.read_table(BytesIO(content))


def partials(partition: Partition, groups: Grouping) -> list[pa.Table]:
    """Partial summaries of one file."""
    files = storage(partition.address, partition.options)
    if isinstance(files, Folder):
        return summaries.partials_of_folder(str(files.path / partition.name), groups)
    return [summaries.partial_of(prepared(partition.table()), groups)]


def on_cluster(
    cluster: Any, work: Callable[..., T], items: Sequence[Any], **options: Any
) -> list[T]:
    """What `work` makes of each item, as tasks of a Dask client or of the cluster at an address."""
    if hasattr(cluster, "map"):
        results: list[T] = cluster.gather(cluster.map(work, items, pure=False, **options))
        return results
    with _distributed().Client(cluster) as client:
        return on_cluster(client, work, items, **options)


def lazily(partitions: Sequence[Partition]) -> dd.DataFrame:
    """The files as one lazy Dask frame, a partition each.

    Where nobody chose how Dask shuffles, tasks do: its newer way rounds decimals to 28 digits.
    """
    try:
        import dask
        import dask.dataframe as dd
    except ImportError:
        raise _missing("dask") from None
    if dask.config.get("dataframe.shuffle.method", None) is None:
        dask.config.set({"dataframe.shuffle.method": "tasks"})
    if not partitions:
        raise ConfigError("the dataset is empty: sync it first")
    meta = loaded(partitions[0]).iloc[:0]
    frame: dd.DataFrame = dd.from_map(loaded, list(partitions), meta=meta)  # type: ignore[no-untyped-call]
    return frame


def loaded(partition: Partition) -> pd.DataFrame:
    """One file as a frame of Arrow types; amounts so wide that sums cannot overflow."""
    table = partition.table()
    columns = [
        column.cast(ROOMY) if pa.types.is_decimal(column.type) else column
        for column in table.columns
    ]
    roomy = pa.table(columns, table.column_names)
    frame: pd.DataFrame = roomy.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise _missing("distributed") from None
    return distributed


def _missing(name: str) -> ConfigError:
    return ConfigError(f"this needs {name}: pip install 'paylab[scale]'")
