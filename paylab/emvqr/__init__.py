"""EMV merchant-presented QR text to fields and back, with QR Ph's templates.

payload = parse(text)
payload.merchant_name, payload.amount, payload.currency, payload.find("27.01")
check(text) == []
build(payload) == text
build({"00": "01", "27": {"00": "com.p2pqrpay", ...}, ...})
"""

from typing import TYPE_CHECKING, NoReturn

from ..errors.module_names import raise_unknown_name
from .fields import EmvField as EmvField
from .fields import Tree as Tree
from .fields import crc as crc
from .text import Payload as Payload
from .text import build as build
from .text import check as check
from .text import parse as parse
from .text import qrph as qrph

__all__ = [
    "EmvField",
    "Payload",
    "Tree",
    "build",
    "check",
    "crc",
    "parse",
    "qrph",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise_unknown_name(__name__, name, __all__)
