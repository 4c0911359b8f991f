"""The shape of a row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gap:
    """A place the spec leaves open.

    `origin` says where the assumption comes from: "spec" (it settles the matter after all),
    "public" (a public description of this kind of service says so: likely, not certain) or
    "chosen" (ours). A precise reading of another row has no `question` of its own.
    """

    id: str
    question: str
    assumed: str
    origin: str
    area: str


@dataclass(frozen=True)
class Scenario:
    """A special value that makes the simulator end in a certain way."""

    where: str
    value: str
    outcome: str
