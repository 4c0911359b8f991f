"""Sentences of a service about fields: which field, and whether it is missing or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SENTENCE_CHARACTERS_MAX = 1_000
"""Longer sentences are read up to here."""

_NAME = r"[A-Za-z_]\w*(?:\[\w+\]|[./]\w+)*"
_QUOTED = rf"[\"'`](?P<quoted>{_NAME})[\"'`]"
_NOUN = r"(?:fields?|keys?|param(?:eter)?s?|propert(?:y|ies)|attributes?|arguments?|members?)"
_PLURAL = r"(?:\(s\))?"

MISSING = re.compile(
    r"\brequired?\b|\brequires\b|\bmissing\b(?! (?:digit|character|letter))|\bblank\b|\bneeded\b"
    r"|\bis empty\b|undefined"
    r"|\bmandatory\b|please provide"
    r"|must be (?:given|present|provided|specified|set)|should be present"
    r"|(?:cannot|can't|can not|(?:must|may|should) not) be (?:null|empty|blank)"
    r"|give exactly one|non-empty|^empty params?\b",
    re.IGNORECASE,
)
UNKNOWN = re.compile(
    rf"(?:unrecogni[sz]ed|unknown|unexpected|unsupported|extra|additional|no such"
    rf"|not a(?: known| valid)?) (?:{_NOUN}|inputs?)\b|should not exist|was unexpected"
    r"|(?:^|\b(?:is|are) )(?:an? )?(?:unrecogni[sz]ed|unknown|unexpected"
    r"|not (?:recogni[sz]ed|permitted|allowed|known))(?: here)?[.!]?$",
    re.IGNORECASE,
)
"""Only the field can be unknown: what is "not allowed for" something is a value."""
_NAMED_UNKNOWN = re.compile(
    rf"(?:unrecogni[sz]ed|unknown|unexpected|unsupported|extra|additional|no such) {_NOUN}{_PLURAL}"
    r"(?: in [\w ]{1,30})?(?:\s*:\s*|\s+)(?!(?:is|are|was|were)\b)(?P<names>[\"'`]?[A-Za-z_].*)"
    rf"|\(\s*(?P<listed>(?:[\"'`]{_NAME}[\"'`][\s,]*(?:and )?)+)(?:was|were) unexpected\)"
    rf"|{_NOUN} (?P<one>{_NAME}) should not exist",
    re.IGNORECASE,
)
_NAMED_MISSING = re.compile(
    rf"(?:missing(?: the)?(?: required)?|required) {_NOUN}{_PLURAL}"
    r"(?: in [\w ]{1,30})?(?:\s*:\s*|\s+)(?!(?:is|are|was|were)\b)"
    r"(?P<names>[\"'`]?[A-Za-z_].*)"
    rf"|\brequires these {_NOUN}: \[?(?P<needed>[A-Za-z_].*)"
    r"|^\s*(?:field )?(?:required|missing): (?P<listed>.+)"
    rf"|{_NOUN}{_PLURAL} (?:is|are) (?:missing|required)\s*:\s*(?P<after>[\"'`]?[A-Za-z_].*)",
    re.IGNORECASE,
)
_LISTED_NAME = re.compile(
    rf"\s*(?:{_QUOTED}|(?P<bare>{_NAME})(?=\s*(?:[],;&(]|$|\.$|(?:and|is|in|for)\b)))"
    r"\s*(?P<next>(?:,|and\b|&)*)"
)
_SUBJECT = re.compile(
    rf"(?:^|[\s:(])(?:{_QUOTED}|(?P<bare>{_NAME}))(?:\s+{_NOUN})?\s+"
    r"(?P<words>(?P<verb>is|are|must|should|cannot|can't|can|may|has|needs|does|was|contains)\b.+)"
)
_FIELD_PREDICATE = re.compile(
    r"(?:must|should|cannot|can't|may not|needs)\b"
    r"|(?:is|are)(?: a)? (?:required|missing|unknown|needed|empty|blank"
    r"|not (?:allowed|permitted|recogni[sz]ed|known))",
)
"""What is said of a field rather than of an object such as "account is not active"."""
_SUBJECT_START = re.compile(
    rf"(?:.*[:(])?[\s\d]*(?:(?:the|your|a|an|this)\s+)?(?:{_NOUN}\s+)?", re.IGNORECASE
)
"""What may stand before a plain word that is a field: in "first name is required" it is none."""
_VALUE_PREDICATE = re.compile(r"(?:is|are|was) (?:not )?(?:an? |one |of |in |in?valid)")
"""What is said of a quoted value: 'foo' is not one of …"""
_LABEL = re.compile(rf"\s*(?:{_QUOTED}|(?P<bare>{_NAME}))\s*:\s+(?P<words>\S.*)")
_OBJECT = re.compile(
    rf"\b(?:for|{_NOUN}|invalid|value of)\s+(?:the )?(?:{_NOUN} )?"
    rf"(?:{_QUOTED}|(?P<bare>[A-Za-z]+(?:_|\.|\[)[\w.\[\]]*\w))",
    re.IGNORECASE,
)
_GENERIC_NAME = re.compile(
    r"error|invalid|request|fail|exception|message|code|reason", re.IGNORECASE
)
_NOT_NAMES = frozenset({
    "it", "this", "that", "value", "field", "there", "input", "body", "and", "or", "one", "the",
    "of", "in", "are", "is", "not", "no", "be", "must", "should", "you", "parameter", "key",
    "property", "attribute", "argument", "properties", "fields", "parameters", "exists",
    "object", "request", "resource", "operation", "call", "transaction",
})  # fmt: skip
_SENTENCE_END = re.compile(
    rf"(?:;|\n|\.\s|,\s(?={_NAME} (?:is|are) (?:a )?(?:required|missing|unknown|not)\b))\s*"
)


class Complaint(NamedTuple):
    """What a service says about one field; the field is dotted, or empty if none is named."""

    field: str
    words: str

    @property
    def is_missing(self) -> bool:
        """Whether the field has to be sent."""
        return says_missing(self.words) and not self.is_unknown

    @property
    def is_unknown(self) -> bool:
        """Whether the service has no such field."""
        return says_unknown(self.words)

    def split_by_field(self) -> Iterator[Complaint]:
        """One complaint for each field that the words name as unknown or missing."""
        field_names = _find_listed_names(_NAMED_UNKNOWN, self.words)
        field_names = field_names or _find_listed_names(_NAMED_MISSING, self.words)
        parent, _, last_name = self.field.rpartition(".")
        if not field_names or field_names == [last_name]:
            yield self
            return
        if last_name not in field_names and self.field not in field_names:
            parent = self.field
        prefix = f"{parent}." if parent else ""
        for field_name in field_names:
            field = field_name if field_name.startswith(prefix) else f"{prefix}{field_name}"
            yield Complaint(field, self.words)


def says_missing(message: str) -> bool:
    """Whether words say that a field has to be sent."""
    return bool(MISSING.search(message.replace("_", " ")))


def says_unknown(message: str) -> bool:
    """Whether words say that the service has no such field."""
    return bool(UNKNOWN.search(message.replace("_", " "))) and "value" not in message.lower()


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without their full stops."""
    for sentence in _SENTENCE_END.split(text):
        if sentence.strip():
            yield sentence.strip().removesuffix(".")[:SENTENCE_CHARACTERS_MAX]


