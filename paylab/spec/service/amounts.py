"""How bodies write amounts and currencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from .setting import Setting, SettingGroup


@dataclass(frozen=True, eq=False, repr=False)
class AmountSettings(SettingGroup):
    """Whether amounts are text or numbers."""

    requests: Annotated[
        Literal["text", "number"],
        Setting(
            'Are amounts in a request JSON text ("10.50") or JSON numbers (10.50)?',
            row="amount.form",
        ),
    ] = "text"
    answers: Annotated[
        Literal["text", "number"],
        Setting(
            'Are amounts in an answer JSON text ("10.50") or JSON numbers (10.50)?',
            row="amount.form",
        ),
    ] = "text"


@dataclass(frozen=True, eq=False, repr=False)
class CurrencySettings(SettingGroup):
    """The letter case of currencies."""

    case: Annotated[
        Literal["any", "upper", "lower"],
        Setting(
            "In which letter case may a request have its currency codes?",
            row="currency.case",
            origin="spec",
        ),
    ] = "any"


@dataclass(frozen=True, eq=False, repr=False)
class RequestSettings(SettingGroup):
    """What the service refuses in any body."""

    unknown_fields: Annotated[
        Literal["ignore", "refuse"],
        Setting("Is a body with an unknown field refused?", row="request.unknown"),
    ] = "ignore"
