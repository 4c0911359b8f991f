"""A load from a process of its own: requests signed beforehand, over some keep-alive connections.

Run as `load.py HOST PORT CONNECTIONS < requests`, where requests are separated by a zero byte.
Prints requests a second, and how many answers were not 200.
"""

from __future__ import annotations

import selectors
import socket
import sys
from time import perf_counter


def main(host, port, connections):
    """Send every request once, each connection one after the other."""
    requests = iter(sys.stdin.buffer.read().split(b"\x00"))
    selector, count, bad = selectors.DefaultSelector(), 0, 0
    began = perf_counter()
    for request, _ in zip(requests, range(int(connections)), strict=False):
        client = socket.create_connection((host, int(port)))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(request)
        selector.register(client, selectors.EVENT_READ)
    while selector.get_map():
        for key, _ in selector.select():
            count, bad = count + 1, bad + (not answer(key.fileobj).startswith(b"HTTP/1.1 200"))
            request = next(requests, None)
            if request is None:
                selector.unregister(key.fileobj)
            else:
                key.fileobj.sendall(request)
    print(count / (perf_counter() - began), bad)


def answer(client):
    """One whole answer."""
    got = client.recv(262_144)
    head, _, body = got.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += client.recv(262_144)
    return got


if __name__ == "__main__":
    main(*sys.argv[1:])
