"""The clock: frozen, running, sped up, advanced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from inspect import signature

import pytest

import paylab
from paylab.errors.base import ArgumentError
from paylab.simulator.clock import END, START, Clock
from paylab.simulator.simulator import Simulator
from paylab.spec.time_arguments import read_seconds

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


class Wall:
    """A real-time clock that the test sets."""

    def __init__(self):
        self.seconds = 1_800_000_000.0

    def __call__(self):
        """The time of the clock."""
        return self.seconds


@pytest.fixture
def wall():
    """A real-time clock that stands still until the test changes it."""
    return Wall()


def test_frozen_begins_at_one_instant(wall):
    """A frozen clock always starts at the same instant, and real time does not change it."""
    clock = Clock(wall=wall)
    wall.seconds += 1e6
    assert clock.now() == Clock(wall=lambda: 5.0).now() == START == NOON


@pytest.mark.parametrize(("speed", "passed"), [(1.0, 10), (50.0, 500), (0.5, 5)])
def test_runs_at_its_speed(wall, speed, passed):
    """A running clock starts at real time and advances at its speed."""
    clock = Clock(frozen=False, speed=speed, wall=wall)
    begun = clock.now()
    assert begun == datetime.fromtimestamp(wall.seconds, UTC)
    wall.seconds += 10
    assert clock.now() - begun == timedelta(seconds=passed)


@pytest.mark.parametrize("frozen", [True, False])
def test_the_clock_never_goes_back(wall, frozen):
    """The clock does not go back, neither by a jump nor when real time goes back."""
    clock = Clock(frozen=frozen, wall=wall)
    before = clock.now()
    clock.jump(before - timedelta(days=1))
    wall.seconds -= 100
    assert clock.now() == before


def test_a_clock_that_is_frozen_and_released_continues_from_the_time_where_it_stopped(wall):
    """A clock that is frozen and released continues from the time where it stopped."""
    clock = Clock(frozen=False, wall=wall)
    begun = clock.now()
    wall.seconds += 3
    clock.set(frozen=True)
    wall.seconds += 1000
    clock.set(frozen=False)
    wall.seconds += 4
    assert clock.now() - begun == timedelta(seconds=7)


def test_a_new_speed_counts_from_now(wall):
    """A new speed applies from now on; the time that has passed does not change."""
    clock = Clock(frozen=False, speed=10, wall=wall)
    begun = clock.now()
    wall.seconds += 1
    clock.set(speed=2)
    wall.seconds += 1
    assert clock.now() - begun == timedelta(seconds=12)


@pytest.mark.parametrize("frozen", [True, False])
def test_after_a_restore_a_frozen_clock_has_the_same_time(wall, frozen):
    """After a restore a frozen clock has the same time; a running one has continued."""
    old = Clock(frozen=frozen, speed=3, wall=wall)
    saved = old.dump()
    wall.seconds += 20
    new = Clock(wall=wall)
    new.restore(saved)
    assert (new.now(), new.frozen, new.speed) == (old.now(), frozen, 3)


@pytest.mark.parametrize("absent", ["base", "since", "frozen", "speed"])
def test_a_dump_without_one_of_its_values_changes_nothing(wall, absent):
    """A dump without one of its values is refused, and the clock goes on as before."""
    saved = Clock(frozen=True, speed=3, wall=wall).dump()
    del saved[absent]
    clock = Clock(frozen=False, speed=2, wall=wall)
    wall.seconds += 20
    state = clock.state()
    with pytest.raises(KeyError):
        clock.restore(saved)
    assert clock.state() == state


def test_ends_before_dates_do(wall):
    """The clock stops at its maximum, so that a deadline a day later can still be written."""
    clock = Clock(frozen=False, speed=1e6, wall=wall)
    wall.seconds += 1e9
    assert clock.now() == END
    clock.jump(END + timedelta(days=1))
    assert clock.now() == END


def test_the_time_of_the_clock_is_in_whole_milliseconds(wall):
    """The time of the clock is in whole milliseconds."""
    clock = Clock(frozen=False, wall=wall)
    wall.seconds += 0.1239
    assert clock.now().microsecond % 1000 == 0


def test_two_frozen_simulators_have_the_same_repr_and_the_same_start_time():
    """Two frozen simulators have the same repr and the same start time."""
    assert repr(Simulator()) == repr(Simulator())
    assert Simulator().world.stamp() == "2026-01-15T12:00:00.000Z"


@pytest.mark.parametrize(("name", "default"), [("frozen", True), ("speed", 1.0), ("start", None)])
def test_the_signature_of_a_simulator_has_the_options_of_its_clock(name, default):
    """A tooltip lists each with its default, and a misspelt one is answered with the right name."""
    assert signature(Simulator).parameters[name].default == default
    with pytest.raises(TypeError, match=f"is '{name}' meant"):
        Simulator(**{f"{name}s": default})


def test_each_step_runs_at_its_own_time(service):
    """An advance of one hour gives each event the time when its step was due."""
    made = service.transfer(client_reference_id="scenario:failed")
    service.advance(3600)
    rows = [
        (row["event_type"], row["at"])
        for row in service.get("/_simulator/events").json
        if row["resource_id"] == made["id"]
    ]
    assert rows == [
        ("transfer.created", "2026-01-15T12:00:00.000Z"),
        ("transfer.funded", "2026-01-15T12:00:01.000Z"),
        ("transfer.payout_initiated", "2026-01-15T12:00:02.000Z"),
        ("transfer.failed", "2026-01-15T12:00:03.000Z"),
    ]
    assert service.get("/_simulator")["clock"]["now"] == "2026-01-15T13:00:00.000Z"


def test_steps_of_different_objects_interleave(service):
    """Steps of different objects run in the order of their times."""
    first = service.transfer()
    service.advance(0.5)
    second = service.transfer()
    service.advance(10)
    rows = service.get("/_simulator/events").json
    rows = [row for row in rows if row["resource_id"] in (first["id"], second["id"])]
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert [row["resource_id"] for row in rows[2:]] == [first["id"], second["id"]] * 3


def test_small_steps_and_one_leap_agree(make):
    """One advance of 5 seconds and many small ones give the same bytes."""
    ends = []
    for steps in ([5], [1, 1, 1, 1, 1], [0.1] * 50):
        service = make()
        service.on_ramp("PH")
        service.transfer()
        for step in steps:
            service.advance(step)
        ends.append([service.get(f"/v1/{name}").body for name in ("transfers", "conversions")])
    assert ends[0] == ends[1] == ends[2]


def test_nothing_happens_because_somebody_looked(service):
    """Read requests do not change the state of a frozen simulator."""
    made = service.transfer()
    before = service.get("/_simulator/snapshot").json
    for _ in range(300):
        service.get(f"/v1/transfers/{made['id']}")
        service.get("/_simulator/events")
    assert service.get("/_simulator/snapshot").json == before


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ({"advance_seconds": 60}, {"frozen": True, "speed": 1.0}),
        ({"advance_seconds": 0}, {"frozen": True, "speed": 1.0}),
        ({"frozen": True}, {"frozen": True, "speed": 1.0}),
        ({"frozen": False}, {"frozen": False, "speed": 1.0}),
        ({"speed": 50}, {"frozen": False, "speed": 50}),
        ({"speed": 50, "frozen": True}, {"frozen": True, "speed": 50}),
        ({"speed": 0.001, "frozen": True}, {"frozen": True, "speed": 0.001}),
        ({"speed": 1_000_000, "frozen": True}, {"frozen": True, "speed": 1_000_000}),
        ({"advance_seconds": 316_224_000}, {"now": "2036-01-23T12:00:00.000Z"}),
    ],
)
def test_a_valid_change_of_the_clock_returns_200_with_the_summary(service, body, state):
    """A valid change of the clock returns 200 with the summary."""
    answer = service.post("/_simulator/clock", body)
    assert answer.status == 200
    assert {name: answer["clock"][name] for name in state} == state
    assert answer["seed"] == 7


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"advance": "1m30"},
        {"advance": None},
        {"advanse": 1},
        {"frozen": True, "advnce": "1m"},
        {"advance_seconds": -1},
        {"advance_seconds": "60"},
        {"advance_seconds": True},
        {"advance_seconds": None},
        {"advance_seconds": 316_224_001},
        {"advance_seconds": 1, "frozen": 1},
        {"speed": 0.0009},
        {"speed": -5},
        {"speed": 1_000_001},
        {"frozen": "yes"},
        {"frozen": None},
        b'{"advance_seconds": 1e999}',
        b'{"advance_seconds": NaN}',
        b"[60]",
    ],
)
def test_an_invalid_change_of_the_clock_returns_400_and_the_time_stays_the_same(service, body):
    """An invalid change of the clock returns 400, and the time stays the same."""
    assert service.post("/_simulator/clock", body).status == 400
    assert service.get("/_simulator")["clock"]["now"] == "2026-01-15T12:00:00.000Z"


def test_over_and_over_to_the_end_of_time(service):
    """When the clock has reached its maximum, requests still succeed."""
    for _ in range(720):
        service.advance(10 * 366 * 86_400)
    assert service.get("/_simulator")["clock"]["now"] == "9000-01-01T00:00:00.000Z"
    assert service.transfer()["status"] == "awaiting_funds"


def test_a_running_world_lives_by_itself(make):
    """With a running clock a transfer completes without a control request."""
    service = make(frozen=False, speed=1000)
    made = service.transfer()
    polls = (service.get(f"/v1/transfers/{made['id']}")["status"] for _ in range(5_000))
    assert "completed" in polls
    assert service.get(f"/v1/transfers/{made['id']}")["completed_in"] == "2"


def test_a_span_is_also_a_timedelta():
    """A program has spans as timedelta objects already."""
    lab = paylab.connect(simulator=Simulator())
    begun = lab.simulator.clock.now
    lab.simulator.clock.advance(timedelta(minutes=1))
    assert lab.simulator.clock.now - begun == timedelta(minutes=1)


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ("90s", 90),
        (" 1 sec ", 1),
        ("2 seconds", 2),
        ("5m", 300),
        ("1 min", 60),
        ("2 minutes", 120),
        ("24h", 86_400),
        ("1.5 hours", 5_400),
        ("1d", 86_400),
        ("3 days", 259_200),
        ("23h 59m", 86_340),
        ("1m30s", 90),
        ("1 week, 2 days and 1 hour", 781_200),
        (7.5, 7.5),
        (timedelta(hours=1), 3_600),
    ],
)
def test_a_span_is_a_number_of_seconds_a_timedelta_or_text_with_a_unit(span, found):
    """A span is a number of seconds, a timedelta, or text with a unit."""
    assert read_seconds(span) == found


@pytest.mark.parametrize("span", ["", "5", "5 years", "-1s", "s", "1m30"])
def test_a_span_without_a_known_unit_is_an_error(span):
    """A text without a known unit is an error that shows how to write it."""
    with pytest.raises(paylab.ArgumentError, match="is not a time span: write a number of"):
        read_seconds(span)


@pytest.mark.parametrize("switch_name", ["frozen", "strict", "production_like"])
@pytest.mark.parametrize("switch", ["false", 1, None])
def test_a_switch_that_is_neither_true_nor_false_is_refused(switch_name, switch):
    """A switch that is neither True nor False is refused by its name."""
    with pytest.raises(ArgumentError, match=f"{switch_name} must be True or False"):
        Simulator(**{switch_name: switch})


@pytest.mark.parametrize(
    ("argument", "wrong_values", "message"),
    [
        ("seed", ["x", 1.5, True, None], "seed must be a whole number, not"),
        ("transfers", ["x", -1, True, None], "transfers must be a whole number from 0, not"),
        ("speed", ["x", 0, -1, 2e6, float("nan"), True, None], "speed must be a number from 0.001"),
        (
            "start",
            ["x", 5, datetime(2026, 1, 1), datetime(9000, 1, 1, tzinfo=UTC), False],
            "start must be a datetime with its zone",
        ),
    ],
)
def test_an_argument_of_another_form_is_refused_by_its_name(argument, wrong_values, message):
    """Every wrong value is an error that names the argument and its form."""
    for wrong_value in wrong_values:
        with pytest.raises(ArgumentError, match=message) as refused:
            Simulator(**{argument: wrong_value})
        assert refused.value.argument == argument
