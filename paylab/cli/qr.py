"""Draw and explain a QR payload, or read one from an image.

Payloads of QR Ph and other EMV codes are parsed and checked: checksum, mandatory fields, and the
form of each field. That a country or currency exists is not checked. Other text is only drawn.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..spec.text import show_json
from .terminal import draw_qr_code, ignore_closed_pipe, in_range, say, warn_user

if TYPE_CHECKING:
    from ..views.qr import QR

EMV_START = "000201"
PICTURE_ENDINGS = (
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".bmp",
    ".webp",
    ".tif",
    ".tiff",
    ".heic",
    ".pdf",
)
"""A payload with one of these endings is the path of a picture."""
EXAMPLE = "paylab qr code.png --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    source_group = parser.add_mutually_exclusive_group(required=True)
    source_group.add_argument(
        "payload", nargs="?", help="the text in the code, or the path of a picture of it (.png)"
    )
    source_group.add_argument("--scan", metavar="IMAGE", help="read the code in this image instead")
    parser.add_argument("--out", metavar="FILE.png|FILE.svg", help="save the QR code as a picture")
    parser.add_argument(
        "--size", type=in_range(1), default=300, help="width of the picture in pixels"
    )
    parser.add_argument("--json", action="store_true", help="print the fields as JSON")


def run(options: argparse.Namespace) -> int:
    """Show the QR code and its fields, and save it; return 1 for an invalid payload."""
    from ..views.qr import QR, scan

    picture_path = options.scan
    if picture_path is None and options.payload.lower().endswith(PICTURE_ENDINGS):
        picture_path = options.payload
    payload_text = options.payload.strip() if picture_path is None else scan(picture_path)
    qr_code = QR(payload_text, size=options.size)
    if options.out:
        saved_path = qr_code.save(options.out)
        warn_user(f"paylab: the picture is in {saved_path}")
    problem = qr_code.qr_text.problem  # None if it can be paid
    with ignore_closed_pipe():
        if options.json:
            _print_json(qr_code, payload_text)
        else:
            draw_qr_code(qr_code)
            say(repr(qr_code))
    if problem is None:
        return 0
    reason_text = str(problem)
    if not payload_text.startswith(EMV_START):
        reason_text = f"an EMV payload begins with {EMV_START}, so this is drawn as text"
    warn_user(f"paylab: this code cannot be paid: {reason_text}")
    return 1


def _print_json(qr_code: QR, payload_text: str) -> None:
    """Print the fields of a code as JSON, and why it cannot be paid if it cannot."""
    problem = qr_code.qr_text.problem
    fact_by_name = {
        "payload": payload_text,
        "ok": problem is None,
        "says": dict(qr_code.table()),
    }
    if problem is not None:
        fact_by_name["problem"] = str(problem)
    say(show_json(fact_by_name))
