"""Secrets, document numbers and images are found under every escape; other text stays."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from html import escape
from itertools import product
from random import Random
from urllib.parse import quote

import pytest

from paylab.corridors.corridor import NAMED
from paylab.redaction.escapes import decode, replace_in_text
from paylab.redaction.personal import (
    find_personal_names,
    hide_personal_data,
    hide_url_secrets,
)
from paylab.redaction.redaction import Redaction
from paylab.redaction.search import TEXT_LENGTH_MAX

KEY = "sk_live/9z+8y=x wñ\"'&8812"
NUMBER = "GODE561231HDFRRNA0"
IMAGE = b64encode(b"\x89PNG\r\n\x1a\n" + Random(3).randbytes(9_000)).decode()
URI = f"data:image/png;base64,{IMAGE}"

ESCAPES = {
    "as it is": str,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON of PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON, every character": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "HTML": escape,
    "HTML, every character": lambda text: "".join(f"&#x{ord(one):X};" for one in text),
    "URL": lambda text: quote(text, safe=""),
    "repr of bytes": lambda text: repr(text.encode())[2:-1],
}


class Given:
    """A client's secret."""

    def __init__(self, text):
        self.text = text

    def reveal(self):
        """The text."""
        return self.text


@pytest.fixture
def redaction():
    """A redaction with one key."""
    return Redaction([Given(KEY)])


def test_a_key_is_found_under_escapes_inside_each_other(redaction):
    """The text around a key does not change, under each pair of escapes."""
    pairs = product(ESCAPES, repeat=2)
    texts = {pair: f"<{ESCAPES[pair[0]](ESCAPES[pair[1]](KEY))}>" for pair in pairs}
    wrong = {pair: text for pair, text in texts.items() if redaction.text(text) != "<***>"}
    assert wrong == {}


def test_a_key_is_found_in_base64_at_every_alignment(redaction):
    """A key is found in Base64 at every alignment, and in hexadecimal."""
    for head in ("", "a", "ab", "abc"):
        code = b64encode(f"{head}{KEY}:".encode()).decode()
        clean = redaction.text(f"Basic {code}")
        assert "***" in clean
        assert len(clean) < 22
    assert redaction.text(KEY.encode().hex()) == "***"


@pytest.mark.parametrize(
    "document",
    [
        {"type": "curp", "number": NUMBER},
        {"type": "cpf", "number": 52998224725},
        {"issuer": {"a": {"b": [1]}}, "number": NUMBER},
        {"number": [52998224725, NUMBER]},
        [{"number": NUMBER}, {"number": 52998224725}],
        NUMBER,
    ],
)
@pytest.mark.parametrize("shape", [str, escape, json.dumps, lambda text: repr(json.loads(text))])
def test_a_document_number_is_found_whatever_its_type_and_place(document, shape):
    """As a text, a number or in a list, in JSON, in a repr, and in JSON inside of both."""
    redaction = Redaction([])
    told = [number for number in (NUMBER, "52998224725") if number in json.dumps(document)]
    clean = redaction.text(shape(json.dumps({"document": document})))
    assert [number for number in told if number in clean] == []


def test_a_redacted_number_becomes_a_json_string():
    """A redacted number becomes a JSON string; the same number in another field stays."""
    body = {"document": {"number": 52998224725, "type": "cpf"}, "id": 52998224725, "n": [1]}
    clean = Redaction([]).text(json.dumps(body))
    assert json.loads(clean) == {
        "document": {"number": "***", "type": "cpf"},
        "id": 52998224725,
        "n": [1],
    }


