"""A Service: defaults, service.toml files, errors, and the values read from it."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import tomllib
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paylab
from paylab.errors import ConfigError, ConfigWarning, MissingOperationError, ServiceError
from paylab.spec.field_names import make_account_names
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.renames import Names
from paylab.spec.service import Service
from paylab.spec.service.files import find_line
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.schema import service_schema

KEYS = list(setting_keys().values())
CASES = [(key.name, other) for key in KEYS for other in key.others]

# Names that users write and that must not change.
PROMISED = {
    "paths": (
        *("individuals", "individual", "verification_images", "quotes", "transfers", "transfer"),
        *("conversion_accounts", "conversion_account", "conversions", "sandbox_deposits"),
        *("webhook_subscriptions", "webhook_subscription"),
    ),
    "signing": ("empty_query",),
    "financial_accounts.crypto_wallet": ("required", "allowed"),
    "financial_accounts.crypto_wallet.fields": ("address", "network"),
    "financial_accounts.MX.bank_account": ("required",),
    "financial_accounts.MX.bank_account.fields": ("clabe",),
    "individuals": ("required",),
    "lists": ("max_limit", "order", "items", "more", "cursor"),
    "lists.conversions": ("max_limit", "order", "items", "more", "cursor"),
}


def test_promised_names_are_settings():
    """The documented names are keys of a service.toml and have their default values."""
    for key in (f"{table}.{name}" for table, names in PROMISED.items() for name in names):
        found = setting_keys()[key]
        named = found if found.default is not None else setting_keys()[found.base]
        assert Service().value(key) == named.default


def test_a_service_without_a_file_needs_no_pydantic():
    """Only a file, other values and the schema import pydantic for the settings."""
    code = "import sys, paylab; paylab.Service(); paylab.connect()\n"
    code += "print([name for name in sys.modules if name.partition('.')[0] == 'pydantic'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nothing_given_is_what_is_assumed():
    """Without values every key has its default, and nothing differs."""
    service = paylab.Service()
    assert service.diff() == {}
    assert repr(service) == "Service()"
    assert {one.key for one in service.settings()} == set(setting_keys())
    assert all(one.value == one.default for one in service.settings())
    assert service.signing.empty_query == "omit"
    assert service.accounts.crypto_wallet.allowed == ("base", "ethereum", "polygon", "solana")


GROUPS = sorted({key.partition(".")[0] for key, _ in CASES})


@pytest.mark.parametrize("group", GROUPS)
def test_every_other_value_can_be_set(group, tmp_path):
    """Each key can be set to each of its other values, alone, and a file keeps the value."""
    for key, value in CASES:
        if key.startswith(f"{group}."):
            kept_by_a_file(tmp_path, key, value)


def kept_by_a_file(tmp_path, key, value):
    """Set one key, write the file and read it again."""
    service = Service(nested(key, value))
    assert service.diff() == {key: value}
    assert service.value(key) == value
    assert service != Service()
    usual = Service()
    others = [name for name, each in setting_keys().items() if each.base != key]
    assert [name for name in others if service.value(name) != usual.value(name)] == [key]
    path = tmp_path / "service.toml"
    path.write_text(service.to_toml())
    again = Service.load(path)
    assert (again, again.diff()) == (service, {key: value})


@settings(max_examples=30)
@given(st.lists(st.sampled_from(CASES), min_size=2, max_size=8).map(dict))
def test_several_values_survive_a_file(tmp_path_factory, values):
    """Any combination of values is written to a file and read back equal."""
    service = Service().with_values(values)
    path = tmp_path_factory.mktemp("service") / "service.toml"
    path.write_text(service.to_toml())
    again = Service.load(path)
    assert (again, hash(again), again.diff()) == (service, hash(service), service.diff())
    assert [again.origin(key) for key in values] == ["yours"] * len(values)
    assert Service(tomllib.loads(service.to_toml())) == service


def test_each_key_is_written_below_its_question():
    """The file has only the values that differ, each below a comment with its question."""
    text = Service({"paths.quotes": "/v1/quote", "lists.max_limit": 50}).to_toml()
    tables = tomllib.loads(text)
    assert tables == {"paths": {"quotes": "/v1/quote"}, "lists": {"max_limit": 50}}
    above = text.splitlines()[text.splitlines().index('quotes = "/v1/quote"') - 1]
    assert above == f"# {setting_keys()['paths.quotes'].question}"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[paths]\nquote = "/v1/q"\n', 2, "paths.quote; nearest: paths.quotes"),
        ('\n[lists.conversion]\nitems = "rows"\n', 2, "nearest: lists.conversions"),
        ("[pahts]\n", 1, "nearest: paths"),
        ('"" = 1\n', 1, "a service.toml has: "),
        ("[zzz]\n", 1, "a service.toml has: signing"),
        ('[zzz.b]\nx = 1\n[paths]\nquotes = "/v1/q"\n', 1, "a service.toml has: signing"),
        ('[paths]\nquotes = "/v1/q"\n[conversions]\n', 3, "; there are paths.conversions, "),
        ('[conversions.fields]\nid = "x"\n', 1, "no setting conversions; there are paths."),
        ("[lists]\n[extra.transfers.create]\nx = 1\n[paths]\n", 2, '[extra."transfers.create"]'),
        ('[transfers]\nrequired = ["ref"]\n', 2, "not 'ref'"),
        ('[lists]\n# rows\nmax_limit = "many"\n', 3, "a whole number from 1 to 10000, not 'many'"),
        ("[lists]\nmax_limit = true\n", 2, "a whole number"),
        ("[lists]\nmax_limit = 0\n", 2, "from 1 to"),
        ('[signing]\n\nempty_query = "skip"\n', 3, 'one of "omit", "blank", not \'skip\''),
        ("[error_codes]\nsignature = 402\n", 2, "one of 401, 403, not 402"),
        ("[error_codes]\nsignature = 401.0\n", 2, "one of 401, 403"),
        ('[quotes.fields]\ntotal_fee = "a.0.b"\n', 2, "must not step into a list"),
        ('[quotes.fields]\ntotal_fee = "a..b"\n', 2, "before and after each dot"),
        ('[quotes.fields]\ntotal_fee = "total_tax.x"\n', 2, "cannot both be"),
        ('[extra."transfers.crate"]\npurpose = "1"\n', 1, "nearest: transfers.create"),
        ('[extra]\n"transfers.create" = 1\n', 2, "must be a table of fields"),
        ('[extra."transfers.create"]\nat = 2026-01-31\n', 1, "(a time too) in quotes"),
        ('[extra."transfers.create"]\nlist = [{ rate = inf }]\n', 1, "a finite number"),
        ("[errors]\nwords = 2026-01-31\n", 2, "not datetime.date(2026, 1, 31)"),
        ('"signing.tolerance" = 1\n[signing]\ntolerance = 2\n', 1, "is set twice"),
        ("[signing]\n\n'tolerance ' = 1\n", 3, "nearest: signing.tolerance"),
        ('[individuals]\nrequired = [\n  "emial",\n]\n', 2, "is 'email' meant?"),
        ('[individuals]\nrequired = "email"\n', 2, "must be a list of words"),
        ('[individuals]\nrequired = ["email", "email"]\n', 2, "a word twice"),
        ('paths.individual = "/v1/people"\n', 1, "holds {id}"),
        ('[paths]\nquotes = "/v1/quotes/{id}"\n', 2, "without {...}"),
        ('[paths]\nquotes = "v1/quotes"\n', 2, "must be a path"),
        ('[paths]\nquotes = "/v1/quotes?a=1"\n', 2, "must be a path"),
        ('[paths]\nquotes = "/v1/../quotes"\n', 2, 'without a "." or ".."'),
        ('[paths]\nquotes = "/v1/quotes/."\n', 2, 'without a "." or ".."'),
        ('[paths]\nquotes = "/v1/%2e%2E/quotes"\n', 2, 'without a "." or ".."'),
        ('[paths]\ntransfer = "/v1/.%2e/{id}"\n', 2, 'without a "." or ".."'),
        ('[paths]\nquotes = "/_simulator/quotes"\n', 2, "must be a path"),
        ('[paths]\nquotes = "/v1/transfers"\n', 2, "both quotes.create and transfers.create"),
        ('[webhooks]\ntype_field = " "\n', 2, "must be a name"),
        ('[webhooks]\ntype_field = "none"\n', 2, "must be a name"),
        ("[webhooks]\ntimeout = 5\n[webhooks.x]\n", 3, "webhooks.x"),
        ("[webhooks]\ndelays = [1, -1]\n", 2, "from 0 to"),
        ("lists = 3\n", 1, "lists is a table"),
        ('[quotes.fields]\ntotal_fee = "total_tax"\n', 2, "cannot both be 'total_tax'"),
        ('[transfers.fields]\nquote_id = "source_amount"\n', 2, "cannot both be 'source_amount'"),
        ("[paths]\nquotes = \n", 2, "not TOML"),
        ('[paths]\nquotes = """\n', 2, "not TOML"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(tmp_path, text, line, words):
    """The error names the file, the line of the key and the allowed values."""
    path = tmp_path / "service.toml"
    path.write_text(text)
    with pytest.raises(ServiceError) as caught:
        Service.load(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert words in str(caught.value)
    assert caught.value.line == line
    assert isinstance(caught.value, ConfigError)


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read: No such file"), (b"\xff\xfe", "is not UTF-8 text")],
)
def test_a_file_that_cannot_be_read(tmp_path, content, words):
    """A missing file and a file that is not text both raise ServiceError."""
    path = tmp_path / "service.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ServiceError, match=words):
        Service.load(path)


