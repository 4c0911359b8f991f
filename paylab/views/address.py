"""A wallet's address to pay to: as a QR code and as text, with what may be sent there."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cached_property

from . import page
from .drawing import Modules, modules
from .page import Row

SIZE = 220


class AddressCard:
    """An address, its QR code, and the one currency and network it takes.

    What is sent over another network is lost; `about` are further rows to show.
    """

    def __init__(
        self, address: str, *, currency: str = "", network: str = "", about: Iterable[Row] = ()
    ) -> None:
        self.address, self.currency, self.network = address, currency.upper(), network
        self.about = tuple(about)

    @property
    def title(self) -> str:
        """What to send, and over which network."""
        where = f" on {self.network.capitalize()}" if self.network else ""
        return f"Send {self.currency or 'the deposit'}{where}"

    @property
    def caution(self) -> str:
        """What must not be sent here."""
        asset = f"only {self.currency}" if self.currency else "only what was agreed"
        network = f", only over {self.network.capitalize()}" if self.network else ""
        return f"Send {asset}{network}: anything else is lost."

    @cached_property
    def modules(self) -> Modules:
        """The QR code of the plain address."""
        return modules(self.address)

    def table(self) -> list[Row]:
        """What is known of the deposit, in rows."""
        return list(self.about)

    def png(self, size: int = SIZE) -> bytes:
        """The QR code as PNG."""
        return self.modules.png(size)

    def __repr__(self) -> str:
        rows = [("Pay to", self.address), *self.table(), ("Caution", self.caution)]
        return page.plain(self.title, rows)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self._html(), "text/plain": repr(self)}

    def _html(self) -> str:
        said = page.column(
            page.heading(self.title),
            page.warning(self.caution),
            f'<div style="margin:0 0 10px">{page.copyable(self.address)}</div>',
            page.table(self.about),
        )
        return page.card(self._picture(), said)

    def _picture(self) -> str:
        # Uncompressed, so that a notebook's output is the same with every build of zlib.
        side = self.modules.scale(SIZE) * self.modules.width
        data = b64encode(self.modules.png(side, compress=False)).decode()
        style = "display:block;background:#fff;max-width:100%;height:auto;image-rendering:pixelated"
        return (
            f'<img alt="QR code of the address" width="{side}" height="{side}" style="{style}" '
            f'src="data:image/png;base64,{data}">'
        )
