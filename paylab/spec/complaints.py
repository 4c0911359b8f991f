"""Sentences of a service about fields: which field, and whether it is missing or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 1_000
"""Longer sentences are read up to here."""

_NAME = r"[A-Za-z_]\w*(?:\[\w+\]|[./]\w+)*"
_QUOTED = rf"[\"'`](?P<quoted>{_NAME})[\"'`]"
_NOUN = r"(?:fields?|keys?|param(?:eter)?s?|propert(?:y|ies)|attributes?|arguments?|members?)"
_MANY = r"(?:\(s\))?"

MISSING = re.compile(
    r"\brequired?\b|\brequires\b|\bmissing\b|\bblank\b|\bneeded\b|\bis empty\b|undefined"
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
    rf"(?:unrecogni[sz]ed|unknown|unexpected|unsupported|extra|additional|no such) {_NOUN}{_MANY}"
    r"(?: in [\w ]{1,30})?(?:\s*:\s*|\s+)(?!(?:is|are|was|were)\b)(?P<names>[\"'`]?[A-Za-z_].*)"
    rf"|\(\s*(?P<listed>(?:[\"'`]{_NAME}[\"'`][\s,]*(?:and )?)+)(?:was|were) unexpected\)"
    rf"|{_NOUN} (?P<one>{_NAME}) should not exist",
    re.IGNORECASE,
)
_NAMED_MISSING = re.compile(
    rf"(?:missing(?: the)?(?: required)?|required) {_NOUN}{_MANY}"
    r"(?: in [\w ]{1,30})?(?:\s*:\s*|\s+)(?!(?:is|are|was|were)\b)"
    r"(?P<names>[\"'`]?[A-Za-z_].*)"
    rf"|\brequires these {_NOUN}: \[?(?P<needed>[A-Za-z_].*)"
    r"|^\s*(?:field )?(?:required|missing): (?P<listed>.+)"
    rf"|{_NOUN}{_MANY} (?:is|are) (?:missing|required)\s*:\s*(?P<after>[\"'`]?[A-Za-z_].*)",
    re.IGNORECASE,
)
_ONE_NAME = re.compile(
    rf"\s*(?:{_QUOTED}|(?P<bare>{_NAME})(?=\s*(?:[],;&(]|$|\.$|(?:and|is|in|for)\b)))"
    r"\s*(?P<next>(?:,|and\b|&)*)"
)
_SUBJECT = re.compile(
    rf"(?:^|[\s:(])(?:{_QUOTED}|(?P<bare>{_NAME}))(?:\s+{_NOUN})?\s+"
    r"(?P<words>(?P<verb>is|are|must|should|cannot|can't|can|may|has|needs|does|was|contains)\b.+)"
)
_PLAIN = re.compile(
    r"(?:must|should|cannot|can't|may not|needs)\b"
    r"|(?:is|are)(?: a)? (?:required|missing|unknown|needed|empty|blank"
    r"|not (?:allowed|permitted|recogni[sz]ed|known))",
)
"""What is said of a field rather than of an object such as "account is not active"."""
_BEFORE = re.compile(
    rf"(?:.*[:(])?[\s\d]*(?:(?:the|your|a|an|this)\s+)?(?:{_NOUN}\s+)?", re.IGNORECASE
)
"""What may stand before a plain word that is a field: in "first name is required" it is none."""
_VALUE = re.compile(r"(?:is|are|was) (?:not )?(?:an? |one |of |in |in?valid)")
"""What is said of a quoted value: 'foo' is not one of …"""
_LABEL = re.compile(rf"\s*(?:{_QUOTED}|(?P<bare>{_NAME}))\s*:\s+(?P<words>\S.*)")
_OBJECT = re.compile(
    rf"\b(?:for|{_NOUN}|invalid|value of)\s+(?:the )?(?:{_NOUN} )?"
    rf"(?:{_QUOTED}|(?P<bare>[A-Za-z]+(?:_|\.|\[)[\w.\[\]]*\w))",
    re.IGNORECASE,
)
_GENERIC = re.compile(r"error|invalid|request|fail|exception|message|code|reason", re.IGNORECASE)
_NOT_NAMES = frozenset({
    "it", "this", "that", "value", "field", "there", "input", "body", "and", "or", "one", "the",
    "of", "in", "are", "is", "not", "no", "be", "must", "should", "you", "parameter", "key",
    "property", "attribute", "argument", "properties", "fields", "parameters", "exists",
})  # fmt: skip
_SENTENCES = re.compile(
    rf"(?:;|\n|\.\s|,\s(?={_NAME} (?:is|are) (?:a )?(?:required|missing|unknown|not)\b))\s*"
)


class Complaint(NamedTuple):
    """What a service says about one field; the field is dotted, or empty if none is named."""

    field: str
    words: str

    @property
    def missing(self) -> bool:
        """Whether the field has to be sent."""
        return is_missing(self.words) and not self.unknown

    @property
    def unknown(self) -> bool:
        """Whether the service has no such field."""
        return is_unknown(self.words)

    def each(self) -> Iterator[Complaint]:
        """One complaint for each field that the words name as unknown or missing."""
        names = _listed(_NAMED_UNKNOWN, self.words) or _listed(_NAMED_MISSING, self.words)
        parent, _, last = self.field.rpartition(".")
        if not names or names == [last]:
            yield self
            return
        parent = parent if last in names or self.field in names else self.field
        start = f"{parent}." if parent else ""
        for name in names:
            yield Complaint(name if name.startswith(start) else f"{start}{name}", self.words)


def is_missing(words: str) -> bool:
    """Whether words say that a field has to be sent."""
    return bool(MISSING.search(words.replace("_", " ")))


def is_unknown(words: str) -> bool:
    """Whether words say that the service has no such field."""
    return bool(UNKNOWN.search(words.replace("_", " "))) and "value" not in words.lower()


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without their full stops."""
    for part in _SENTENCES.split(text):
        if part.strip():
            yield part.strip().removesuffix(".")[:LONGEST]