@pytest.mark.parametrize(
    ("key", "line"), [("a", 1), ("t", 2), ("t.b", 3), ("t.b.c", 3), ("t.d", 2), ("d", 4)]
)
def test_a_key_is_found_in_its_line(key, line):
    """It is the line of the key, of what it is in, or the last one."""
    assert find_line("a = 1\n[t]\nb = 2\n# the end", key) == line


def test_a_service_cannot_be_changed():
    """A Service is immutable, and can be copied, pickled and used as a dict key."""
    service = Service().with_values({"paths.quotes": "/v1/quote"})
    with pytest.raises(AttributeError):
        service.paths = None
    with pytest.raises(AttributeError):
        service.paths.quotes = "/v1/quotes"
    assert Service().paths.quotes == "/v1/quotes"
    assert {service: 1}[copy.deepcopy(service)] == 1
    assert pickle.loads(pickle.dumps(service)) == service


def test_where_a_value_is_from():
    """The origin of a value is that of the assumption, or the user."""
    service = Service().with_values({"lists.order": "newest_first"})
    assert Service().origin("lists.order") == "chosen"
    assert (service.origin("lists.order"), service.declares(lambda each: each.lists.order)) == (
        "yours",
        True,
    )
    assert service == Service()
    assert 'order = "newest_first"' in service.to_toml()