@pytest.mark.parametrize(
    "text",
    [
        IMAGE,
        URI,
        URI.replace(";", ";name=a.png;charset=utf-8;"),
        URI.replace("data", "DATA").replace("base64", "BASE64"),
        URI.replace("/", "\\/"),
        json.dumps(URI.replace("/", "\\/")),
        IMAGE.replace("/", "\\u002f"),
        quote(URI, safe=""),
        "\n".join(IMAGE[at : at + 76] for at in range(0, len(IMAGE), 76)),
        URI.replace("+", "-").replace("/", "_").replace("image_png", "image/png"),
    ],
)
def test_an_image_is_found_however_it_is_written(text):
    """An image is replaced by its size and hash."""
    clean = Redaction([]).text(f"({text})")
    assert len(clean) < 90
    assert "bytes, sha256" in clean


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("a", "a transfer was made"),
        ("id", "idempotency, valid, id_1"),
        ("secret", "secretary"),
    ],
)
def test_a_short_key_is_no_part_of_words(key, text):
    """A short key is hidden only where it is a whole word."""
    words = Redaction([Given(key)]).text(text)
    assert words == " ".join("***" if word == key else word for word in text.split())


@pytest.mark.parametrize(
    "text",
    [
        "document.number: must be 18 characters",
        '{"errors": {"document.number": "must have 18 characters, has 3"}}',
        "signature: does not match",
        "100 % of &c and C:\\temp\\new",
        "signed headers: host, x-api-key, x-date",
    ],
)
def test_words_next_to_a_secret_name_are_kept(text):
    """Words next to a secret's name are kept."""
    assert Redaction([Given(KEY)]).text(text) == text


def test_a_long_text_is_cut_after_its_images_are_short():
    """A hostile text of any length takes a bounded time."""
    clean = Redaction([]).text("&amp;" * 200_000 + URI)
    assert len(clean) < TEXT_LENGTH_MAX + 50
    assert clean.endswith("characters>")


@pytest.mark.parametrize(("size", "is_cut"), [(2**18, False), (2**18 + 1, True)])
def test_the_longest_text_that_is_kept_whole(size, is_cut):
    """A text of up to 262,144 characters is kept, a longer one is cut."""
    text = ("x " * 2**18)[:size]
    assert (Redaction([]).text(text) != text) == is_cut


@pytest.mark.parametrize(("times", "is_found"), [(4, True), (5, False)])
def test_escapes_inside_each_other_are_decoded_four_times(redaction, times, is_found):
    """JSON in a string of JSON and so on, four times."""
    text = KEY
    for _ in range(times):
        text = json.dumps(text)
    assert ("***" in redaction.text(text)) == is_found


@pytest.mark.parametrize(
    ("key", "text", "clean"),
    [
        ("abcdefg1", "xABCDEFG1x", "x***x"),
        ("abcdef1", "xabcdef1x", "xabcdef1x"),
        ("abcdef1", "abcdef1", "***"),
        ("abcdef1", "x abcdef1-x", "x ***-x"),
        ("abcdefg1", b64encode(b"abcdefg1").decode(), "***E="),
        ("abcdef1", b64encode(b"abcdef1").decode(), b64encode(b"abcdef1").decode()),
    ],
)
def test_from_eight_characters_a_key_is_found_inside_words(key, text, clean):
    """A shorter key only as a word, and not encoded."""
    assert Redaction([Given(key)]).text(text) == clean


def test_a_signature_is_found_without_its_header():
    """The Base64 of 64 hexadecimal digits, and not that of 64 other bytes."""
    signature, other = b64encode(b"0123456789abcdef" * 4).decode(), b64encode(bytes(64)).decode()
    assert Redaction([]).text(f"it is {signature}") == "it is ***"
    assert Redaction([]).text(f"it is {other}") == f"it is {other}"


@pytest.mark.parametrize(("gap", "is_found"), [(985, True), (986, False)])
def test_a_share_token_is_told_by_a_field_near_it(gap, is_found):
    """A field of its request within a thousand characters tells it from the token of a page."""
    text = f'applicant_id":{" " * gap}"token":"abcdefghij"'
    assert ("***" in Redaction([]).text(text)) == is_found


def test_only_escapes_are_decoded():
    """Escapes are decoded; other text stays."""
    assert decode("\\U0010ffff \\U00110000 \\u{41}") == "\U0010ffff \\U00110000 A"
    assert decode("a&lt;b%20c\\u0041\\n\\ud83d\\ude00 5% &zz; \\q") == "a<b cA\n😀 5% &zz; \\q"
    assert replace_in_text("abc", lambda *_: []) == "abc"


