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
"""Predicates of fields; "account is not active" has none of them, and is about an object."""
_SUBJECT_START = re.compile(
    rf"(?:.*[:(])?[\s\d]*(?:(?:the|your|a|an|this)\s+)?(?:{_NOUN}\s+)?", re.IGNORECASE
)
"""The words that may precede a field of one word; "first name is required" names no field."""
_VALUE_PREDICATE = re.compile(r"(?:is|are|was) (?:not )?(?:an? |one |of |in |in?valid)")
"""Predicates of a quoted value, as in: 'foo' is not one of …"""
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
    """A complaint of a service about one field: a dotted field, or "" if none is named."""

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
        """Yield one complaint for each field that the words list, else the complaint itself.

        "missing fields: a, b" about `details` becomes one about `details.a` and one about
        `details.b`, both with the same words.
        """
        unknown_fields = _find_listed_names(_NAMED_UNKNOWN, self.words)
        named_fields = unknown_fields or _find_listed_names(_NAMED_MISSING, self.words)
        parent_path, _, last_name = self.field.rpartition(".")
        if not named_fields or named_fields == [last_name]:
            yield self
            return
        # The complaint is about one of these fields, or about the object that has them.
        if last_name not in named_fields and self.field not in named_fields:
            parent_path = self.field
        path_prefix = f"{parent_path}." if parent_path else ""
        for named_field in named_fields:
            is_whole_path = named_field.startswith(path_prefix)
            field_path = named_field if is_whole_path else f"{path_prefix}{named_field}"
            yield Complaint(field_path, self.words)


def says_missing(message: str) -> bool:
    """Whether a message says that a field has to be sent, as "is required" does."""
    return bool(MISSING.search(message.replace("_", " ")))


def says_unknown(message: str) -> bool:
    """Whether a message says that the service has no such field, as "should not exist" does."""
    is_about_value = "value" in message.lower()  # "unknown value" is not about a field
    return bool(UNKNOWN.search(message.replace("_", " "))) and not is_about_value


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
    object_match = _OBJECT.search(sentence)  # "invalid value for details.clabe"
    field_name = _read_matched_name(object_match) if object_match else ""
    if field_name.lower() in _NOT_NAMES:
        field_name = ""
    return Complaint(to_dotted_path(field_name), sentence)


def _read_listed_name(sentence: str) -> Complaint | None:
    """The first field in a list of unknown or missing ones, as in "missing fields: a, b"."""
    for pattern in (_NAMED_UNKNOWN, _NAMED_MISSING):
        field_names = _find_listed_names(pattern, sentence)
        if not field_names:
            continue
        field_name = field_names[0]
        first_word = to_dotted_path(sentence.split(None, 1)[0])
        if first_word.endswith(f".{field_name}"):  # "details.clabe missing field: clabe"
            return Complaint(first_word, sentence)
        return Complaint(field_name, sentence)
    return None


def _read_subject(sentence: str) -> Complaint | None:
    """The field that is the subject of a sentence, as in "amount is required"."""
    for subject_match in _SUBJECT.finditer(sentence):
        if _is_field_subject(subject_match):
            return Complaint(
                to_dotted_path(_read_matched_name(subject_match)), subject_match["words"]
            )
    return None


def _read_label(sentence: str) -> Complaint | None:
    """The field before a colon, as in "amount: too low"."""
    label_match = _LABEL.match(sentence)
    if label_match is None:
        return None
    label_name = _read_matched_name(label_match)
    is_field_name = label_name[0].islower() or _is_compound_name(label_name)
    if not is_field_name or _is_generic_name(label_name):
        return None
    return Complaint(to_dotted_path(label_name), label_match["words"])


def _read_matched_name(match: re.Match[str]) -> str:
    """The name that a pattern found, with or without quotes."""
    return match["quoted"] or match["bare"]


def to_dotted_path(stated_path: object) -> str:
    """Write a path as `a.0.b`, from a list of keys and indices, a JSON pointer or `$.a[0].b`.

    A first key that stands for the whole body, such as `body`, is left out.
    """
    keys = [path_key for path_key in _split_path(stated_path) if path_key]
    if len(keys) > 1 and keys[0].lower() in ("body", "requestbody"):
        del keys[0]
    if len(keys) > 2 and keys[:2] == ["data", "attributes"]:  # the prefix in JSON:API
        del keys[:2]
    return ".".join(keys)


def _split_path(stated_path: object) -> list[str]:
    """The keys and indices of a path in any spelling; some may be empty."""
    if isinstance(stated_path, list):
        return [str(path_key) for path_key in stated_path]
    path_text = str(stated_path).strip().lstrip("#$")
    is_json_pointer = "/" in path_text
    if not is_json_pointer:
        return re.split(r"[.\[\]\"']+", path_text)
    escaped_keys = path_text.strip("/").split("/")
    return [path_key.replace("~1", "/").replace("~0", "~") for path_key in escaped_keys]


def _is_field_subject(subject_match: re.Match[str]) -> bool:
    """Whether the subject of a sentence is a field, by its spelling and by what is said of it.

    The subject is a field in "'amount' is unknown", "sender_name is too long" and "amount is
    required", but not in "'foo' is not one of a, b" or "account is not active".
    """
    predicate = subject_match["words"]
    if subject_match["quoted"]:
        is_about_field = says_unknown(predicate) or says_missing(predicate)
        return is_about_field or not _VALUE_PREDICATE.match(predicate)
    bare_name = subject_match["bare"]
    if bare_name.lower() in _NOT_NAMES:
        return False
    if _is_compound_name(bare_name):
        return True
    # A plain word can be any noun: it is a field at the start, if only fields are said to be so.
    text_before = subject_match.string[: subject_match.start("bare")]
    if not _SUBJECT_START.fullmatch(text_before) or not bare_name[0].islower():
        return False
    return bool(_FIELD_PREDICATE.match(predicate))


def _is_generic_name(label: str) -> bool:
    """Whether a label before a colon is no field, but a name that any error has: error_code."""
    label_words = label.split("_")
    return all(
        _GENERIC_NAME.search(label_word) or label_word in ("id", "trace")
        for label_word in label_words
    )


def _is_compound_name(field_name: str) -> bool:
    """Whether a name is spelt as a.b, a_b or aB, so that it is no word of a sentence."""
    return re.search(r"[_.\[/]|[a-z][A-Z]", field_name) is not None


def _find_listed_names(pattern: re.Pattern[str], sentence: str) -> list[str]:
    """The names that a sentence lists as unknown or missing: ["a", "b"] in "missing: a and b".

    Empty if the pattern of such lists does not match.
    """
    list_match = pattern.search(sentence)
    if list_match is None:
        return []
    # The pattern has a group for each way to write such a list; one of them has matched.
    names_text = next(filter(None, list_match.groupdict().values()))
    field_names: list[str] = []
    position = 0
    while name_match := _LISTED_NAME.match(names_text, position):
        field_name = _read_matched_name(name_match)
        if field_name.lower() in _NOT_NAMES:
            break
        field_names.append(to_dotted_path(field_name))
        position = name_match.end()
        if not name_match["next"]:  # no comma or "and" follows
            break
    return field_names