def test_one_list_can_differ_from_the_others():
    """A value for one list overrides the value for all lists, which overrides the default."""
    service = Service(
        {"lists": {"max_limit": 10, "items": "rows", "conversions": {"max_limit": 5}}}
    )
    assert (service.list("conversions").max_limit, service.list("transfers").max_limit) == (5, 10)
    assert service.list("conversions").items == "rows"
    assert service.list("transfers").default_limit == 10
    assert service.list("conversions").more == "has_next_page"
    assert service.lists.conversions.more is None
    assert service.list("webhook_subscriptions").is_array


def test_a_path_is_filled_in():
    """Ids are encoded as one path segment, whatever characters they contain."""
    service = Service({"paths.sandbox_deposits": "/v1/a/{conversion_account_id}/pay"})
    assert service.path("transfers.get", id="tr_1") == "/v1/transfers/tr_1"
    assert service.path("transfers.create") == "/v1/transfers"
    assert service.path("individuals.submit_token", id="a/b") == (
        "/v1/individuals/a%2Fb/verification_token"
    )
    assert service.path("individuals.get", id="..") == "/v1/individuals/%2E%2E"
    assert service.path("sandbox.deposit", conversion_account_id="{id}") == "/v1/a/%7Bid%7D/pay"


def test_a_subscription_is_deleted_where_it_is_read():
    """A subscription is deleted at the path where it is read, unless another path is set."""
    moved = Service({"paths.webhook_subscription": "/v1/webhooks/{id}"})
    assert moved.path("webhook_subscriptions.delete", id="wh_1") == "/v1/webhooks/wh_1"
    assert moved.diff() == {"paths.webhook_subscription": "/v1/webhooks/{id}"}
    none = moved.with_values({"paths.delete_webhook_subscription": "none"})
    assert {*none.match("/v1/webhooks/wh_1")[0]} == {"GET"}


