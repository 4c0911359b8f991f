"""Scrubbing removes what must not be shared from notebooks and changes nothing else."""

from __future__ import annotations

import json
import stat
import time
from base64 import b64decode, b64encode
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

import paylab
from paylab.cli.main import main
from paylab.corridors import examples
from paylab.redaction.scrub import scrub
from paylab.simulator.simulator import Simulator
from paylab.spec.codes import IMAGE_MIN
from paylab.views.drawing import encode_qr
from paylab.views.specimens import specimen

ROOT = Path(__file__).parents[2]
KEY = "sk_simulator_" + "0123456789" * 4
SIGNED = b64encode(b"9f" * 32).decode()
PHOTO = b64encode(specimen("document-front")).decode()
PDF = b64encode(b"%PDF-1.4" + bytes(range(256))).decode()
CURP, CPF, CNPJ = "GODE561231HDFRRNA0", "529.982.247-25", "11.222.333/0001-81"
SECRETS = ("hunter2-hunter2", "1020304057", "P1234567A", "tok_abcdef", CURP, SIGNED[44:])
STATE = {"application/vnd.jupyter.widget-state+json": {"state": {"a": {"value": "x"}}}}


def picture(size):
    """A PNG of noise as Base64; noise makes it large."""
    file = BytesIO()
    Image.effect_noise((size, size), 200).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def notebook(*cells, **metadata):
    """A notebook of code cells, each given as its source and its output data."""
    made = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [{"output_type": "display_data", "data": data, "metadata": {}}],
            "source": source.splitlines(keepends=True),
        }
        for source, data in cells
    ]
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"key = '{KEY}'", "key"),
        ("connect(secret_key='hunter2-hunter2')", "key"),
        ('{"api_key": "abcdefgh1234"}', "key"),
        ("os.environ['PAYLAB_SECRET_KEY'] = 'hunter2-hunter2'", "key"),
        ("X-API-Key: abcdefgh1234", "key"),
        ("HMAC-SHA256 Credential=abcdefgh1234,SignedHeaders=host", "key"),
        (f"Signature={SIGNED}", "signature"),
        (f"the value is {SIGNED}.", "signature"),
        (f"number: {CURP}", "CURP"),
        (f"cpf {CPF}", "CPF"),
        ("cpf 52998224725", "CPF"),
        (f"cnpj {CNPJ}", "CNPJ"),
        ("cnpj 11222333000181", "CNPJ"),
        ("tin 123-456-789-00000", "TIN"),
        ("cuit 27123456780", "CUIT"),
        ("nit 900.123.456-8", "NIT"),
        ("784-1990-1234567-1", "Emirates ID"),
        ("gode561231hdfrrna0", "CURP"),
        *(
            (f'document={{"type": "{kind}", "number": "{number}"}}', "document number")
            for kind, number in (
                ("cc", "1020304050"),
                ("ce", "345678"),
                ("passport", "X1234567"),
            )
        ),
        ("passport: X1234567", "document number"),
        ("cc 1020304050", "document number"),
        ("secret_key = f'hunter2-hunter2{x}'", "key"),
        ("secret: str = 'hunter2-hunter2'", "key"),
        ("secret_key = 'hunter2-' + 'hunter2'", "key"),
        ("secret_key=Secret('hunter2-hunter2')", "key"),
        ("os.environ.setdefault('PAYLAB_SECRET_KEY', 'hunter2-hunter2')", "key"),
        ("%env PAYLAB_SECRET_KEY hunter2-hunter2", "key"),
        (json.dumps(json.dumps({"secret_key": "hunter2-hunter2"})), "key"),
        ("".join(f"\\x{ord(one):02x}" for one in KEY), "key"),
        ('secret_key = """hunter2-hunter2"""', "key"),
        ("SECRET_KEY = (\n 'hunter2-hunter2'\n)", "key"),
        ("(secret_key := 'hunter2-hunter2')", "key"),
        ("secret_key == 'hunter2-hunter2'", "key"),
        ("%set_env PAYLAB_SECRET_KEY hunter2-hunter2", "key"),
        ("os.environ.get('PAYLAB_SECRET_KEY') or 'hunter2-hunter2'", "key"),
        ("os.getenv('PAYLAB_SECRET_KEY', 'hunter2-hunter2')", "key"),
        ("ñ = 1; signing_key = 'hunter2-hunter2'", "key"),
        ("def pay(secret_key='hunter2-hunter2'): pass", "key"),
        ("secret_key: hunter2-hunter2", "key"),
        ("secret_key=hunter2-hunter2", "key"),
        ("api_key = hunter2hunter2", "key"),
        ("SECRET_KEY=hunter2-hunter2&x=1", "key"),
        ("<td>secret_key</td><td>hunter2-hunter2</td>", "key"),
        ("<tr><th>secret_key</th>\n  <td class='a'>hunter2-hunter2</td></tr>", "key"),
        ("\x1b[38;5;124msecret_key\x1b[39m=\x1b[1m'hunter2-\x1b[0mhunter2'\x1b[39m", "key"),
        (json.dumps("secret_key\x1b[39m = \x1b[31m'hunter2-hunter2'"), "key"),
        (f"\x1b[31m{CURP}\x1b[39m", "CURP"),
        ("https://hooks.test/in?key=tok_abcdef", "key"),
        ('{"provider": "idv", "token": "tok_abcdef", "applicant_id": "app-1"}', "share token"),
        ("token=1tok_abcdef&applicant_id=app-1", "share token"),
        ("{'type': 'passport', 'number': 'P1234567A'}", "document number"),
        ("{'number': 'P1234567A', 'type': 'passport'}", "document number"),
        ('{"type": "cc", "number": 1020304057}', "document number"),
        (
            "<tr><th>type</th><td>passport</td></tr><tr><th>number</th><td>P1234567A</td></tr>",
            "document number",
        ),
        ("<td>passport</td><td>P1234567A</td>", "document number"),
        (f"Signature={SIGNED[:44]}\n{SIGNED[44:]}", "signature"),
        ("data:image/jpeg;name=a.jpg;base64," + PHOTO, "data URI"),
        (PHOTO, "image"),
        (PDF, "PDF"),
        (f"data:application/pdf;base64,{PDF}", "data URI"),
        (f'<img src="data:image/jpeg;base64,{PHOTO}">', "data URI"),
        (f"data:application/pdf;base64,{PHOTO}", "data URI"),
    ],
)
def test_a_secret_is_reported_with_its_cell_and_removed(text, kind):
    """A secret in a source or deep in an output is reported with its cell and removed."""
    dirty = notebook(("1 + 1", {}), (text, {"application/json": {"deep": [text]}}))
    clean, found = scrub(dirty)
    assert [str(each) for each in found] == [f"cell 2, outputs: {kind}", f"cell 2, source: {kind}"]
    assert f"[removed: {kind}]" in "".join(clean["cells"][1]["source"])
    assert not any(secret in json.dumps(clean) for secret in SECRETS)
    assert scrub(clean)[1] == []


