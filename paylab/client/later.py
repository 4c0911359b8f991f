"""An attempt that nobody has looked at yet: cleaned, and a call, as soon as someone does."""

from __future__ import annotations

from collections.abc import Callable

from .call import Call

ROUGHLY = 3000
"""Bytes that headers and signed texts take."""


class Later:
    """What becomes a call when it is looked at; until then it shows nothing at all.

    Pages of a list go by quickly and are rarely looked at, and cleaning one takes longer than
    fetching it. `number` is set by the log, before anyone looks.
    """

    __slots__ = ("__held", "number", "path", "patient", "size", "skew")

    def __init__(
        self,
        make: Callable[[int], Call],
        path: str,
        size: int,
        skew: float | None,
        *,
        patient: bool,
    ) -> None:
        self.__held: Call | Callable[[int], Call] = make
        self.path, self.size, self.skew = path, size + ROUGHLY, skew
        self.patient, self.number = patient, 0

    @property
    def call(self) -> Call:
        """The call, the same one every time."""
        if not isinstance(self.__held, Call):  # what it is made of holds secrets, and goes
            self.__held = self.__held(self.number)
        return self.__held

    def __repr__(self) -> str:
        return "<Later>"  # its path may hold a secret

    def __reduce__(self) -> tuple[Callable[[Call], Call], tuple[Call]]:
        return _same, (self.call,)


def _same(call: Call) -> Call:
    return call