def test_an_operation_that_does_not_exist():
    """The error for a missing operation names the operation and the key to set."""
    with pytest.raises(MissingOperationError, match=r"conversions\.get: paths\.conversion is"):
        Service().path("conversions.get", id="conv_1")


def test_operations_are_found_by_their_path():
    """A fixed path wins over one with a placeholder; `match` returns all methods of a path."""
    service = Service({"paths.individuals": "/v1/individuals/list"})
    listed, parts = service.match("/v1/individuals/list")
    assert ({*listed}, parts) == ({"GET"}, {})
    assert listed["GET"].operation == "individuals.list"
    single, parts = service.match("/v1/webhook_subscriptions/wh_1")
    assert ({*single}, parts) == ({"GET", "DELETE"}, {"id": "wh_1"})
    assert service.match("/v1/individuals/a/b/c") == ({}, {})
    path = "/v1/accounts/{conversion_account_id}/pay/{id}"
    both = Service({"paths.sandbox_deposits": path}).match("/v1/accounts/ca_1/pay/x")[1]
    assert both == {"conversion_account_id": "ca_1", "id": "x"}
    there = {route.operation for route in service.routes}
    assert there == {*OPERATIONS} - {"conversions.get", "balances.get"}


@pytest.mark.parametrize(
    ("country", "kind", "key", "field"),
    [
        ("MX", "bank_account", "financial_accounts.MX.bank_account", ""),
        ("DE", "bank_account", "financial_accounts.SEPA.bank_account", ""),
        ("DE", "crypto_wallet", "financial_accounts.crypto_wallet", "network"),
        (None, "crypto_wallet", "financial_accounts.crypto_wallet", "network"),
        (None, "pix", "financial_accounts.BR.pix", "pix_key_type"),
        ("PH", "digital_wallet", "financial_accounts.PH.digital_wallet", "issuer"),
        ("MX", "pix", None, ""),
        (None, "bank_account", None, ""),
        ("US", "bank_account", None, ""),
    ],
)
def test_an_account_type_is_found_by_country_and_kind(country, kind, key, field):
    """SEPA countries share one account type, and a crypto wallet is the same everywhere."""
    form = Service().account(country, kind)
    assert (form and (form.key, form.field)) == (key and (key, field))


def test_details_have_the_names_of_the_service():
    """Details have the service's names when sent, ours when read; `allowed` may name a field."""
    service = Service(
        {
            "financial_accounts.crypto_wallet": {
                "fields": {"address": "wallet_address"},
                "required": ["address", "label"],
                "allowed": {"network": ["base"]},
            }
        }
    )
    form = service.account("MX", "crypto_wallet")
    assert (form.required, form.allowed) == (("address", "label"), ("base",))
    ours, theirs = (
        {"address": "0x1", "network": "base"},
        {"wallet_address": "0x1", "network": "base"},
    )
    assert make_account_names(form).to_theirs(ours) == theirs
    assert make_account_names(form).to_ours(theirs) == ours