def test_colours_around_what_was_removed_stay():
    """Colour codes around a removed value stay; those inside it are removed."""
    text = (
        "\x1b[32msecret_key\x1b[39m = \x1b[31m'hunter2\x1b[1m-hunter2'\x1b[39m & \x1b[4mmore\x1b[0m"
    )
    clean, _ = scrub(notebook(("", {"text/plain": text})))
    kept = "\x1b[32msecret_key\x1b[39m = \x1b[31m'[removed: key]'\x1b[39m & \x1b[4mmore\x1b[0m"
    assert clean["cells"][0]["outputs"][0]["data"]["text/plain"] == kept


def test_a_traceback_of_ipython_is_scrubbed():
    """A coloured traceback is scrubbed even without the source next to it."""
    from IPython.core.interactiveshell import InteractiveShell

    shell, found = InteractiveShell(colors="linux"), []
    shell._showtraceback = lambda _kind, _error, lines: found.extend(lines)
    shell.run_cell(
        "x = dict(api_key='k', secret_key='hunter2-hunter2', n=1 / 0)", store_history=True
    )
    output = {"output_type": "error", "ename": "E", "evalue": "", "traceback": found}
    assert "hunter2" in json.dumps(found)
    dirty = {"cells": [{"cell_type": "code", "source": "", "outputs": [output]}]}
    assert "hunter2" not in json.dumps(scrub(dirty)[0])


