"""Answers that are lost or spoiled after the payment was made, by name.

Each takes the status, the body as bytes and as JSON, and gives the pieces that are written before
the connection is closed: bytes, seconds to wait, or `RESET`, which closes with a reset.
"""

import gzip
import json

RESET = object()
SILENCE = 30.0  # longer than any timeout of a test


def head(status, length, kind="application/json", more=b""):
    """Return a status line and headers."""
    lines = f"HTTP/1.1 {status} Created\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n"
    return lines.encode() + b"Connection: close\r\n" + more + b"\r\n"


def whole(status, body, **options):
    """Return one complete answer."""
    return [head(status, len(body), **options) + body]


def text(content, status=201, kind="application/json"):
    """Spoil by answering this text whatever was paid."""
    return lambda _status, _body, _payment: whole(status, content.encode(), kind=kind)


def fields(**changes):
    """Spoil by changing fields; None removes a field when it is `...`."""

    def spoil(status, _body, payment):
        changed = {**payment, **changes}
        kept = {name: value for name, value in changed.items() if value is not ...}
        return whole(status, json.dumps(kept).encode())

    return spoil


def refusal(status, body='{"error": "try again"}', more=b"", kind="application/json"):
    """Spoil by answering an error of something between client and service."""
    return lambda *_: whole(status, body.encode(), kind=kind, more=more)