def read_sentence(sentence: str) -> Complaint:
    """The field that a sentence is about, and what it says; without a field if it is not clear.

    A plain word such as `amount` counts as a field only where a field is meant, as in "amount is
    required"; `details.clabe`, `sender_name` and quoted names count everywhere.
    """
    sentence = sentence[:LONGEST]
    for pattern in (_NAMED_UNKNOWN, _NAMED_MISSING):
        if names := _listed(pattern, sentence):
            place = dotted_path(sentence.split(None, 1)[0])  # "details.clabe missing field: clabe"
            is_place = place.endswith(f".{names[0]}")
            return Complaint(place if is_place else names[0], sentence)
    for match in _SUBJECT.finditer(sentence):
        if _is_subject(match):
            return Complaint(dotted_path(match["quoted"] or match["bare"]), match["words"])
    label = _LABEL.match(sentence)
    name = (label["quoted"] or label["bare"]) if label else ""
    if label and not _is_generic(name) and (name[0].islower() or _is_compound(name)):
        return Complaint(dotted_path(name), label["words"])
    object_match = _OBJECT.search(sentence)
    name = (object_match["quoted"] or object_match["bare"]) if object_match else ""
    if name and name.lower() not in _NOT_NAMES:
        return Complaint(dotted_path(name), sentence)
    return Complaint("", sentence)


def dotted_path(name: object) -> str:
    """`a.0.b` from a list of steps, a JSON pointer, `a[0].b` or `$.a.b`.

    What stands for the whole body at its start is left out.
    """
    if isinstance(name, list):
        parts = [str(part) for part in name]
    else:
        text = str(name).strip().lstrip("#$")
        if "/" in text:
            steps = text.strip("/").split("/")
            parts = [step.replace("~1", "/").replace("~0", "~") for step in steps]
        else:
            parts = re.split(r"[.\[\]\"']+", text)
    parts = [part for part in parts if part]
    if len(parts) > 1 and parts[0].lower() in ("body", "requestbody"):
        del parts[0]
    if len(parts) > 2 and parts[:2] == ["data", "attributes"]:
        del parts[:2]
    return ".".join(parts)


def _is_subject(match: re.Match[str]) -> bool:
    """Whether the subject of a sentence is a field."""
    words = match["words"]
    if match["quoted"]:
        return not _VALUE.match(words) or is_unknown(words) or is_missing(words)
    name = match["bare"]
    if name.lower() in _NOT_NAMES:
        return False
    if _is_compound(name):
        return True
    is_first = bool(_BEFORE.fullmatch(match.string[: match.start("bare")]))
    return is_first and name[0].islower() and bool(_PLAIN.match(words))


def _is_generic(name: str) -> bool:
    """Whether a label is that of any error, such as error_code, rather than a field."""
    return all(_GENERIC.search(part) or part in ("id", "trace") for part in name.split("_"))


def _is_compound(name: str) -> bool:
    """Whether a name is one that no ordinary sentence has."""
    return any(sign in name for sign in "_.[/") or bool(re.search(r"[a-z][A-Z]", name))


def _listed(pattern: re.Pattern[str], sentence: str) -> list[str]:
    """The names in a list of unknown or missing fields."""
    match = pattern.search(sentence)
    if not match:
        return []
    text = next(filter(None, match.groupdict().values()))
    names = []
    at = 0
    while name_match := _ONE_NAME.match(text, at):
        name = name_match["quoted"] or name_match["bare"]
        if name.lower() in _NOT_NAMES:
            break
        names.append(dotted_path(name))
        at = name_match.end()
        if not name_match["next"]:
            break
    return names