def test_a_secret_goes_from_every_place():
    """A named secret is also removed elsewhere, unless it is short or a word."""
    named = "connect(secret_key='hunter2-hunter2', api_key='a1b2', password='transfers')"
    texts = ("got hunter2-hunter2, a1b2, transfers", json.dumps({"x": "hunter2-hunter2"}))
    dirty = notebook((f"# {texts[0]}", {"text/plain": [texts[0]]}), (named, {texts[1]: texts[1]}))
    clean, found = scrub(dirty)
    assert "hunter2" not in json.dumps(clean)
    assert clean["cells"][0]["source"] == ["# got [removed: key], a1b2, transfers"]
    assert {each.where for each in found if each.where.startswith("cell 1")} == {
        "cell 1, source",
        "cell 1, outputs",
    }
    assert scrub(clean)[1] == []


@pytest.mark.parametrize(
    "text",
    [
        "api_key" * 20_000,
        "secret=" * 20_000,
        "secret<b>" * 20_000,
        "secret" + "<b>" * 20_000,
        "\x1b[1m" * 20_000 + "secret_key",
        "secret_key=" + "a_" * 20_000,
        "secret a" + " " * 20_000,
        "secret = (" + " " * 20_000,
        "secret: |\n" + " " * 50_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_texts_take_a_moment(text):
    """Long texts take a short time, also those that almost match again and again."""
    began = time.process_time()
    scrub(notebook(("", {"text/plain": text})))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"secret_key": "hunter2-hunter2"}, "key"),
        ({"x-api-key": "hunter2-hunter2"}, "key"),
        (["x-api-key", "hunter2-hunter2"], "key"),
        ({"key": "x-api-key", "value": "hunter2-hunter2"}, "key"),
        ({"papermill": {"parameters": {"secret_key": "hunter2-hunter2"}}}, "key"),
        ({"queryString": [{"name": "api_key", "value": "hunter2-hunter2"}]}, "key"),
        ({"cookies": [{"name": "sid", "value": "hunter2-hunter2"}]}, "key"),
        ({"type": "cc", "number": 1020304057}, "document number"),
        ({"number": "P1234567A", "type": "passport"}, "document number"),
        ({"provider": "idv", "token": "tok_abcdef", "applicant_id": "app-1"}, "key"),
        ({"encoding": "base64", "text": b64encode(f"x {CURP}".encode()).decode()}, "CURP"),
    ],
)
def test_secrets_in_parsed_json_are_found(part, kind):
    """Secrets in an output, in the metadata of a notebook and in a HAR file are found."""
    dirty = notebook(("1", {"application/json": part}), tags=part)
    har = {"log": {"entries": [{"request": part}]}}
    for document in (dirty, har):
        clean, found = scrub(document, keep_personal=True)
        assert {each.kind for each in found} == {kind}
        assert not any(secret in json.dumps(clean) for secret in SECRETS)
        assert scrub(clean, keep_personal=True)[1] == []


def test_an_image_cut_over_two_outputs_is_removed():
    """An image split over two outputs of a stream is removed; other outputs stay."""
    texts = (f"data:image/jpeg;base64,{PHOTO[:5000]}", PHOTO[5000:], "done\n")
    streams = [{"output_type": "stream", "name": "stdout", "text": [text]} for text in texts]
    streams[2]["name"] = "stderr"
    clean, found = scrub({"cells": [{"cell_type": "code", "source": [], "outputs": streams}]})
    assert [each.kind for each in found] == ["data URI"]
    assert [*clean["cells"][0]["outputs"]][1:] == streams[2:]
    assert clean["cells"][0]["outputs"][0]["text"] == "[removed: data URI]"


def test_what_was_found_cannot_be_changed():
    """A finding is a value that can be counted."""
    found = scrub({"cells": [{"cell_type": "code", "source": KEY, "outputs": []}]})[1]
    assert {found[0]: 1}[replace(found[0])] == 1


def test_streams_without_text_stay():
    """Outputs that name a stream and have no text are left as they are."""
    outputs = [{"output_type": "stream", "name": "stdout"}] * 2
    cells = [{"cell_type": "code", "source": [], "outputs": outputs}]
    assert scrub({"cells": cells}) == ({"cells": cells}, [])


