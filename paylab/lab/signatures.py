"""Explains the signatures of the lab's calls, and compares the signatures of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..client.call import Call
from ..client.client import Client
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError

if TYPE_CHECKING:
    from ..signing.explanation import Explanation
    from ..signing.findings import Finding


@explain_arguments
class Signatures:
    """Explains signatures with the calls and the secret of a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def explain(self, call: Call | None = None) -> Explanation:
        """The layers of a call's signature, line by line; by default of the latest call.

        >>> "x-nonce" in repr(lab.explain())
        True
        """
        if call is None and not self._client.calls:
            raise ConfigError("there is no call yet: make one, as lab.transfers.list().first()")
        return (call or self._client.calls[-1]).explain()

    def compare(
        self, theirs: Mapping[str, str] | str, method: str, url: str, body: bytes = b""
    ) -> Finding:
        """Compare another program's headers with the right ones, using the secret of this lab.

        >>> headers = lab.calls[-1].request_headers
        >>> lab.compare(headers, "GET", "/v1/transfers")  # doctest: +SKIP
        """
        from ..signing.comparison import compare
        from ..signing.findings import SignedRequest, check_url

        check_url(url)
        full_url = url if urlsplit(url).netloc else self._client.settings.base_url + url
        request = SignedRequest(method.upper(), full_url, body)
        secret_key = self._client.settings.secret_key.reveal()
        signing_settings = self._client.service.signing
        return compare(
            theirs, request, secret_key, now=self._client.clock(), signing=signing_settings
        )