PERSON = {
    "given_name": "Ana",
    "email": "ana@example.org",
    "phone": "+525511112222",
    "date_of_birth": "1990-01-31",
    "address": {"country": "MX", "line_1": "Calle 1", "other": "x"},
    "details": {"clabe": "646180157000000004", "account_holder_name": "Ana Reyes"},
    "amount": "5.00",
}


def test_a_value_is_found_in_any_case():
    """Also with letters whose lower case has another length or two forms."""
    redaction = Redaction([Given("\u0130\u03a3-Key-\u03a3")])
    assert redaction.text("\u0130 <\u0130\u03c3-KEY-\u03c2>") == "\u0130 <***>"


def test_personal_data_goes_and_the_rest_stays():
    """In JSON, in text that contains JSON, and in text with an e-mail, a phone or a CLABE."""
    clean = hide_personal_data({"body": json.dumps(json.dumps(PERSON)), "person": PERSON})
    text = json.dumps(clean)
    for word in ("Ana", "ana@", "1111", "1990", "Calle", "6461", "Reyes"):
        assert word not in text
    assert clean["person"]["address"] == {"country": "MX", "line_1": "***", "other": "***"}
    assert json.loads(json.loads(clean["body"]))["amount"] == "5.00"
    packed = b64encode(json.dumps(PERSON, separators=(",", ":")).encode()).decode()
    unpacked = json.loads(b64decode(hide_personal_data({"body": packed})["body"]))
    assert unpacked["details"] == {"clabe": "***", "account_holder_name": "***"}
    said = "to ana@example.org, +52 55 1111 2222 or 646180157000000004"
    assert hide_personal_data(said) == "to ***, *** or ***"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("tin: 123456789", "tin: ***"),
        ("nit.number=1234", "nit.number=***"),
        ("cc: 123456789", "cc: 123456789"),
        ("passport: ?", "passport: ?"),
        ("curp: 12", "curp: 12"),
        ('"curp": "1"', '"curp": "***"'),
        ('"curp": "must have 18 digits"', '"curp": "must have 18 digits"'),
        ('{"number": "AB12", "type": "cpf"}', '{"number": "***", "type": "cpf"}'),
        ('{"number": "AB12", "type": "card"}', '{"number": "AB12", "type": "card"}'),
        ('{"document": {"number": 7}}', '{"document": {"number": 7}}'),
        ('{"document": {"number": 98765}}', '{"document": {"number": "***"}}'),
        ("document number = 98765", "document number = ***"),
        ("number = 98765", "number = 98765"),
    ],
)
def test_a_number_is_known_by_its_field(text, clean):
    """By the name of a type of document, if it is longer than two letters, or beside one."""
    assert Redaction([]).text(text) == clean


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"document": {"number": "A", "numbers": [1], "x": [{"number": 5}]}}, 3),
        ({"documents": [{"number": "A"}]}, 1),
        ({"curp": "A", "CPF": 5, "nit": "", "tin": None, "cc": "A"}, 2),
        ({"token": "A", "applicant_id": "b"}, 1),
        ({"token": "", "applicant_id": "b"}, 0),
        ({"token": "A", "cursor": "b"}, 0),
        ([True, None, 1.5, "text"], 0),
    ],
)
def test_parsed_json_loses_numbers_and_share_tokens(value, clean):
    """In fields that are named so, at any depth; empty ones stay empty."""
    assert json.dumps(Redaction([]).json(value)).count('"***"') == clean


def test_headers_without_those_that_hold_a_secret():
    """The others are kept by lower-case name, without secrets."""
    given = {"X-API-Key": "a", "Set-Cookie": "b", "X-Note": f"about {KEY}", "Date": "now"}
    assert Redaction([Given(KEY)]).headers(given) == {"x-note": "about ***", "date": "now"}


def test_the_names_of_a_service_for_personal_fields():
    """Names of other fields and other settings are not among them."""
    names = {"individuals.fields.given_name": "vorname", "transfers.fields.source_amount": "betrag"}
    assert find_personal_names({**names, "paths.phone": "x", "a.fields.email": 5}) == {
        "vorname",
        "5",
    }


