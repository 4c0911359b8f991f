"""A row of the reference, and the special values of the simulator."""

from __future__ import annotations

from dataclasses import dataclass

from ..service.key import SettingKey


@dataclass(frozen=True, repr=False)
class Assumption:
    """A point that the spec leaves open.

    `origin` is the source of the assumption: "spec" (the spec decides it elsewhere), "public" (in
    public descriptions of such services: likely, not certain) or "chosen" (ours). `keys` are the
    settings that change it; `keyless` says why there is none.
    """

    id: str
    assumed: str
    origin: str = "chosen"
    area: str = ""
    question: str = ""
    keyless: str = ""
    keys: tuple[SettingKey, ...] = ()

    def __repr__(self) -> str:
        """The id, origin and question, then what is assumed, then the keys, on a line each."""
        lines = [f"{self.id} ({self.origin}): {self.question}".rstrip(), f"  {self.assumed}"]
        if self.keys:
            lines.append(f"  keys: {', '.join(key.name for key in self.keys)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Scenario:
    """A special value that makes the simulator reach an outcome."""

    where: str
    value: str
    outcome: str


SCENARIOS = (
    Scenario(
        "individual, family_name",
        "the words of a status detail code, e.g. Verification Image Blurry",
        "verification ends with that code: rejected when it is terminal, else action_required",
    ),
    Scenario(
        "individual, family_name",
        "Verification Image Blurry Then Passes",
        "action_required with verification_image_blurry, then active; Then joins the outcome of "
        "each verification, and the last one repeats",
    ),
    Scenario("individual, family_name", "Under Review", "stays under_review until decided"),
    Scenario("individual, family_name", "anything else", "active"),
    Scenario("deposit, sender_name", "", "held for review (pending)"),
    Scenario("deposit, sender_name", "Scenario Failed", "conversion.failed"),
    Scenario(
        "transfer, client_reference_id",
        "scenario:failed",
        "failed; anything may follow after a second colon, to keep references unique",
    ),
    Scenario(
        "transfer, client_reference_id",
        "scenario:expired",
        "expired; anything may follow after a second colon, to keep references unique",
    ),
    Scenario(
        "transfer, client_reference_id",
        "scenario:under_review",
        "under_review; anything may follow after a second colon, to keep references unique",
    ),
    Scenario(
        "transfer, client_reference_id",
        "scenario:cancelled",
        "cancelled; anything may follow after a second colon, to keep references unique",
    ),
    Scenario("conversion account, client_reference_id", "scenario:slow", "provisioning takes 30 s"),
)
