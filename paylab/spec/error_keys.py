"""The keys of error bodies, by the meaning of their values; letters only, in lower case."""

from __future__ import annotations

CODE_KEYS = ("error", "title", "issue", "code", "errorcode")
"""Keys of a code or a short title, most likely first."""
MESSAGE_KEYS = (
    "errordetails", "message", "errormessage", "errordescription", "detail", "description",
    "reason", "msg", "text", "responsetext", "failuremessage", "failurereason", "summary",
    "faultstring", "statusmessage", "errors",
)  # fmt: skip
"""Keys of the message of an error, most likely first."""
READ_KEYS = frozenset((*CODE_KEYS, *MESSAGE_KEYS))

LIST_KEYS = (
    "errors", "details", "detail", "problems", "violations", "error", "message", "messages",
    "issues", "reasons", "invalidparams", "fielderrors", "validationerrors", "invalidfields",
    "fieldviolations", "causes", "suberrors", "errormessages", "failedconstraints",
)  # fmt: skip
"""Keys of a list of problems, or of an object of them by field."""
ONE_ERROR_KEYS = frozenset({"error", "fault", "exception"})
"""Keys of one error. Other keys hold fields, unless a message is beside them."""
POSSIBLE_FIELDS = frozenset({"details", "detail", "message", "messages", "reasons"})
"""Keys that may be fields of a request: an object without a message beside it is one."""
CONTAINER_KEYS = frozenset(LIST_KEYS) - POSSIBLE_FIELDS
NOT_FIELDS = frozenset({"", *LIST_KEYS})
"""Names that may precede a message and are no fields, such as details."""
NAME_LIST_MESSAGES = {
    "missingfields": "is missing",
    "missing": "is missing",
    "unknownfields": "is unknown",
    "fields": "",
}
"""Keys of lists of field names, and what they say about each."""
OWN_KEYS = ("_errors", "non_field_errors", "__all__", "base", "errors", "fields")
"""Keys of the messages about an object itself, and of containers: no part of a path."""
ITEM_MESSAGE_KEYS = (
    "message", "msg", "defaultmessage", "errormessage", "detail", "description", "text",
    "details", "errordescription", "errorreason", "error", "issue", "reason", "title", "code",
)  # fmt: skip
"""Keys of the message in an item of a list of problems, most likely first."""
