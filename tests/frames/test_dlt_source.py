"""A pipeline of dlt loads each row once, exactly, and the changes since its last run."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import duckdb
import pytest
from synced_lists import List, rows

from paylab import frames
from paylab.errors import RuleError

pytestmark = pytest.mark.other_tools


@pytest.fixture(name="dlt")
def library():
    """The library: every worker collects this file, and few run it."""
    return pytest.importorskip("dlt", reason="pip install 'paylab[dlt]'")


@pytest.fixture
def load(dlt, tmp_path, monkeypatch):
    """A function that runs a pipeline into DuckDB, and returns a query's rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")

    def run(source, query, **options):
        pipeline = dlt.pipeline(
            "books",
            destination=dlt.destinations.duckdb(str(tmp_path / "books.duckdb")),
            dataset_name="pay",
            pipelines_dir=str(tmp_path / "pipelines"),
        )
        pipeline.run(frames.dlt_source(SimpleNamespace(transfers=source), "transfers", **options))
        with duckdb.connect(str(tmp_path / "books.duckdb")) as books:
            return books.sql(query).fetchall()

    return run


def test_each_run_loads_what_is_new_or_may_have_changed(load):
    """New rows are added and open ones updated by id; sums and types are exact."""
    source = List(rows(150))
    last = source.rows[-1]["id"]
    source.rows[-1]["status"] = "started"
    source.rows[3]["risk"] = {"score": "0.10"}
    facts = f"""select count(*), count(distinct id), sum(source_amount),
        any_value(typeof(source_amount)), any_value(typeof(exchange_rate)),
        max(status) filter (id = '{last}'), max(extra) from pay.transfers"""
    kinds = ("DECIMAL(24,6)", "DECIMAL(13,8)")
    extra = '{"risk": {"score": "0.10"}}'

    def expected(status):
        amounts = [Decimal(row["source_amount"]) for row in source.rows]
        return [(len(amounts), len(amounts), sum(amounts), *kinds, status, extra)]

    assert load(source, facts) == expected("started")
    source.asked.clear()
    source.rows[-1] = source.rows[-1] | {"status": "completed"}
    newer = {"id": "new", "created_at": "2026-01-29T00:00:00.000Z", "source_amount": "0.123456"}
    source.rows.insert(0, source.rows[0] | newer)
    assert load(source, facts, overlap="1h") == expected("completed")
    assert source.asked == [None, last]
    source.asked.clear()
    assert load(source, facts, overlap="1h") == expected("completed")
    assert source.asked == [None]


def test_a_value_that_a_table_would_round_stops_the_run(load):
    """A value with seven decimals stops the run, unless `scale` has room for it."""
    source = List(rows(5))
    source.rows[0]["source_amount"] = "0.1234567"
    query = "select max(source_amount) from pay.transfers where id = 'tr_00000'"
    with pytest.raises(Exception, match=r"'0\.1234567' does not fit DECIMAL\(24, 6\)"):
        load(source, query)
    assert load(source, query, scale=18) == [(Decimal("0.1234567"),)]


def test_a_list_that_is_no_source():
    """Another name is refused."""
    with pytest.raises(RuleError, match="'events' must be one of transfers, conversions"):
        frames.dlt_source(SimpleNamespace(), "events")
