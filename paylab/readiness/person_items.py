"""Items: the verification of individuals, and what is said about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from ..redaction.hiding import HIDDEN
from ..spec.operations.records import OPERATIONS
from ..spec.text import JsonMapping
from .facts import RequestFacts
from .history import History
from .item import Item, Observation, Situation, note_need, note_right, note_wrong

SIDES_ASKED = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}
"""The side that each code asks for; other codes ask for no side of their own."""

UPLOADS = ("individuals.upload_images", "individuals.submit_token")

PERSONAL_NAMES = frozenset(
    field.name
    for operation in OPERATIONS.values()
    for field in operation.walk()
    if field.personal or field.secret
) - {"state", "details"}
"""The names of fields that hold personal data or a secret."""

SECRET_NAMES = frozenset({"api_key", "apikey", "secret", "secret_key", "signature", "password"})
PERSONAL_VALUE = re.compile(r"[^@\s/]+@[^@\s/]+\.\w+|\+\d{8,}")
"""An e-mail address or a phone number."""


def _read_codes(person: JsonMapping) -> list[str]:
    """The codes in the `status_details` of an individual; empty without details."""
    status_details = person.get("status_details")
    if not isinstance(status_details, list):
        return []
    return [
        str(status_detail.get("code"))
        for status_detail in status_details
        if isinstance(status_detail, dict)
    ]


def _find_uploads(history: History, person_id: str) -> list[RequestFacts]:
    """The requests that uploaded images or a token for an individual, in order."""
    return [
        request for request in history.of(*UPLOADS) if f"/{person_id}/" in str(request.row["path"])
    ]


def _read_sides(upload: RequestFacts) -> set[str]:
    """The sides of the images in an upload, such as "selfie"; empty for a token, or if unknown."""
    # The body is too long to be stored when the images are large.
    image_entries = upload.fields.get("images") or upload.answer.get("images") or []
    return {
        str(image_entry.get("type"))
        for image_entry in image_entries
        if isinstance(image_entry, dict)
    }


def _answers_code(upload: RequestFacts, code: str) -> bool:
    """Whether an upload was taken, and has the side that a code asks for, if it asks for one."""
    if not upload.is_ok:
        return False
    asked_side = SIDES_ASKED.get(code)
    uploaded_sides = _read_sides(upload)
    # A token has no sides, and those of large images are not known.
    return asked_side is None or not uploaded_sides or asked_side in uploaded_sides


def observe_codes(history: History) -> Iterator[Observation]:
    """Observe whether each code that asks for action is answered with an upload or a token."""
    for person_id in history.object_ids:
        uploads = _find_uploads(history, person_id)
        for seen_status in history.statuses_known(person_id):
            if seen_status.status != "action_required":
                continue
            later_uploads = [upload for upload in uploads if upload.sequence > seen_status.sequence]
            for detail_code in _read_codes(seen_status.seen_object):
                answering_uploads = [
                    upload for upload in later_uploads if _answers_code(upload, detail_code)
                ]
                if answering_uploads:
                    observation_text = f"{detail_code} is answered"
                    yield note_right(answering_uploads[0], observation_text, detail_code)
                else:
                    yield note_need(history.record_at(seen_status.sequence), detail_code)


def observe_sides(history: History) -> Iterator[Observation]:
    """Observe whether each upload of images has a side that is asked for."""
    for person_id in history.object_ids:
        for upload in _find_uploads(history, person_id):
            if upload.operation != "individuals.upload_images":
                continue
            asked_sides = _find_asked_sides(history, person_id, upload)
            uploaded_sides = _read_sides(upload)
            if not asked_sides or not uploaded_sides:
                continue
            uploaded_sides_text = ", ".join(sorted(uploaded_sides))
            if uploaded_sides & asked_sides:
                yield note_right(upload, f"{uploaded_sides_text}, as asked")
            else:
                asked_sides_text = ", ".join(sorted(asked_sides))
                yield note_wrong(upload, f"{uploaded_sides_text} in place of {asked_sides_text}")


def _find_asked_sides(history: History, person_id: str, upload: RequestFacts) -> set[str]:
    """The sides that the latest status before an upload asks for. Empty if it asks for none."""
    asked_sides: set[str] = set()
    for seen_status in history.statuses_known(person_id):
        if seen_status.sequence < upload.sequence and seen_status.status == "action_required":
            detail_codes = _read_codes(seen_status.seen_object)
            asked_sides = {
                SIDES_ASKED[detail_code]
                for detail_code in detail_codes
                if detail_code in SIDES_ASKED
            }
    return asked_sides


def observe_rejected(history: History) -> Iterator[Observation]:
    """Observe whether nothing is uploaded for an individual that is known to be rejected."""
    for person_id in history.object_ids:
        rejection_sequences = [
            seen_status.sequence
            for seen_status in history.statuses_known(person_id)
            if seen_status.status == "rejected"
        ]
        if not rejection_sequences:
            continue
        uploads = [
            upload
            for upload in _find_uploads(history, person_id)
            if upload.sequence > rejection_sequences[0]
        ]
        if uploads:
            yield note_wrong(uploads[0], "an upload for an individual that is rejected")
        else:
            yield note_right(
                history.record_at(rejection_sequences[0]), "rejected, and nothing was uploaded"
            )


def observe_queries(history: History) -> Iterator[Observation]:
    """Observe whether paths and queries are without keys and personal data.

    Logs keep paths and queries.
    """
    for request in history.requests:
        problem_text = _describe_personal_data(request)
        if problem_text:
            yield note_wrong(request, problem_text)
        elif request.query:
            yield note_right(request, f"only {', '.join(request.query)} in the query")


def _describe_personal_data(request: RequestFacts) -> str:
    """Say what is in the address of a request and should not be there; "" if nothing is."""
    for parameter_name, parameter_value in request.query.items():
        folded_name = parameter_name.lower().replace("-", "_")
        if folded_name in PERSONAL_NAMES or folded_name in SECRET_NAMES:
            return f"{parameter_name} is in the query string"
        if _is_personal(str(parameter_value)):
            return f"{parameter_name} holds personal data or a key in the query string"
    path_text = unquote(str(request.row["path"]))
    return "the path holds personal data or a key" if _is_personal(path_text) else ""


def _is_personal(text: str) -> bool:
    """Whether a text of a journal holds personal data, or did before the journal hid it."""
    return HIDDEN in text or PERSONAL_VALUE.search(text) is not None


ITEMS = (
    Item(
        "people.codes",
        "Each code of action_required is answered",
        "status_details carry codes; clients branch on code, and message is for people.",
        "spec: StatusDetail",
        "Create an individual whose family name is a code in words, such as "
        '"Verification Image Blurry", and upload again.',
        needs="verification",
        observe=observe_codes,
        situation=Situation("create an individual for an on-ramp, and verify it"),
    ),
    Item(
        "people.sides",
        "The sides that are asked for are uploaded",
        "Only the sides included in the request are replaced; images for other sides stay.",
        "spec: POST /v1/individuals/{id}/verification_images",
        "Create an individual for an on-ramp: its status_details list the sides.",
        needs="verification",
        observe=observe_sides,
        situation=Situation("create an individual for an on-ramp, and verify it"),
    ),
    Item(
        "people.rejected",
        "Nothing is uploaded after rejected",
        "Terminal codes accompany rejected and cannot be fixed by re-uploading.",
        "spec: Individual status",
        'Create an individual with the family name "Verification Age Mismatch".',
        needs="verification",
        observe=observe_rejected,
        situation=Situation(
            "create an individual for an on-ramp, and verify it",
            after="individuals.create",
            moves=("pending", "rejected"),
        ),
    ),
    Item(
        "people.addresses",
        "No key and no personal data is in an address",
        "Paths and query strings are kept in the logs of every proxy.",
        "spec: Authentication",
        "Read a list with a filter.",
        observe=observe_queries,
        situation=Situation("read a list with a filter"),
    ),
)
