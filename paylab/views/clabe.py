"""A CLABE to pay to: grouped for reading, copyable as digits, explained."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from ..rules import clabe as rule
from . import page
from .page import Row

TITLE, DOUBTFUL = "Pay to this CLABE", "A CLABE that cannot be paid"
UNREADABLE = "Do not pay: a CLABE is exactly 18 digits"
CAPTIONS = ("bank", "plaza", "account", "check")
DIGITS = f"{page.MONO};font-size:24px;line-height:1.2;letter-spacing:.04em"
CAPTION = f"font-size:11px;{page.MUTED}"
WORKING = f"{page.MONO};{page.PANEL};font-size:12px;margin:0;padding:8px 10px;overflow-x:auto"


class ClabeCard:
    """The CLABE of a deposit, its parts, its check digit and the sandbox's cap.

    `about` are further rows to show below; `bank` names the bank where the code does not.
    """

    def __init__(
        self,
        clabe: str,
        *,
        cap: Decimal | str | None = None,
        currency: str = "mxn",
        bank: str | None = None,
        about: Iterable[Row] = (),
    ) -> None:
        self.clabe, self.bank, self.about = clabe, bank, tuple(about)
        self.cap = None if cap is None else f"{cap} {currency.upper()}"
        self.parts = _parts(clabe)

    @property
    def grouped(self) -> str:
        """The digits in groups of 3, 3, 11 and 1; a text that is no CLABE as it came."""
        return " ".join(self.parts) if self.parts else self.clabe

    @property
    def problem(self) -> str | None:
        """Why nobody should pay to this, or None."""
        if self.parts is None:
            return UNREADABLE
        if rule.is_valid(self.clabe):
            return None
        return f"Do not pay: the check digit should be {rule.check_digit(self.clabe[:17])}"

    def table(self) -> list[Row]:
        """What the digits mean and how much may be paid, in rows of a label and a text."""
        cap = [] if self.cap is None else [("Sandbox cap", f"at most {self.cap} a deposit")]
        return [*self._meaning(), *self.about, *cap]

    @property
    def title(self) -> str:
        """The line above the digits."""
        return DOUBTFUL if self.problem else TITLE

    def __repr__(self) -> str:
        problem = [("Problem", self.problem)] if self.problem else []
        head = [*problem, ("CLABE", self.grouped), ("Digits only", self.clabe)]
        return page.plain(self.title, head + self.table())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self._html(), "text/plain": repr(self)}

    def _meaning(self) -> list[Row]:
        if self.parts is None:
            return []
        return [
            ("Bank code", _named(self.parts.bank, self.bank or rule.bank_name(self.parts.bank))),
            ("Plaza", f"{self.parts.plaza}, the town of the branch"),
            ("Account", self.parts.account),
            ("Check digit", _check(self.clabe)),
        ]

    def _html(self) -> str:
        alert = page.warning(self.problem) if self.problem else ""
        top = page.heading(self.title) + alert + self._groups() + _digits_only(self.clabe)
        working = "" if self.parts is None else _working(self.clabe)
        return page.card(page.column(top, page.table(self.table()), working))

    def _groups(self) -> str:
        style = "display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 10px"
        groups = zip(self.parts or (), CAPTIONS, strict=False)
        return f'<div style="{style}">{"".join(_group(*group) for group in groups)}</div>'


def _parts(clabe: str) -> rule.Parts | None:
    try:
        return rule.parts(clabe)
    except ValueError:
        return None


def _named(code: str, name: str | None) -> str:
    return f"{code}, {name}" if name else f"{code}, not a bank we know by name"


def _check(clabe: str) -> str:
    wanted = rule.check_digit(clabe[:17])
    return f"{clabe[17]}, correct" if clabe[17] == wanted else f"{clabe[17]}, should be {wanted}"


def _group(digits: str, caption: str) -> str:
    shown = f'<div style="{DIGITS}">{page.escape(digits)}</div>'
    return f'<div>{shown}<div style="{CAPTION}">{caption}</div></div>'


def _digits_only(clabe: str) -> str:
    hint = f'<span style="{page.MUTED}">Digits only, one click selects them: </span>'
    return f'<div style="margin:0 0 12px">{hint}{page.copyable(clabe)}</div>'


def _working(clabe: str) -> str:
    shown = f'<pre style="{WORKING}">{page.lines(working(clabe))}</pre>'
    return page.folded("How the check digit is made", shown)


def working(clabe: str) -> list[str]:
    """The arithmetic of the check digit, line by line; of each product the last digit counts."""
    products, check = rule.products(clabe[:17]), rule.check_digit(clabe[:17])
    total = sum(products)
    return [
        f"digits    {' '.join(clabe[:17])}",
        f"weights   {' '.join(map(str, rule.WEIGHTS))}",
        f"products  {' '.join(map(str, products))}",
        "          (the last digit of each)",
        f"sum       {total}, and {check} makes it {total + int(check)}",
    ]