@pytest.mark.parametrize(
    ("theirs", "ours", "sent"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": "x"}, {"a": 1, "b": 2}, {"x": 1, "b": 2}),
        ({"a": "b", "b": "a"}, {"a": 1, "b": 2}, {"b": 1, "a": 2}),
        ({"a": "x.y"}, {"a": 1, "b": 2}, {"x": {"y": 1}, "b": 2}),
        ({"a": "x.y", "b": "a"}, {"a": 1, "b": 2}, {"x": {"y": 1}, "a": 2}),
        ({"a": "x.y.z", "b": "x.b"}, {"a": 1, "b": 2}, {"x": {"y": {"z": 1}, "b": 2}}),
        ({"a": "b.y"}, {"a": 1, "b": {"id": 2}}, {"b": {"id": 2, "y": 1}}),
    ],
)
def test_names_go_there_and_back(theirs, ours, sent):
    """Fields sent with the service's names are read back with ours."""
    names = Names(theirs)
    assert names.to_theirs(ours) == sent
    assert names.to_ours(sent) == ours


@pytest.mark.parametrize(
    ("errors", "key", "places"),
    [
        ({"words": "errors"}, "words", "'errors' and 'errors'"),
        ({"words": "error.message", "problems": "error"}, "words", "'error.message' and 'error'"),
        ({"problems": "error.message"}, "problems", "'error.message' and 'error.message'"),
        ({"problems": "error.message", "list_form": "by_field"}, "problems", "and 'error.message'"),
        ({"words": "errors.all", "list_form": "by_field"}, "words", "'errors.all' and 'errors'"),
        ({"field": "message"}, "field", "'message' and 'message'"),
        ({"message": "field.text"}, "message", "'field' and 'field.text'"),
    ],
)
def test_two_values_of_an_error_have_places_of_their_own(errors, key, places):
    """A service that could not answer with both of them is refused, by the key that was set."""
    with pytest.raises(ServiceError, match=f"{places}$") as caught:
        Service({"errors": errors})
    assert caught.value.key == f"errors.{key}"


def test_a_field_gives_way_to_the_one_that_is_called_so():
    """If a field is renamed to x, another field that is already called x is dropped."""
    assert Names({"a": "x"}).to_theirs({"x": 0, "a": 1}) == {"x": 1}


@pytest.mark.parametrize(
    ("country", "rails"), [("MX", ("spei",)), ("FR", ("sepa_instant",)), ("US", ())]
)
def test_sepa_countries_share_one_list_of_rails(country, rails):
    """SEPA countries share one list of rails; a country without a corridor has none."""
    assert Service().payout_methods(country) == rails


def test_a_renamed_field_wins_over_one_with_the_same_name():
    """The order of the fields does not matter."""
    names = Names({"source_amount": "amount"})
    assert names.to_theirs({"amount": "1", "source_amount": "2"}) == {"amount": "2"}
    assert names.to_theirs({"source_amount": "2", "amount": "1"}) == {"amount": "2"}