def read_sentence(sentence: str) -> Complaint:
    """The field that a sentence is about, and what it says; without a field if it is not clear.

    A plain word such as `amount` counts as a field only where a field is meant, as in "amount is
    required"; `details.clabe`, `sender_name` and quoted names count everywhere.
    """
    sentence = sentence[:SENTENCE_CHARACTERS_MAX]
    complaint = _read_listed_name(sentence) or _read_subject(sentence) or _read_label(sentence)
    if complaint is not None:
        return complaint
    match = _OBJECT.search(sentence)
    field_name = _matched_name(match) if match else ""
    if field_name.lower() in _NOT_NAMES:
        field_name = ""
    return Complaint(to_dotted_path(field_name), sentence)


def _read_listed_name(sentence: str) -> Complaint | None:
    """The first field in a list of unknown or missing ones, as in "missing fields: a, b"."""
    for pattern in (_NAMED_UNKNOWN, _NAMED_MISSING):
        field_names = _find_listed_names(pattern, sentence)
        if field_names:
            first_word = to_dotted_path(sentence.split(None, 1)[0])
            # "details.clabe missing field: clabe"
            is_whole_path = first_word.endswith(f".{field_names[0]}")
            return Complaint(first_word if is_whole_path else field_names[0], sentence)
    return None