@pytest.mark.parametrize(
    "part",
    [
        {"queryString": [{"name": "given_name", "value": "Xiomara"}]},
        {"postData": {"params": [{"name": "phone", "value": "525512345678"}]}},
        {"postData": {"text": json.dumps({"applicant_id": "app-5678"})}},
        {"postData": {"text": "call (55) 1234-5678 or 55 1234 5678"}},
        {"content": {"encoding": "base64", "text": b64encode(b'{"email":"x@y.mx"}').decode()}},
        {"postData": {"text": json.dumps({"url": "https://h.test/in?key=tok_abcdef"})}},
    ],
)
def test_personal_data_of_a_har_file_is_removed(part):
    """In names, values, phone numbers without a plus sign, Base64 and a webhook's URL."""
    clean, found = scrub({"log": {"entries": [{"request": part}]}})
    assert found
    text = (
        json.dumps(clean)
        + b64decode(
            clean["log"]["entries"][0]["request"].get("content", {}).get("text", "")
        ).decode()
    )
    assert not any(word in text for word in ("Xiomara", "5678", "x@y.mx", "tok_abcdef"))


KEPT = (
    "XEXX010101HNEXXXA4",
    *(examples.person(country)["document"]["number"] for country in ("AR", "BR", "CO")),
    "secret_key = getpass('Secret key: ')",
    "secret_key = os.environ['PAYLAB_SECRET_KEY']",
    "connect(url, api_key, secret_key)",
    "if api_key == 'x-api-key': pass",
    "f(secret_key=x509.key.secret, api_key=sha256_hex, secret=decode2(x))",
    "secret_key=self._settings.credentials.secret_key",
    "api_key = keys2['secret']",
    "print('secret_key=settings\\n123456789')",
    "<th>secret_key</th><th>created_at</th></tr><tr><td>2026-01-31T10:00</td>",
    "secret_key\x1b[38;5;241m=\x1b[39msettings\x1b[38;5;241m.\x1b[39msecret_key",
    "secret_key: str = settings.secret_key",
    "type = 'bank_account'; number = 12",
    "000-000-000-000",
    "000.000.000-00",
    "secret_key='***'",
    'secret_key = "env:PAYLAB_SECRET"',
    "PAYLAB_SECRET_KEY=<your secret>",
    "X-API-Key: ***",
    "Signature=***",
    '{"provider": "idv", "token": "***", "applicant_id": "***"}',
    "def submit_token(id, token: str, applicant_id: str, provider: str | None = None)",
    '{"next_token": "tok_abcdef", "page": {"token": "tok_abcdef"}, "provider": "spei"}',
    "+525500000000",
    "1769850000123",
    "646180157000000004",
    "0x000000000000000000000000000000000000dEaD",
    "4c9184f37cff01bcdc32dc486ec36961b2b9b0a0f0f8f3c0f7cf5f5f5f5f5f5f",
    "data:image/png;base64,...",
    f"data:image/png;base64,{b64encode(bytes(IMAGE_MIN - 1)).decode()}",
)


def test_examples_placeholders_thumbnails_and_similar_numbers_are_kept():
    """Examples, placeholders, thumbnails and similar numbers are kept."""
    dirty = notebook(*((text, {"text/plain": [text]}) for text in KEPT))
    assert scrub(dirty) == (dirty, [])


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([f"Signature={SIGNED[:30]}", SIGNED[30:]], "signature"),
        ([SIGNED[:40] + "\n", SIGNED[40:]], "signature"),
        ([f"data:image/jpeg;base64,{PHOTO[:100]}", PHOTO[100:]], "data URI"),
        ([f"data:image/jpeg;base64,{PHOTO[:100]}\n", f"{PHOTO[100:]}\n", "x"], "data URI"),
    ],
)
def test_a_secret_in_pieces_is_found(pieces, kind):
    """A secret split over several list items is found."""
    clean, found = scrub(notebook(("", {"text/plain": pieces})))
    assert [each.kind for each in found] == [kind]
    assert "".join(clean["cells"][0]["outputs"][0]["data"]["text/plain"]).startswith(
        ("[removed", "Signature=[removed")
    )


def test_a_pdf_goes_whatever_its_size():
    """A PDF is removed even if it is small."""
    clean, found = scrub(notebook(("", {"application/pdf": PDF, "text/plain": ["<pdf>\n"]})))
    assert [each.kind for each in found] == ["PDF"]
    assert [*clean["cells"][0]["outputs"][0]["data"]] == ["text/plain"]


