"""Errors and their places, values that stay unchanged, and texts built from dicts."""

from __future__ import annotations

import pickle
import string
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paylab import emvqr
from paylab.errors import EMVError

KOMO_PATH = Path(__file__).with_name("golden") / "komo.txt"
KOMO = KOMO_PATH.read_text(encoding="utf-8").strip()
BASE = {"00": "01", "53": "608", "59": "Ana"}

two_digits = st.integers(0, 99).map("{:02d}".format)
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
templates = st.dictionaries(two_digits, plain, max_size=2).filter(
    lambda tree: sum(map(len, tree.values())) + 4 * len(tree) <= 99
)
fields = st.dictionaries(two_digits.filter(lambda tag: tag not in {"00", "63"}), plain | templates)
texts = fields.map(lambda tree: emvqr.build({"00": "01", **tree}))


def closed(body: str) -> str:
    """The text with its correct CRC."""
    return f"{body}6304{emvqr.crc(body + '6304')}"


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        ("", "not an EMV payload: it must start with 000201", 0),
        ("https://example.com", "not an EMV payload", 0),
        ("\ufeff" + KOMO, "not an EMV payload", 0),
        ("000201" + "59X2Ana", "bad length 'X2' of tag 59: must be two digits", 8),
        ("000201" + "59\u0660\u0663Ana", "bad length '\u0660\u0663' of tag 59", 8),
        ("000201" + "5A03Ana", "bad tag '5A': must be two digits", 6),
        ("000201" + "5920Ana", "tag 59 is cut short: 20 characters declared, 3 left", 6),
        ("000201" + "590", "cut short inside a field: '590' is all that is left", 6),
        (KOMO[:-1], "tag 63 is cut short: 4 characters declared, 3 left", 142),
        (KOMO[:-8], "the CRC is missing", 142),
        ("000201", "the CRC is missing", 6),
        (KOMO[:-4] + "1E6E", "the CRC is wrong: expected 1E6F, found 1E6E", 146),
        (KOMO[:-4] + "1e6f", "the CRC is wrong: expected 1E6F, found 1e6f", 146),
        (KOMO + "6103Ana", "the CRC, tag 63, is not the last field", 150),
        (KOMO + "\n", "cut short inside a field", 150),
        (closed("0002015903Ana5903Bob"), "tag 59 is a duplicate", 13),
        ("000201" + "5901\ud800" + "63040000", "unpaired surrogate", 10),
    ],
)
def test_an_error_names_the_reason_and_the_character(text, reason, offset):
    """An error names the reason and the character."""
    with pytest.raises(EMVError, match="at character") as caught:
        emvqr.parse(text)
    assert reason in caught.value.reason
    assert caught.value.offset == offset


@pytest.mark.parametrize("junk", [None, 7, b"000201", ["000201"]])
def test_a_value_that_is_no_text_is_refused(junk):
    """A value that is not a text is refused in the same way as a text that is not EMV."""
    with pytest.raises(EMVError, match="not an EMV payload"):
        emvqr.parse(junk)


def test_a_text_with_a_wrong_crc_can_be_read_without_verification():
    """A text with a wrong CRC can be read without verification, and shows the right CRC."""
    payload = emvqr.parse(KOMO[:-4] + "0000", verify=False)
    assert (payload.merchant_name, payload.crc) == ("Komoo Testingg", "1E6F")


@pytest.mark.parametrize("inner", ["", "anything", "0012ab", "0002ab0002cd", "0002ab0"])
def test_template_that_does_not_split(inner):
    """A template that contains no fields is kept as a plain value."""
    text = closed(f"00020127{len(inner):02d}{inner}")
    field = emvqr.parse(text).fields[1]
    assert (field.value, field.fields) == (inner, ())
    assert emvqr.build(emvqr.parse(text)) == text


@pytest.mark.parametrize(
    ("amount", "read"),
    [("98.73", "98.73"), ("98.", "98"), ("0", "0"), ("1e3", "None"), ("-1", "None"), ("", "None")],
)
def test_an_amount_is_digits_and_a_point(amount, read):
    """An amount is digits and a point; any other text gives no amount."""
    assert str(emvqr.parse(emvqr.build({**BASE, "54": amount})).amount) == read


@pytest.mark.parametrize(("number", "code"), [("608", "PHP"), ("484", "MXN"), ("999", "999")])
def test_a_known_currency_has_its_letters_any_other_its_number(number, code):
    """A known currency has its letters, any other its number."""
    assert emvqr.parse(emvqr.build({**BASE, "53": number})).currency == code


def test_a_text_without_fields_has_no_payee_no_account_and_no_amount():
    """A text without fields has no payee, no account and no amount."""
    payload = emvqr.parse(closed("000201"))
    assert [payload.merchant_name, payload.city, payload.country, payload.amount] == [None] * 4
    assert [payload.account, payload.issuer, payload.currency, payload.scheme] == [None] * 4


