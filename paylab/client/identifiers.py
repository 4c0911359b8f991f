"""Ids as they are given: as text, or as the object that has one; and ids of another kind."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors.base import Problem, RuleError
from ..errors.type_words import with_article
from ..spec.codes import COUNTRIES
from ..spec.text import plain

PREFIXES = {
    "individual": "ind_",
    "transfer": "tr_",
    "conversion": "conv_",
    "conversion account": "ca_",
    "financial account": "fa_",
    "webhook subscription": "wh_",
    "deposit": "dep_",
    "quote": "qt_",
}
"""The kinds of objects, and how their ids usually begin; a service may choose others."""


def describe_other_kind(object_id: object, kind: str) -> str:
    """Say that an id looks like that of another kind; "" if it does not.

    For an id that the service does not know: the ids of a service may begin in another way.

    >>> from paylab.client.identifiers import describe_other_kind
    >>> describe_other_kind("dep_1", "conversion")
    'dep_1 looks like the id of a deposit, not of a conversion'
    """
    kind = kind.replace("_", " ")
    for other_kind, id_prefix in PREFIXES.items():
        if kind in PREFIXES and kind != other_kind and str(object_id).startswith(id_prefix):
            likely_kind_text = (
                f"{plain(str(object_id), 60)} looks like the id of {with_article(other_kind)}"
            )
            return f"{likely_kind_text}, not of {with_article(kind)}"
    return ""


def read_field(value: object, name: str) -> str | None:
    """The text in a field of an object that is given in place of its id.

    None for an id itself, and for an object without such a text.
    """
    field_value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return field_value if isinstance(field_value, str) else None


def check_identifier(value: object, field: str = "id", kind: str = "") -> str:
    """The id as text, from an id, a resource or a dict.

    `kind` is the name of the model that a resource must have; without it, any model is right.
    """
    is_frame = hasattr(value, "columns")
    if is_frame or isinstance(value, list | tuple | set | frozenset):
        type_name = "frame" if is_frame else type(value).__name__
        message = f"must be one id, not a {type_name}: call this once for each"
        raise RuleError([Problem(field, message)])
    id_value = value
    if isinstance(value, Mapping):
        id_value = value.get("id")
    elif not isinstance(value, str | int):
        _check_kind(value, field, kind)
        id_value = getattr(value, "id", None)
    if isinstance(id_value, int) and not isinstance(id_value, bool):
        id_value = str(id_value)
    if not isinstance(id_value, str) or not id_value.strip():
        raise RuleError([Problem(field, "must be an id, or an object that has one, and not empty")])
    if id_value in COUNTRIES:  # a likely mistake: individuals.get("MX")
        message = f"must be {_describe_kind(kind)}, not the country {id_value}"
        hint = f"lab.individuals.list().filter(country={id_value!r}) has the people there"
        raise RuleError([Problem(field, f"{message}: {hint}")])
    return id_value


def _describe_kind(kind: str) -> str:
    """What an id is of: a kind of object, or any."""
    return f"{with_article(kind)} or its id" if kind else "an id, or an object that has one"


def _check_kind(value: object, field: str, kind: str) -> None:
    """RuleError for a resource of another kind, such as a Quote for a Transfer.

    Kinds with the same id are valid (`_SAME_ID`), and any resource if `kind` is not a model.
    """
    from ..spec import models  # not before the first resource is used
    from ..spec.resource import Resource

    actual_kind = type(value).__name__
    is_resource = isinstance(value, Resource) and hasattr(models, kind)
    if not is_resource or actual_kind in (kind, *_SAME_ID.get(kind, ())):
        return
    list_names = [
        field_name
        for field_name, field_value in vars(value).items()
        if isinstance(field_value, list)
        and any(type(item).__name__ == kind for item in field_value)
    ]
    hint = f": choose one of its {list_names[0]}" if list_names else ""
    hint = _OTHER_KINDS.get((kind, actual_kind), hint)
    message = f"must be {_describe_kind(kind)}, not {with_article(actual_kind)}{hint}"
    raise RuleError([Problem(field, message)])


_OTHER_KINDS = {
    ("Conversion", "ConversionAccount"): ": pass it as conversion_account_id= to wait() or list()",
    ("Conversion", "Deposit"): ": lab.status() follows a Deposit",
    ("FinancialAccount", "Quote"): ": a Quote goes into quote_id= of transfers.create()",
}
"""What to do with an object of another kind, by the kind that is needed and its own."""

_SAME_ID = {"Individual": ("StatusChange",)}
"""Other models with the id of a kind."""
