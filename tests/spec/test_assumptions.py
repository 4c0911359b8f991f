"""The table of assumptions about what the spec leaves open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paylab
from paylab.errors import ServiceError
from paylab.spec import assumptions
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys

PACKAGE = Path(paylab.__file__).parent
ORIGINS = {"spec", "public", "chosen", "spec, public", "public, spec", "spec, chosen"}

OPEN_POINTS = """
    account.owner object.envelope object.missing request.extra signing.base idempotency.operations
    signing.empty-query signing.header-order signing.key-encoding signing.body-hash signing.path
    signing.nonce-absent signing.date-form request.content-type signing.errors signing.tolerance
    errors.body errors.server ids currency.case individual.create-status individual.required
    individual.list individual.get individual.initial-payouts individual.under-review kyc.terminal
    kyc.initial-details images.read idv.provider idv.who details.ar details.br details.co
    details.in details.mx details.ph details.ph-qr details.gb details.sepa details.wallet
    account.errors quote.operation transfer.create transfer.get transfer.deposit
    transfer.other-moves transfer.payout-initiated money.rule list.order list.cursor ca.create
    ca.list ca.states ca.provisioning ca.idempotency-202 deposit.path deposit.review
    conversion.other-moves conversion.get instructions.mx instructions.ph instructions.other
    webhook.create-status webhook.operations webhook.delivery webhook.identity clock.signing
    clock.frozen clock.advance signing.host signing.query signing.hex signing.required
    signing.nonce-use check.order field.names field.optional field.country document.number
    check-digits account.country account.update account.iban images.bounds images.repeat
    images.answer images.leave images.token-individual kyc.names quote.unknown transfer.product
    transfer.answer transfer.deposit-source transfer.individual transfer.nulls
    transfer.completed-in amount.form amount.derived page.limit page.filter ca.product ca.slow
    conversion.fee instructions.template idempotency.same idempotency.race webhook.url
    webhook.time webhook.order webhook.active data.restart
