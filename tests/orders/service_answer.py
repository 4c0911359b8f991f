"""An answer of the payments service for tests, and a refusal."""

from dataclasses import dataclass, field


@dataclass
class Answer:
    """A status, a body (JSON, or text as it is) and more headers."""

    status: int
    body: object = None
    headers: dict = field(default_factory=dict)


class RefusalError(Exception):
    """A request that the service does not carry out."""

    def __init__(self, status, text):
        super().__init__(text)
        self.answer = Answer(status, {"error": text})