@pytest.mark.parametrize("keep", [[], ["--keep-personal"]])
def test_har_files_and_snapshots_lose_keys_and_numbers(tmp_path, capsys, keep):
    """Keys and document numbers are always removed, personal data unless it is kept."""
    person = {"given_name": "Marisol", "document": {"type": "cc", "number": "1020304050"}}
    header = {"name": "Authorization", "value": "HMAC-SHA256 abc"}
    entry = {"request": {"headers": [header], "postData": {"text": json.dumps(person)}}}
    har, world = tmp_path / "calls.har", tmp_path / "world.json"
    har.write_text(json.dumps({"log": {"entries": [entry]}}))
    lab = paylab.connect(simulator=Simulator())
    lab.individuals.create(**{**examples.recipient("CO"), **person})
    world.write_text(json.dumps(lab.simulator.snapshot()))
    assert main(["scrub", str(har), str(world), *keep]) == 0
    for path in (har, world):
        text = path.read_text()
        assert "1020304050" not in text
        assert "HMAC-SHA256 abc" not in text
        assert ("Marisol" in text) == bool(keep)
    assert main(["scrub", "--check", str(har), str(world), *keep]) == 0
    lab.simulator.load(world)


def test_only_the_urls_of_webhooks_lose_their_query():
    """The address of a hook may hold a token; the query of a call is what it asked for."""
    url = "https://hooks.test/in?limit=2"
    world = {"tables": {"webhook_subscriptions": [{"url": url}], "transfers": [{"url": url}]}}
    clean, found = scrub(world)
    assert clean["tables"]["webhook_subscriptions"][0]["url"] == "https://hooks.test/in"
    assert clean["tables"]["transfers"][0]["url"] == url
    assert [each.kind for each in found] == ["webhook URL"]


HEAD = b"\x89PNG\r\n\x1a\n" + bytes(8)


def drawn(width, height, depth, size, head=HEAD):
    """The bytes of a picture of this size in pixels and in bytes."""
    start = head + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([depth])
    return start.ljust(size, b"\0")


@pytest.mark.parametrize(
    ("picture", "small"),
    [
        (drawn(9, 5, 8, 10_239), True),
        (drawn(9, 5, 8, 10_240), False),
        (drawn(400, 400, 1, 10_240), True),
        (drawn(400, 400, 1, 65_536), True),
        (drawn(400, 400, 1, 65_537), False),
        (drawn(400, 401, 1, 10_240), False),
        (drawn(400, 400, 2, 10_240), False),
        (drawn(400, 400, 1, 10_240, b"\xff\xd8\xff\xe0" + bytes(12)), False),
    ],
)
def test_a_picture_is_kept_if_it_is_small_or_a_qr_code(picture, small):
    """A thumbnail is kept, and above its size a square PNG of two colours of at most 64 KiB."""
    dirty = notebook(("", {"image/png": b64encode(picture).decode()}))
    assert [each.kind for each in scrub(dirty)[1]] == ([] if small else ["image"])


@pytest.mark.parametrize(
    ("word", "found"), [("q" * 24, False), ("q" * 25, True), ("abcdefgh12", True)]
)
def test_a_word_of_prose_is_no_key(word, found):
    """Letters alone are a word up to 24 of them."""
    assert bool(scrub(notebook((f"X-API-Key: {word}", {})))[1]) is found


def test_qr_codes_are_kept():
    """A square two-colour picture is a QR code: it is kept even above the thumbnail size."""
    code = b64encode(encode_qr("x" * 200).png(400, compress=False)).decode()
    assert len(code) >= IMAGE_MIN
    dirty = notebook(("", {"image/png": code, "text/html": f"data:image/png;base64,{code}"}))
    assert scrub(dirty) == (dirty, [])


def test_a_picture_above_the_thumbnail_size_is_removed_a_smaller_one_is_kept():
    """A picture above the thumbnail size is removed, a smaller one is kept."""
    dirty = notebook(("", {"image/png": picture(200)}), ("", {"image/png": picture(50)}))
    clean, found = scrub(dirty)
    assert [str(each) for each in found] == ["cell 1, outputs: image"]
    assert [list(c["outputs"][0]["data"]) for c in clean["cells"]] == [[], ["image/png"]]


