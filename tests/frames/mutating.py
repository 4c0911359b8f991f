"""Read mutated pages: run as `mutating.py COUNT SEED`; prints crashes and unexpected errors.

The pages are read in child processes, so that a crash of the reader is counted and not fatal.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from random import Random

from paylab import frames
from paylab.errors import PaylabError
from paylab.frames import decode

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[\[\]{}:,]')
PIECES = (
    *(b"null", b"true", b"0", b"-1e999", b'""', b"[]", b"{}", b"[null]", b'{"":null}', b"NaN", b""),
    *(b"{", b"}", b"[", b"]", b",", b":", b"\x00", b"\xff", b"\n", b"\xef\xbb\xbf", b'"\\ud800"'),
    *(b"[" * 3000, b'{"a":' * 3000, b"9" * 400),
    *(b'"id"', b'"data"', b'"cursor"', b'"has_next_page"'),
)


def row(number):
    """A transfer with every kind of field."""
    return {
        "id": f"tr_{number}",
        "client_reference_id": '}},{"cursor":null}',
        "source_amount": "10.25",
        "status": "completed",
        "completed_in": "3",
        "created_at": "2026-01-31T09:30:00.123Z",
        "updated_at": None,
        "deposit_instructions": {"payment_methods": ["spei"], "details": {"clabe": "0321"}},
    }


def page(random):
    """A page as the service would send it."""
    more = random.random() < 0.5
    rows = [row(number) for number in range(random.randrange(3))]
    made = {"data": rows, "has_next_page": more, "cursor": "next" if more else None}
    return json.dumps(made, separators=random.choice([None, (",", ":")])).encode()


def mutated(random):
    """A page with one to three changes: tokens or bytes replaced, parts cut or repeated."""
    body = page(random)
    for _ in range(random.randint(1, 3)):
        body = random.choice((swap_token, swap_bytes, cut, double, whole))(random, body)
    return body


def swap_token(random, body):
    """Replace one token."""
    tokens = list(TOKEN.finditer(body))
    if not tokens:
        return random.choice(PIECES)
    found = random.choice(tokens)
    return body[: found.start()] + random.choice(PIECES) + body[found.end() :]


def swap_bytes(random, body):
    """Replace one byte by another byte or by other text."""
    at = random.randrange(len(body) + 1)
    return body[:at] + random.choice((bytes([random.randrange(256)]), *PIECES)) + body[at + 1 :]


def cut(random, body):
    """Remove a part."""
    first, last = sorted(random.randrange(len(body) + 1) for _ in range(2))
    return body[:first] + body[last:]


def double(random, body):
    """Repeat a part."""
    first, last = sorted(random.randrange(len(body) + 1) for _ in range(2))
    return body[:last] + body[first:]


def whole(random, body):
    """Replace the whole page, or add text before or after it."""
    piece = random.choice(PIECES)
    return random.choice((piece, piece + body, body + piece, body + b"\n" + piece + b"\n" + body))


def read(random, body):
    """Read the page alone or between two valid pages."""
    around = random.choice(([body], [page(random), body, page(random)]))
    if random.random() < 0.02:
        frames.transfers(around, extra=random.random() < 0.2)
    else:
        decode.Decoder(frames.columns.TRANSFERS).decode(around)
        list(frames.bodies(lambda _: body if random.random() < 0.5 else around[-1]))


def child(start, count, seed, progress, failures):
    """Read pages from `start`; every error except a PaylabError is recorded."""
    warnings.simplefilter("ignore")
    for number in range(start, count):
        random = Random(f"{seed}/{number}")
        progress[:8] = number.to_bytes(8, "little")
        try:
            read(random, mutated(random))
        except PaylabError:
            pass
        except Exception as error:
            os.write(failures, f"{number} {type(error).__name__} {error!s:.60}\n".encode())


def main(count, seed):
    """Read `count` pages; after a crash of a child, a new child continues with the next page."""
    progress, start, crashes = mmap.mmap(-1, 8), 0, []
    with tempfile.TemporaryFile() as failures:
        while start < count:
            pid = os.fork()
            if pid == 0:
                child(start, count, seed, progress, failures.fileno())
                os._exit(0)
            status = os.waitpid(pid, 0)[1]
            if not status:
                break
            start = int.from_bytes(progress[:8], "little") + 1
            crashes.append(start - 1)
        failures.seek(0)
        told = failures.read().decode().splitlines()
    kinds = Counter(line.split()[1] for line in told)
    found = {"pages": count, "crashes": crashes, "escaped": kinds, "examples": told[:5]}
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
