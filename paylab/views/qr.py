"""A payment QR code: drawn, explained, saved."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from ..errors import ConfigError, PaylabError
from ..files import replace
from . import page
from .drawing import LARGEST, SMALLEST, Modules, modules
from .page import Row
from .reading import Reading, read
from .scanning import scan

__all__ = ["QR", "scan"]

SIZE = 300
TITLE, DOUBTFUL = "Scan to pay", "A QR code that cannot be paid"


class QR:
    """A QR code beside a table of what it says; a text that is not EMV is drawn all the same.

    `size` is in pixels; `about` are further rows to show below what the text itself says.
    """

    def __init__(self, payload: str, *, size: int = SIZE, about: Iterable[Row] = ()) -> None:
        self.payload, self.size, self.about = payload, _checked(size), tuple(about)
        self.modules: Modules = modules(payload)

    @cached_property
    def reading(self) -> Reading:
        """The payload's fields, and its problem if it has one."""
        return read(self.payload)

    def table(self) -> list[Row]:
        """What the code says, in rows of a label and a text."""
        return [*self.reading.rows(), *self.about]

    def png(self, size: int | None = None) -> bytes:
        """The picture as PNG, `size` pixels a side."""
        return self.modules.png(_checked(size or self.size))

    def svg(self, size: int | None = None) -> str:
        """The picture as SVG."""
        return self.modules.svg(_checked(size or self.size))

    def terminal(self, *, ansi: bool = False) -> str:
        """The picture in half blocks for a dark terminal; with `ansi`, for any."""
        return self.modules.terminal(ansi=ansi)

    def save(self, path: str | Path) -> Path:
        """Write a .png or .svg; an existing file is replaced as a whole or not at all."""
        target = Path(path)
        writers = {".png": self.png, ".svg": lambda: self.svg().encode()}
        write = writers.get(target.suffix.lower())
        if write is None:
            raise ConfigError(f"{target.name}: a QR code is saved as .png or .svg")
        if not target.parent.is_dir():
            raise ConfigError(f"cannot write {target.name}: there is no folder {target.parent}")
        data = write()
        with replace(target) as sink:
            sink.write(data)
        return target

    @property
    def title(self) -> str:
        """The line above the code."""
        return TITLE if self.reading.problem is None else DOUBTFUL

    def __repr__(self) -> str:
        return page.plain(self.title, [*self._problem(), *self.table(), ("Text", self.payload)])

    def _problem(self) -> list[Row]:
        problem = self.reading.problem
        return [] if problem is None else [("Do not pay", str(problem))]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {
            "text/html": self._html(),
            "image/png": b64encode(self.png()).decode(),
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }

    def _html(self) -> str:
        alerts = [page.warning(f"{label}: {text}") for label, text in self._problem()]
        said = page.column(
            page.heading(self.title), *alerts, page.table(self.table()), self._folded()
        )
        return page.card(self._picture(), said)

    def _picture(self) -> str:
        # Uncompressed, so that a notebook's output is the same with every build of zlib.
        side = self.modules.scale(self.size) * self.modules.width
        data = b64encode(self.modules.png(side, compress=False)).decode()
        style = "display:block;background:#fff;max-width:100%;height:auto;image-rendering:pixelated"
        return (
            f'<img alt="QR code" width="{side}" height="{side}" style="{style}" '
            f'src="data:image/png;base64,{data}">'
        )

    def _folded(self) -> str:
        text = page.folded("The text in the code", page.copyable(self.payload))
        fields = self.reading.fields()
        return (
            page.folded(f"All {len(fields)} fields in the code", page.table(fields)) + text
            if fields
            else text
        )


def _checked(size: int) -> int:
    if not SMALLEST <= size <= LARGEST:
        raise PaylabError(f"a picture is {SMALLEST} to {LARGEST} pixels a side, not {size}")
    return size
