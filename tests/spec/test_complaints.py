"""What sentences say of fields: names, and what is missing or unknown."""

from __future__ import annotations

import pytest

from paylab.spec.complaints import Complaint, read_sentence, to_dotted_path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (["a", 0, "b"], "a.0.b"),
        (["body", "a"], "a"),
        ("/a~1b/0/c~0d", "a/b.0.c~d"),
        ("#/a/b", "a.b"),
        ("$.a[0].b", "a.0.b"),
        ("a['b']", "a.b"),
        ("body", "body"),
        ("requestBody.a.b", "a.b"),
        ("a.body", "a.body"),
        ("data.attributes", "data.attributes"),
        ("data.attributes.a", "a"),
        ("data.attributes.a.b", "a.b"),
        ("data.relations.a", "data.relations.a"),
    ],
)
def test_the_path_of_a_field(name, path):
    """Steps, pointers and brackets become dots; what stands for the whole body is left out."""
    assert to_dotted_path(name) == path


@pytest.mark.parametrize(
    ("words", "missing", "unknown"),
    [
        ("is required", True, False),
        ("must not be blank", True, False),
        ("is unknown", False, True),
        ("unknown field, none is required", False, True),
        ("is an unknown value", False, False),
        ("must be upper case", False, False),
    ],
)
def test_a_field_is_to_be_sent_is_not_known_or_neither(words, missing, unknown):
    """A field is to be sent, is not known, or neither; an unknown value is no unknown field."""
    found = Complaint("a", words)
    assert (found.is_missing, found.is_unknown) == (missing, unknown)


@pytest.mark.parametrize(
    ("field", "words", "fields"),
    [
        ("", "unknown fields: a, b", ["a", "b"]),
        ("details", "missing fields: x and y", ["details.x", "details.y"]),
        ("details.x", "missing fields: x, y", ["details.x", "details.y"]),
        ("details.x", "missing field: x", ["details.x"]),
        ("details", "missing field: details.x", ["details.x"]),
        ("a", "is required", ["a"]),
    ],
)
def test_a_complaint_for_each_field(field, words, fields):
    """Words that name several fields are one complaint for each, below the field they are about."""
    assert [each.field for each in Complaint(field, words).split_by_field()] == fields


@pytest.mark.parametrize(
    ("sentence", "field"),
    [
        ("amount is required", "amount"),
        ("Amount is required", ""),
        ("amount is frozen", ""),
        ("it must be set", ""),
        ("sender_name is frozen", "sender_name"),
        ("senderName is frozen", "senderName"),
        ("'amount' is frozen", "amount"),
        ("'foo' is not one of a, b", ""),
        ("'foo' is not a known field: it is unknown", "foo"),
        ("amount: too small", "amount"),
        ("Amount: too small", ""),
        ("error: too small", ""),
        ("invalid value of 'amount'", "amount"),
        ("invalid value of the body", ""),
        ("invalid value for details.clabe", "details.clabe"),
    ],
)
def test_the_field_of_a_sentence(sentence, field):
    """A plain word is a field only where a field is meant; a quoted or compound name always."""
    assert read_sentence(sentence).field == field
