"""Spark reads exported files and datasets without losing a digit."""

from __future__ import annotations

import shutil
from decimal import Context, Decimal, localcontext

import pytest

import paylab

pyspark = pytest.importorskip("pyspark", reason="pip install pyspark, 520 MB, in a job of its own")
pytestmark = [
    pytest.mark.other_tools,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]
AMOUNTS = ("source_amount", "destination_amount", "exchange_rate", "total_fee")
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


@pytest.fixture(scope="module")
def spark():
    """Spark on one thread of this machine."""
    builder = pyspark.sql.SparkSession.builder.master("local[1]")
    for name, value in LOCAL.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_sums_and_products_of_spark_are_exact(spark, tmp_path):
    """A file and a dataset have the same sums, and amount times rate keeps every digit."""
    lab = paylab.connect()
    lab.simulator.seed(transfers=300)
    lab.transfers.export(tmp_path / "transfers.parquet")
    paylab.frames.Dataset(tmp_path / "days").sync(lab.transfers)
    with localcontext(Context(prec=99)):
        raw = [transfer.raw for transfer in lab.transfers.list()]
        sums = [sum(Decimal(row[name]) for row in raw) for name in AMOUNTS]
        sums.append(
            sum(Decimal(row["source_amount"]) * Decimal(row["exchange_rate"]) for row in raw)
        )
    for name in ("transfers.parquet", "days"):
        table = spark.read.parquet(str(tmp_path / name))
        answer = table.selectExpr(
            *(f"sum({amount})" for amount in AMOUNTS),
            "sum(source_amount * exchange_rate)",
            "typeof(first(source_amount * exchange_rate))",
        ).collect()[0]
        assert [*answer] == [*sums, "decimal(38,14)"]
