"""The file of an inbox: what survives, what is refused, and two processes that write to it."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime

import pytest

from paylab.errors import ConfigError, PaylabError
from paylab.webhooks.event import read_event
from paylab.webhooks.event_file import CUT_OFF_NOTE, read_events
from paylab.webhooks.event_log import EventLog

from .conftest import NOW, body_of

HEADER = '{"paylab_inbox": 1, "listening_since": "2026-01-15T12:00:00.000Z"}\n'
LINE = (
    '{"event_type": "transfer.funded", "event_payload": {"id": "tr_1", "status": "started", '
    '"updated_at": "2026-01-15T12:00:01.000Z"}, "received_at": "2026-01-15T12:00:00.000Z", '
    '"deliveries": 1, "order": "in order"}\n'
)


@pytest.fixture
def path(tmp_path):
    """The path of a file that does not exist yet."""
    return tmp_path / "events.jsonl"


def add(log, body):
    """Store a delivery."""
    return log.add(read_event(body), body, NOW)


def test_a_file_has_a_header_at_each_start_and_a_line_for_each_delivery(path):
    """A header at each start and a line for each delivery; only the owner can read the file."""
    log = EventLog(path)
    log.start(NOW)
    add(log, body_of(1))
    add(log, body_of(1))
    assert path.read_text() == HEADER + LINE + LINE
    assert path.stat().st_mode & 0o777 == 0o600
    again = EventLog(path)
    again.start(datetime(2026, 1, 16, tzinfo=UTC))
    assert [(one.deliveries, one.body) for one in again.all()] == [(2, body_of(1))]
    found = read_events(path)
    assert (len(found.events), found.since, found.notes) == (2, again.since, ())


@pytest.mark.parametrize("rest", ['{"event_type": "tra', "\ud800".encode("utf-8", "surrogatepass")])
def test_a_line_that_was_cut_off(path, caplog, rest):
    """It is left out with a note; the next write removes it."""
    rest = rest if isinstance(rest, bytes) else rest.encode()
    path.write_bytes((HEADER + LINE).encode() + rest)
    assert read_events(path).notes == (CUT_OFF_NOTE,)
    log = EventLog(path)
    assert (len(log.all()), path.read_bytes().endswith(rest)) == (1, True)
    add(log, body_of(1))
    assert path.read_text() == HEADER + LINE + LINE
    assert CUT_OFF_NOTE in caplog.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"notes of mine\n", "is not a file of an inbox"),
        (b"notes", "is not a file of an inbox"),
        (LINE.encode(), "is not a file of an inbox"),
        (b"\x00\xff" * 99, "is not a file of an inbox"),
        (HEADER.replace("1", "9", 1).encode(), "its format is '9', this version of paylab reads 1"),
    ],
)
def test_another_file_is_refused_and_left_alone(path, content, words):
    """A file of another kind or version is not changed."""
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        EventLog(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["", "no/folder/x", "x\0y", "x" * 300])
def test_a_path_that_cannot_be_written_is_a_config_error(tmp_path, name):
    """A folder, a missing folder, a NUL and a name that is too long are errors with the path."""
    with pytest.raises(ConfigError):
        EventLog(f"{tmp_path}/{name}")


@pytest.mark.parametrize(
    "damaged", ["{}", "[1]", "\ufffd", '{"a":' * 9_999, "x" * 1_200_000], ids=range(5)
)
def test_a_damaged_line_costs_nothing_else(path, caplog, damaged):
    """The inbox logs it and has the others; reading for a reconciliation names the line."""
    path.write_text(f"{HEADER}{damaged}\n{LINE}")
    assert len(EventLog(path).all()) == 1
    assert "the line before byte" in caplog.text
    with pytest.raises(PaylabError, match=r"events\.jsonl, line 2"):
        read_events(path)


@pytest.mark.parametrize(
    ("given", "count"), [("3", 3), ("0", 1), ("-1", 1), ("true", 1), ('"9"', 1)]
)
def test_a_line_stands_for_as_many_deliveries_as_it_says(path, given, count):
    """A line stands for as many deliveries as it says; a value that is no count means one."""
    path.write_text(HEADER + LINE.replace('"deliveries": 1', f'"deliveries": {given}') + LINE)
    assert [one.deliveries for one in EventLog(path).all()] == [count + 1]


@pytest.mark.parametrize(
    ("moment", "at"),
    [
        ('"2026-01-15T12:00:01.000Z"', datetime(2026, 1, 15, 12, 0, 1, tzinfo=UTC)),
        ("null", datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_line_without_an_arrival_has_the_time_of_its_event(path, moment, at):
    """Its time is that of the event; an event without a time is from 1970."""
    payload = f'{{"id": "tr_1", "status": "started", "updated_at": {moment}}}'
    line = f'{{"event_type": "transfer.funded", "event_payload": {payload}}}\n'
    path.write_text(HEADER + line)
    assert [one.at for one in EventLog(path).all()] == [at]


def test_a_file_of_somebody_else_is_read(path):
    """Events without a header, an arrival or a last newline are read; `since` is unknown."""
    path.write_text('\n{"event_type": "a", "event_payload": {"x": "\u2028"}}\n' + LINE.strip())
    found = read_events(path)
    assert ([one.type for one in found.events], found.since) == (["a", "transfer.funded"], None)


def write_and_die(path, begins):
    """Add 60 events of which 45 differ, begin a line, and be killed; in a forked child."""
    try:
        log = EventLog(path)
        os.read(begins, 1)
        for number in range(60):
            body = b'{"event_type": "transfer.x", "event_payload": {"id": "%d"}}' % (number % 45)
            log.add(read_event(body), body, NOW)
        with path.open("ab") as file:
            file.write(b'{"event_type": "tr')
        os.kill(os.getpid(), signal.SIGKILL)
    finally:
        os._exit(1)


def test_two_processes_write_to_one_file_and_are_killed(path):
    """Nothing that was added is lost, repeated events are counted across processes."""
    log = EventLog(path)
    reads, writes = os.pipe()
    writers = [os.fork() or write_and_die(path, reads) for _ in range(2)]
    os.write(writes, b"!!")
    ends = [os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) for writer in writers]
    assert ends == [-signal.SIGKILL] * 2
    os.close(reads)
    os.close(writes)
    add(log, body_of(1))
    for one in (log, EventLog(path)):
        assert len(one.all()) == 46
        assert sum(each.deliveries for each in one.all()) == 121


def test_a_write_that_fails_leaves_no_half_line(path):
    """On a full disk the event is refused, and the file is as it was before."""
    resource = pytest.importorskip("resource")
    log = EventLog(path)
    log.start(NOW)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(HEADER) + 20, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            add(log, body_of(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (path.read_text(), log.all()) == (HEADER, [])


def test_a_file_that_is_removed_is_made_again(path):
    """The inbox goes on with a new file, which has a header."""
    log = EventLog(path)
    log.start(NOW)
    path.unlink()
    add(log, body_of(1))
    assert path.read_text() == HEADER + LINE
    assert len(log.all()) == 1


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300])
def test_a_name_that_no_file_has(name):
    """Reading for a reconciliation names what is wrong with it."""
    with pytest.raises(ConfigError, match="cannot be the name of a file"):
        read_events(name)
