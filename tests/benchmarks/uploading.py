"""Two programs for `test_upload.py`: a server that discards uploads, and an upload to it.

python uploading.py sink
python uploading.py upload URL FOLDER
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import perf_counter

import httpx

from paylab.client import Client
from paylab.client.settings import Settings
from paylab.client.upload import Upload

SMALL = b"%PDF-" + bytes(20_000)
ROUNDS = 5
ANSWER = b'{"individual_id": "i", "images": []}'
SLICE = 2**18


class Sink(BaseHTTPRequestHandler):
    """Reads a body to its end and answers that no image is stored."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Read the body, discard it and answer 200."""
        left = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, 2**20)))
        self.send_response(200)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        """Write nothing."""


def sink():
    """Print the port, then serve until stopped."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    print(server.server_port, flush=True)
    server.serve_forever()


def upload(url, folder):
    """Upload the files of a folder; print the growth of memory and the seconds of each round."""
    images = [{"type": "selfie", "content": path} for path in sorted(Path(folder).iterdir())]
    send = Client(Settings(url, "key", "secret")).individuals.upload_images
    send("i", [{"type": "selfie", "content": SMALL}])
    grown = growth(lambda: send("i", images))
    body = b"".join(Upload(images))
    http = httpx.Client(timeout=30)
    turns = [(timed(ready, http, url, body), timed(send, "i", images)) for _ in range(ROUNDS)]
    print(json.dumps({"grown": grown, "turns": turns}))


def ready(http, url, body):
    """Send the hash and the slices of a ready body: the lower limit for an upload.

    In one piece httpx takes several times as long, because it copies the rest after each write.
    """
    headers = {"X-Content-SHA256": sha256(body).hexdigest(), "Content-Length": str(len(body))}
    slices = (body[at : at + SLICE] for at in range(0, len(body), SLICE))
    http.post(url, content=slices, headers=headers)


def growth(act):
    """The growth of this process's memory to the peak of a call, in megabytes (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = held("VmRSS")
    act()
    return held("VmHWM") - before


def held(word):
    """A memory figure of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(word))


def timed(act, *given):
    """The seconds that a call takes."""
    started = perf_counter()
    act(*given)
    return perf_counter() - started


if __name__ == "__main__":
    {"sink": sink, "upload": upload}[sys.argv[1]](*sys.argv[2:])
