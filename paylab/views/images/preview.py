"""A preview of an image of any kind, made in a process with limits."""

from __future__ import annotations

import subprocess
import sys

from ...errors.base import MissingExtraError, PaylabError
from ...errors.extras import require_extra
from . import decoder

BROKEN = "No preview: the image cannot be shown here, so the file may be broken"
SECONDS = 8
"""Maximum seconds of a preview, including the start of its process."""


class UnreadableError(PaylabError):
    """The image has no preview; the service may still be able to read it."""


class BombError(PaylabError):
    """The image has too many pixels to decode."""


def preview(data: bytes, mime: str) -> bytes:
    """A JPEG of at most 320 pixels a side, upright; the first page of a PDF."""
    try:
        require_extra("images")
    except MissingExtraError as error:
        raise UnreadableError(f"No preview: {error}") from None
    command = [sys.executable, "-P", decoder.__file__, mime]  # -P: do not import modules beside it
    try:
        done = subprocess.run(  # noqa: S603 - this very interpreter
            command, input=data, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        raise UnreadableError(BROKEN) from None
    if done.returncode == decoder.BOMB:
        most = done.stdout.decode("ascii", "replace")
        raise BombError(f"has more than {most} million pixels: make it smaller")
    if done.returncode or not done.stdout:
        raise UnreadableError(BROKEN)
    return done.stdout
