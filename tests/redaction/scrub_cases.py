"""Texts that leak and texts that do not, for `paylab scrub`."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from gzip import compress

from paylab.views.specimens import specimen

KEY = "hunter2-hunter2"
TOKEN = "ct_simulator_0123456789abcdef0123456789abcdef"
CPF, CURP, PASSPORT = "11144477735", "GODE561231HDFRRNA0", "P1234567A"
DOCUMENT = json.dumps({"type": "passport", "number": PASSPORT})
PHOTO = specimen("document-front")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 80
BASE64 = b64encode(PHOTO).decode()
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
ARABIC = {ord("0") + digit: 0x0660 + digit for digit in range(10)}


def encoded(text, times=1):
    """Base64 of a text, several times."""
    for _ in range(times):
        text = b64encode(text.encode()).decode()
    return text


def lines(text, size=76, end="\n"):
    """A text in lines of a size."""
    return end.join(text[at : at + size] for at in range(0, len(text), size))


def source(*texts):
    """A notebook whose cells have these sources."""
    return {"cells": [{"cell_type": "code", "source": [text], "outputs": []} for text in texts]}


def outputs(*made):
    """A notebook of one cell with these outputs."""
    return {"cells": [{"cell_type": "code", "source": [], "outputs": [*made]}]}


def stream(text, name="stdout"):
    """An output of a stream."""
    return {"output_type": "stream", "name": name, "text": text}


def result(value, kind="text/plain"):
    """The value of a cell."""
    return {"output_type": "execute_result", "data": {kind: value}, "metadata": {}}


def har(text, **content):
    """A HAR file with this body of an answer."""
    return {"log": {"entries": [{"response": {"content": {"text": text, **content}}}]}}


LEAKS = {
    "image in hex": (source(f"photo = '{PHOTO.hex()}'"), PHOTO.hex()[:80]),
    "image in capital hex": (source(PHOTO.hex().upper()), PHOTO.hex().upper()[:80]),
    "image in hex with colons": (source(PHOTO.hex(":")), PHOTO.hex(":")[:80]),
    "image in a hex dump": (outputs(stream(lines(PHOTO.hex(" ", 2), 40))), PHOTO.hex(" ", 2)[:39]),
    "hex after 0x": (source(f"x = 0x{PNG.hex()}"), PNG.hex()[-80:]),
    "image in bytea": (outputs(result(f"'\\\\x{PNG.hex()}'")), PNG.hex()[-80:]),
    "image in URL-safe Base64": (
        source(f"photo = '{urlsafe_b64encode(PHOTO).decode()}'"),
        urlsafe_b64encode(PHOTO).decode()[:80],
    ),
    "Base64 in lines": (outputs(stream(lines(BASE64))), BASE64[-40:-2]),
    "Base64 in indented lines": (source(lines(BASE64, end="\n    ")), BASE64[-40:-2]),
    "Base64 in JSON escapes": (har(json.dumps({"x": lines(BASE64, end="\r\n")})), BASE64[-40:-2]),
    "Base64 in JSON escapes twice": (
        source(json.dumps(json.dumps(lines(BASE64)))),
        BASE64[-40:-2],
    ),
    "Base64 as u-escapes": (
        outputs(result("".join(f"\\u{ord(sign):04x}" for sign in BASE64))),
        f"\\u{ord(BASE64[-9]):04x}\\u{ord(BASE64[-8]):04x}\\u{ord(BASE64[-7]):04x}",
    ),
    "Base64 in joined literals": (
        source(f"photo = (\n    '{lines(BASE64, 60, chr(39) + chr(10) + '    ' + chr(39))}'\n)"),
        BASE64[600:640],
    ),
    "Base64 in literals with plus": (
        source(f"photo = '{lines(BASE64, 60, chr(39) + ' + ' + chr(92) + chr(10) + chr(39))}'"),
        BASE64[600:640],
    ),
    "Base64 of an image, twice": (source(encoded(BASE64)), encoded(BASE64)[-40:-2]),
    "Base64 of JSON with an image": (
        har(encoded(json.dumps({"content": BASE64}))),
        BASE64[-40:-2],
    ),
    "Base64 in a list": (
        outputs(result([BASE64[at : at + 60] for at in range(0, 18_000, 60)], "application/json")),
        BASE64[60:120],
    ),
    "bytes as numbers": (
        outputs(result([*PNG[:20_000]], "application/json")),
        json.dumps([*range(100, 130)])[1:-1],
    ),
    "bytes as text of numbers": (outputs(stream(str([*PNG]))), str([*range(100, 130)])[1:-1]),
    "control token in a shell line": (source(f"!export PAYLAB_CONTROL_TOKEN={TOKEN}"), TOKEN),
    "control token without a form": (
        source("%env PAYLAB_CONTROL_TOKEN=0a1b2c3d4e5f6a7b"),
        "0a1b2c3d4e5f6a7b",
    ),
    "control token in environ": (
        source("os.environ['PAYLAB_CONTROL_TOKEN'] = '0a1b2c3d4e5f'"),
        "0a1b2c3d4e5f",
    ),
    "control token as an argument": (source("connect(control_token='0a1b2c3d4e')"), "0a1b2c3d4e"),
    "control token in JSON": (
        outputs(stream(json.dumps({"control_token": "0a1b2c3d4e"}))),
        "0a1b2c3d4e",
    ),
    "control token by its form": (outputs(stream(f"started: {TOKEN}")), TOKEN),
    "access token": (source("access_token = 'a1b2c3d4e5f6'"), "a1b2c3d4e5f6"),
    "bearer": (outputs(stream("sent Bearer a1b2c3d4e5f6a7b8c9d0")), "a1b2c3d4e5f6a7b8c9d0"),
    "private key": (
        source(f"-----BEGIN PRIVATE KEY-----\n{lines('MIIEvQ' + 'aB1' * 60)}\n-----END PRIVATE"),
        "aB1aB1",
    ),
    "second of two names": (source(f'api_key, secret_key = "pk-1234-5678", "{KEY}"'), KEY),
    "second name alone is a key": (source(f"user, password = 'somebody', '{KEY}'"), KEY),
    "first name is a key": (source(f"secret_key, n = '{KEY}', 3"), KEY),
    "names in brackets": (source(f"(a, secret_key) = ('first-first', '{KEY}')"), KEY),
    "names in a list": (source(f"[a, secret_key] = ['first-first',\n  f'{KEY}']"), KEY),
    "star names": (source(f"*a, secret_key = 'first', 'second', '{KEY}'"), KEY),
    "attributes": (source(f"self.a, self.secret_key = 'first-first', '{KEY}'"), KEY),
    "chained names": (source(f"secret_key = key = '{KEY}'"), KEY),
    "a list of keys": (source(f"secret_keys = ['first-first-1', '{KEY}']"), KEY),
    "an annotation with a parameter": (source(f"secret_key: Final[str] = '{KEY}'"), KEY),
    "an annotation with a choice": (source(f"secret_key: str | None = '{KEY}'"), KEY),
    "an annotation in quotes": (source(f'secret_key: "str" = "{KEY}"'), KEY),
    "a default with an annotation": (source(f"def f(secret_key: Optional[str] = '{KEY}'): 1"), KEY),
    "a value after a comment": (source(f"secret_key = (\n  # live\n  '{KEY}'\n)"), KEY),
    "a value on the next line": (source(f"secret_key = \\\n  '{KEY}'"), KEY),
    "a name with hyphens": (outputs(result({"client-secret": KEY}, "application/json")), KEY),
    "a header with hyphens": (
        {"log": {"entries": [{"request": {"headers": [{"name": "X-Secret-Key", "value": KEY}]}}]}},
        KEY,
    ),
    "a value in an object": (
        outputs(result({"secret_key": {"value": KEY}}, "application/json")),
        KEY,
    ),
    "an element": (outputs(result(f"<secretKey>{KEY}</secretKey>", "text/html")), KEY),
    "bold": (source(f"**secret_key**: `{KEY}`"), KEY),
    "code": (source(f"`secret_key` = `{KEY}`"), KEY),
    "a row of Markdown": (source(f"| secret_key | {KEY} |"), KEY),
    "a block of YAML": (source(f"secret_key: |\n  {KEY}\n"), KEY),
    "an option of a command": (source(f"!tool --secret-key {KEY}"), KEY),
    "a variable of a shell": (source(f"set -gx PAYLAB_SECRET_KEY {KEY}"), KEY),
    "a column by row": (
        outputs(result({"passport": {"0": PASSPORT}}, "application/json")),
        PASSPORT,
    ),
    "image in gzip": (
        source(b64encode(compress(PHOTO)).decode()),
        b64encode(compress(PHOTO)).decode()[40:90],
    ),
    "image in an upload": (
        har(f"--x\r\nContent-Type: image/jpeg\r\n\r\n{PHOTO.decode('latin-1')}\r\n--x--"),
        PHOTO.decode("latin-1")[300:340],
    ),
    "a conditional": (source(f"secret_key = given if given else '{KEY}'"), KEY),
    "an or": (source(f"secret_key = given or '{KEY}'"), KEY),
    "bytes of a key": (
        source(f"secret_key = bytes.fromhex('{KEY.encode().hex()}')"),
        "68756e746572",
    ),
    "document in Base64": (source(f"body = '{encoded(DOCUMENT)}'"), encoded(DOCUMENT)[:20]),
    "document in Base64, twice": (
        outputs(stream(encoded(DOCUMENT, 2))),
        encoded(DOCUMENT, 2)[:20],
    ),
    "document in Base64, thrice": (source(encoded(DOCUMENT, 3)), encoded(DOCUMENT, 3)[:20]),
    "document in URL-safe Base64": (
        source(urlsafe_b64encode(DOCUMENT.replace("P", "???>>").encode()).decode()),
        urlsafe_b64encode(DOCUMENT.replace("P", "???>>").encode()).decode()[-16:-4],
    ),
    "document in Base64 without padding": (
        source(encoded(DOCUMENT + " ").rstrip("=")),
        encoded(DOCUMENT + " ")[-12:-4],
    ),
    "document in Base64 in lines": (
        source(lines(encoded(json.dumps({"note": "x" * 80, **json.loads(DOCUMENT)})))),
        encoded(json.dumps({"note": "x" * 80, **json.loads(DOCUMENT)}))[-20:-4],
    ),
    "document in hex": (source(f"x = '{DOCUMENT.encode().hex()}'"), DOCUMENT.encode().hex()[-30:]),
    "key in Base64": (
        source(encoded(json.dumps({"secret_key": KEY}))),
        encoded(json.dumps({"secret_key": KEY}))[-12:],
    ),
    "a token of three parts": (
        source(f"eyJhbGciOiJIUzI1NiJ9.{encoded(DOCUMENT).rstrip('=')}.c2lnbmF0dXJl"),
        encoded(DOCUMENT)[:20],
    ),
    "HAR body of JSON in Base64 in Base64": (
        har(encoded(json.dumps({"data": encoded(DOCUMENT)})), encoding="base64"),
        PASSPORT,
    ),
    "HAR body in URL-safe Base64": (
        har(urlsafe_b64encode(f"??>>{DOCUMENT}~~".encode()).decode(), encoding="base64"),
        PASSPORT,
    ),
    "number over list items": (
        outputs(result(["cpf 11144", "477735"])),
        "477735",
    ),
    "number over items of JSON": (
        outputs(result(["cpf 111.444", ".777-35"], "application/json")),
        ".777-35",
    ),
    "label and number in items": (
        outputs(result(["cpf", CPF], "application/json")),
        CPF,
    ),
    "label and number as numbers": (
        outputs(result([{"rows": [["passport", 12345678]]}], "application/json")),
        "12345678",
    ),
    "number over streams": (
        outputs(stream("cpf 11144"), stream("477735", "stderr")),
        "477735",
    ),
    "number over streams with another between": (
        outputs(stream("cpf 11144"), stream("warning", "stderr"), stream("477735")),
        "477735",
    ),
    "number over outputs": (outputs(stream("cpf "), result(CPF)), CPF),
    "number over displays": (outputs(result("passport"), result([PASSPORT])), PASSPORT),
    "key over outputs": (
        outputs(stream("sk_live_0123456789"), stream("abcdefghij", "e")),
        "abcdef",
    ),
    "full-width digits": (source(f"cpf {CPF.translate(WIDE)}"), CPF.translate(WIDE)),
    "full-width with separators": (
        source("cpf " + "111.444.777-35".translate(WIDE)),
        "111.444.777-35".translate(WIDE),
    ),
    "full-width letters": (
        source(f"passport {PASSPORT.translate(WIDE)}"),
        PASSPORT.translate(WIDE),
    ),
    "full-width CURP": (
        outputs(stream(CURP.translate(WIDE))),
        CURP.translate(WIDE),
    ),
    "Arabic digits": (source(f"cpf: {CPF.translate(ARABIC)}"), CPF.translate(ARABIC)),
    "bold digits": (
        source("cpf " + "".join(chr(0x1D7CE + int(sign)) for sign in CPF)),
        chr(0x1D7CE + 4),
    ),
    "digits with zero-width spaces": (source("cpf " + "\u200b".join(CPF)), "\u200b4"),
    "digits with soft hyphens": (source("cpf 111444\u00ad77735"), "77735"),
    "digits with hyphens of typography": (
        source("cpf 111.444.777\u201135"),
        "111.444.777",
    ),
    "digits in groups": (source("cpf 111 444 777 35"), "111 444 777"),
    "a label in a sentence": (source("# the CPF of Ana is 11144477735."), CPF),
    "a label after the number": (source("11144477735 (CPF)"), CPF),
    "a label with a number sign": (source("passport no. P1234567A"), PASSPORT),
    "document in YAML": (source("document:\n  type: cc\n  number: 1020304050\n"), "1020304050"),
    "document by its words": (source("document number: X1234567"), "X1234567"),
    "document named by its field": (source('{"document_number": "X1234567"}'), "X1234567"),
    "field of parsed JSON": (
        outputs(result({"passport": PASSPORT}, "application/json")),
        PASSPORT,
    ),
    "number field of parsed JSON": (
        outputs(result({"cpf": 11144477735}, "application/json")),
        CPF,
    ),
    "document_number of parsed JSON": (
        outputs(result({"document_number": 1020304050}, "application/json")),
        "1020304050",
    ),
    "document in a list": (
        outputs(result({"document": {"number": ["10203", "04050"]}}, "application/json")),
        "04050",
    ),
    "document in an envelope": (
        outputs(result({"document": {"value": {"number": PASSPORT}}}, "application/json")),
        PASSPORT,
    ),
    "pair of a HAR file": (
        {
            "log": {
                "entries": [{"request": {"queryString": [{"name": "curp", "value": "AB12345"}]}}]
            }
        },
        "AB12345",
    ),
    "column of a frame": (
        outputs(result("   type      number\n0  passport  P1234567A\n")),
        PASSPORT,
    ),
    "column named curp": (
        outputs(
            result("        name   passport\n0  Ana María  P1234567A\n1  Ben Ortiz  P7654321B")
        ),
        "P7654321B",
    ),
    "HTML of a frame": (
        outputs(
            result(
                "<table><thead><tr><th></th><th>passport</th></tr></thead><tbody><tr><th>0</th>"
                "<td>P1234567A</td></tr></tbody></table>",
                "text/html",
            )
        ),
        PASSPORT,
    ),
    "attribute of HTML": (
        outputs(result('<input name="passport" value="P1234567A">', "text/html")),
        PASSPORT,
    ),
    "personal data in Base64 in Base64": (
        har(encoded(json.dumps({"data": encoded('{"given_name": "Xiomara"}')}))),
        "Xiomara",
    ),
    "cookie": (outputs(stream("Cookie: session=a1b2c3d4e5f6")), "a1b2c3d4e5f6"),
    "password in a URL": (source("url = 'https://user:hunter2-hunter2@h.test/'"), KEY),
    "keys of a loop": (source(f"for secret_key in ('{KEY}',): pass"), KEY),
    "names of a chain": (source(f"api_key, secret_key = both = ('pk-111-222', '{KEY}')"), KEY),
    "names with comments": (
        source(f"a, secret_key = (  # two\n    'first-first',  # one\n    '{KEY}',\n)"),
        KEY,
    ),
    "control token in a header": (
        {
            "log": {
                "entries": [{"request": {"headers": [{"name": "X-Control-Token", "value": KEY}]}}]
            }
        },
        KEY,
    ),
    "CSV": (outputs(stream(f"name,cpf\nAna,12345678909\nBo,{CPF}\n")), CPF),
    "CSV with quotes": (outputs(stream(f'"name","cpf"\n"Ana, B","{CPF}"\n')), CPF),
    "Markdown": (outputs(result(f"| a | cpf |\n|--|--|\n| Ana | - |\n| Bo | {CPF} |")), CPF),
    "a series": (outputs(result(f"0    12345678909\n1    {CPF}\nName: cpf, dtype: object")), CPF),
    "a frame in JSON": (
        outputs(result({"columns": ["a", "cpf"], "data": [["x", CPF]]}, "application/json")),
        CPF,
    ),
    "a list of numbers": (outputs(result({"cpf": ["0", CPF]}, "application/json")), CPF),
    "a label with a name": (source(f"CPF (Ana): {CPF}"), CPF),
    "a label with a dash": (source(f"CPF - {CPF}"), CPF),
    "a number in braces": (source(f'f"cpf={{{CPF}}}"'), CPF),
    "a tax id": (source(f'{{"tax_id": "{CPF}"}}'), CPF),
    "an error": (
        outputs({"output_type": "error", "evalue": f"cpf {CPF}", "traceback": ["cpf 1", CPF]}),
        CPF,
    ),
    "Base64 of UTF-16": (
        source(b64encode(DOCUMENT.encode("utf-16-le")).decode()),
        b64encode(DOCUMENT.encode("utf-16-le")).decode()[-40:-4],
    ),
    "Base64 in a path": (
        source(f"https://h.test/in/{encoded(DOCUMENT)}"),
        encoded(DOCUMENT)[44:54],
    ),
    "Base64 over streams": (
        outputs(stream(encoded(DOCUMENT)[:41]), stream(encoded(DOCUMENT)[41:], "stderr")),
        encoded(DOCUMENT)[44:54],
    ),
    "compressed text": (source(b64encode(compress(DOCUMENT.encode())).decode()), "H4sI"),
}

PHRASES = {
    "user of curl": "curl -u user:{key} https://api.example.com/v1",
    "user of curl, joined": "curl -sS -uuser:{key} https://api.example.com/v1",
    "user of curl, long": "curl --user 'user:{key}' https://api.example.com/v1",
    "proxy of curl": "curl --proxy-user me:{key} https://api.example.com/v1",
    "user of HTTPie": "http -a user:{key} https://api.example.com/v1",
    "signature header": "curl -H 'X-Signature: {key}' https://api.example.com/v1",
    "signature of a webhook": "-H 'X-Hub-Signature-256: sha256={hex}'",
    "bare authorization": "curl -H 'Authorization: {key}' https://api.example.com/v1",
    "capital authorization": "curl -H AUTHORIZATION:{key} https://api.example.com/v1",
    "label": "API key: {key}",
    "label in a sentence": "The API key is {key}.",
    "bold label": "**API key:** {key}",
    "label before code": "API key: `{key}`",
    "label and dash": "Secret \u2014 {key}",
    "token": "your token is {key}",
    "password": "Password: {key}",
    "password in brackets": "password ({key})",
    "Spanish password": "contrase\u00f1a: {key}",
    "Spanish key": "Clave de API: {key}",
    "Portuguese password": "senha: {key}",
    "Portuguese key": "chave da API \u00e9 {key}",
    "web token": "open https://api.example.com/cb?t={jwt}",
    "web token alone": "{jwt}",
    "hexadecimal signature": "signature: {hex}",
    "hexadecimal signature in a sentence": "the signature is {hex}",
    "HMAC": "HMAC-SHA256 = {hex}",
    "Base64 signature": "Signature: {base64}",
    "Spanish signature": "firma: {hex}",
    "Portuguese signature": "assinatura: {hex}",
    "dump of xxd": "{xxd}",
    "dump of hexdump": "{hexdump}",
    "dump of an image": "{image}",
    "dump of an image in words": "{words}",
    "dump of od in words": "{od}",
}
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def web_token():
    """A JSON Web Token without a key."""
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890"})
    coded = [urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")])


def dump(data, group=1, *, is_swapped=False):
    """Bytes as xxd and hexdump print them."""
    rows = []
    for at in range(0, len(data), 16):
        line = data[at : at + 16]
        words = [line[place : place + group] for place in range(0, len(line), group)]
        shown = " ".join((word[::-1] if is_swapped else word).hex() for word in words)
        letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in line)
        rows.append(f"{at:08x}: {shown}  {letters}")
    return "\n".join(rows)


SECRETS = {
    "key": "Xk39fQ2mPz81LwVr7Tn4",
    "hex": HEX,
    "base64": b64encode(bytes(range(200, 232))).decode(),
    "jwt": web_token(),
    "xxd": dump(b"secret_key = Xk39fQ2mPz81LwVr7Tn4\n", 2),
    "hexdump": dump(b"secret_key = Xk39fQ2mPz81LwVr7Tn4\n").replace("  ", "  |"),
    "image": dump(PNG, 2),
    "words": dump(PNG, 2, is_swapped=True),
    "od": "0000000 6573 7263 7465 6b5f 7965 3d20 5820 336b\n"  # as `od -x` prints it
    "0000020 6639 3251 506d 387a 4c31 5677 3772 6e54\n"
    "0000040 0a34",
}
LEAKS |= {
    name: (source(phrase.format(**SECRETS)), SECRETS[phrase.partition("{")[2].partition("}")[0]])
    for name, phrase in PHRASES.items()
}

PLACES = {
    "name and value": "PAYLAB_SECRET_KEY {key}",
    "name and arrow": "PAYLAB_SECRET_KEY -> {key}",
    "header without a colon": "X-Api-Key {key}",
    "name, spaces and remark": "api_key    {key}  (environment PAYLAB_API_KEY)",
    "name and remark": "secret_key (environment)  {key}",
    "words and spaces": "secret key   {key}",
    "comment": "# secret_key {key}",
    "default after or": 'secret_key = os.getenv("X") or "{key}"',
    "default of a lookup": 'secret_key = os.getenv("X", "{key}")',
    "names in brackets": 'x, (y, secret_key) = 1, (2, "{key}")',
    "short values beside": 'a, secret_key, c = "x", "{key}", "y"',
    "column of Markdown": "|id|secret_key|\n|---|---|\n|1|{key}|",
    "column of CSV": "id,api_key\n1,{key}\n",
    "column of text": "             secret_key\n0  {key}\n",
    "column of HTML": "<tr><th></th><th>secret_key</th></tr><tr><th>0</th><td>{key}</td></tr>",
    "input": '<input name="secret_key" value="{key}">',
    "input with its name last": '<input value="{key}" name="secret_key">',
    "element with a name": '<k name="secret_key">{key}</k>',
    "CURP in groups": "CURP: {curp}",
    "octal bytes": "{octal}",
    "signed bytes": "{signed}",
    "bytes by index": "{members}",
    "bits": "{bits}",
    "list of lines": "{listed}",
    "lines of a comment": "# {comment}",
    "lines of a quotation": "> {quotation}",
}
SECRETS |= {
    "curp": "GODE 561231 HDFRRN A0",
    "octal": "".join(f"\\{byte:03o}" for byte in PHOTO),
    "signed": str([byte - 256 if byte > 127 else byte for byte in PHOTO]),
    "members": json.dumps({str(at): byte for at, byte in enumerate(PHOTO)}),
    "bits": " ".join(f"{byte:08b}" for byte in PHOTO),
    "listed": str(lines(BASE64, 60).split("\n")),
    "comment": lines(BASE64, 70, "\n# "),
    "quotation": lines(BASE64, 70, "\n> "),
}
LEAKS |= {
    f"{name}, {kind}": (made, secret[-200:])
    for name, phrase in PLACES.items()
    for secret in [SECRETS[phrase.partition("{")[2].partition("}")[0]]]
    for text in [phrase.format(**SECRETS)]
    for kind, made in (("source", source(text)), ("output", outputs(stream(f"{text}\n"))))
}

INNOCENT = (
    'sign(\n    "a-secret-key",\n    "GET",\n    "/v1/transfers",\n)',
    "key,api_key,created\n1,your-api-key,2026-01-31T09:30:00Z\n",
    "secret_key  str  the secret key of an account",
    "api_key (environment PAYLAB_API_KEY) is required2",
    'secret_key = os.getenv("PAYLAB_SECRET_KEY", "your-secret-key")',
    "secret_key -> env:PAYLAB_SECRET_KEY_OF_MINE",
    '<input name="secret_key" value="">',
    str([-1, 255, *range(100)]),
    "tin can 123456",
    f"sha256 {HEX}",
    f"sha256:{HEX}",
    f"X-Content-SHA256: {HEX}",
    f"commit {HEX[:40]}",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "Idempotency-Key: 550e8400-e29b-41d4-a716-446655440000",
    "order number: 4711-2026-0001",
    "the token is not valid",
    "token expires: 2026-01-31T09:30:00.123Z",
    "token: 2026-01-31T09:30:00.123Z",
    "API key: your-api-key",
    "API key: see the dashboard",
    "signature: does not match",
    "Signature = sign(payload2)",
    "authorization: required",
    "curl -u $USER:$PASSWORD https://api.example.com",
    "curl -u user https://api.example.com",
    "max_tokens: 1234567890",
    "docker run -u 1000:1000 image",
    "secret santa 2026-12-24",
    "www.example.com",
    "eyes.example.com",
    "total 11144477735",
    "see document: https://example.com/docs/2026/01/31/file12345",
    "see document: docs/report-20260131.pdf",
    "the document has page number: 20260131",
    "order 12345678909 was paid",
    "amount: 11144477735, date: 2026-01-31",
    "27123456780",
    "row 20-12345678-0",
    "part number 123-456-789",
    "invoice 123456789-0",
    "total 1.234.567-8",
    "11222333000181 units",
    "passport expires 2026-01-31",
    "passport: 2026-01-31T09:30:00Z",
    "the document was read at 2026-01-31 09:30:00.123456",
    "document: 12 pages",
    "tin can 2026",
    "cc: support@example.com",
    "Your document number is missing: add document.number",
    "tr_01K7T57ZMZ000001FKJRM7JSE5",
    "https://h.test/v1/transfers?cursor=eyJpZCI6InRyXzAxIn0",
    "eyJpZCI6InRyXzAxSzdUNTdaTVowMDAwMDEiLCJhdCI6MTc2OTg1MDAwMDEyM30=",
    "sha256 4c9184f37cff01bcdc32dc486ec36961b2b9b0a0f0f8f3c0f7cf5f5f5f5f5f5f",
    "deadbeef" * 16,
    b64encode(b"a perfectly innocent sentence, total 11144477735").decode(),
    "x, y = 'first value', 'second value'",
    "secret_key, api_key = load('profile'), 'env:PAYLAB_API_KEY'",
    "user, secret_key = 'somebody-else', os.environ['PAYLAB_SECRET_KEY']",
    "secret_key = given or os.environ['PAYLAB_SECRET_KEY']",
    "secret_key = given if given else getpass('Secret key: ')",
    "token, n = 'next page', 20",
    "PAYLAB_CONTROL_TOKEN=<control token>",
    "control_token = os.environ['PAYLAB_CONTROL_TOKEN']",
    "lab.connect(control_token=facts['control_token'])",
    '{"next_token": "tok_abcdef12", "has_next_page": true}',
    "total " + CPF.translate(WIDE),
    "Bearer tokens are not used",
    "Cookie: none",
    "1\u200b2\u200b3 zero-width",
    "internationalizationinternationalization/localizationlocalization",
    "[137, 80, 78, 71]",
    str([*range(200)]),
    "89 50 4e 47 is how a PNG begins",
    "0xffd8ff",
    "the types are curp, cpf, cnpj, cuil, cc, ce, passport",
    "cpf has 11 digits, cnpj has 14, CURP 18 characters",
    "PH: tin, 9 or 12 digits",
    "clabe 999999000000000002",
    "+525500000000",
    "mailto:ana@example.com",
    "-----BEGIN PUBLIC KEY-----",
    "print(secret_key, api_key)",
    "passport 000000000",
    "for secret_key in load(): print(secret_key)",
    "name,amount,cpf\nAna,11144477735,none\n",
    "0    11144477735\nName: total, dtype: int64",
    "tax id - see 2026-01-31",
)

INNOCENT_DOCUMENTS = (
    outputs(result(["total", "11144477735"], "application/json")),
    outputs(result(["curp", "cpf", "cnpj"], "application/json")),
    outputs(result([[1, 2, 3], [*range(200)]], "application/json")),
    outputs(stream("111"), stream("44477735", "stderr")),
    outputs(stream("total "), result("11144477735")),
    outputs(result({"number": 12345678, "page": 2}, "application/json")),
    outputs(result({"document": {"pages": 12, "url": "https://h.test/1"}}, "application/json")),
    outputs(result({"document": "https://h.test/docs/20260131"}, "application/json")),
    outputs(result({"passport": True, "cpf": None, "curp": ""}, "application/json")),
    outputs(result({"type": "object", "number": 123456}, "application/json")),
    outputs(result({"cc": "somebody"}, "application/json")),
    har(json.dumps({"total": "11144477735", "id": "tr_1"})),
)
