"""The fields of a resource as rows and blocks, without document numbers and images."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

from ..redaction.redaction import Redaction
from ..spec.resource import Resource
from ..spec.text import JsonObject
from .html import Row, collapsible_block, text_block


def resource_parts(resource: Resource) -> tuple[list[Row], list[str]]:
    """The rows of the fields that have a plain value, and a block of HTML for each other one."""
    field_rows = []
    text_list_rows = []
    html_blocks = []
    for field_name, field_value in redacted_fields(resource).items():
        amount = resource.get(field_name)
        if isinstance(amount, Decimal):
            field_rows.append((field_name, f"{Decimal(amount):,f}"))
        elif not isinstance(field_value, dict | list):
            field_rows.append((field_name, value_text(field_value)))
        elif _is_text_list(field_value):
            text_list_rows.append((field_name, value_text(field_value)))
        else:
            field_text = json.dumps(field_value, indent=2, ensure_ascii=False, default=str)
            html_blocks.append(collapsible_block(field_name, text_block(field_text)))
    return [*field_rows, *text_list_rows], html_blocks


def redacted_fields(resource: Resource) -> JsonObject:
    """The fields without document numbers, images and signatures."""
    return dict(Redaction([]).json(resource.to_dict()))


def value_text(field_value: object) -> str:
    """The text of a cell: short times, exact amounts, and JSON for nested values."""
    if field_value is None:
        return ""
    if isinstance(field_value, datetime):
        return f"{field_value:%Y-%m-%d %H:%M:%S}"
    if isinstance(field_value, str | Decimal | int | float):
        return str(field_value)
    if isinstance(field_value, list) and _is_text_list(field_value):
        return ", ".join(field_value) or "none"
    return json.dumps(field_value, ensure_ascii=False, default=str)


def _is_text_list(field_value: object) -> bool:
    """Whether a value is a list of texts; an empty list is one."""
    return isinstance(field_value, list) and all(isinstance(item, str) for item in field_value)