@pytest.mark.parametrize(
    ("number", "issuer"), [({"02": "4000"}, "Visa"), ({"02": "4", "26": {"00": "x"}}, "x")]
)
def test_the_template_of_a_scheme_has_priority_over_the_number_of_a_card_network(number, issuer):
    """The template of a scheme has priority over the number of a card network."""
    assert emvqr.parse(emvqr.build({**BASE, **number})).issuer == issuer


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ({"59": "Ana"}, "must start with 000201"),
        ({"00": "01", "5": "Ana"}, "bad tag '5'"),
        ({"00": "01", "59": "a" * 100}, "tag 59 is too long: 100 characters, at most 99"),
        ({"00": "01", "27": {"00": "a" * 50, "01": "a" * 50}}, "tag 27 is too long: 108"),
        ({"00": "01", "54": 1.5}, "tag 54 must be text, not float"),
    ],
)
def test_a_text_that_could_not_be_read_back_is_not_built(tree, reason):
    """A text that could not be read back is not built."""
    with pytest.raises(EMVError, match=reason):
        emvqr.build(tree)


def test_a_value_has_at_most_99_characters_as_a_template_has_with_its_fields():
    """A value has at most 99 characters, as a template has with its fields."""
    for tree in ({"59": "a" * 99}, {"27": {"00": "a" * 91, "01": ""}}):
        assert emvqr.parse(emvqr.build({"00": "01", **tree})).fields[1].value.count("a") >= 91


def test_crc_is_never_taken():
    """A CRC in the dicts is ignored and computed again."""
    assert emvqr.build({**BASE, "63": "0000"}) == emvqr.build(BASE)


def test_a_payload_and_an_error_can_be_pickled():
    """A payload and an error can be pickled."""
    payload = emvqr.parse(KOMO)
    assert pickle.loads(pickle.dumps(payload)) == payload


@given(texts)
def test_build_takes_fields_and_nested_dicts(text):
    """`build(parse(x)) == x`, from fields and from nested dicts."""
    payload = emvqr.parse(text)
    assert emvqr.build(payload) == text
    assert emvqr.build(payload.tree()) == text


@given(texts, st.integers(min_value=0), st.sampled_from(string.printable))
def test_every_change_of_one_character_is_an_error(text, place, character):
    """Every change of one character is an error."""
    place %= len(text)
    assume(text[place] != character and text[place].isascii())
    with pytest.raises(EMVError):
        emvqr.parse(text[:place] + character + text[place + 1 :])


@given(st.text(), st.sampled_from(["", "000201", "0002016304"]))
def test_junk_raises_emverror_and_no_other_exception(junk, start):
    """Junk raises EMVError and no other exception."""
    with pytest.raises(EMVError):
        emvqr.parse(start + junk)


GOOD = emvqr.parse(emvqr.qrph(acquirer="EAWRPHM2XXX", account="1", name="Ana", city="Cebu")).tree()


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({}, []),
        ({"01": None}, []),
        ({"54": "10.00"}, []),
        ({"27": None}, ["missing: 02 to 51 Merchant account information"]),
        ({"52": None}, ["missing: 52 Merchant category code"]),
        ({"53": None, "58": None}, ["missing: 53 Transaction currency, 58 Country code"]),
        ({"59": None}, ["missing: 59 Merchant name"]),
        ({"60": None}, ["missing: 60 Merchant city"]),
        ({"52": "60"}, ["tag 52 must be 4 digits: '60'"]),
        ({"53": "PHP"}, ["tag 53 must be 3 digits"]),
        ({"58": "P", "60": " "}, ["tag 58 must be 2 letters", "tag 60 must not be blank"]),
        ({"54": "free"}, ["tag 54 is not an amount: 'free'"]),
    ],
)
def test_a_text_that_can_be_paid_has_every_mandatory_field(change, reasons):
    """EMV also requires an account and the tags 52, 53, 58, 59 and 60."""
    tree = {tag: value for tag, value in (GOOD | change).items() if value is not None}
    text = emvqr.build(tree)
    found = emvqr.check(text)
    assert len(found) == len(reasons)
    for reason, error in zip(reasons, found, strict=True):
        assert reason in str(error)
        # The place of a wrong field is its tag, that of a missing one the CRC at the end.
        tag = reason[4:6] if reason.startswith("tag") else "63"
        assert text[error.offset :].startswith(tag)


def test_a_malformed_text_has_one_error():
    """`check` reports what `parse` refuses."""
    assert [error.reason for error in emvqr.check("x")] == [
        "not an EMV payload: it must start with 000201"
    ]


@pytest.mark.parametrize("name", ["komo", "maya", "emvco"])
def test_texts_in_circulation_can_be_paid(name):
    """The golden texts have every mandatory field."""
    assert emvqr.check(KOMO_PATH.with_name(f"{name}.txt").read_text(encoding="utf-8").strip()) == []


DEEP: dict[str, object] = {}
for _ in range(3000):
    DEEP = {"27": DEEP}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: emvqr.build(None), "the fields must be a dict, not NoneType"),
        (lambda: emvqr.build(DEEP), "nested too deep"),
        (lambda: emvqr.build({0: "01"}), "bad tag 0: must be two digits"),
        (lambda: emvqr.crc(b"000201"), "a QR text must be text, not bytes"),
        (
            lambda: emvqr.qrph(acquirer="A", account=1, name="N", city="C"),
            "account must be text, not int",
        ),
        (
            lambda: emvqr.qrph(acquirer="A", account="1", name="N", city="C", amount=10.5),
            "amount must be text, not float",
        ),
    ],
)
def test_what_is_no_text(call, words):
    """A value of another type is an EMVError that names it."""
    with pytest.raises(EMVError, match=words):
        call()
