"""The payout methods that reach the accounts of each country."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from ...light_dataclass import light_dataclass
from .. import codes
from .setting import Setting
from .value_types import Words, WordsLimit

Rails = Annotated[
    Words,
    WordsLimit(codes.PAYOUT_METHODS),
    Setting("Which payout methods reach accounts in {name}?", row="corridor.rails"),
]


@light_dataclass(frozen=True)
class RailSettings:
    """The payout methods that reach the accounts of each country."""

    AR: Annotated[Rails, Setting(others=(("cbu_cvu", "local"),))] = ("cbu_cvu",)
    BR: Annotated[Rails, Setting(others=(("pix", "local"),))] = ("pix",)
    CO: Annotated[Rails, Setting(others=(("ach",), ("ach_co", "local")))] = ("ach_co",)
    IN: Annotated[Rails, Setting(others=(("upi", "local"),))] = ("upi",)
    MX: Annotated[Rails, Setting(others=(("spei", "bitso"), ("local",)))] = ("spei",)
    PH: Annotated[Rails, Setting(others=(("instapay",), ("instapay", "pesonet", "local")))] = (
        "instapay",
        "pesonet",
    )
    GB: Annotated[Rails, Setting(others=(("faster_payments", "local"),))] = ("faster_payments",)
    SEPA: Annotated[Rails, Setting(others=(("sepa_instant", "local"),))] = ("sepa_instant",)


RAILS: Mapping[str, Callable[[RailSettings], Words]] = {
    "AR": lambda rails: rails.AR,
    "BR": lambda rails: rails.BR,
    "CO": lambda rails: rails.CO,
    "IN": lambda rails: rails.IN,
    "MX": lambda rails: rails.MX,
    "PH": lambda rails: rails.PH,
    "GB": lambda rails: rails.GB,
    "SEPA": lambda rails: rails.SEPA,
}
"""The payout methods by country."""
