"""Large answers of the control API in parts, since clients limit the size of one body.

    GET /_simulator/snapshot?part=0         -> {"id": "1", "parts": 3, "text": "..."}
    GET /_simulator/snapshot?part=1&id=1    -> {"id": "1", "parts": 3, "text": "..."}

The texts together are the JSON of the whole answer, as it was at the first request. Without
`part` the answer is whole.
"""

from __future__ import annotations

from itertools import count

from .messages import Refused, Reply, Request, dump

LENGTH = 2 * 1024 * 1024
"""Characters of a part; escaped in JSON they may be twice as many."""

MOST_KEPT = 4
"""Maximum answers of which parts are still to be read; the oldest are dropped."""


class AnswerParts:
    """The answers that clients are reading in parts."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers = count(1)

    def reply(self, request: Request, answer: object) -> Reply:
        """The whole answer, or the first part of it."""
        if "part" not in request.query_items():
            return Reply.json(200, answer)
        name = str(next(self._numbers))
        self._texts[name] = dump(answer).decode()
        while len(self._texts) > MOST_KEPT:
            del self._texts[next(iter(self._texts))]
        return self._part(name, 0)

    def later(self, request: Request) -> Reply | None:
        """A part after the first one; None if the request asks for another thing."""
        items = request.query_items()
        if items.get("part", "0") == "0":
            return None
        name, part = items.get("id", ""), items["part"]
        if name not in self._texts:
            raise Refused(404, "this answer is not kept any more: ask for part 0 again")
        if not (part.isdecimal() and int(part[:9]) < self._parts(name)):
            raise Refused(400, f"part: must be a number below {self._parts(name)}")
        return self._part(name, int(part[:9]))

    def _parts(self, name: str) -> int:
        return -(-len(self._texts[name]) // LENGTH)

    def _part(self, name: str, part: int) -> Reply:
        parts, text = self._parts(name), self._texts[name]
        if part == parts - 1:
            del self._texts[name]
        piece = text[part * LENGTH : (part + 1) * LENGTH]
        return Reply.json(200, {"id": name, "parts": parts, "text": piece})
