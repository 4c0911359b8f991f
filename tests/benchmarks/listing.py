"""Serve a list of transfers on loopback, each page at once or after a delay.

Run as `listing.py ROWS MILLISECONDS`; it prints its port. Cursors and references contain braces,
quotes and `},{"cursor":"x"}`, which break a reader that only searches the text.
"""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from urllib.parse import quote

PAGE = 100
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
CORRIDORS = {"MXN": "spei", "BRL": "pix", "PHP": "instapay", "COP": "ach_co", "EUR": "sepa_instant"}
STATUSES = {"completed": 82, "failed": 6, "expired": 4, "awaiting_funds": 5, "started": 3}
NEWEST = datetime(2025, 10, 31, 23, 59, 59, tzinfo=UTC)
CENT = Decimal("0.01")


def rows(count):
    """Generate `count` transfers, newest first, the same in every run."""
    random = Random(7)
    created = NEWEST
    for number in range(count):
        created -= timedelta(milliseconds=random.randint(50, 150_000))
        yield transfer(random, number, created)


def transfer(random, number, created):
    """One transfer."""
    currency, rail = random.choice(list(CORRIDORS.items()))
    status = random.choices(list(STATUSES), list(STATUSES.values()))[0]
    amount = random.randrange(100, 10**9) * CENT
    fee = (amount * Decimal("0.0035") + Decimal("0.25")).quantize(CENT)
    tax = (fee * Decimal("0.16")).quantize(CENT)
    trap = 'odd},{"cursor":"x"} ñ ' if number % 2000 == 34 else ""
    row = {
        "id": f"tr_{random.getrandbits(110):026x}",
        "client_reference_id": f"{trap}inv-2025-{number:07d}",
        "source_amount": str(amount),
        "source_currency": random.choice(["USD", "USDC"]),
        "destination_amount": str(((amount - fee - tax) * 17).quantize(CENT)),
        "destination_currency": currency,
        "exchange_rate": f"17.{random.randrange(10**8):08d}",
        "recipient_id": f"ind_{random.getrandbits(110):026x}",
        "financial_account_id": f"fa_{random.getrandbits(110):026x}",
        "payout_method": rail,
        "status": status,
        "total_fee": str(fee),
        "fee_currency": "USD",
        "total_tax": str(tax),
        "tax_currency": "USD",
        "net_source_amount": str(amount - fee - tax),
        "created_at": stamp(created),
        "updated_at": stamp(created + timedelta(seconds=3)),
    }
    return row | ENDINGS.get(status, lambda *_: {})(random, created)


def stamp(moment):
    """A time in the format of the service."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


ENDINGS = {
    "completed": lambda random, _: {
        "completed_in": str(random.randint(2, 172_800)),
        "settlement_reference_id": f"{random.getrandbits(64):020d}",
    },
    "failed": lambda random, _: {
        "failure_reason": random.choice(["account closed", 'bank said: "name mismatch" (José)'])
    },
    "awaiting_funds": lambda random, created: {
        "deposit_instructions": {
            "type": "mx_virtual_account",
            "currency": "mxn",
            "payment_methods": ["spei"],
            "details": {"clabe": f"{random.randrange(10**18):018d}"},
            "deadline": stamp(created + timedelta(hours=24)),
        }
    },
}


def pages(count):
    """The body of each page, with the cursor that requests it; the first page has none."""
    page, number, last = [], 0, -(-count // PAGE) - 1
    for row in rows(count):
        page.append(row)
        if len(page) == PAGE or number * PAGE + len(page) == count:
            more = number < last
            following = f"after}},{number}=" if more else None
            body = {"data": page, "has_next_page": more, "cursor": following}
            text = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
            yield f"after}},{number - 1}=" if number else "", text
            page, number = [], number + 1


class Pages(asyncio.Protocol):
    """Answers a GET with the page of its cursor."""

    def __init__(self, answers, seconds):
        self.answers, self.seconds, self.buffer = answers, seconds, b""

    def connection_made(self, transport):
        """Store the transport of a new connection."""
        self.transport = transport

    def data_received(self, data):
        """Answer every complete request."""
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            target = head.split(b" ", 2)[1]
            cursor = target.partition(b"cursor=")[2].partition(b"&")[0]
            answer = self.answers[cursor.decode()]
            if self.seconds:
                asyncio.get_running_loop().call_later(self.seconds, self.transport.write, answer)
            else:
                self.transport.write(answer)


async def serve(count, seconds):
    """Print the port and serve until killed."""
    answers = {quote(c, safe=""): HEAD % len(body) + body for c, body in pages(count)}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Pages(answers, seconds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]) / 1000))
