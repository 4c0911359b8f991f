"""A body as it is remembered: without secrets, and no longer than a person would read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256

from ..redaction import Redaction
from .upload import Upload

LONGEST_KEPT = 32 * 1024
MARGIN = 4 * 1024
"""Characters past the cut that are still searched, so that no secret is cut in two and missed."""


@dataclass(frozen=True)
class Body:
    """The text that may be shown, and the size and SHA-256 of what really went over the wire.

    `exact` says that the text is the whole body as it was: nothing taken out, nothing cut off.
    """

    text: str = field(default="", repr=False)
    size: int = 0
    digest: str = sha256(b"").hexdigest()
    exact: bool = True

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.size > 0

    def pretty(self) -> str:
        """JSON with indents, anything else as it is."""
        try:
            return json.dumps(json.loads(self.text), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return self.text


def body(content: bytes | Upload | None, redaction: Redaction) -> Body:
    """A body made fit to be kept."""
    if isinstance(content, Upload):
        note = f"<{content.length} bytes, sha256 {content.digest[:16]}>"
        return Body(note, content.length, content.digest, exact=False)
    if not content:
        return Body()
    digest = sha256(content).hexdigest()
    shown = _shown(content, digest, redaction)
    return Body(shown, len(content), digest, exact=shown.encode() == content)


def _shown(content: bytes, digest: str, redaction: Redaction) -> str:
    # An image is measured whole; without one, only what will be kept need be read.
    few = content if b";base64," in content else content[: LONGEST_KEPT + MARGIN]
    clean = redaction.learn(few.decode(errors="replace"))
    if len(few) == len(content) and len(clean) <= LONGEST_KEPT:
        return clean
    return f"{clean[:LONGEST_KEPT]}… <{len(content)} bytes, sha256 {digest[:16]}>"