""".split()  # noqa: SIM905 - a line for each of them would hide the tests
KEYS = list(setting_keys().values())


def test_every_open_point_has_a_row():
    """Every open point of the spec has a row in the assumptions."""
    assert [assumptions.get(point).id for point in OPEN_POINTS] == OPEN_POINTS


def test_every_setting_takes_its_values_and_has_a_question():
    """Every key takes its default and its other values, and has a question to ask."""
    for key in KEYS:
        assert key.question.endswith("?"), key.name
        assert key.others or key.name == "extra", key.name
        assert key.default not in key.others, key.name
        assert key in assumptions.get(key.row).keys, key.name
        assert key.origin in assumptions.get(key.row).origin, key.name
        for value in (key.default, *key.others):
            known = key.words if key.words else None
            assert (
                value is None or value in known if known else value is None or checked(key, value)
            )


def checked(key, value):
    """Whether the limit of a key accepts a value as it is."""
    return key.limit is None or key.limit.check(value) == value


@pytest.mark.parametrize(
    ("name", "kind", "others"),
    [
        ("paths.transfer", "path", ("/v1/transfer/{id}", "none")),
        ("signing.empty_query", "word", ("blank",)),
        ("error_codes.state", "word", (400, 409)),
        ("errors.message", "name", ("msg", "reason")),
        ("lists.max_limit", "integer", (50, 200)),
        ("idempotency.stored", "integers", ((200, 201, 202),)),
        ("statuses.transfers", "words", (("on_hold",),)),
        ("rails.IN", "words", (("upi", "local"),)),
        ("quotes.fields.total_fee", "name", ("fee",)),
        ("lists.conversions.items", "name", ("items", "result.rows", "none")),
        ("lists.webhook_subscriptions.items", "name", ("data",)),
        ("objects.transfers.item", "name", ("data", "result.item")),
        ("extra", "table", ()),
    ],
)
def test_what_follows_from_an_annotation(name, kind, others):
    """The kind of a key, and its other values, follow from the annotation of its field."""
    key = setting_keys()[name]
    assert (key.kind, key.others) == (kind, others)


def test_names_of_keys_are_unique():
    """No two rows set the same key."""
    assert len({key.name for key in KEYS}) == sum(len(row.keys) for row in assumptions.ALL)


@pytest.mark.parametrize("value", [None, 1.5, True, "", "two\nlines", [1.5], [""], {}, -1])
def test_no_key_takes_a_value_of_a_wrong_type(value):
    """Every key refuses a value of a wrong type, and a line of the error says what it must be."""
    keys = [key.name for key in KEYS if value != {} or key.kind != "table"]
    with pytest.raises(ServiceError) as caught:
        Service(dict.fromkeys(keys, value))
    said = {line.split()[0] for line in str(caught.value).splitlines() if "must" in line}
    assert [key for key in keys if key not in said] == []


def test_names_of_other_services_do_not_collide():
    """The alternative names of the fields of one object are all different."""
    tables: dict[str, list[object]] = {}
    for key in KEYS:
        table, dot, _ = key.name.partition(".fields.")
        if dot:
            tables.setdefault(table, []).extend({key.default, *key.others})
    assert [table for table, names in tables.items() if len(set(names)) < len(names)] == []


def test_no_two_rows_have_the_same_id():
    """No two rows have the same id."""
    assert len({row.id for row in assumptions.ALL}) == len(assumptions.ALL)


def test_every_row_says_what_is_assumed():
    """Every row says what is assumed, and has keys or the reason why it has none."""
    for row in assumptions.ALL:
        assert assumptions.get(row.id) is row
        assert row.assumed, row.id
        assert row.origin in ORIGINS, row.id
        assert bool(row.question) != (row.area == "Precise readings"), row.id
        advice = f"{row.id}: a row with a setting has no `keyless`, any other has one"
        assert bool(row.keys) != bool(row.keyless), advice


def test_an_unknown_id_raises_keyerror_with_the_nearest_id():
    """An unknown id raises KeyError with the nearest id."""
    with pytest.raises(KeyError, match=r"nearest: .*details\.mx"):
        assumptions.get("details.mex")


def test_every_row_is_in_the_generated_section():
    """The section that `markdown` generates contains every row and every scenario."""
    section = assumptions.markdown()
    assert all(
        f"| {row.id}<br>" in section or f"| {row.id} |" in section for row in assumptions.ALL
    )
    assert all(scenario.outcome in section for scenario in assumptions.SCENARIOS)
    assert "| deposit, sender_name | an empty text | held for review (pending) |" in section
    assert "**Where are individuals listed, and how?**" in section
    assert (
        "Keys: `paths.individuals`, `lists.limit_parameter`, `lists.cursor_parameter` |" in section
    )
    assert "Keys: `quotes.fields`, `quotes" not in section
    assert "`success_codes.quotes`, `quotes.default_source_currency`" in section
    assert "| images.bounds | 10 KB is 10,240 bytes" in section


def test_the_section_is_well_formed():
    """Every row of a table has as many cells as the row above it."""
    tables = re.findall(r"(?:^\|.*\n?)+", assumptions.markdown(), re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
    assert len(tables) == 8


def test_problems_rest_on_rows_that_exist():
    """Every source that a rule or a corridor names is "spec" or the id of a row."""
    text = "".join(path.read_text() for path in [*PACKAGE.glob("rules/*.py"), *_tables()])
    text = re.sub(
        r'_make_stdnum_check\(".*?"\)', "", text
    )  # modules of stdnum have names like "br.cpf"
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*|check-digits)"', text))
    assert named
    assert named <= {row.id for row in assumptions.ALL} | {*setting_keys(), *OPERATIONS}


def _tables():
    return list(PACKAGE.glob("corridors/*.py"))
