"""The state of a dataset between two syncs, and the columns of its files.

The columns are fixed when the dataset is made: all files have the same ones, of the same types.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors.base import ConfigError
from ..storage.stores import Store
from .columns import SCHEMAS, Schema
from .parquet_types import Scale, parquet_schema, read_scale
from .text_table import EXTRA

STATE = ".sync.json"
OLD_STATE = "_sync.json"
OLD_LOCK = "_lock"
PARQUET = ".parquet"

Columns = dict[str, list[int] | None]


@dataclass
class State:
    """The state after a sync: all rows up to `newest` are known, those in `open` are not final.

    `columns` are those of every file, decimals with precision and scale; those in `fixed` never
    get wider. While it `is_rewriting` the files, some have the columns of before.
    """

    kind: str = ""
    base_url: str = ""
    account: str = ""
    newest: str | None = None
    open: dict[str, str] = field(default_factory=dict)
    days: dict[str, int] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    fixed: list[str] = field(default_factory=list)
    is_rewriting: bool = False

    @property
    def types(self) -> pa.Schema:
        """The Arrow schema of every file."""
        arrow_fields = []
        for arrow_field in file_schema(SCHEMAS[self.kind]):
            precision_and_scale = self.columns.get(arrow_field.name)
            if precision_and_scale:
                decimal_type = pa.decimal128(*precision_and_scale)
                arrow_fields.append(pa.field(arrow_field.name, decimal_type))
            else:
                arrow_fields.append(arrow_field)
        return pa.schema(arrow_fields)

    def set_types(self, types: pa.Schema) -> None:
        """Note the columns of the files, with precision and scale of decimals."""
        self.columns = {arrow_field.name: None for arrow_field in types}
        for arrow_field in types:
            if pa.types.is_decimal(arrow_field.type):
                precision_and_scale = [arrow_field.type.precision, arrow_field.type.scale]
                self.columns[arrow_field.name] = precision_and_scale

    def fix_columns(self, files: Store, scale: Scale) -> None:
        """Choose the columns of a new dataset, or of one of an older version.

        ConfigError if the dataset has another scale.
        """
        schema = SCHEMAS[self.kind]
        chosen_scale_by_column = read_scale(scale, schema)
        if not self.columns:
            file_names = files.names(PARQUET)
            self.set_types(_choose_types(files, file_names, schema, scale))
            self.fixed = sorted(chosen_scale_by_column)
            self.is_rewriting = bool(file_names)
        if set(self.columns) != set(file_schema(schema).names):  # written by another version
            self.set_types(self.types)
            self.is_rewriting = True
        scale_by_column = {}
        for column_name in chosen_scale_by_column:
            precision_and_scale = self.columns[column_name] or [0, 0]  # not decimals
            scale_by_column[column_name] = precision_and_scale[1]
        if scale_by_column != chosen_scale_by_column:
            raise ConfigError(
                f"the decimals of this dataset are {scale_by_column}: its types are fixed when "
                "it is made; leave out `scale`, or make a dataset in another folder"
            )


def _choose_types(
    files: Store, file_names: Sequence[str], schema: Schema, scale: Scale
) -> pa.Schema:
    """The columns for a dataset: amounts as in its files, or as chosen if there are none."""
    usual_schema = file_schema(schema, scale)
    parquet_bytes = files.read(file_names[0]) if file_names else None
    if parquet_bytes is None:
        return usual_schema
    stored_schema = pq.read_schema(BytesIO(parquet_bytes))
    arrow_fields = []
    for usual_field in usual_schema:
        is_stored = usual_field.name in stored_schema.names
        if is_stored and pa.types.is_decimal(usual_field.type):
            arrow_fields.append(stored_schema.field(usual_field.name))
        else:
            arrow_fields.append(usual_field)
    return pa.schema(arrow_fields)


def file_schema(schema: Schema, scale: Scale = None) -> pa.Schema:
    """The usual columns of a file of a dataset; the last has unknown fields as JSON."""
    return parquet_schema(schema, scale).append(pa.field(EXTRA, pa.string()))


def cast_to_types(table: pa.Table, types: pa.Schema) -> pa.Table:
    """A table of a file in these columns; an absent one is null."""
    columns = []
    for arrow_field in types:
        if arrow_field.name in table.column_names:
            columns.append(table[arrow_field.name].cast(arrow_field.type))
        else:
            columns.append(pa.nulls(table.num_rows, arrow_field.type))
    return pa.table(columns, schema=types)


def read_state(files: Store) -> State | None:
    """The stored state; None for a new dataset."""
    state_bytes = files.read(files.note_name(STATE)) or files.read(OLD_STATE)
    return State(**json.loads(state_bytes)) if state_bytes else None


def write_state(files: Store, state: State) -> None:
    """Store the state beside the files, where it disturbs no reader of them."""
    files.write(files.note_name(STATE), json.dumps(asdict(state)).encode())
    for old_name in {OLD_STATE, OLD_LOCK} - {files.note_name(STATE)}:
        files.remove(old_name)
