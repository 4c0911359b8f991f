"""The settings behind the fields that a service complains about, with values to try."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..client.exchange import Exchange
from ..errors.api import APIStatusError
from ..spec import codes, models
from ..spec.complaints import Complaint
from ..spec.error_body import ErrorBody
from ..spec.json_path import last_name, value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.service.accounts import AccountDetails
from ..spec.service.files import FILL_IN
from ..spec.service.key import Key, Value
from ..spec.service.keys import keys
from ..spec.service.rails import RAILS
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.value_types import NONE, WordsLimit
from ..spec.translation import Translation
from .account_fields import SentAccounts
from .constants import listed_words, sent_body, with_constant
from .names import cursor_names, likeness, list_key, noun_of, words_of_name
from .stated import stated_numbers, stated_words

Candidates = Iterator[Mapping[str, Value]]

NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
TOO_LONG = re.compile(r"at most|too long|longer|maximum|characters|length", re.IGNORECASE)
TEXT = re.compile(r"\b(?:a|be) (?:string|text)|expected string", re.IGNORECASE)
SUGGESTED = re.compile(r"(?:did you mean|renamed to|use) ['\"`]?([A-Za-z_][\w.]*\w)", re.IGNORECASE)
OBJECT = re.compile(r"\bobject\b", re.IGNORECASE)
TRUE = re.compile(r"must be (?:true|accepted)", re.IGNORECASE)
PLACE = re.compile(r"[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){0,3}")
DEFAULTS = {
    "quotes.source_currency": "quotes.default_source_currency",
    "transfers.source_network": "transfers.default_network",
    "conversion_accounts.destination_currency": "conversion_accounts.default_destination_currency",
}
"""The key of the default of a field that may be omitted."""
KNOWN = {"sender_name": "Alex Example", "source_type": codes.SOURCE_TYPES[0]}
"""Values of optional fields that a person needs not choose."""
PAGE_SIZES = (50, 20, 10)
MOST_RENAMES = 4


def table_of(operation: Operation) -> str:
    """The table of settings with the names of the body of an operation; "" if there is none."""
    return key_of(operation.names).removesuffix(".fields")


class RefusedFields:
    """Finds the settings behind the fields of a refused request."""

    def __init__(self, error: APIStatusError, exchange: Exchange, service: Service) -> None:
        request = exchange.request
        self._service = service
        self._operation = OPERATIONS[request.operation]
        self._table = table_of(self._operation)
        self._body: Mapping[str, Any] = request.asked if isinstance(request.asked, dict) else {}
        self._sent = sent_body(request.content)
        self._answer = exchange.content
        self._translation = Translation(service)
        self._complaints = ErrorBody(error.text, error.problems).complaints
        self._ours = partial(self._translation.field, self._operation.name, self._body)
        unknown_complaints = [complaint for complaint in self._complaints if complaint.is_unknown]
        self._unknown = {last_name(self._ours(complaint.field)) for complaint in unknown_complaints}
        self._accounts = SentAccounts(self._operation, self._body, self._translation, self._unknown)

    def candidates(self) -> Candidates:
        """Values to try, most likely first."""
        if self._operation.is_list:
            yield from self._of_list()
            return
        yield from self._renamed_together()
        for complaint in self._complaints:
            if complaint.field:
                yield from self._of_field(complaint, self._ours(complaint.field))

    def _renamed_together(self) -> Candidates:
        """All fields of the body whose new names are missed, where old names are refused."""
        names = dict(self._renamable_names())
        missing_paths = [
            complaint.field
            for complaint in self._complaints
            if complaint.is_missing and complaint.field
        ]
        pairs = {missing_path.replace(".", "_"): missing_path for missing_path in missing_paths}
        pairs = {
            our: missing_path
            for our, missing_path in pairs.items()
            if our in names and our in self._body
        }
        refused = [our for our in names if our in self._unknown and our not in pairs]
        rest = [
            missing_path for missing_path in missing_paths if missing_path not in pairs.values()
        ]
        for our in [our for our in refused if {*rest} & {*names[our].others}]:
            pairs[our] = next(
                missing_path for missing_path in rest if missing_path in names[our].others
            )
            rest.remove(pairs[our])
            refused.remove(our)
        if len(refused) == len(rest):
            for our in sorted(refused, key=lambda our: -max(likeness(our, p) for p in rest)):
                pairs[our] = max(rest, key=partial(likeness, our))
                rest.remove(pairs[our])
        if self._unknown and len(pairs) > 1:
            yield {names[our].name: missing_path for our, missing_path in pairs.items()}

    def _of_list(self) -> Candidates:
        form = self._service.list(self._operation.resource)
        text = " ".join(" ".join(complaint) for complaint in self._complaints).lower()
        if any(
            complaint.is_unknown and form.limit_parameter in complaint
            for complaint in self._complaints
        ):
            # Another name would be ignored, and prove nothing.
            yield {list_key(form, "limit_parameter"): NONE}
        elif "limit" in text:
            numbers = sorted(stated_numbers(text), reverse=True)
            yield from ({"lists.max_limit": size} for size in (*numbers, *PAGE_SIZES) if size > 0)
        if "cursor" in text:
            yield from cursor_names(form, self._service)

    def _of_field(self, complaint: Complaint, our: str) -> Candidates:
        """Values for one complaint; `our` is the name of its field with us."""
        if self._accounts.has_field(our):
            account = self._accounts.find_form(our)
            if account is not None:
                yield from self._of_detail(*account, complaint, last_name(our))
                return
        yield from self._of_reference(complaint, our)
        suggested = SUGGESTED.search(complaint.words)
        if complaint.is_unknown and suggested and our in (names := dict(self._renamable_names())):
            yield {names[our].name: suggested[1]}
        if complaint.is_missing:
            yield from self._of_missing(complaint, our)
        elif not complaint.is_unknown:
            yield from self._of_value(complaint, our)

    def _of_detail(
        self,
        form: AccountDetails,
        details: Mapping[str, object],
        complaint: Complaint,
        name: str,
    ) -> Candidates:
        """Values for a field in the details of an account."""
        if complaint.is_missing and name not in details:
            yield from self._find_likely_fields(f"{form.key}.fields.", complaint.field, details)
            yield from self._require_field(f"{form.key}.required", name)
            # A service that needs the old name as well misses it then.
            needed = sorted(form.required, key=lambda our: -likeness(our, name))
            sent_names = [our for our in needed if our in details and our in form.fields]
            yield from ({f"{form.key}.fields.{our}": name} for our in sent_names[:MOST_RENAMES])
        elif name == form.field and not complaint.is_unknown:
            yield from self._of_words(keys()[f"{form.key}.allowed"], complaint)

    def _of_reference(self, complaint: Complaint, our: str) -> Candidates:
        """The other forms of a reference: its id, or an object with the id."""
        their = complaint.field
        for name, key in self._renamable_names():
            id_path = str(self._service.value(key.name))
            if not name.endswith("_id"):
                continue
            holder = id_path.removesuffix(".id").removesuffix("_id")
            their_holder = their.removesuffix(".id").removesuffix("_id")
            # A service that needs another reference as well misses this one then.
            is_same = their_holder in (holder, name[:-3]) or noun_of(their_holder) == noun_of(
                holder
            )
            if complaint.is_missing and their != id_path and is_same:
                is_plain = their.endswith("id") or their == their_holder
                yield from ({key.name: form} for form in (their, f"{their}.id") if is_plain)
            elif complaint.is_missing and their.startswith(f"{holder}.") and their != id_path:
                yield {key.name: their}
            elif our in (name, id_path, holder) and not complaint.is_missing:
                if TEXT.search(complaint.words) and "." in id_path:
                    yield {key.name: holder}
                elif OBJECT.search(complaint.words) and "." not in id_path:
                    yield from ({key.name: f"{form}.id"} for form in (id_path, holder))

    def _of_missing(self, complaint: Complaint, our: str) -> Candidates:
        """Another name of a field, one more required field, or a constant."""
        name = last_name(our)
        default = DEFAULTS.get(f"{self._table}.{name}", "")
        if default in keys() and value_at(self._body, our) is None:
            yield {default: NONE}
        if self._table:
            fields = {name for name, _ in self._renamable_names()}
            if name not in fields or value_at(self._body, our) is not None:
                yield from self._find_likely_fields(
                    f"{self._table}.fields.", complaint.field, self._body
                )
        if "quote_id" in self._body and "quote_id" in dict(self._renamable_names()):
            # The service may miss the terms because it does not know this name of a quote.
            others = keys()["transfers.fields.quote_id"].others
            yield from ({"transfers.fields.quote_id": other} for other in others)
        head = self._table or self._operation.resource
        if value_at(self._body, our) is None:
            yield from self._require_field(f"{head}.required", our)
            yield from self._suggest_constants(complaint, our)
            if our not in self._vocabulary:
                yield from self._find_required_substitute(complaint.field)

    def _renamable_names(self) -> Iterator[tuple[str, Key]]:
        """Our names of the fields of the body that a setting renames."""
        key_prefix = f"{self._table}.fields."
        if self._table:
            yield from (
                (k.removeprefix(key_prefix), key) for k, key in keys().items() if key_prefix in k
            )

    def _find_likely_fields(
        self, key_prefix: str, their: str, body: Mapping[str, object]
    ) -> Candidates:
        """The fields that this name may stand for, the most similar first.

        A field is renamed only if its old name was refused as unknown, or if public descriptions
        of such services have the new one.
        """
        table = {
            key.removeprefix(key_prefix): keys()[key]
            for key in keys()
            if key.startswith(key_prefix)
        }
        moved = {
            reference.id_name for reference in self._operation.references if reference.name in body
        }
        sent_names = [our for our in table if our in body or our in moved]
        named = [our for our in sent_names if {their, last_name(their)} & {*table[our].others}]
        refused = [our for our in sent_names if our in self._unknown or our[:-3] in self._unknown]
        refused.sort(key=lambda our: -likeness(our, their))
        for our in list(dict.fromkeys((*named, *refused)))[:MOST_RENAMES]:
            is_in_body = key_prefix == f"{self._table}.fields."
            their_path = their if is_in_body else last_name(their)
            yield {table[our].name: their_path}
            if is_in_body and our.endswith("_id") and not their_path.endswith("id"):
                yield {table[our].name: f"{their_path}.id"}

    def _find_required_substitute(self, their: str) -> Candidates:
        """The required field that shares words with this name, if no other does so as well.

        A service that needs the old name, too, misses it then.
        """
        names = dict(self._renamable_names())
        required = [field.name for field in self._operation.fields if field.required]
        needed = [our for our in required if our in names and our in self._body]
        alike = Counter({our: len(words_of_name(our) & words_of_name(their)) for our in needed})
        best = [our for our, shared in alike.most_common(2) if shared]
        if len(best) == 1 or (best and alike[best[0]] > alike[best[1]]):
            yield {names[best[0]].name: their}

    def _require_field(self, key: str, our: str) -> Candidates:
        """One more required field, if the setting can have it and paylab knows its value."""
        limit = keys()[key].limit if key in keys() else None
        if not isinstance(limit, WordsLimit):
            return
        path_segments = our.split(".")
        names = [".".join(path_segments[number:]) for number in range(len(path_segments))]
        if "document" in path_segments[:1]:
            names.append("document")
        name = next((name for name in names if not limit.words or name in limit.words), "")
        now = self._service.value(key)
        if name and isinstance(now, tuple) and name not in now:
            yield {key: (*map(str, now), name)}

    def _suggest_constants(self, complaint: Complaint, our: str) -> Candidates:
        """A constant field: a value that is known or stated, else one that the user fills in."""
        field_path = complaint.field
        head, *inside = field_path.split(".")
        is_object = isinstance(self._sent.get(head), Mapping) if inside else True
        is_new = head not in self._sent or (is_object and inside)
        if self._unknown or not is_new or not self._operation.fields:
            return
        if not PLACE.fullmatch(field_path) or (our in self._vocabulary and our not in KNOWN):
            return
        values: list[Any] = [KNOWN[our]] if our in KNOWN else []
        values += listed_words(self._answer) or stated_words(complaint.words)[:MOST_RENAMES]
        values += [True] if TRUE.search(complaint.words) else []
        for value in values or [FILL_IN]:
            yield {"extra": with_constant(self._service, self._operation.name, field_path, value)}

    @property
    def _vocabulary(self) -> set[str]:
        """The fields that paylab knows, whose values differ from call to call."""
        model = getattr(models, self._operation.answer)
        names = {name for name, _ in self._renamable_names()}
        return {*self._operation.by_name, *names, *model.model_fields}

    def _of_value(self, complaint: Complaint, our: str) -> Candidates:
        """Another form, case or word of a value that was sent and refused."""
        words = complaint.words
        name = last_name(our)
        sent_names = [field for field in self._body if field == name or field.endswith(f"_{name}")]
        if name.endswith("amount") and NUMBER.search(words):
            yield {"amounts.requests": "number"}
        if name.endswith("currency"):
            sent_texts = [str(self._body[field]) for field in sent_names]
            is_case = "case" in words.lower() or any(s.lower() in words.lower() for s in sent_texts)
            yield from ({"currencies.case": case} for case in ("upper", "lower") if is_case)
        if name == "payout_method":
            value = self._body.get(name)
            for country, country_rails in RAILS.items():
                if value in country_rails(self._service.rails):
                    yield from self._of_words(keys()[f"rails.{country}"], complaint)
        if name == "client_reference_id" and TOO_LONG.search(words):
            key = f"{self._table}.max_reference"
            yield from ({key: number} for number in stated_numbers(words) if key in keys())
        field = self._operation.by_name.get(name)
        setting = key_of(field.setting) if field else ""
        if setting in keys() and keys()[setting].kind == "words":
            yield from self._of_words(keys()[setting], complaint)
        if not sent_names and name not in self._body and value_at(self._body, our) is None:
            yield from self._suggest_constants(complaint, our)

    def _of_words(self, key: Key, complaint: Complaint) -> Candidates:
        """Other words: those of the message, those of other services, upper case, each alone."""
        now = self._service.value(key.name)
        words = now if isinstance(now, tuple) else ()
        for choice in (stated_words(complaint.words), key.default, *key.others):
            if isinstance(choice, list | tuple) and choice:
                yield {key.name: tuple(map(str, choice))}
        yield {key.name: tuple(str(word).upper() for word in words)}
        yield from ({key.name: (str(word),)} for word in words)
