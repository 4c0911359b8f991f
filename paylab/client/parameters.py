"""The parameters of an operation: their names, their values as JSON, and their problems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from inspect import signature
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeAlias, TypeVar

from ..errors.base import Problem, RuleError, RuleWarning, warn_caller
from ..errors.call_names import call_name
from ..errors.cards import MisuseError
from ..errors.names import describe_unknown_parameters
from ..errors.options import show_options
from ..errors.suggestions import find_nearest_name, find_suggestion
from ..spec.operations.field import DATE, ID, REFERENCE
from ..spec.operations.records import OPERATIONS, REQUEST_AMOUNTS
from ..spec.text import JsonObject, normalize_name, plain
from .identifiers import check_identifier
from .request import json_value

if TYPE_CHECKING:
    from ..spec.models import FinancialAccount

ROW_READERS = (".frame", ".export", ".to_arrow", ".to_polars")
"""The methods that read the rows of a list."""

P = ParamSpec("P")
A = TypeVar("A")


def strict_keywords(*groups: type) -> Callable[[Callable[P, A]], Callable[P, A]]:
    """TypeError for unknown parameters, with the most similar known name.

    `groups` are the TypedDicts behind `**options`; the signature shows their keys one by one.
    """
    return show_options(*groups, refuse_unknown=_refuse_unknown_parameters)


def _refuse_unknown_parameters(
    operation: Callable[..., object], parameter_names: Iterable[str]
) -> NoReturn:
    """TypeError for the names that are no parameters of an operation."""
    known_names = list(signature(operation).parameters)
    unknown_names = {*parameter_names} - {*known_names}
    raise MisuseError(
        _describe_unknown_parameters(call_name(operation), unknown_names, known_names)
    )


def _describe_unknown_parameters(
    operation: str, unknown_names: Iterable[str], known: Iterable[str]
) -> str:
    """The message for unknown parameters: the nearest known ones, and how to give them.

    `operation` is the name of the call, such as `lab.transfers.create`.
    """
    known_names = [parameter for parameter in known if parameter != "self"]
    problem_text, unlike_name = describe_unknown_parameters(operation, unknown_names, known_names)
    takes_extra = "extra" in known_names and not operation.endswith(ROW_READERS)
    hint = ""
    fields_text = _name_row_fields(operation, unlike_name)
    first_field = fields_text.partition(" or ")[0]
    if operation.endswith(".list") and unlike_name:
        filter_text = f"list().filter({first_field or unlike_name}=...)"
        hint = f"; {filter_text} keeps rows by any field that they have"
    elif operation.endswith(ROW_READERS) and fields_text:
        usage_text = f'frame[frame["{first_field}"] == "..."]'
        hint = f"; rows have {fields_text}: {usage_text} of a frame keeps some of them"
    elif "params" in known_names and unlike_name:
        hint = f"; params={{{unlike_name!r}: ...}} sends a query parameter"
    elif takes_extra:
        field_name = unlike_name or min(unknown_names)
        hint = f"; extra={{{field_name!r}: ...}} sends an unknown body field"
    # Only what creates something takes extra fields.
    sent_text = "; nothing was sent" if takes_extra else ""
    return f"{problem_text}{sent_text}{hint}"


def _name_row_fields(operation: str, name: str) -> str:
    """The fields of transfers that a wrong name of a filter means, as text; empty if none.

    Rows of conversions in a frame have other names than their fields.
    """
    from ..spec.models import Transfer  # only for a wrong name

    if not name or ".transfers." not in operation:
        return ""
    field_names = list(Transfer.model_fields)
    side_candidates = (f"source_{name}", f"destination_{name}")
    side_fields = [field_name for field_name in side_candidates if field_name in field_names]
    return " or ".join(side_fields) or find_suggestion(name, field_names) or ""


def build_body(
    operation: str, extra: Mapping[str, object] | None = None, /, **fields: object
) -> dict[str, Any]:
    """The body of an operation from its fields and `extra`; RuleError lists problems."""
    body = {}
    for field in OPERATIONS[operation].fields:
        field_value = fields.get(field.name)
        convert = _CONVERT.get(field.kind)
        body[field.name] = convert(field_value, field.name) if convert else field_value
    return merge_extra(body_fields(body), extra)


def body_fields(values: Mapping[str, object]) -> JsonObject:
    """Keyword fields as a JSON object without None; RuleError lists what cannot be sent."""
    problems = list(_find_non_text_names(values, path=""))
    body = {
        field_name: _convert_value(field_value, str(field_name), problems)
        for field_name, field_value in values.items()
        if field_value is not None
    }
    if problems:
        raise RuleError(problems)
    return body


def merge_extra(body: JsonObject, extra: Mapping[str, object] | None) -> JsonObject:
    """A body merged with the fields of `extra`, object by object.

    RuleError for a field that has another value already.
    """
    if not isinstance(extra, Mapping | None):
        raise RuleError([Problem("extra", "must be a dict of fields")])
    return _merge_objects(body, body_fields(extra), "extra") if extra else body


def _merge_objects(
    body: Mapping[str, object], extra: Mapping[str, object], path: str
) -> dict[str, Any]:
    """The members of two objects, object by object; RuleError for two values of one member."""
    merged_body = dict(body)
    for field_name, extra_value in extra.items():
        # A field that only `extra` has counts as equal on both sides.
        body_value = body.get(field_name, extra_value)
        field_path = f"{path}.{field_name}"
        if isinstance(body_value, dict) and isinstance(extra_value, dict):
            merged_body[field_name] = _merge_objects(body_value, extra_value, field_path)
        elif body_value == extra_value:
            merged_body[field_name] = extra_value
        else:
            message = "has another value beside extra: give it once, where paylab knows it"
            raise RuleError([Problem(field_path, message)])
    return merged_body


def _convert_value(value: object, field_path: str, problems: list[Problem]) -> Any:
    """A value as JSON can hold it, an amount as text.

    For a value that cannot be sent, the reason is added to `problems`, and the result is None.
    """
    if type(value) is str:  # most values are
        return value
    is_bool = isinstance(value, bool)  # a bool is an int, too
    if is_bool and field_path in REQUEST_AMOUNTS:
        # The body is then not sent, whatever the value becomes below.
        problems.append(Problem(field_path, "must be text or a Decimal: a bool is no amount"))
    elif isinstance(value, int) and not is_bool and field_path.endswith("amount"):
        return str(value)
    if isinstance(value, Mapping):
        return _convert_object(value, field_path, problems)
    if isinstance(value, list | tuple):
        return [
            _convert_value(member, f"{field_path}.{index}", problems)
            for index, member in enumerate(value)
        ]
    try:
        return json_value(value)
    except TypeError as error:
        problems.append(Problem(field_path, str(error)))
        return None


def _convert_object(
    members: Mapping[Any, object], field_path: str, problems: list[Problem]
) -> dict[Any, Any]:
    """An object as JSON, without members that are None. Adds what cannot be sent to `problems`."""
    problems += _find_non_text_names(members, field_path)
    return {
        member_name: _convert_value(member, f"{field_path}.{member_name}", problems)
        for member_name, member in members.items()
        if member is not None
    }


def _find_non_text_names(values: Mapping[Any, object], path: str) -> Iterator[Problem]:
    """Yield a problem for each name of a field that is not text: JSON has only text names."""
    for field_name in values:
        if not isinstance(field_name, str):
            name_text = plain(repr(field_name), 60)
            yield Problem(path, f"the name of a field must be text, not {name_text}")


def refuse_spec_problems(problems: Iterable[Problem]) -> None:
    """RuleError for problems by the spec; assumed ones are left to the service."""
    spec_problems = [problem for problem in problems if problem.source == "spec"]
    if spec_problems:
        raise RuleError(spec_problems)


def raise_or_warn(
    problems: Iterable[Problem], doubts: Iterable[Problem] = (), hint: str | None = None
) -> None:
    """RuleError with a hint for problems by the spec; for others a warning at the caller's line."""
    all_problems = list(problems)
    spec_problems = [problem for problem in all_problems if problem.source == "spec"]
    if spec_problems:
        raise RuleError([*spec_problems, *_find_related_doubts(spec_problems, doubts)], hint)
    for doubt_text in _write_doubts([*all_problems, *doubts]):
        warn_caller(doubt_text, RuleWarning)