def nested(key, value):
    """The tables of a file that sets one key."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return value


def test_every_wrong_key_is_one_line(tmp_path):
    """Each wrong key has one line with its place, in the order of the file."""
    path = tmp_path / "service.toml"
    path.write_text('[signing]\nnonce = "x"\ntolerence = 5\n[webhooks]\ntimeout = 0\n')
    with pytest.raises(ServiceError) as caught:
        Service.load(path)
    lines = [line.removeprefix(f"{path}, line ") for line in str(caught.value).splitlines()]
    assert [line[:3] for line in lines] == ["2: ", "3: ", "5: "]
    assert "nearest: signing.tolerance" in lines[1]
    assert (caught.value.key, caught.value.line) == ("signing.nonce", 2)


OLD_KEYS = [
    ({"quotes.account_form": "id"}, {"quotes.fields.financial_account_id": "financial_account_id"}),
    (
        {"quotes.account_form": "id", "quotes.fields.financial_account_id": "account_id"},
        {"quotes.fields.financial_account_id": "account_id"},
    ),
    (
        {"quotes.fields.financial_account": "account"},
        {"quotes.fields.financial_account_id": "account.id"},
    ),
    (
        {"conversion_accounts.account_form": "id"},
        {"conversion_accounts.fields.payout_account_id": "payout_account_id"},
    ),
    (
        {"conversion_accounts.fields.payout_account": "wallet"},
        {"conversion_accounts.fields.payout_account_id": "wallet.id"},
    ),
    ({"lists.envelope": "array"}, {"lists.items": "none"}),
    (
        {"lists.webhook_subscriptions.envelope": "object"},
        {"lists.webhook_subscriptions.items": "data"},
    ),
    ({"lists.envelope": "object"}, {}),
    ({"error_codes.details": 422}, {}),
    ({"images.kilobyte": 1000}, {}),
    ({"deposit_instructions.gb_bank_account.fields.account_number": "number"}, {}),
]


@pytest.mark.parametrize(("old", "new"), OLD_KEYS)
def test_a_key_of_an_older_file_is_read_in_todays_form(old, new):
    """A key that is gone keeps its meaning if it has one today; a warning says what replaces it."""
    with pytest.warns(ConfigWarning, match="is no longer a setting"):
        service = Service(old)
    differing = service.diff()
    differing.pop("transfers.fields.financial_account_id", None)
    assert differing == new


def test_a_key_that_is_gone_is_told_with_its_place(tmp_path):
    """The warning names the file and the line."""
    path = tmp_path / "service.toml"
    path.write_text('\n[lists]\nenvelope = "array"\n')
    with pytest.warns(ConfigWarning, match="line 3: lists.envelope is no longer .* items = "):
        assert Service.load(path).list("transfers").is_array


GONE_KEYS = """
    error_codes.content_type error_codes.details error_codes.wallet_update error_codes.unknown_quote
    errors.content quotes.account_form quotes.fields.financial_account transfers.source_types
    conversion_accounts.account_form conversion_accounts.fields.payout_account lists.envelope
    lists.individuals.envelope lists.transfers.envelope lists.conversion_accounts.envelope
    lists.conversions.envelope lists.webhook_subscriptions.envelope lists.individuals.default_limit
    lists.transfers.default_limit lists.conversion_accounts.default_limit
    lists.conversions.default_limit lists.webhook_subscriptions.default_limit
    lists.individuals.over_limit lists.transfers.over_limit lists.conversion_accounts.over_limit
    lists.conversions.over_limit lists.webhook_subscriptions.over_limit idempotency.compare
    idempotency.scope images.kilobyte deposit_instructions.ae_bank_account.fields.iban
    deposit_instructions.ae_bank_account.fields.account_holder_name
    deposit_instructions.eu_bank_account.fields.account_holder_name
    deposit_instructions.eu_bank_account.fields.iban
    deposit_instructions.gb_bank_account.fields.account_holder_name
    deposit_instructions.gb_bank_account.fields.account_number