def _read_subject(sentence: str) -> Complaint | None:
    """The field that is the subject of a sentence, as in "amount is required"."""
    for match in _SUBJECT.finditer(sentence):
        if _is_field_subject(match):
            return Complaint(to_dotted_path(_matched_name(match)), match["words"])
    return None


def _read_label(sentence: str) -> Complaint | None:
    """The field before a colon, as in "amount: too low"."""
    match = _LABEL.match(sentence)
    if match is None:
        return None
    label = _matched_name(match)
    is_name = label[0].islower() or _is_compound_name(label)
    if not is_name or _is_generic_name(label):
        return None
    return Complaint(to_dotted_path(label), match["words"])


def _matched_name(match: re.Match[str]) -> str:
    """The name that a pattern found, with or without quotes."""
    return match["quoted"] or match["bare"]


def to_dotted_path(name: object) -> str:
    """`a.0.b` from a list of steps, a JSON pointer, `a[0].b` or `$.a.b`.

    What stands for the whole body at its start is left out.
    """
    path_segments = [path_segment for path_segment in _split_path(name) if path_segment]
    if len(path_segments) > 1 and path_segments[0].lower() in ("body", "requestbody"):
        del path_segments[0]
    if len(path_segments) > 2 and path_segments[:2] == ["data", "attributes"]:
        del path_segments[:2]
    return ".".join(path_segments)


def _split_path(stated_name: object) -> list[str]:
    """The steps of a path in any spelling; some may be empty."""
    if isinstance(stated_name, list):
        return [str(part) for part in stated_name]
    path_text = str(stated_name).strip().lstrip("#$")
    if "/" not in path_text:
        return re.split(r"[.\[\]\"']+", path_text)
    steps = path_text.strip("/").split("/")
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _is_field_subject(match: re.Match[str]) -> bool:
    """Whether the subject of a sentence is a field."""
    predicate = match["words"]
    if match["quoted"]:
        return (
            not _VALUE_PREDICATE.match(predicate)
            or says_unknown(predicate)
            or says_missing(predicate)
        )
    bare_name = match["bare"]
    if bare_name.lower() in _NOT_NAMES:
        return False
    if _is_compound_name(bare_name):
        return True
    is_first = bool(_SUBJECT_START.fullmatch(match.string[: match.start("bare")]))
    return is_first and bare_name[0].islower() and bool(_FIELD_PREDICATE.match(predicate))


def _is_generic_name(field_name: str) -> bool:
    """Whether a label is that of any error, such as error_code, rather than a field."""
    return all(
        _GENERIC_NAME.search(part) or part in ("id", "trace") for part in field_name.split("_")
    )


def _is_compound_name(field_name: str) -> bool:
    """Whether a name is one that no ordinary sentence has."""
    return any(sign in field_name for sign in "_.[/") or bool(re.search(r"[a-z][A-Z]", field_name))


def _find_listed_names(pattern: re.Pattern[str], sentence: str) -> list[str]:
    """The names in a list of unknown or missing fields."""
    list_match = pattern.search(sentence)
    if list_match is None:
        return []
    listing = next(filter(None, list_match.groupdict().values()))
    field_names: list[str] = []
    search_start = 0
    while match := _LISTED_NAME.match(listing, search_start):
        field_name = _matched_name(match)
        if field_name.lower() in _NOT_NAMES:
            break
        field_names.append(to_dotted_path(field_name))
        search_start = match.end()
        if not match["next"]:
            break
    return field_names
