"""EMV merchant-presented QR text to fields and back, with QR Ph's templates.

payload = parse(text)
payload.merchant_name, payload.amount, payload.currency, payload.find("27.01")
check(text) == []
build(payload) == text
build({"00": "01", "27": {"00": "com.p2pqrpay", ...}, ...})
"""

from __future__ import annotations

from .fields import Field as Field
from .fields import Tree as Tree
from .fields import crc as crc
from .payload import Payload as Payload
from .philippines import qrph as qrph
from .text import build as build
from .text import check as check
from .text import parse as parse

__all__ = ["Field", "Payload", "Tree", "build", "check", "crc", "parse", "qrph"]