def test_urls_lose_their_user_and_query():
    """The URL of a webhook may hold a token in its user, query or fragment."""
    value = [{"url": "https://u:p@h.test/x?token=1#f", "to": "https://a.test?b=1"}, {"url": 5}]
    bare = [{"url": "https://h.test/x", "to": "https://a.test?b=1"}, {"url": 5}]
    assert hide_url_secrets(value) == bare
    assert hide_url_secrets({"url": "http://[bad"}) == {"url": "***"}


def test_a_body_in_base64_is_cleaned():
    """Also with line breaks; a text that only begins like Base64 of JSON stays."""
    code = b64encode(b'{"n":1,"email":"ana@example.org"}').decode()
    clean = b64encode(b'{"n":1,"email":"***"}').decode()
    texts = code, f"{code[:20]}\n{code[20:]}", "eyJh.bGci"
    assert hide_personal_data([*texts]) == [clean, clean, texts[2]]
    har = {"encoding": "base64", "text": b64encode(b"to ana@example.org").decode()}
    assert b64decode(hide_personal_data(har)["text"]) == b"to ***"
    assert (
        hide_personal_data({"encoding": "utf-8", "text": "YW5hQGEudGVzdA=="})["text"][:4] == "YW5h"
    )
    assert hide_personal_data({"encoding": "base64", "text": "a@b.test"}) == {
        "encoding": "base64",
        "text": "***",
    }


NAMES = (
    *("dateOfBirth", "birthday", "birth_date", "postcode", "postCode", "postalCode"),
    *("curp", "CPF", "cnpj", "cuit", "tax_id", "taxId", "taxNumber", "ssn", "passport"),
    *("passport_number", "passportNo", "id_number", "idNumber", "national_id", "applicantId"),
)


def test_other_names_of_personal_fields():
    """Other names of document numbers are known, in parsed JSON and in a body's text."""
    value = {"documents": [{name: "AB12345"} for name in NAMES], "country": "MX"}
    hidden = {"documents": [{name: "***"} for name in NAMES], "country": "MX"}
    assert hide_personal_data(value) == json.loads(hide_personal_data(json.dumps(value))) == hidden
    assert hide_personal_data(dict.fromkeys(NAMES, 98765)) == dict.fromkeys(NAMES, "***")


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "passport", "status": "completed"}',
        '{"settlement_reference_id": "AB12345", "total_tax": "1.00", "code": "AB12345"}',
        '{"id": "AB12345", "number": 3, "postage": "AB12345", "candidate": "AB12345"}',
    ],
)
def test_other_fields_are_not_personal(text):
    """Similar names and types of documents are kept."""
    assert hide_personal_data(text) == text
    assert hide_personal_data(json.loads(text)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"errors":[{"field":"document.number","value":"1020304050"}]}',
        '{"errors":[{"field":"document.number","message":"1020304050 is not valid"}]}',
        '{"errors":[{"message":"1020304050 is not valid","field":"document.number"}]}',
        '{"document":{"number":{"value":"1020304050"}}}',
        '{"document":{"number":[["1020304050"]]}}',
        "document[number]=1020304050",
        "document%5Bnumber%5D=1020304050&country=CO",
        "<document><type>cc</type><number>1020304050</number></document>",
        '{"type":"cc","number":"1020304050"}',
        '{"number":1020304050,"type":"cc"}',
    ],
)
def test_a_document_number_in_any_place_that_names_it(text):
    """A document number is hidden where it is named, and nowhere else."""
    redaction = Redaction([])
    assert "1020304050" not in redaction.text(text)
    assert redaction.text("see 1020304050") == "see 1020304050"


@pytest.mark.parametrize("head", [b"GIF89a", b"RIFF\0\0\0\0WEBP"])
def test_other_images_are_replaced_by_size_and_hash(head):
    """A GIF and a WebP are replaced by their size and hash, like other images."""
    code = b64encode(head + Random(3).randbytes(9_000)).decode()
    assert len(Redaction([]).text(f"<{code}>")) < 60


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "bank_account", "number": "1020304050"}',
        "<number>1020304050</number>",
        "see document: https://example.com/docs/20260131",
    ],
)
def test_a_number_of_something_else_stays(text):
    """The number of an account is not a document number, nor is an address."""
    assert Redaction([]).text(text) == text


