"""The options of commands that filter the rows of a list."""

from __future__ import annotations

import argparse

from ..errors.base import ConfigError
from ..spec import codes
from ..spec.row_filter import FIELDS, list_filter_names

_HELP = {
    "since": "created at or after this time: 2026-05-01",
    "until": "created before this time: 2026-06-01",
    "status": "with these statuses, separated by commas",
    "individual_id": "of this individual, who is the recipient of a transfer",
    "client_reference_id": "with this reference",
    "product_type": f"of this product: {', '.join(codes.PRODUCTS)}",
    "conversion_account_id": "paid into this conversion account",
}
_METAVARS = {
    "since": "TIME",
    "until": "TIME",
    "status": "WORDS",
    "client_reference_id": "TEXT",
    "product_type": "PRODUCT",
}
"""What stands for the value of a filter in the help; ID for the others."""


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add an option for each filter of rows."""
    option_group = parser.add_argument_group("filters", "print or write only rows")
    for filter_name, help_text in _HELP.items():
        option_names = [f"--{filter_name.replace('_', '-')}"]
        if filter_name == "client_reference_id":
            option_names.append("--reference")
        metavar = _METAVARS.get(filter_name, "ID")
        option_group.add_argument(*option_names, dest=filter_name, metavar=metavar, help=help_text)


def read_filter_options(options: argparse.Namespace, kind: str | None) -> dict[str, str]:
    """The filters that were given; ConfigError for one that rows of this list do not have.

    `kind` is the name of the list, such as `transfers`; None if it is not known.
    """
    value_by_name = {}
    for filter_name in _HELP:
        filter_value = getattr(options, filter_name)
        if filter_value is not None:
            value_by_name[filter_name] = filter_value
    if not value_by_name:
        return {}
    if kind is None or kind not in FIELDS:
        raise ConfigError(f"filters work only with {', '.join(FIELDS)}")
    for filter_name in value_by_name:
        if filter_name not in list_filter_names(kind):
            list_names = [
                list_name for list_name in FIELDS if filter_name in list_filter_names(list_name)
            ]
            option_text = f"--{filter_name.replace('_', '-')}"
            raise ConfigError(f"{option_text} works only with {' and '.join(list_names)}")
    return value_by_name
