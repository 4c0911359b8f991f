"""How bodies write amounts and currencies."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting


@light_dataclass(frozen=True)
class AmountSettings:
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


@light_dataclass(frozen=True)
class CurrencySettings:
    """The letter case of currencies."""

    case: Annotated[
        Literal["any", "upper", "lower"],
        Setting(
            "In which letter case may a request have its currency codes?",
            row="currency.case",
            origin="spec",
        ),
    ] = "any"


@light_dataclass(frozen=True)
class RequestSettings:
    """What the service refuses in any body."""

    unknown_fields: Annotated[
        Literal["ignore", "refuse"],
        Setting("Is a body with an unknown field refused?", row="request.unknown"),
    ] = "ignore"
