"""The controls of a simulator in this process, for its owner: without a client and signatures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ..errors.base import SimulatorError
from .controls import Controls
from .messages import Reply, Request, encode_json
from .simulator import Simulator


class Owner:
    """Sends trusted requests to the control API of a simulator in this process."""

    def __init__(self, simulator: Simulator) -> None:
        """Send to one simulator."""
        self._simulator = simulator

    def send_control(
        self,
        method: str,
        path: str,
        json: object = None,
        params: Mapping[str, object] | None = None,
    ) -> Any:
        """The decoded answer. SimulatorError says why a control is refused."""
        headers = {"content-type": "application/json"}
        body = b"" if json is None else encode_json(json)
        query_text = urlencode(params or {})
        request = Request(method, path, query_text, headers, body, is_trusted=True)
        return _read_answer(self._simulator.respond(request))

    @property
    def controls(self) -> Controls:
        """The controls."""
        return Controls(self.send_control, self._simulator.world.service)


def _read_answer(reply: Reply) -> Any:
    """The JSON of a reply. SimulatorError if it is a refusal."""
    if reply.status >= 400:
        raise SimulatorError(json.loads(reply.body)["error"])
    return json.loads(reply.body) if reply.body else None
