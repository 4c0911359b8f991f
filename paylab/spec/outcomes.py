"""The outcomes of verifications in the simulator, and those that a family name decides.

What a control plans counts first, then a specimen with a defect, then the family name. A
verification that none of them decides passes.
"""

from __future__ import annotations

from .codes import STATUS_DETAIL_CODES
from .service.service import Service

PASSED = ("passes", "active")
"""The outcomes of a verification that passes."""
UNDER_REVIEW = "under_review"


def fold_outcome(text: str) -> str:
    """An outcome as a code.

    >>> fold_outcome(" Under Review ")
    'under_review'
    """
    return text.strip().casefold().replace(" ", "_")


def list_detail_codes(service: Service) -> tuple[str, ...]:
    """The status detail codes of the spec and of the service."""
    return (*STATUS_DETAIL_CODES, *service.statuses.detail_codes)


def list_outcomes(service: Service) -> tuple[str, ...]:
    """All outcomes of a verification, each once."""
    return tuple(dict.fromkeys((*PASSED, UNDER_REVIEW, *list_detail_codes(service))))


def read_outcomes(family_name: str, service: Service) -> list[str]:
    """The outcomes that a family name decides, joined by "then"; none for any other name.

    The rule is the assumption `kyc.names`.

    >>> from paylab.spec.service.service import Service
    >>> read_outcomes("Verification Image Blurry Then Passes", Service())
    ['verification_image_blurry', 'passes']
    """
    outcomes = fold_outcome(family_name).split("_then_")
    return outcomes if set(outcomes).issubset(list_outcomes(service)) else []
