"""The inputs of a financial account: which there are follows from the country and the type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ipywidgets import Dropdown, FileUpload, Text

from ... import account_fields, codes, corridors
from ...account_fields import Account, Form
from ...errors import PaylabError
from ...rules import typos
from .. import page
from ..reading import read
from ..scanning import scan
from .field import Field, show
from .form import grid

TYPES = {
    codes.PIX: "PIX key",
    codes.BANK_ACCOUNT: "Bank account",
    codes.DIGITAL_WALLET: "E-wallet",
    codes.UPI: "UPI",
    codes.PH_QR_CODE: "QR Ph code",
    codes.CRYPTO_WALLET: "Crypto wallet",
}
LATER = ("Add later", "")
SCANNED = "qrph_payload"
NOTHING = Account("", (), "")


class AccountFields:
    """A type and its details, named `type` and `details.clabe` below a prefix."""

    def __init__(self, country: str, *, prefix: str = "", later: bool = False) -> None:
        self.prefix, self._later = prefix, later
        self.kind = Field(f"{prefix}type", "Account", Dropdown(options=[LATER]))
        self.details = {name: _field(f"{prefix}details.{name}", name) for name in NAMES}
        self.upload = FileUpload(
            accept="image/*", description="Scan a picture of the code", layout={"width": "auto"}
        )
        self.upload.observe(lambda _: self._scan(), "value")
        self.view = grid([self.kind, *self.details.values()])
        self.view.children = (*self.view.children, self.upload)
        self.follow(country)

    def __iter__(self) -> Any:
        return iter([self.kind, *self.details.values()])

    @property
    def account(self) -> Account:
        """The chosen type as the country has it."""
        return corridors.account(self._country, self.kind.value) or NOTHING

    def entry(self) -> dict[str, Any]:
        """`type` and `details` as they would be sent; empty when the account comes later."""
        if not self.kind.value:
            return {}
        names = [field.name for field in self.account.fields]
        values = {name: self.details[name].value for name in names}
        details = {name: value for name, value in values.items() if value not in ("", None)}
        return {"type": self.kind.value, "details": details}

    def fill(self, kind: str, details: Any) -> None:
        """Put in an account's type and details."""
        self.kind.widget.value = kind
        self.follow(self._country)
        for name, value in details.items():
            if name in self.details:
                self.details[name].widget.value = value
        self.follow(self._country)

    def lock(self) -> None:
        """Keep the type as it is."""
        self.kind.widget.disabled = True

    def follow(self, country: str) -> None:
        """Ask what this country and the chosen type ask, and nothing else."""
        self._country = country
        corridor = corridors.get(country)
        kinds = [(TYPES[kind], kind) for kind in (corridor.account_types if corridor else ())]
        _choose(self.kind.widget, [*([LATER] if self._later else []), *kinds])
        asked = {field.name: field for field in self.account.fields}
        for name, field in self.details.items():
            field.show(name in asked)
        for name, one in asked.items():
            self._ask(name, one)
        show(self.upload, SCANNED in asked)

    def _ask(self, name: str, asked: account_fields.Field) -> None:
        field = self.details[name]
        chosen = {one: self.details[one].value for one in self.details}
        form = asked.form_in(chosen)
        if form.choices:
            _choose(field.widget, [(word, word) for word in form.choices], self._country)
        field.hint = _told(field.value) if name == SCANNED else hint(form)
        field.require(asked.required)

    def _scan(self) -> None:
        """Read the code in a picture; the picture itself leaves the page at once."""
        if not self.upload.value:
            return
        data, field = bytes(self.upload.value[0]["content"]), self.details[SCANNED]
        self.upload.value = ()
        try:
            field.widget.value = scan(data)
        except PaylabError as error:
            field.note.value = f'<div class="paylab-error" role="status">{page.escape(error)}</div>'


def hint(form: Form) -> str:
    """What an input must look like, and how far that is checked."""
    algorithm = typos.ALGORITHMS.get(form.check_digit)
    checked = f"the check digits of a {algorithm.name} are verified" if algorithm else ""
    parts = [form.message, form.also.message if form.also else "", form.note or checked]
    return ". ".join(part[:1].upper() + part[1:] for part in parts if part) + "." * any(parts)


def _told(payload: str) -> str:
    """Whom a pasted or scanned code pays."""
    rows = read(payload).rows()[:3] if payload else []
    said = "; ".join(f"{label}: {text}" for label, text in rows)
    return said or "Paste the text of the code, or scan a picture of it."


def _names() -> Iterable[tuple[str, bool]]:
    for corridor in corridors.ALL:
        for account in corridor.accounts:
            for field in account.fields:
                yield field.name, bool(field.form.choices)


NAMES = dict(_names())
"""Every field of every account, and whether it is chosen from a list."""


def _field(name: str, bare: str) -> Field:
    widget = Dropdown(options=[]) if NAMES[bare] else Text()
    return Field(name, label(bare), widget)


def label(name: str) -> str:
    """A field's name as people read it."""
    words = {"clabe": "CLABE", "iban": "IBAN", "bic": "BIC", "upi_id": "UPI id"}
    pix = {"pix_key": "PIX key", "pix_key_type": "Kind of PIX key", SCANNED: "Text of the code"}
    return (words | pix).get(name) or name.replace("_", " ").capitalize()


def _choose(widget: Any, options: list[tuple[str, str]], wanted: str = "") -> None:
    """Offer these; what was chosen stays chosen where it can."""
    if list(widget.options) == options:
        return
    known = [value for _, value in options]
    kept = next(
        (one for one in (widget.value, wanted) if one in known), known[0] if known else None
    )
    widget.options = options
    widget.value = kept