def chunk(data):
    """Return one chunk of a chunked body."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


CHUNKED = (
    b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)
HTML = "<html><body>maintenance</body></html>"

CUT = {
    "closed before the first byte": lambda *_: [b""],
    "reset before the first byte": lambda *_: [RESET],
    "cut in the status line": lambda *_: [b"HTTP/1.1 20"],
    "cut after the status line": lambda *_: [b"HTTP/1.1 201 Created\r\n"],
    "cut in the headers": lambda *_: [b"HTTP/1.1 201 Created\r\nContent-Type: appl"],
    "cut after the headers": lambda s, body, _: [head(s, len(body))],
    "cut in the body": lambda s, body, _: [head(s, len(body)) + body[: len(body) // 2]],
    "cut before the last byte": lambda s, body, _: [head(s, len(body)) + body[:-1]],
    "reset in the body": lambda s, body, _: [head(s, len(body)) + body[:20], 0.05, RESET],
    "cut in a chunk": lambda s, body, _: [CHUNKED + chunk(body)[:40]],
    "without the last chunk": lambda s, body, _: [CHUNKED + chunk(body)],
    "a chunk length that is no number": lambda s, body, _: [CHUNKED + b"zz\r\n" + body],
}
SILENT = {
    "silence": lambda *_: [SILENCE],
    "silence after the headers": lambda s, body, _: [head(s, len(body)), SILENCE],
    "silence in the body": lambda s, body, _: [head(s, len(body)) + body[:30], SILENCE],
    "a byte now and then": lambda s, body, _: [
        head(s, len(body)),
        *[piece for at in range(6) for piece in (body[at : at + 1], 0.1)],
        SILENCE,
    ],
}
CONTENT = {
    "a length that is too short": lambda s, body, _: [head(s, len(body) - 20) + body],
    "a length that is too long": lambda s, body, _: [head(s, len(body) + 20) + body],
    "two lengths": lambda s, body, _: [head(s, len(body), more=b"Content-Length: 7\r\n") + body],
    "gzip that is none": lambda s, body, _: whole(s, body, more=b"Content-Encoding: gzip\r\n"),
    "gzip that ends early": lambda s, body, _: whole(
        s, gzip.compress(body)[:-12], more=b"Content-Encoding: gzip\r\n"
    ),
    "gzip of something else": lambda s, body, _: whole(
        s, gzip.compress(b"garbage"), more=b"Content-Encoding: gzip\r\n"
    ),
    "an unknown encoding": lambda s, body, _: whole(
        s, body[::-1], more=b"Content-Encoding: zebra\r\n"
    ),
    "JSON cut off": lambda s, body, _: whole(s, body[: len(body) // 2]),
    "JSON with a tail": lambda s, body, _: whole(s, body + b'{"id": "tr_x"}'),
    "bytes that are no UTF-8": lambda s, body, _: whole(s, body[:10] + b"\xff\xfe" + body[10:]),
    "UTF-16": lambda s, body, _: whole(s, body.decode().encode("utf-16-be")),
    "control bytes": lambda s, *_: whole(s, b"\x00\x01\x02\x1b]52;c;\x07"),
    "no body": lambda s, *_: whole(s, b""),
    "only blanks": text("  \r\n "),
    "HTML": text(HTML, kind="text/html"),
    "HTML called JSON": text(HTML),
    "plain text": text("OK", kind="text/plain"),
    "null": text("null"),
    "true": text("true"),
    "a number": text("201"),
    "a text": text('"tr_999"'),
    "an empty list": text("[]"),
    "an empty object": text("{}"),
    "a page of a list": text('{"data": [], "has_next_page": false, "cursor": null}'),
    "an error with status 201": text('{"error": "not enough funds"}'),
    "an error with status 200": text('{"errors": [{"field": "x", "message": "no"}]}', 200),
    "an error and an id": text('{"error": "declined", "id": null, "status": "failed"}'),
    "only a message": text('{"message": "accepted", "request_id": "tr_999"}'),
    "deep nesting": text("[" * 50_000),
    "NaN": text('{"id": NaN}'),
}
FIELDS = {
    "no id": fields(id=...),
    "an id that is null": fields(id=None),
    "an id that is empty": fields(id=""),
    "an id that is blank": fields(id="  "),
    "an id that is true": fields(id=True),
    "an id that is a list": fields(id=["tr_999"]),
    "an id that is an object": fields(id={"id": "tr_999"}),
    "another payment": fields(
        id="tr_999",
        client_reference_id="another",
        source_amount="77.00",
        financial_account_id="fa_3",
    ),
    "the account of another payment": fields(id="tr_999", financial_account_id="fa_3"),
    "the amount of another payment": fields(id="tr_999", source_amount="77.00"),
    "the currency of another payment": fields(id="tr_999", destination_currency="COP"),
}
STATUSES = {
    "102 and no more": lambda *_: [b"HTTP/1.1 102 Processing\r\n\r\n"],
    "103 and no more": lambda *_: [b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
    "many 100": lambda *_: [b"HTTP/1.1 100 Continue\r\n\r\n" * 50],
    "101 to another protocol": lambda *_: [
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
    ],
    "202 without a body": lambda *_: whole(202, b""),
    "204": lambda *_: [b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"],
    "205": lambda *_: [
        b"HTTP/1.1 205 Reset Content\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    ],
    "206 with half of the body": lambda s, body, _: whole(206, body[: len(body) // 2]),
    "301": refusal(301, "", b"Location: /v1/login\r\n"),
    "302": refusal(302, "", b"Location: /v1/transfers\r\n"),
    "303": refusal(303, "", b"Location: /v1/transfers\r\n"),
    "307": refusal(307, "", b"Location: /v1/transfers\r\n"),
    "308 without a place": refusal(308, ""),
    "304": lambda *_: [b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"],
    "400 of a proxy": refusal(400, HTML, kind="text/html"),
    "403 of a firewall": refusal(403, HTML, kind="text/html"),
    "408": refusal(408),
    "413 of a proxy": refusal(413, HTML, kind="text/html"),
    "425": refusal(425),
    "429": refusal(429, more=b"Retry-After: 0\r\n"),
    "499": refusal(499),
    "500": refusal(500),
    "502 of a proxy": refusal(502, HTML, kind="text/html"),
    "503": refusal(503, more=b"Retry-After: 0\r\n"),
    "504": refusal(504),
    "599": refusal(599),
    "999": refusal(999),
    "HTTP/0.9": lambda s, body, _: [body],
    "another protocol": lambda *_: [b"SSH-2.0-OpenSSH_9.2\r\n"],
    "a status that is no number": lambda *_: [b"HTTP/1.1 OK OK\r\n\r\n"],
    "a header without end": lambda *_: [b"HTTP/1.1 201 Created\r\nX: " + b"a" * 200_000],
    "a header line without a colon": lambda s, body, _: [
        b"HTTP/1.1 201 Created\r\nnonsense\r\n\r\n" + body
    ],
}
SPOILED = {**CUT, **SILENT, **CONTENT, **FIELDS, **STATUSES}
