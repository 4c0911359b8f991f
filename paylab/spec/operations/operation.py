"""An operation of the service: what it takes, what it returns, and how its settings are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .field import Field
from .refusals import Refusal


@dataclass(frozen=True)
class Operation:
    """An operation of the service, described once.

    `name` is the resource and the verb. `path` is the key of its path in [paths], or a path, from
    its slash on, that no setting moves. `answer` is the model of what it returns, or of each item
    of a list; "" if it returns nothing. `success` are the statuses of a success, or settings that
    hold one. `names` is the table of settings with the service's names of the fields of the body,
    and `answer_names` the one of the answer. `is_shown` is whether the spec shows the answer.
    `body` names the object that it takes, `call` the function of a generated client. `refusals` are
    those that depend on more than the form of the request.
    """

    name: str
    method: str
    path: str
    summary: str
    fields: tuple[Field, ...] = ()
    query: tuple[Field, ...] = ()
    answer: str = ""
    success: tuple[int | str, ...] = (200,)
    names: str = ""
    answer_names: str = ""
    is_shown: bool = False
    is_idempotent: bool = False
    is_sandbox: bool = False
    body: str = ""
    call: str = ""
    refusals: tuple[Refusal, ...] = ()

    @property
    def resource(self) -> str:
        """The resource that it belongs to."""
        return self.name.partition(".")[0]

    @property
    def body_name(self) -> str:
        """The name of the object that it takes; "" if it takes none."""
        return self.body or (f"New{self.answer}" if self.fields else "")

    @property
    def call_name(self) -> str:
        """The name of its function in a generated client, such as createTransfer."""
        words = self.resource.replace("_", " ").title().replace(" ", "")
        verb = self.name.partition(".")[2]
        return self.call or f"{verb}{words if self.is_list else words.removesuffix('s')}"

    @property
    def is_list(self) -> bool:
        """Whether it returns pages of a list."""
        return self.name.endswith(".list")

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields of the body by name."""
        return {field.name: field for field in self.fields}

    @property
    def references(self) -> tuple[Field, ...]:
        """The fields that can have another form: an object with an id, or the id."""
        return tuple(field for field in self.fields if field.form_key)

    @property
    def example(self) -> dict[str, Any]:
        """A body that a service accepts if it has the objects that it names."""
        samples = {field.name: field.sample() for field in self.fields}
        return {name: sample for name, sample in samples.items() if sample is not None}

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """The names of the fields of these kinds, in order."""
        return tuple(field.name for field in self.fields if field.kind in kinds)

    @property
    def echoed(self) -> tuple[str, ...]:
        """The names of the fields that stand in the answer as they were sent."""
        return tuple(field.name for field in self.fields if field.echoed)

    def walk(self) -> Iterator[Field]:
        """The fields of the body, at any depth."""
        for field in self.fields:
            yield from field.walk()
