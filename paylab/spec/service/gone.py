"""Keys of older files that exist no longer: what replaces each, and how its value is converted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, Any]


@dataclass(frozen=True)
class GoneKey:
    """A key that exists no longer; `convert` gives the values of today's keys that replace it.

    `instead` tells a person what to write. `convert` takes the old key, its value and all values.
    """

    instead: str
    convert: Callable[[str, Any, Values], dict[str, Any]] = lambda _key, _value, _all: {}


def _convert_account_form(
    reference: str, *tables: str
) -> Callable[[str, Any, Values], dict[str, Any]]:
    """Convert `account_form = "id"`: the id stands in a field of its own, not in an object.

    `reference` is our name of the object and `tables` are the tables that say where its id is.
    """

    def convert(_key: str, value: object, values: Values) -> dict[str, Any]:
        """Name the field of the id in each table."""
        if value != "id":
            return {}
        id_name = values.get(f"{tables[0]}.fields.{reference}_id", f"{reference}_id")
        return {f"{table_name}.fields.{reference}_id": id_name for table_name in tables}

    return convert


def _convert_object_name(reference: str) -> Callable[[str, Any, Values], dict[str, Any]]:
    """Convert the name of an object: `wallet` becomes the path `wallet.id` of the id in it.

    Without effect if the file also says that the service takes the id alone.
    """

    def convert(key: str, value: object, values: Values) -> dict[str, Any]:
        """Name the path of the id in the table of the old key."""
        table_name = key.partition(".")[0]
        if values.get(f"{table_name}.account_form") == "id":
            return {}
        return {f"{table_name}.fields.{reference}_id": f"{value}.id"}

    return convert


def _convert_envelope(gone_key: str, gone_value: object, value_by_key: Values) -> dict[str, Any]:
    """Convert `envelope = "array"`: the rows stand under no key ("none"), else under "data"."""
    items_key = gone_key.replace("envelope", "items")
    if gone_value == "array":
        return {items_key: "none"}
    is_default = gone_key == "lists.envelope"  # "data" is the default of `lists.items`
    if is_default or items_key in value_by_key:
        return {}
    return {items_key: "data"}


_PLACE = 'the place of the id, "account_id" or "account.id"'
_CLIENT = "remove it: a client does the same in any case"

GONE_KEYS: Mapping[str, GoneKey] = {
    r"quotes\.account_form": GoneKey(
        f"fields.financial_account_id in [quotes] and in [transfers] is {_PLACE}",
        _convert_account_form("financial_account", "quotes", "transfers"),
    ),
    r"conversion_accounts\.account_form": GoneKey(
        f"conversion_accounts.fields.payout_account_id is {_PLACE}",
        _convert_account_form("payout_account", "conversion_accounts"),
    ),
    r"quotes\.fields\.financial_account": GoneKey(
        f"quotes.fields.financial_account_id is {_PLACE}", _convert_object_name("financial_account")
    ),
    r"conversion_accounts\.fields\.payout_account": GoneKey(
        f"conversion_accounts.fields.payout_account_id is {_PLACE}",
        _convert_object_name("payout_account"),
    ),
    r"lists\.(\w+\.)?envelope": GoneKey(
        'items = "none" in the same table says that the answer is a bare array', _convert_envelope
    ),
    r"lists\.\w+\.(default_limit|over_limit)": GoneKey(
        "lists.default_limit and lists.over_limit hold for all lists"
    ),
    r"error_codes\.details": GoneKey("error_codes.validation is the status of every invalid body"),
    r"error_codes\.wallet_update": GoneKey("error_codes.state is the status of such refusals"),
    r"error_codes\.(unknown_quote|content_type)": GoneKey(_CLIENT),
    r"errors\.content": GoneKey("remove it: paylab reads an error body of any type"),
    r"idempotency\.(compare|scope)": GoneKey(_CLIENT),
    r"images\.kilobyte": GoneKey("remove it: the service says which size it refuses"),
    r"transfers\.source_types": GoneKey("remove it: the service says which words it refuses"),
    r"deposit_instructions\.(ae|eu|gb)_bank_account\.fields\.\w+": GoneKey(
        "remove it: the details of other instructions are shown with the names of the service"
    ),
}
"""The keys of older files, as patterns."""


def find_gone_key(key: str) -> GoneKey | None:
    """Find what replaces a key of older files; None for any other key."""
    for pattern, key_replacement in GONE_KEYS.items():
        if re.fullmatch(pattern, key):
            return key_replacement
    return None


def replace_gone_keys(values: Values) -> tuple[dict[str, Any], dict[str, str]]:
    """Convert the values under keys of older files to today's keys.

    Return all values, and a sentence for each old key that says what replaces it.
    """
    sentence_by_gone_key: dict[str, str] = {}
    converted_values: dict[str, Any] = {}
    for setting_key, setting_value in values.items():
        key_replacement = find_gone_key(setting_key)
        if key_replacement is not None:
            sentence = f"{setting_key} is no longer a setting: {key_replacement.instead}"
            sentence_by_gone_key[setting_key] = sentence
            converted_values |= key_replacement.convert(setting_key, setting_value, values)
    current_values = {
        setting_key: setting_value
        for setting_key, setting_value in values.items()
        if setting_key not in sentence_by_gone_key
    }
    # An account as an id wins over a name of the object that has it.
    if any(setting_key.endswith("account_form") for setting_key in sentence_by_gone_key):
        return {**current_values, **converted_values}, sentence_by_gone_key
    return {**converted_values, **current_values}, sentence_by_gone_key
