"""What the doctor found: the first layer and line that differs, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A comparison's result; without a difference `match` is true and the rest is None.

    `theirs` and `ours` are the line in both, where there is one to show.
    """

    match: bool
    layer: str | None = None
    line: str | None = None
    mistake: str | None = None
    message: str = "the signature is the one the spec gives"
    theirs: str | None = None
    ours: str | None = None

    def json(self) -> dict[str, object]:
        """What a program reads."""
        return {name: getattr(self, name) for name in ("match", "layer", "line", "mistake")}

    def __repr__(self) -> str:
        if self.match:
            return f"match: {self.message}"
        rows = [f"{self.mistake}: {self.message}"]
        rows += [f"  layer   {self.layer}", f"  line    {self.line}"]
        rows += [f"  theirs  {self.theirs}"] if self.theirs is not None else []
        return "\n".join([*rows, *([f"  ours    {self.ours}"] if self.ours is not None else [])])
