"""The forms that a lab has shown: a cell that runs again shows what was sent, not a new form."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

F = TypeVar("F")


class Kept:
    """Forms by what they are about."""

    def __init__(self) -> None:
        self._forms: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, about: Hashable, asked: Hashable, make: Callable[[], F], *, new: bool) -> F:
        """The form kept for `about`, unless it was never sent and is asked for otherwise now."""
        before, form = self._forms.get(about, (None, None))
        if form is None or new or (not form.begun and before != asked):
            form = make()
        self._forms[about] = asked, form
        return form  # type: ignore[no-any-return]
