"""The form of lists: their parameters, the names in a page, and the order of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import NONE, IntegerLimit, Name, OptionalName, OptionalPlace, Place

Order = Literal["newest_first", "oldest_first", "unknown"]
"""The order of a list by `created_at`, as declared (assumption `list.order`).

Rows cannot prove an order. Reading ends before the end of a list only if the order was declared; a
list in an unknown order is read to its end.
"""


@light_dataclass(frozen=True)
class ListForm:
    """The form of a list's responses; dotted names are paths in objects.

    `items` is the key of the rows ("none": the answer is an array of all rows), `more` that of the
    flag for another page ("none": there is only the cursor), `cursor` that of the next cursor.
    """

    name: str
    items: str
    more: str
    cursor: str
    limit_parameter: str
    cursor_parameter: str
    max_limit: int
    default_limit: int
    over_limit: str
    order: Order

    @property
    def is_array(self) -> bool:
        """Whether the answer is a bare array of all rows."""
        return self.items == NONE

    def query(
        self, limit: int | None, cursor: str | None, filters: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """The query parameters of one page, in the service's names.

        A `limit` above the maximum becomes the maximum; a service may take none at all.
        """
        parameters: dict[str, Any] = {}
        if self.limit_parameter != NONE:
            is_too_large = isinstance(limit, int) and limit > self.max_limit
            parameters[self.limit_parameter] = self.max_limit if is_too_large else limit
        return {**parameters, **(filters or {}), self.cursor_parameter: cursor}

    @property
    def parameters(self) -> dict[str, str]:
        """The service's names of `limit` and `cursor`, without those that it does not have."""
        if self.is_array:
            return {}
        their_name_by_ours = {"limit": self.limit_parameter, "cursor": self.cursor_parameter}
        return {
            our_name: their_name
            for our_name, their_name in their_name_by_ours.items()
            if their_name != NONE
        }


@light_dataclass(frozen=True)
class OneListSettings:
    """The form of one list; None is that of all lists."""

    limit_parameter: OptionalName | None = None
    cursor_parameter: Name | None = None
    order: Order | None = None
    items: OptionalPlace | None = None
    more: OptionalPlace | None = None
    cursor: Place | None = None
    max_limit: Annotated[int, IntegerLimit(1, 10000)] | None = None


@light_dataclass(frozen=True)
class ListSettings:
    """The form of all lists; each list can have its own."""

    limit_parameter: Annotated[
        OptionalName,
        Setting(
            "Which query parameter of a list is the size of a page (none: it takes no size)?",
            row="individual.list",
            others=("page_size", "per_page", "none"),
        ),
    ] = "limit"
    cursor_parameter: Annotated[
        Name,
        Setting(
            "Which query parameter of a list takes the cursor of the page before?",
            row="individual.list",
            others=("page_token", "after"),
        ),
    ] = "cursor"
    order: Annotated[
        Order,
        Setting(
            "In which order of created_at are the rows of a list, page after page?",
            row="list.order",
        ),
    ] = "newest_first"
    items: Annotated[
        OptionalPlace,
        Setting(
            "Under which key of a list's answer do the rows stand (dots step into objects; none: "
            "the answer is a bare array of all rows)?",
            row="list.envelope",
            origin="spec",
            others=("items", "result.rows", "none"),
        ),
    ] = "data"
    more: Annotated[
        OptionalPlace,
        Setting(
            "Under which key does a list say whether there is another page (dots step into "
            "objects; none: the cursor alone says it)?",
            row="list.envelope",
            origin="spec",
            others=("has_more", "page.has_next", "none"),
        ),
    ] = "has_next_page"
    cursor: Annotated[
        Place,
        Setting(
            "Under which key does a list give the cursor of the next page (dots step into "
            "objects)?",
            row="list.envelope",
            origin="spec",
            others=("next_cursor", "page.next"),
        ),
    ] = "cursor"
    max_limit: Annotated[
        int,
        IntegerLimit(1, 10000),
        Setting(
            "How many rows can one page of a list have at most?",
            row="page.limit",
            others=(50, 200),
        ),
    ] = 100
    default_limit: Annotated[
        int,
        IntegerLimit(1, 10000),
        Setting(
            "How many rows does a page have when no limit is given?",
            row="page.limit",
            others=(10, 50),
        ),
    ] = 20
    over_limit: Annotated[
        Literal["refuse", "cap"],
        Setting(
            "Is a limit above the largest one refused, or cut to the largest one (cap)?",
            row="page.limit",
        ),
    ] = "refuse"
    individuals: Annotated[OneListSettings, Setting(inherits="List of individuals")] = (
        OneListSettings()
    )
    transfers: Annotated[OneListSettings, Setting(inherits="List of transfers")] = OneListSettings()
    conversion_accounts: Annotated[
        OneListSettings, Setting(inherits="List of conversion accounts")
    ] = OneListSettings()
    conversions: Annotated[OneListSettings, Setting(inherits="List of conversions")] = (
        OneListSettings()
    )
    webhook_subscriptions: Annotated[
        OneListSettings, Setting(inherits="List of webhook subscriptions")
    ] = OneListSettings(items="none")


T = TypeVar("T")


def make_list_form(name: str, lists: ListSettings, own: OneListSettings) -> ListForm:
    """The form of one list: its own settings, and otherwise those of all lists."""
    max_limit = _choose_own_or_common(own.max_limit, lists.max_limit)
    return ListForm(
        name,
        items=_choose_own_or_common(own.items, lists.items),
        more=_choose_own_or_common(own.more, lists.more),
        cursor=_choose_own_or_common(own.cursor, lists.cursor),
        limit_parameter=_choose_own_or_common(own.limit_parameter, lists.limit_parameter),
        cursor_parameter=_choose_own_or_common(own.cursor_parameter, lists.cursor_parameter),
        max_limit=max_limit,
        default_limit=min(lists.default_limit, max_limit),
        over_limit=lists.over_limit,
        order=_choose_own_or_common(own.order, lists.order),
    )


def _choose_own_or_common(own: T | None, common: T) -> T:
    """The setting of one list, or that of all lists if it has none of its own."""
    return common if own is None else own
