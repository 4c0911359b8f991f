"""The status machines, and the status detail codes with meaning and advice."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

from ..errors.arguments import explain_arguments
from ..errors.base import PaylabError
from ..light_dataclass import light_dataclass
from . import codes
from .service.individuals import VerificationSettings


class IllegalMove(PaylabError, ValueError):  # noqa: N818 - named for what it is, as in "illegal move"
    """An illegal move; `legal` lists the possible next states."""

    def __init__(self, machine: str, state: str, wanted: str, legal: tuple[str, ...]) -> None:
        """Name the machine, its state, the state that is wanted, and those that are possible."""
        self.legal = legal
        legal_states_text = ", ".join(legal) or "none: the state is final"
        super().__init__(
            f"{machine} cannot go from {state} to {wanted}; legal: {legal_states_text}"
        )


@explain_arguments
@light_dataclass(frozen=True)
class Machine:
    """A status machine: `moves` maps (state, trigger) to the next state."""

    name: str
    states: tuple[str, ...]
    moves: Mapping[tuple[str, str], str]

    def legal(self, state: str) -> dict[str, str]:
        """The triggers of a state with their next states.

        >>> paylab.status.CONVERSION.legal("started")
        {'confirm': 'completed', 'fail': 'failed'}
        """
        return {
            trigger: next_state
            for (old_state, trigger), next_state in self.moves.items()
            if old_state == state
        }

    def after(self, state: str, trigger: str) -> str:
        """The next state; IllegalMove if there is none.

        >>> paylab.status.CONVERSION.after("started", "confirm")
        'completed'
        """
        try:
            return self.moves[state, trigger]
        except KeyError:
            raise IllegalMove(self.name, state, f"'{trigger}'", self.onward(state)) from None

    def onward(self, state: str) -> tuple[str, ...]:
        """The states reachable in one move, each once.

        >>> paylab.status.CONVERSION.onward("started")
        ('completed', 'failed')
        """
        return tuple(dict.fromkeys(self.legal(state).values()))

    def toward(self, state: str, wanted: str) -> str:
        """The trigger of a move between two states; IllegalMove if there is none.

        >>> paylab.status.CONVERSION.toward("started", "failed")
        'fail'
        """
        for trigger, next_state in self.legal(state).items():
            if next_state == wanted:
                return trigger
        wanted_text = wanted if wanted in self.states else self._describe_unknown_state(wanted)
        raise IllegalMove(self.name, state, wanted_text, self.onward(state))

    def _describe_unknown_state(self, wanted: str) -> str:
        """A name with the states that exist, the nearest first."""
        from ..errors.suggestions import find_nearest_names  # only for a wrong name

        nearest_states = find_nearest_names(wanted, self.states)
        states_text = ", ".join(dict.fromkeys([*nearest_states, *self.states]))
        return f"{wanted}, which is none of its statuses ({states_text})"

    def path(self, state: str, wanted: str, without: str = "") -> list[str]:
        """The states on a shortest path to another one; empty if there is none.

        `without` is a state that the path must not have.

        >>> paylab.status.TRANSFER.path("awaiting_funds", "completed")
        ['started', 'completed']
        """
        path_by_state: dict[str, list[str]] = {state: []}
        states_to_leave = [state]  # nearest first, so that the first path found is a shortest one
        while states_to_leave and wanted not in path_by_state:
            current_state = states_to_leave.pop(0)
            for next_state in self.onward(current_state):
                if next_state not in path_by_state and next_state != without:
                    path_by_state[next_state] = [*path_by_state[current_state], next_state]
                    states_to_leave.append(next_state)
        return path_by_state.get(wanted, [])

    @property
    def final(self) -> frozenset[str]:
        """The states that no move leaves, such as completed and failed."""
        return frozenset(self.moves.values()) - {state for state, _ in self.moves}

    def is_final(self, state: str | None) -> bool:
        """Whether a state is final; an unknown state is not.

        >>> paylab.status.CONVERSION.is_final("completed")
        True
        """
        return isinstance(state, str) and state in self.final


INDIVIDUAL = Machine(
    "individual",
    codes.INDIVIDUAL_STATUSES,
    {
        ("action_required", "submit"): "pending",
        ("pending", "pass"): "active",
        ("pending", "ask"): "action_required",
        ("pending", "reject"): "rejected",
        ("pending", "review"): "under_review",  # gap
        ("under_review", "pass"): "active",  # gap
        ("under_review", "reject"): "rejected",  # gap
    },
)

TRANSFER = Machine(
    "transfer",
    codes.TRANSFER_STATUSES,
    {
        ("awaiting_funds", "fund"): "started",
        ("awaiting_funds", "expire"): "expired",
        ("awaiting_funds", "cancel"): "cancelled",  # gap
        ("started", "settle"): "completed",
        ("started", "fail"): "failed",
        ("started", "review"): "under_review",  # gap
        ("under_review", "release"): "started",  # gap
        ("under_review", "fail"): "failed",  # gap
    },
)

CONVERSION = Machine(
    "conversion",
    codes.CONVERSION_STATUSES,
    {
        ("pending", "broadcast"): "started",
        ("started", "confirm"): "completed",
        ("pending", "fail"): "failed",  # gap
        ("started", "fail"): "failed",  # gap
    },
)

CONVERSION_ACCOUNT = Machine(
    "conversion account", codes.CONVERSION_ACCOUNT_STATUSES, {("pending", "provision"): "active"}
)

MACHINES: Mapping[str, Machine] = {
    "individuals": INDIVIDUAL,
    "transfers": TRANSFER,
    "conversions": CONVERSION,
    "conversion_accounts": CONVERSION_ACCOUNT,
}
"""The machines by the list of their objects."""


FRONT, BACK, SELFIE = codes.IMAGE_SIDES
DOCUMENT = (FRONT, BACK)


@light_dataclass(frozen=True)
class Advice:
    """The advice for one code; `sides` are the images that may have to be sent again.

    `terminal` is whether it is final: no other image can change it.
    """

    code: str
    meaning: str
    action: str
    sides: tuple[str, ...]
    terminal: bool

    @property
    def asks(self) -> bool:
        """Whether the code asks for something that is missing, and does not refuse an image."""
        return self.code.endswith("_needed")


@explain_arguments
def detail(code: object, terminal_codes: Container[str] | None = None) -> Advice:
    """The advice for a code; unknown codes get a general one.

    `terminal_codes` are those of a service, `service.verification.terminal_codes`; by default
    the assumed ones. Assumption `kyc.terminal`.

    >>> paylab.status.detail("verification_image_blurry").terminal
    False
    """
    code_name = str(code)
    meaning_text = codes.STATUS_DETAILS.get(code_name, _UNKNOWN)
    action_text, sides = _ACTIONS.get(code_name, (_UNKNOWN_ACTION, codes.IMAGE_SIDES))
    if terminal_codes is None:
        terminal_codes = VerificationSettings().terminal_codes
    return Advice(code_name, meaning_text, action_text, sides, terminal=code_name in terminal_codes)


TOKEN_NEEDED = "verification_token_needed"


@explain_arguments
def verifies_by_token(
    country: object, detail_codes: Collection[object], settings: VerificationSettings
) -> bool:
    """Whether an individual has to submit a token, not images.

    Its status details say so; without one that asks for a token or an image, its country does.

    >>> from paylab.spec.service.individuals import VerificationSettings
    >>> paylab.status.verifies_by_token("US", [], VerificationSettings())
    True
    """
    if TOKEN_NEEDED in detail_codes:
        return True
    asks_for_images = any(detail(detail_code).asks for detail_code in detail_codes)
    return not asks_for_images and country in settings.token_countries


_UNKNOWN = "The check returned a code that this version of paylab does not know."
_UNKNOWN_ACTION = "Read the service's own message, then send clear images again."

_ACTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "verification_front_image_needed": (
        "Add a picture of the side with the photo and the name.",
        (FRONT,),
    ),
    "verification_back_image_needed": (
        "Turn the document over and add a picture of its back.",
        (BACK,),
    ),
    "verification_selfie_needed": ("Add a picture of the person's own face, taken now.", (SELFIE,)),
    TOKEN_NEEDED: (
        "Send the provider's share token with lab.individuals.submit_token().",
        (),
    ),
    "verification_image_blurry": (
        "Hold the camera still, wait for its focus, and take it again.",
        codes.IMAGE_SIDES,
    ),
    "verification_image_glare": (
        "Turn off the flash, tilt the document away from the lamp, and take it again.",
        DOCUMENT,
    ),
    "verification_portrait_unclear": (
        "Take the selfie in even light, facing the camera, nothing covering the face; "
        "see that the photo on the document is sharp too.",
        (SELFIE, FRONT),
    ),
    "verification_portrait_missing": (
        "Send the side of the document that has the photo, and a selfie that shows the face.",
        (SELFIE, FRONT),
    ),
    "verification_document_not_detected": (
        "Put the document on a plain, darker surface, all four corners in the picture.",
        DOCUMENT,
    ),
    "verification_image_unprocessable": (
        "Save it again as JPEG or PNG, or take a new one.",
        codes.IMAGE_SIDES,
    ),
    "verification_document_damaged": (
        "Use another document, or an undamaged copy issued by the authority.",
        DOCUMENT,
    ),
    "verification_document_expired": ("Use one that has not expired.", DOCUMENT),
    "verification_unsupported_document_type": (
        "Use a document type that the country accepts: the onboarding form lists them.",
        DOCUMENT,
    ),
    "verification_country_not_determined": (
        "Send the whole document, with the line that names the country.",
        DOCUMENT,
    ),
    "verification_electronic_replica": (
        "Photograph the document itself: no screenshot, no scan on a display, no photocopy.",
        DOCUMENT,
    ),
    "verification_attribute_mismatch": (
        "Compare name, date of birth and number letter by letter; "
        "if the document is right, create the individual again with its spelling.",
        DOCUMENT,
    ),
    "verification_disallowed_country": ("Nothing can be sent again for this individual.", ()),
    "verification_age_mismatch": ("Nothing can be sent again for this individual.", ()),
    "verification_identity_unverified": (
        "Nothing can be sent again for this individual; ask the service's support.",
        (),
    ),
    "verification_unknown_error": (
        "Send the images again; if it fails again, ask the service's support.",
        codes.IMAGE_SIDES,
    ),
}
"""What to do about each code, and the images that may have to be sent again."""

__all__ = [
    "CONVERSION",
    "CONVERSION_ACCOUNT",
    "INDIVIDUAL",
    "MACHINES",
    "TRANSFER",
    "Advice",
    "IllegalMove",
    "Machine",
    "detail",
    "verifies_by_token",
]


def __dir__() -> list[str]:
    return sorted(__all__)
