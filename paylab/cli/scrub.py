"""Remove secrets and personal data from notebooks, HAR files and snapshots.

Keys, signatures, images and document numbers are replaced, in HAR files and snapshots also names,
contacts, birth dates and addresses. A key is found by its form (sk_live_..., a JSON Web Token), by
a name before or above it (secret_key = "...", a header, a field, a variable, a column), by a label
in a sentence ("API key: ...", "the password is ...", in Spanish and Portuguese, too), as a user of
curl -u, and then wherever else it stands. A signature is found beside its label, in hexadecimal
digits or Base64. A document number is found by its field, beside or below its label (CPF, passport,
...), by a form that no other number has (CURP, 111.444.777-35), and then wherever else it stands.
Base64, hexadecimal digits, lists of bytes, gzip, escapes, dumps of xxd and hexdump, and pieces in
several lines or outputs are read. With --check nothing is changed.

Not found: a key without a name, such as an argument of connect(), or beside the word "key" alone; a
key beside a label that has no digit or no letter, or has fewer than 8 characters; a digest or
signature without a label; a number without a label, or with a label in another language; values in
columns that do not line up; octal dumps; images of less than 10 KB; names, addresses and account
numbers in notebooks; text in pictures and file names; what is encrypted, in an archive, in another
encoding (Base32, Base85), cut by markup or by the codes of colours, or computed from several parts;
letters of another alphabet that only look alike. Read a file before you share it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..errors.base import ConfigError
from ..files import replace, require_regular
from ..redaction.personal import find_personal_names
from ..redaction.scrub import Leak, scrub
from ..simulator.storage import checksum
from ..spec.text import JsonObject, printable, show_json
from .service import service_for
from .terminal import count, ignore_closed_pipe, say, warn_user

UNKNOWN_DOCUMENT = "not a notebook of version 4, a HAR file or a snapshot of a simulator"
EXAMPLE = "paylab scrub --check notebook.ipynb calls.har"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files to scrub")
    parser.add_argument(
        "--check", action="store_true", help="only list findings; exit status 1 if there are any"
    )
    parser.add_argument(
        "--keep-personal",
        action="store_true",
        help="keep names, contacts, birth dates and addresses in HAR files and snapshots",
    )
    parser.add_argument(
        "--service",
        metavar="FILE",
        help="a service.toml: names of the service for fields with personal data"
        " (default: see PAYLAB_SERVICE)",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(options: argparse.Namespace) -> int:
    """Scrub or check each file; return 1 if a check has findings."""
    leaks: list[tuple[Path, Leak]] = []
    personal_names = find_personal_names(service_for(options.service).diff())
    for path in options.files:
        document_text, document = _read_document(path)
        clean_document, findings = scrub(
            document, keep_personal=options.keep_personal, personal=personal_names
        )
        leaks += [(path, finding) for finding in findings]
        if findings and not options.check:
            _renew_checksum(clean_document)
            with replace(path) as clean_file:
                clean_text = _document_text(clean_document, like=document_text)
                clean_file.write(clean_text.encode())
    with ignore_closed_pipe():
        _print_leaks(leaks, options)
    return 1 if leaks and options.check else 0


def _renew_checksum(document: JsonObject) -> None:
    """Replace the checksum of a snapshot by that of its new content; others have none."""
    if "checksum" in document:
        content_without_checksum = {
            member_name: member
            for member_name, member in document.items()
            if member_name != "checksum"
        }
        document["checksum"] = checksum(content_without_checksum)


def _print_leaks(leaks: list[tuple[Path, Leak]], options: argparse.Namespace) -> None:
    """Print what was found in each file: on stderr if it was only checked."""
    if options.json:
        leak_rows = [
            {"path": str(path), "where": leak.where, "kind": leak.kind} for path, leak in leaks
        ]
        say(show_json(leak_rows))
        return
    if not leaks:
        warn_user(f"paylab: nothing found in {count(len(options.files), 'file')}")
    print_text = warn_user if options.check else say
    for path, leak in leaks:
        print_text(printable(f"{path}: {leak}"))


def _read_document(path: Path) -> tuple[str, JsonObject]:
    """A file as text and as JSON; ConfigError if it is none of the kinds that are scrubbed."""
    require_regular(path)
    try:
        document_text = path.read_bytes().decode()
        document = json.loads(document_text)
    except (ValueError, RecursionError):
        raise ConfigError(f"{path} is {UNKNOWN_DOCUMENT}: it is not JSON in UTF-8") from None
    if not isinstance(document, dict) or not _is_known_document(document):
        raise ConfigError(f"{path} is {UNKNOWN_DOCUMENT}")
    return document_text, document


def _is_known_document(document: JsonObject) -> bool:
    """Whether a document is a notebook of version 4, a HAR file or a snapshot."""
    har_log = document.get("log")
    is_notebook = isinstance(document.get("cells"), list)
    is_har = isinstance(har_log, dict) and isinstance(har_log.get("entries"), list)
    is_snapshot = "paylab_snapshot" in document and isinstance(document.get("tables"), dict)
    return is_notebook or is_har or is_snapshot


def _document_text(document: JsonObject, *, like: str) -> str:
    """The document as JSON in the layout of `like`, its earlier text.

    That is the indentation, the escapes, the line ends and the end of the text.
    """
    second_line = like.partition("\n")[2]
    indent_length = len(second_line) - len(second_line.lstrip(" \t"))
    indent_text = second_line[:indent_length] or None
    is_compact = not indent_text and '": ' not in like
    json_text = json.dumps(
        document,
        indent=indent_text,
        separators=(",", ":") if is_compact else None,
        ensure_ascii=like.isascii(),
    )
    end_of_text = like[len(like.rstrip()) :]
    json_text += end_of_text
    if "\r\n" not in like:
        return json_text
    return json_text.replace("\n", "\r\n").replace("\r\r\n", "\r\n")