def test_pictures_in_markdown_cells_are_removed():
    """Pictures in Markdown cells are removed."""
    cell = {"cell_type": "markdown", "attachments": {"a.jpg": {"image/jpeg": PHOTO}}, "source": []}
    clean, found = scrub({"cells": [cell]})
    assert [str(each) for each in found] == ["cell 1, attachments: image"]
    assert clean["cells"][0]["attachments"] == {"a.jpg": {}}


def test_the_widget_state_is_removed_because_it_may_contain_typed_values():
    """The widget state is removed, because it may contain typed values."""
    clean, found = scrub(notebook(widgets=STATE, kernelspec={"name": "python3"}))
    assert [str(each) for each in found] == ["notebook: widget state"]
    assert clean["metadata"] == {"kernelspec": {"name": "python3"}}


@pytest.mark.parametrize("layout", [{"indent": 1}, {"indent": "\t"}, {}, {"ensure_ascii": False}])
@pytest.mark.parametrize("end", ["", "\n"])
def test_everything_else_in_the_file_stays_identical_to_the_byte(tmp_path, layout, end):
    """Everything else in the file stays identical to the byte."""
    path = tmp_path / "a.ipynb"
    dirty = notebook((f"# ñ 最\nx = '{CURP}'", {"text/plain": "é"}))
    path.write_text(json.dumps(dirty, **layout) + end)
    path.chmod(0o640)
    expected = path.read_text().replace(CURP, "[removed: CURP]")
    assert main(["scrub", str(path)]) == 0
    assert path.read_text() == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["a.ipynb"]


def test_check_changes_nothing_reports_cell_and_kind_and_exits_with_status_1(tmp_path, capsys):
    """`--check` changes nothing, reports cell and kind, and exits with status 1."""
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook(("1", {}), (CURP, {}))))
    before = path.read_bytes()
    assert main(["scrub", "--check", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: cell 2, source: CURP\n"
    assert path.read_bytes() == before
    main(["scrub", str(path)])
    assert main(["scrub", "--check", str(path)]) == 0


def test_json_prints_the_findings_as_json(tmp_path, capsys):
    """`--json` prints the findings as JSON."""
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook((CURP, {}))))
    assert main(["scrub", "--check", "--json", str(path)]) == 1
    row = {"path": str(path), "where": "cell 1, source", "kind": "CURP"}
    assert json.loads(capsys.readouterr().out) == [row]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cells": 1}', '{"worksheets": []}', "\xff"])
def test_a_file_that_is_not_a_notebook_is_an_error_and_is_not_changed(tmp_path, capsys, text):
    """A file that is not a notebook is an error and is not changed."""
    path = tmp_path / "a.ipynb"
    path.write_text(text, "latin-1")
    assert main(["scrub", str(path)]) == 2
    assert "is not a notebook" in capsys.readouterr().err
    assert path.read_text("latin-1") == text


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_notebooks_of_this_project_pass_the_check(path):
    """The notebooks of this project pass the check."""
    assert scrub(json.loads(path.read_text()))[1] == []


def test_pieces_of_one_text_keep_no_other_secret():
    """A signature that spans two texts of a list does not hide the key beside it."""
    pieces = [f'api_key = "{"abcd1234" * 3}"\nSignature=' + "A" * 50, "B" * 36 + "==\n"]
    clean, found = scrub({"cells": [{"cell_type": "code", "source": pieces, "outputs": []}]})
    assert clean["cells"][0]["source"] == [
        'api_key = "[removed: key]"\nSignature=[removed: signature]\n'
    ]
    assert {each.kind for each in found} == {"signature", "key"}


def test_a_key_of_one_entry_is_removed_from_the_others():
    """A key that is known by its name in one entry of a HAR file is found by value in another."""
    entries = [{"comment": "it was abcd1234efgh5678"}, {"secret_key": "abcd1234efgh5678"}]
    clean, found = scrub({"log": {"entries": entries}})
    assert clean["log"]["entries"][0] == {"comment": "it was [removed: key]"}
    assert [str(each) for each in found] == ["entries 2: key", "entries 1: key"]
