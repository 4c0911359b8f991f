"""The names in the details of accounts and of deposit instructions in one service.

The names of the bodies of operations are those of `Operation.request_names` and `answer_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .renames import SAME_NAMES, Body, Convert, Names, make_names
from .service.accounts import AccountDetails
from .service.on_ramp import NAMES_BY_INSTRUCTION_TYPE
from .service.tree import ServiceSettings

Details = Mapping[str, Any]
"""The fields of an account or of instructions that depend on its type."""


def make_account_names(settings: AccountDetails) -> Names:
    """The names in the details of an account."""
    return make_names(settings.fields)


def make_instruction_names(instructions_type: object, service: ServiceSettings) -> Names:
    """The names in the details of deposit instructions of a type.

    For an unknown type, the details keep their names.
    """
    get_instruction_names = NAMES_BY_INSTRUCTION_TYPE.get(str(instructions_type))
    if get_instruction_names is None:
        return SAME_NAMES
    return make_names(get_instruction_names(service.deposit_instructions).fields)


def rename_instruction_details(
    service: ServiceSettings, resource: Mapping[str, object], rename: Convert
) -> Body:
    """Rename the fields in the details of a resource's deposit instructions.

    `rename` is `Names.to_ours` or `Names.to_theirs`. A resource without them is only copied.
    """
    renamed_resource = dict(resource)
    instructions = resource.get("deposit_instructions")
    if not isinstance(instructions, dict):
        return renamed_resource
    details = instructions.get("details")
    if isinstance(details, Mapping):
        detail_names = make_instruction_names(instructions.get("type"), service)
        renamed_resource["deposit_instructions"] = {
            **instructions,
            "details": rename(detail_names, details),
        }
    return renamed_resource
