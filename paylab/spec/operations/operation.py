"""An operation of the service: what it takes, what it returns, and how its settings are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ...light_dataclass import light_dataclass
from ..renames import Names, make_names
from ..service.frozen import FrozenDict
from ..service.lists import ListForm, ListSettings, OneListSettings, make_list_form
from ..service.objects import ITEMS
from ..service.tree import ServiceSettings
from .field import REFERENCE, Field
from .refusals import Refusal, Status

ReadNames = Callable[[ServiceSettings], FrozenDict[str]]


@light_dataclass(frozen=True)
class Operation:
    """An operation of the service, described once.

    `name` is the resource and the verb. `path` reads its path from the settings of a service.
    `answer` is the model of what it returns, or of each item of a list; "" if it returns nothing.
    `success` are the statuses of a success, or read the settings that hold them. `names` reads the
    table with the service's names of the fields of the body and of its object in answers, `listing`
    the form of a list. `is_shown` is whether the spec shows the answer.
    `body` names the object that it takes, `call` the function of a generated client. `refusals` are
    those that depend on more than the form of the request.
    """

    name: str
    method: str
    path: Callable[[ServiceSettings], str]
    summary: str
    fields: tuple[Field, ...] = ()
    query: tuple[Field, ...] = ()
    answer: str = ""
    success: tuple[Status, ...] = (200,)
    names: ReadNames | None = None
    listing: Callable[[ListSettings], OneListSettings] | None = None
    is_shown: bool = False
    is_idempotent: bool = False
    is_sandbox: bool = False
    body: str = ""
    call: str = ""
    refusals: tuple[Refusal, ...] = ()

    @property
    def resource(self) -> str:
        """The resource that it belongs to."""
        return self.name.partition(".")[0]

    @property
    def reading_name(self) -> str:
        """The name of the operation that reads what it creates, such as "quotes.get"."""
        return f"{self.resource}.get"

    @property
    def body_name(self) -> str:
        """The name of the object that it takes; "" if it takes none."""
        return self.body or (f"{self.answer}Input" if self.fields else "")

    @property
    def call_name(self) -> str:
        """The name of its function in a generated client, such as createTransfer."""
        if self.call:
            return self.call
        verb = self.name.partition(".")[2]
        noun = self.resource.replace("_", " ").title().replace(" ", "")
        return f"{verb}{noun if self.is_list else noun.removesuffix('s')}"

    @property
    def is_list(self) -> bool:
        """Whether it returns pages of a list."""
        return self.listing is not None

    def list_form(self, service: ServiceSettings) -> ListForm:
        """The form of its list in a service; ValueError if it is no list."""
        if self.listing is None:
            raise ValueError(f"{self.name} returns no list")
        return make_list_form(self.resource, service.lists, self.listing(service.lists))

    def request_names(self, service: ServiceSettings) -> Names:
        """The names that a service has for the fields of the body.

        They include the path of an id, such as `wallet.id`, if it differs from our path.
        """
        return make_names(self._names_table(service), self._list_unmoved_ids(service))

    def id_path(self, field: Field, service: ServiceSettings) -> str:
        """The dotted path at which the body has the id of a reference, such as `wallet.id`."""
        return self._names_table(service).get(field.id_name, field.default_id_path)

    def answer_names(self, service: ServiceSettings) -> Names:
        """The names that a service has for the fields of the object in answers.

        They are those of the body, except a name that answers already have for another field.
        """
        name_table = dict(self._names_table(service))
        for field in self.references:
            id_path = name_table.get(field.id_name, field.default_id_path)
            object_path = id_path.rpartition(".")[0]
            # By the spec, the answer has the id under our name, or the whole object in its place.
            if id_path == field.default_id_path or field.whole:
                name_table.pop(field.id_name, None)
            if field.whole and object_path:  # the answer has the object, not only its id
                name_table[field.name] = object_path
        return make_names(FrozenDict(name_table), self._find_ambiguous_names(name_table))

    def _find_ambiguous_names(self, name_table: Mapping[str, str]) -> tuple[str, ...]:
        """Our names of fields whose name at the service is that of another field of the answer.

        If the table has `"source_amount": "amount"`, and the answer also has our field `amount`,
        the result has `source_amount`.
        """
        their_name_by_ours = {
            our_name: their_name
            for our_name, their_name in name_table.items()
            if our_name != their_name
        }
        if not their_name_by_ours:
            return ()
        from .. import models  # pydantic is not needed without other names

        unrenamed_field_names = (
            getattr(models, self.answer).model_fields.keys() - their_name_by_ours.keys()
        )
        return tuple(
            our_name
            for our_name, their_name in their_name_by_ours.items()
            if their_name in unrenamed_field_names
        )

    def _names_table(self, service: ServiceSettings) -> FrozenDict[str]:
        """The service's names of its fields by ours; empty if it has no settings of names."""
        return self.names(service) if self.names else FrozenDict()

    def _list_unmoved_ids(self, service: ServiceSettings) -> tuple[str, ...]:
        """The id names, such as "account_id", of references whose id is where the spec has it."""
        return tuple(
            field.id_name
            for field in self.references
            if self.id_path(field, service) == field.default_id_path
        )

    def takes_key(self, service: ServiceSettings) -> bool:
        """Whether it takes an Idempotency-Key in a service."""
        is_general = service.idempotency.operations == "every_post" and self.method == "POST"
        return self.is_idempotent or is_general

    def item_path(self, service: ServiceSettings) -> str:
        """The dotted path of the object in its answer; "none" if the answer is the object."""
        own_path = None
        if self.answer in ITEMS:
            own_path = ITEMS[self.answer](service.objects).item
        return service.objects.item if own_path is None else own_path

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields of the body by name."""
        return {field.name: field for field in self.fields}

    @property
    def references(self) -> tuple[Field, ...]:
        """The fields that can have another form: an object with an id, or the id."""
        return tuple(field for field in self.fields if field.kind == REFERENCE)

    @property
    def example(self) -> dict[str, Any]:
        """A body of examples; a service accepts it if the objects with its ids exist there."""
        sample_by_field = {field.name: field.sample() for field in self.fields}
        return {
            field_name: sample
            for field_name, sample in sample_by_field.items()
            if sample is not None
        }

    def field_names_of_kind(self, *kinds: str) -> tuple[str, ...]:
        """The names of the fields of these kinds, in order."""
        return tuple(field.name for field in self.fields if field.kind in kinds)

    @property
    def echoed(self) -> tuple[str, ...]:
        """The names of the fields that stand in the answer as they were sent."""
        return tuple(field.name for field in self.fields if field.echoed)

    def walk(self) -> Iterator[Field]:
        """Yield the fields of the body, at any depth."""
        for field in self.fields:
            yield from field.walk()
