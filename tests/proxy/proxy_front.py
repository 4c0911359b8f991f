"""A proxy in front of a service, and a client that signs without paylab."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
from datetime import UTC, datetime

import httpx

from paylab.proxy import Proxy

SERVICE = "http://localhost:9"
"""The address of the service; a transport in this process answers, so nothing listens there."""


class Integration:
    """A client in the manner of a stranger: it signs with hmac and hashlib alone."""

    def __init__(self, base_url, api_key, secret_key):
        self.host = base_url.partition("//")[2].partition("/")[0]
        self.api_key, self.secret_key = api_key, secret_key
        self.http = httpx.Client(base_url=base_url, verify=False)  # reads no certificates
        self.numbers = itertools.count()

    def headers(self, method, target, body=b"", **changes):
        """The signed headers of a request; changes are signed too."""
        now = datetime.now(UTC)
        signed = {
            "host": self.host,
            "x-api-key": self.api_key,
            "x-content-sha256": hashlib.sha256(body).hexdigest(),
            "x-date": now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z",
            "x-nonce": f"{int(now.timestamp() * 1000)}{next(self.numbers):06d}",
        } | {name.replace("_", "-"): text for name, text in changes.items()}
        path, _, query = target.partition("?")
        names = sorted(signed)
        lines = [method, path, *([query] if query else [])]
        lines += [f"{name}:{signed[name]}" for name in names]
        lines += [";".join(names), signed["x-content-sha256"]]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        payload = f"HMAC-SHA256\n{signed['x-date']}\n{digest}".encode()
        value = hmac.new(self.secret_key.encode(), payload, "sha256").hexdigest()
        authorization = (
            f"HMAC-SHA256 Credential={self.api_key},SignedHeaders={';'.join(names)},"
            f"Signature={base64.b64encode(value.encode()).decode()}"
        )
        return {**signed, "authorization": authorization}

    def send(self, method, target, body=b"", extra=(), **changes):
        """Send a signed request; `extra` headers are not signed."""
        head = {**self.headers(method, target, body, **changes), **dict(extra)}
        if body:
            head.setdefault("content-type", "application/json")
        extensions = {"target": target.encode(), "timeout": httpx.Timeout(30).as_dict()}
        request = httpx.Request(
            method, self.http.base_url, headers=head, content=body or None, extensions=extensions
        )
        return self.http.send(request)


class Front:
    """A proxy with the integration that uses it."""

    def __init__(self, transport, keys, **options):
        self.keys = keys
        self.proxy = Proxy(SERVICE, keys=keys, transport=transport, **options)
        self.client = Integration(self.proxy.base_url, *keys)

    def stop(self):
        """Close the connections, and stop the proxy."""
        self.client.http.close()
        self.proxy.stop()

    def verdicts(self, number=-1):
        """The verdicts on the latest request."""
        return self.proxy.requests[number].verdicts