def test_a_number_of_nothing_but_zeros_is_hidden_in_its_place_only():
    """The number of an example must not remove zeros from wallet addresses."""
    redaction = Redaction([])
    assert (
        redaction.text('{"document": {"number": "000-000-000"}}')
        == '{"document": {"number": "***"}}'
    )
    assert redaction.text("0x000000000000dEaD") == "0x000000000000dEaD"


SHARE = "eyJ9f8e7d6c5b4a.share-act"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"provider": "idv", "token": SHARE, "applicant_id": "app-1"}),
        json.dumps({"token": SHARE, "partner_terms_accepted_at": "2026-01-31T09:30:00Z"}, indent=2),
        json.dumps({"error": json.dumps({"applicant_id": "app-1", "token": SHARE})}),
        repr({"applicant_id": "app-1", "token": SHARE}),
        f"provider=idv&token={SHARE}&applicant_id=app-1",
        f'submit_token("ind_1", token="{SHARE}", applicant_id="app-1")',
    ],
)
def test_a_share_token_is_hidden_beside_the_fields_of_its_request(text):
    """It is hidden in the body that names it."""
    assert SHARE not in Redaction([]).text(text)


def test_a_share_token_is_found_by_the_field_beside_it():
    """It is recognised by the field next to it."""
    body = {"token": SHARE, "applicant_id": "app-1"}
    assert Redaction([]).json([body]) == [{"token": "***", "applicant_id": "app-1"}]


@pytest.mark.parametrize(
    "text",
    [
        '{"data": [], "next_token": "eyJpZCI6MTIzNH0"}',
        '{"data": [], "page": {"token": "eyJpZCI6MTIzNH0"}, "provider": "spei"}',
        '{"token": "eyJpZCI6MTIzNH0", "has_next_page": true}',
        "/v1/transfers?page_token=eyJpZCI6MTIzNH0&limit=20",
        '{"error": "Invalid pagination token: eyJpZCI6MTIzNH0"}',
        '{"field": "token", "message": "provider: must be idv_provider"}',
    ],
)
def test_a_token_of_a_page_stays(text):
    """Tokens of pages are not secret."""
    redaction = Redaction([])
    assert redaction.text(text) == text
    assert redaction.json(json.loads(text)) == json.loads(text) if text[0] == "{" else True


def test_the_details_of_every_account_are_personal():
    """All but what many accounts have in common."""
    accounts = [account for corridor in NAMED for account in corridor.accounts]
    names = {field.name for account in accounts for field in account.fields}
    shown = {name for name in names if hide_personal_data({name: "A1B2C3"}) == {name: "A1B2C3"}}
    assert shown == {
        *("account_type", "bank_account_country", "bank_code", "issuer", "network", "pix_key_type")
    }


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("document number 1020304050 is taken", "document number *** is taken"),
        ("CURP HEGG560427MVZRRL04 has a wrong digit", "CURP *** has a wrong digit"),
        ("the cpf 529.982.247-25 is of another person", "the cpf *** is of another person"),
        ("document 2 of 3", "document 2 of 3"),
        ("see document 20260131-A: https://x.test", "see document ***: https://x.test"),
        ("total 11144477735", "total 11144477735"),
    ],
)
def test_a_number_in_a_sentence_is_hidden_beside_its_label(text, clean):
    """A word of at least four digits after the name of a document."""
    assert Redaction([]).text(text) == clean


def test_the_result_does_not_depend_on_earlier_texts():
    """A number in a body changes nothing about other texts."""
    redaction = Redaction([])
    before = redaction.text(f"about {NUMBER}")
    redaction.text(json.dumps({"document": {"type": "curp", "number": NUMBER}}))
    redaction.json({"document_number": NUMBER})
    assert redaction.text(f"about {NUMBER}") == before == f"about {NUMBER}"


def test_what_is_hidden_once_is_hidden_again():
    """Only harmless texts are remembered."""
    redaction = Redaction([Given(KEY)])
    assert {redaction.text(f"<{KEY}>") for _ in range(3)} == {"<***>"}
