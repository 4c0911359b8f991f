"""Send signed requests over several keep-alive connections, in a separate process.

Run as `load.py HOST PORT CONNECTIONS < requests`, where requests are separated by a zero byte.
It prints the requests per second, the 99th percentile of the latency in milliseconds, and the
number of answers that were not 200.
"""

from __future__ import annotations

import selectors
import socket
import sys
from time import perf_counter


def main(host, port, connections):
    """Send every request once. Each connection waits for an answer before its next request."""
    requests = iter(sys.stdin.buffer.read().split(b"\x00"))
    selector, took, bad = selectors.DefaultSelector(), [], 0
    began = perf_counter()
    for request, _ in zip(requests, range(int(connections)), strict=False):
        client = socket.create_connection((host, int(port)))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent = perf_counter()
        client.sendall(request)
        selector.register(client, selectors.EVENT_READ, sent)
    while selector.get_map():
        for key, _ in selector.select():
            bad += not answer(key.fileobj).startswith(b"HTTP/1.1 200")
            now = perf_counter()
            took.append(now - key.data)
            request = next(requests, None)
            if request is None:
                selector.unregister(key.fileobj)
            else:
                key.fileobj.sendall(request)
                selector.modify(key.fileobj, selectors.EVENT_READ, now)
    slow = sorted(took)[len(took) * 99 // 100]
    print(len(took) / (perf_counter() - began), slow * 1000, bad)


def answer(client):
    """Read one complete answer and return its first bytes."""
    got = client.recv(262_144)
    head, _, body = got.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += client.recv(262_144)
    return got


if __name__ == "__main__":
    main(*sys.argv[1:])
