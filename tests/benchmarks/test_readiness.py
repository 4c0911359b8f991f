"""How long an integration of 10,000 requests is judged."""

import time
from statistics import median

from good_integration import GoodIntegration
from readiness_stage import URL, Stage

from paylab.readiness.judgement import judge

REQUESTS = 10_000
ROUNDS = 3
SECONDS_MAX = 3


def days_of_work(count):
    """The rows of a world in which a careful integration sent so many requests."""
    stage = Stage()
    program = GoodIntegration(stage)
    program.bank = program.add_bank(program.onboard("José", "Núñez"))
    stage.listen(program.handle)
    program.subscribe(URL)
    number = 0
    while len(stage.simulator.world.journal) < count:
        number += 1
        with stage.fault("transfers.create", "drop_after", every=10):
            program.follow(program.pay(f"order-{number}", program.bank, "10.00"))
        if number % 50 == 0:
            program.transfers()
    requests = 0
    rows = []
    for row in stage.records():
        requests += row["kind"] == "request"
        rows += [row] * (requests <= count)
    return rows


def test_ten_thousand_requests_are_judged_in_three_seconds(record):
    """10,000 requests with their events and deliveries are judged in 3 seconds."""
    rows = days_of_work(REQUESTS)
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        readiness = judge({"": rows})
        times.append(time.process_time() - begun)
    assert readiness.request_count == REQUESTS
    seconds = median(times)
    print(f"\n{REQUESTS:,} requests, {len(rows):,} records: {seconds:.2f} s, goal {SECONDS_MAX} s")
    figures = {"judge": {"seconds": round(seconds, 2), "records": len(rows)}}
    record("readiness of 10,000 requests", ROUNDS, figures, f"{SECONDS_MAX} s")
    assert seconds < SECONDS_MAX
