"""The records of a journal as JSON, without signatures, keys and document numbers."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import parse_qsl

from ..redaction.hiding import HIDDEN, Secret
from ..redaction.personal import hide_url_secrets
from ..redaction.redaction import Redaction
from ..spec import timestamps
from ..spec.text import JsonObject, JsonValue
from .journal import Journal
from .record import Note, RequestRecord

BODY_TEXT_MAX = 2000
"""Characters that are shown of a body that was too long to be stored."""

_ESCAPED_LETTER = re.compile(rb"\\u(?!00[0-7])[0-9A-Fa-f]{4}")
"""A character in the JSON of a body that is not ASCII."""


def request_rows(
    journal: Journal, secrets: Iterable[str], after: int = 0, *, raw: bool = False
) -> list[JsonObject]:
    """The requests with a number above `after` as JSON, oldest first, without these secrets."""
    redaction = _make_redaction(secrets)
    first_number_by_nonce = _first_uses(journal)
    return [
        request_row(request_record, redaction, first_number_by_nonce, raw=raw)
        for request_record in journal.requests(after)
    ]


def journal_rows(
    journal: Journal, secrets: Iterable[str], after: int = 0, *, raw: bool = False
) -> list[JsonObject]:
    """All records with a sequence number above `after` as JSON, in one sequence.

    With `raw`, requests also have both bodies as they came, in Base64.
    """
    redaction = _make_redaction(secrets)
    first_number_by_nonce = _first_uses(journal)
    rows: list[JsonObject] = []
    for journal_record in journal.records(after):
        if isinstance(journal_record, Note):
            rows.append(note_row(journal_record, redaction))
        else:
            rows.append(request_row(journal_record, redaction, first_number_by_nonce, raw=raw))
    return rows


def _make_redaction(secrets: Iterable[str]) -> Redaction:
    """Make the redaction that hides these secrets."""
    return Redaction([Secret(secret_text) for secret_text in secrets])


def _first_uses(journal: Journal) -> dict[str, int]:
    """The number of the request that used a nonce first, by nonce."""
    first_number_by_nonce: dict[str, int] = {}
    for request_record in journal.requests():
        nonce = request_record.request.headers.get("x-nonce")
        if nonce is not None:
            first_number_by_nonce.setdefault(nonce, request_record.number)
    return first_number_by_nonce


def request_row(
    record: RequestRecord,
    redaction: Redaction,
    first_uses: Mapping[str, int],
    *,
    raw: bool = False,
) -> JsonObject:
    """A request as JSON. `first_uses` has the number of the first request with each nonce."""
    request = record.request
    reply = record.reply
    body_size, answer_size = record.sizes
    body_hash_text, answer_hash_text = record.hashes or (_hash(request.body), _hash(reply.body))
    first_number = first_uses.get(request.headers.get("x-nonce", ""), record.number)
    value_by_parameter = dict(parse_qsl(request.query, keep_blank_values=True, errors="replace"))
    json_row: JsonObject = {
        "kind": "request",
        "sequence": record.sequence,
        "number": record.number,
        "at": timestamps.to_text(record.at),
        "real_at": _real_text(record.real_at),
        "test": record.test or None,
        "expects": record.expects or None,
        "method": request.method,
        "path": redaction.text(request.path),
        "query": redaction.json(value_by_parameter),
        "headers": _redact_headers(request.headers, redaction),
        "body": _redact_body(request.body, body_size, redaction),
        "body_bytes": body_size,
        "body_sha256": body_hash_text,
        "non_ascii": _has_non_ascii(request.body),
        "nonce_first_used": None if first_number == record.number else first_number,
        "operation": record.operation or None,
        "verdicts": redaction.json(record.verdicts(record)),
        "status": reply.status,
        "answer_headers": redaction.headers(reply.headers),
        "answer": _redact_body(reply.body, answer_size, redaction),
        "answer_bytes": answer_size,
        "answer_sha256": answer_hash_text,
        **_ending_row(record),
    }
    if raw:
        json_row["raw_body"] = b64encode(request.body).decode()
        json_row["raw_answer"] = b64encode(reply.body).decode()
    return json_row


def _ending_row(request_record: RequestRecord) -> JsonObject:
    """The fields of a row that say how the exchange ended: duration, sent bytes, hung up."""
    ending = request_record.ending
    _, answer_size = request_record.sizes
    if ending is None:
        return {
            "duration": None,
            "sent": "whole",
            "sent_bytes": answer_size,
            "hung_up": False,
        }
    sent_bytes = answer_size if ending.bytes_sent is None else ending.bytes_sent
    return {
        "duration": None if ending.seconds is None else round(ending.seconds, 6),
        "sent": ending.sent,
        "sent_bytes": sent_bytes,
        "hung_up": ending.has_hung_up,
    }


def note_row(note: Note, redaction: Redaction) -> JsonObject:
    """An event, a delivery or a control as JSON."""
    return {
        "kind": note.kind,
        "sequence": note.sequence,
        "at": timestamps.to_text(note.at),
        "real_at": _real_text(note.real_at),
        "test": note.test or None,
        "expects": note.expects or None,
        **redaction.json(hide_url_secrets(note.facts)),
    }


def _real_text(seconds: float) -> str:
    """The text of a time of the machine, in seconds since 1970."""
    return timestamps.to_text(datetime.fromtimestamp(seconds, UTC))


def _hash(body: bytes) -> str:
    """The SHA-256 of a body in hex."""
    return sha256(body).hexdigest()


def _has_non_ascii(body: bytes) -> bool:
    """Whether a body has characters that are not ASCII, also escaped as JSON does."""
    return not body.isascii() or _ESCAPED_LETTER.search(body) is not None


def _redact_headers(headers: Mapping[str, str], redaction: Redaction) -> dict[str, str]:
    """The headers of a request; of those that identify the caller only the name is shown."""
    redacted_headers = redaction.headers(headers)
    for header_name in ("authorization", "x-api-key"):
        if header_name in headers:
            redacted_headers[header_name] = HIDDEN
    return redacted_headers


def _redact_body(body: bytes, size: int, redaction: Redaction) -> JsonValue:
    """The decoded JSON of a body, or its text if it is not JSON. None for no body.

    `size` is the size of the whole body, of which only the beginning may be stored.
    """
    body_text = body.decode(errors="replace")
    if size > len(body):
        return f"{redaction.text(body_text)[:BODY_TEXT_MAX]}... ({size} bytes)"
    try:
        return redaction.json(json.loads(body_text))
    except (ValueError, RecursionError):
        return redaction.text(body_text) or None
