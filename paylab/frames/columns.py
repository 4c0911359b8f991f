"""The columns of each kind of object: names, kinds and paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..corridors.on_ramps import ON_RAMPS
from ..errors.base import OptionError, Problem
from ..spec.field_meanings import find_field_kind

Kind = Literal["text", "list", "word", "amount", "time", "seconds"]
ListName = Literal[
    "transfers",
    "conversions",
    "individuals",
    "conversion_accounts",
    "quotes",
    "events",
    "deliveries",
]


@dataclass(frozen=True)
class Column:
    """A flat column: its name, kind, and the dotted path of its field.

    A `*` in a path means every item of a list; the values are joined by commas.
    """

    name: str
    kind: Kind
    path: str

    @property
    def keys(self) -> list[str]:
        """The keys of the path."""
        return self.path.split(".")


@dataclass(frozen=True)
class Schema:
    """The columns of one kind of object."""

    name: ListName
    columns: tuple[Column, ...]
    is_flat: bool = True
    """Whether Arrow's reader can read the pages: it cannot if objects contain lists of objects."""
    is_list: bool = True
    """Whether the service lists these objects, so that each id stands for one row."""
    is_whole: bool = True
    """Whether it has all columns, so that a field without a column is unknown."""

    @property
    def names(self) -> list[str]:
        """The column names in order."""
        return [schema_column.name for schema_column in self.columns]

    def kind(self, column_name: str) -> Kind:
        """The kind of a column; text for an unknown name."""
        kinds = (
            schema_column.kind
            for schema_column in self.columns
            if schema_column.name == column_name
        )
        return next(kinds, "text")


def _make_columns(paths: str, **kinds: Kind) -> tuple[Column, ...]:
    """Columns of paths such as `deposit.amount`, or `name=path` if the name differs.

    `kinds` has the kind of each column whose field name does not say it.
    """
    columns = []
    for named_path in paths.split():
        written_name, _, path = named_path.rpartition("=")
        column_name = written_name or path.removeprefix("payload.").replace(".", "_")
        kind = kinds.get(column_name) or _choose_kind(path)
        columns.append(Column(column_name, kind, path))
    return tuple(columns)


def _choose_kind(path: str) -> Kind:
    """The kind of the values of a field, by its path: a rate is computed as an amount is."""
    if "*" in path:
        return "list"
    field_kind = find_field_kind(path.rpartition(".")[2])
    if field_kind == "currency":
        return "word"
    if field_kind == "rate":
        return "amount"
    return field_kind


_DETAILS = ("address", *(on_ramp.detail_name for on_ramp in ON_RAMPS))
INSTRUCTIONS = _make_columns(
    """
    deposit_instructions.type deposit_instructions.currency deposit_instructions.payment_methods
    deposit_instructions.deadline
    """
    + " ".join(
        f"deposit_instructions_{detail}=deposit_instructions.details.{detail}"
        for detail in _DETAILS
    )
)

TRANSFERS = Schema(
    "transfers",
    _make_columns("""
        id client_reference_id source_amount source_currency destination_amount
        destination_currency exchange_rate recipient_id financial_account_id payout_method status
        total_fee fee_currency total_tax tax_currency net_source_amount completed_in created_at
        updated_at failure_reason settlement_reference_id
    """)
    + INSTRUCTIONS,
)

CONVERSIONS = Schema(
    "conversions",
    _make_columns("""
        id conversion_account_id individual_id status deposit.amount deposit.currency
        deposit.received_at payout.amount payout.currency
        payout_account_id=payout.payout_account_id payout.tx_hash payout.initiated_at
        payout.completed_at total_fee fee_currency exchange_rate created_at updated_at
    """),
)

# Document numbers and account details are not in frames and files.
INDIVIDUALS = Schema(
    "individuals",
    _make_columns("""
        id given_name family_name email phone date_of_birth country status
        status_codes=status_details.*.code product_types document.type address.line_1
        address.line_2 address.city address.state address.postal_code address.country
        financial_account_ids=financial_accounts.*.id
        financial_account_types=financial_accounts.*.type idv_consent_recorded_at created_at
        updated_at
    """),
    is_flat=False,
)

CONVERSION_ACCOUNTS = Schema(
    "conversion_accounts",
    _make_columns("""
        id individual_id client_reference_id status source_currency destination_currency
        payout_account.id created_at updated_at
    """)
    + INSTRUCTIONS,
    is_flat=False,
)

QUOTES = Schema(
    "quotes",
    _make_columns("""
        id source_amount net_source_amount destination_amount exchange_rate total_fee total_tax
        source_currency source_network destination_currency fee_currency tax_currency payout_method
        recipient_id financial_account_id created_at expires_at
    """),
    is_list=False,
)

EVENTS = Schema(
    "events",
    _make_columns("""
        type payload.id payload.status payload.client_reference_id payload.source_amount
        payload.net_source_amount payload.destination_amount payload.exchange_rate
        payload.source_currency payload.destination_currency payload.failure_reason
        payload.created_at payload.updated_at
    """),
    is_list=False,
)

DELIVERIES = Schema(
    "deliveries",
    _make_columns(
        "id event_type resource_id url attempt status error created_at=at",
        status="seconds",  # the status of an answer, a number
    ),
    is_list=False,
)

KNOWN = (TRANSFERS, CONVERSIONS, INDIVIDUALS, CONVERSION_ACCOUNTS, QUOTES, EVENTS, DELIVERIES)
SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in KNOWN}


def find_schema(kind: str) -> Schema:
    """The schema of a kind; OptionError lists the kinds."""
    if kind not in SCHEMAS:
        from ..errors.choices import describe_wrong_choice  # only for a wrong kind

        raise OptionError([Problem("kind", describe_wrong_choice([*SCHEMAS], kind))])
    return SCHEMAS[kind]


def likeliest_schema(column_names: Iterable[str]) -> Schema:
    """The schema that has most of these columns; the first of `SCHEMAS` if none has any."""
    unique_names = set(column_names)

    def count_known_names(schema: Schema) -> int:
        """How many of the names a schema has."""
        return len(unique_names & set(schema.names))

    return max(SCHEMAS.values(), key=count_known_names)


def find_currency_column(amount_name: str) -> str | None:
    """The name of the column with the currency of an amount; None for rates and other columns.

    Those of `net_source_amount`, `total_fee` and `deposit_amount` are `source_currency`,
    `fee_currency` and `deposit_currency`.
    """
    prefix_by_suffix = {"amount": amount_name.removesuffix("amount"), "fee": "fee_", "tax": "tax_"}
    for suffix, prefix in prefix_by_suffix.items():
        if amount_name == suffix or amount_name.endswith(f"_{suffix}"):
            return f"{prefix.removeprefix('net_')}currency"
    return None
