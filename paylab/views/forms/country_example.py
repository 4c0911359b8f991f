"""The example of a country in a form, which follows the choice of another country."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from ...spec.text import JsonObject
from .field import FormField


class CountryExample:
    """Fills in the example of the chosen country, and replaces what nobody changed of another one.

    `set_example` sets the fields of an example, `filling` makes changes of several fields one.
    """

    def __init__(
        self, set_example: Callable[[], None], filling: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._set_example = set_example
        self._filling = filling
        self._country: object = ""
        self._values: JsonObject = {}

    def fill(self, fields: Iterable[FormField], country: object) -> None:
        """Fill in the example of a country, and note its values.

        `fields` are those that an example can set; what it does not have stays.
        """
        self._country = country
        snapshots = [(field, field.snapshot) for field in fields]
        for field, _ in snapshots:
            field.reset("")  # so that what has a value then is of the example
        self._set_example()
        self._values = {
            field.name: field.raw_value
            for field, _ in snapshots
            if field.raw_value not in ("", None)
        }
        with self._filling():
            for field, snapshot in snapshots:
                if field.name not in self._values:
                    field.restore(snapshot)

    def follow(self, fields: Iterable[FormField], country: object) -> None:
        """Fill in the example of another country where nobody changed the last one.

        What was typed into a field stays, and what was emptied stays empty.
        """
        if country == self._country:
            return
        self._country = country
        all_fields = list(fields)
        if not any(map(self._is_unchanged, all_fields)):
            return
        kept_fields = list(filter(self._is_changed, all_fields))
        snapshots = [(field, field.snapshot) for field in kept_fields]
        for field in all_fields:
            field.reset("")
        self.fill(all_fields, country)
        with self._filling():
            for field, snapshot in snapshots:
                field.restore(snapshot)

    def _is_unchanged(self, field: FormField) -> bool:
        """Whether a field has the value of the example."""
        return field.name in self._values and field.raw_value == self._values[field.name]

    def _is_changed(self, field: FormField) -> bool:
        """Whether somebody typed into a field, or emptied one of the example."""
        return not self._is_unchanged(field) and (
            field.name in self._values or field.raw_value not in ("", None)
        )
