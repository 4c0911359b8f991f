"""The fields of one QR text and what they say about the payment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from . import tags
from .fields import Field, Tree, crc, descend, join, tree

CRC_START = "6304"
ONCE = "12"
AMOUNT = re.compile(r"[0-9]+(\.[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Payload:
    """The fields of one QR text in the order they stand, without the CRC that closes them."""

    fields: tuple[Field, ...]

    def find(self, path: str) -> str | None:
        """The value at a dotted path, for example `27.00`."""
        return next((field.value for field in self.walk() if field.path == path), None)

    def walk(self) -> Iterator[Field]:
        """Every field, each template before what it holds."""
        return descend(self.fields)

    def tree(self) -> dict[str, str | Tree]:
        """The fields as nested dicts, as `build` takes them."""
        return tree(self.fields)

    @property
    def crc(self) -> str:
        """The CRC these fields call for."""
        return crc(join(self.fields) + CRC_START)

    @property
    def merchant_name(self) -> str | None:
        """Who is paid."""
        return self.find("59")

    @property
    def city(self) -> str | None:
        """Where the one who is paid is."""
        return self.find("60")

    @property
    def country(self) -> str | None:
        """The two-letter country code."""
        return self.find("58")

    @property
    def amount(self) -> Decimal | None:
        """The amount; None when the payer chooses it or when it is not a number."""
        text = self.find("54") or ""
        return Decimal(text) if AMOUNT.fullmatch(text) else None

    @property
    def currency(self) -> str | None:
        """The currency's letters where its number is known, else the number as it stands."""
        number = self.find("53")
        return None if number is None else tags.CURRENCIES.get(number, number)

    @property
    def account(self) -> Field | None:
        """The first merchant account: a scheme's template before a card network's number."""
        accounts = [field for field in self.fields if int(field.tag) in tags.ACCOUNTS]
        return next((field for field in accounts if field.fields), next(iter(accounts), None))

    @property
    def scheme(self) -> str | None:
        """The identifier of the account's scheme, for example `com.p2pqrpay`."""
        return self._of_account("00")

    @property
    def acquirer(self) -> str | None:
        """The institution that holds a QR Ph account, by its BIC."""
        known = (self.scheme or "").lower() in tags.SCHEMES
        return self._of_account("01") if known else None

    @property
    def issuer(self) -> str | None:
        """The acquirer and its scheme, or as much of that as is known."""
        parts = [part for part in (self.acquirer, self.scheme) if part]
        return " · ".join(parts) or (self.account.name if self.account else None)

    @property
    def is_static(self) -> bool:
        """Whether the text may be paid many times (11) instead of once (12)."""
        return self.find("01") != ONCE

    def _of_account(self, tag: str) -> str | None:
        return self.find(f"{self.account.path}.{tag}") if self.account else None