""".split()  # noqa: SIM905 - a line for each of them would hide the tests


@pytest.mark.parametrize("key", GONE_KEYS)
def test_every_key_that_is_gone_is_still_read(key):
    """A file with a key of an earlier version is read; the warning says what to write instead."""
    assert key not in setting_keys()
    with pytest.warns(ConfigWarning, match=rf"{key} is no longer a setting: \w"):
        Service({key: "object"})


def test_constants_cannot_be_changed():
    """The objects and lists inside constant fields are immutable too, and can be hashed."""
    service = Service({"extra": {"quotes.create": {"meta": {"tags": ["a"], "source": {"b": 1}}}}})
    meta = service.extra["quotes.create"]["meta"]
    with pytest.raises(TypeError):
        meta["source"]["b"] = 2
    assert meta["tags"] == ("a",)
    assert {service: 1}[pickle.loads(pickle.dumps(service))] == 1
    assert Service(tomllib.loads(service.to_toml())) == service


@pytest.mark.parametrize("word", ["😀", "\x7f", "\u202e", 'a "b" \\ \n', "é"])
def test_any_text_of_a_constant_survives_a_file(word):
    """A file is ASCII, and has the same text: also a character above U+FFFF."""
    service = Service({"extra": {"quotes.create": {word: {word: [word]}}}})
    assert service.to_toml().isascii()
    assert Service(tomllib.loads(service.to_toml())) == service


@pytest.mark.parametrize(
    "constant", [None, object(), b"x", float("nan"), "\ud800", {1: "x"}, [None]]
)
def test_a_constant_is_what_json_and_toml_have(constant):
    """Anything else is an error, never sent as its Python representation."""
    with pytest.raises(ServiceError, match="JSON does not have"):
        Service({"extra": {"quotes.create": {"purpose": constant}}})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("service.toml", r"Service\.load"),
        ({"signing.tolerance": 60, "signing": {"tolerance": 61}}, "is set twice"),
        (
            {"extra": {"quotes.create": {"a": 1}}, "extra.quotes.create": {"b": 1}},
            "is set twice",
        ),
    ],
)
def test_values_are_said_once_and_in_a_mapping(values, words):
    """A path names the way to read it, and no setting has two values."""
    with pytest.raises(ServiceError, match=words):
        Service(values)


def test_a_file_of_a_windows_editor_is_read(tmp_path):
    """The byte order mark that it writes first is no part of the TOML."""
    path = tmp_path / "service.toml"
    path.write_bytes(b"\xef\xbb\xbf[signing]\r\ntolerance = 60\r\n")
    assert Service.load(path).signing.tolerance == 60


def test_settings_are_changed_as_dataclasses_are():
    """`dataclasses.replace` gives another Service, whose differences it knows."""
    signing = replace(Service().signing, tolerance=60)
    service = replace(Service(), signing=signing)
    assert service == Service({"signing.tolerance": 60})
    assert (service.diff(), service.origin("signing.tolerance")) == (
        {"signing.tolerance": 60},
        "yours",
    )
    assert hash(service) == hash(Service({"signing.tolerance": 60}))


def test_a_huge_file_is_not_read(tmp_path):
    """A file that no memory holds is refused in words."""
    path = tmp_path / "service.toml"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ServiceError, match="too large"):
        Service.load(path)


@pytest.mark.parametrize(
    ("table", "our", "their"),
    [
        ("financial_accounts.MX.bank_account", "clabe", "clabe_number"),
        ("financial_accounts.crypto_wallet", "network", "chain.name"),
        ("transfers", "client_reference_id", "external_reference"),
        ("conversion_accounts", "destination_currency", "to"),
    ],
)
def test_a_required_field_may_have_the_name_of_the_service(table, our, their):
    """A list of required fields is read with the names of the table beside it."""
    names = {f"{table}.fields.{our}": their}
    service = Service({**names, f"{table}.required": [their]})
    assert service.value(f"{table}.required") == (our,)
    assert service == Service(names).with_values({f"{table}.required": [our]})
    assert Service(tomllib.loads(service.to_toml())) == service


def test_our_name_of_a_required_field_comes_first():
    """A word that is both our name of one field and the service's of another is ours."""
    table = "financial_accounts.PH.bank_account"
    swapped = {"account_number": "issuer", "issuer": "account_number"}
    names = {f"{table}.fields.{our}": their for our, their in swapped.items()}
    service = Service({**names, f"{table}.required": ["issuer"]})
    assert service.value(f"{table}.required") == ("issuer",)


def test_the_schema_describes_tables_and_what_belongs_into_a_setting():
    """An editor shows whose names a list has, what dots do, and that operations are quoted."""
    tables = service_schema()["properties"]
    bank = tables["financial_accounts"]["properties"]["MX"]["properties"]["bank_account"]
    lists = tables["lists"]["properties"]
    for about, words in {
        bank["properties"]["required"]["description"]: "paylab's names",
        tables["individuals"]["properties"]["required"]["description"]: "paylab's names",
        tables["signing"]["description"]: "headers have the names of the specification",
        tables["extra"]["description"]: '[extra."transfers.create"]',
        lists["more"]["description"]: "dots step into objects",
        lists["cursor"]["description"]: "dots step into objects",
    }.items():
        assert words in about


def test_a_warning_of_another_library_stays_what_it_is(tmp_path):
    """Loading a file shows a warning raised meanwhile with its own category."""
    path = tmp_path / "service.toml"
    path.write_text("[signing]\ntolerance = 60\n")

    class LoudService(Service):
        def __post_init__(self, values):
            warnings.warn("an API is deprecated", DeprecationWarning, stacklevel=1)
            super().__post_init__(values)

    with pytest.warns(DeprecationWarning, match="an API is deprecated"):
        assert LoudService.load(path).signing.tolerance == 60