_MISSING = "is required"


def _write_doubts(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield each problem as text, but one text for several fields that are missing."""
    missing_fields = [problem.field for problem in problems if problem.message == _MISSING]
    is_list = len(missing_fields) > 1
    if is_list:
        yield f"{', '.join(missing_fields)}: are assumed to be required; sent without them"
    for problem in problems:
        if not is_list or problem.message != _MISSING:
            yield str(problem)


def _find_related_doubts(
    problems: Iterable[Problem], doubts: Iterable[Problem]
) -> Iterator[Problem]:
    """The doubts about other fields of the objects that problems are in, such as details."""
    object_paths = {problem.field.rpartition(".")[0] for problem in problems} - {""}
    for doubt in doubts:
        if doubt.field.rpartition(".")[0] in object_paths and doubt.source != "spec":
            yield doubt


def read_name(value: object, field: str) -> str:
    """A name such as a reference in one spelling; RuleError if it is not text, or blank."""
    normal_name = normalize_name(value) if isinstance(value, str) else ""
    if not normal_name:
        raise RuleError([Problem(field, "must be text that is not blank")])
    return normal_name


def check_field_names(
    value: object, known_names: Collection[str], object_path: str
) -> Iterator[Problem]:
    """A problem for each unknown name of a nested object, whose path is `object_path`."""
    if not isinstance(value, Mapping):
        return
    for field_name in value:
        if field_name not in known_names:
            near_name = find_nearest_name(str(field_name), known_names)
            known_text = f"known are {', '.join(sorted(known_names))}"
            suggestion_text = f"is {near_name} meant?" if near_name else known_text
            message = f"is not a field; {suggestion_text} (extra={{...}} sends unknown fields)"
            yield Problem(f"{object_path}.{field_name}", message)


Account: TypeAlias = "FinancialAccount | str | Mapping[str, object]"
"""An account object is accepted in place of its id."""


_FIELDS_OF_ORDERS = frozenset(
    {
        "client_reference_id",
        "destination_amount",
        "destination_currency",
        "financial_account_id",
        "payout_method",
        "quote_id",
        "source_amount",
        "source_currency",
    }
)
"""Fields that an order has, and no account."""


def make_reference(account: Account | None, field: str) -> JsonObject | None:
    """An account as `{"id": ...}`; None stays None."""
    if account is None:
        return None
    if isinstance(account, Mapping):
        from ..spec.models import FinancialAccount

        known_names = {*FinancialAccount.model_fields, "individual_id"}
        if account.keys() & _FIELDS_OF_ORDERS:
            message = "is a whole order, not an account: write **order to pass its fields"
            raise RuleError([Problem(field, message)])
        refuse_spec_problems(check_field_names(account, known_names, field))
        if account.get("id") is None:
            raise RuleError([Problem(f"{field}.id", "is required")])
    # Of what is no dict, the parameter itself is wrong.
    field_path = f"{field}.id" if isinstance(account, Mapping) else field
    return {"id": check_identifier(account, field_path, "FinancialAccount")}


def id_from(value: object, field: str) -> str | None:
    """The id of an object or an id itself; None stays None.

    The field names the model that an object must have: Quote for `quote_id`.
    """
    model_name = "".join(word.title() for word in field.removesuffix("id").split("_"))
    return None if value is None else check_identifier(value, field, model_name)


def _check_date(value: object, field: str) -> object:
    """The value of a date; RuleError for a time, which is a date for Python."""
    if isinstance(value, datetime):
        message = f"must be a date like {value:%Y-%m-%d}, not a time: pass its .date()"
        raise RuleError([Problem(field, message)])
    return value


_CONVERT: Mapping[str, Callable[[Any, str], object]] = {
    REFERENCE: make_reference,
    ID: id_from,
    DATE: _check_date,
}
"""How objects are named in a body, by the kind of the field."""
