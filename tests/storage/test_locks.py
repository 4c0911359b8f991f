"""Locks by name: between threads, processes and forks, and where no file can be locked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from threading import Event, Thread

import pytest

from paylab.storage.locks import Locks

HOLD = """
import sys
from paylab.storage.locks import Locks
with Locks().hold(sys.argv[1], 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A temporary folder of this test."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture
def other(folder):
    """Another process, which holds the lock `a`."""
    command = [sys.executable, "-c", HOLD, "a"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def is_free(name, **options):
    """Whether a lock can be held now."""
    try:
        with Locks(**options).hold(name, 0.2):
            return True
    except TimeoutError:
        return False


def test_another_process_is_waited_for(other, folder):
    """A lock of another process is not free, another name is, and its file goes with it."""
    assert (is_free("a"), is_free("b")) == (False, True)
    assert len(list(folder.glob("paylab-locks-*/*"))) == 1
    other.communicate("")
    assert is_free("a")
    assert list(folder.glob("paylab-locks-*/*")) == []


def test_a_killed_process_holds_nothing(other):
    """The lock of a process ends when it is killed."""
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert is_free("a")


def test_a_private_lock_counts_in_this_process_only(other):
    """A lock for a service in this process does not wait for another process."""
    assert is_free("a", is_shared=False)


@pytest.mark.parametrize("is_shared", [True, False])
def test_threads_wait_for_each_other(folder, is_shared):
    """One thread at a time holds a lock, also where locks are not shared."""
    held, most, done = [], [], Event()

    def work():
        for _ in range(20):
            with Locks(is_shared=is_shared).hold("a", 20):
                held.append(1)
                most.append(len(held))
                held.pop()

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    assert (set(most), len(most)) == ({1}, 160)


def test_a_forked_child_waits_for_its_parent(folder):
    """A child has no lock of its parent, and waits for it like another process."""
    with Locks().hold("a", 1):
        child = os.fork()
        if child == 0:
            os._exit(0 if not is_free("a") else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_free("a")


@pytest.mark.parametrize("spoil", ["no folder", "a file", "others can read it"])
def test_without_files_a_lock_counts_in_this_process(folder, monkeypatch, spoil):
    """Where no private folder can be used, threads still wait for each other."""
    place = folder / f"paylab-locks-{os.getuid()}"
    if spoil == "no folder":
        monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))
    elif spoil == "a file":
        place.write_text("")
    else:
        place.mkdir()
        place.chmod(0o755)
    with Locks().hold("a", 1):
        seen = []
        thread = Thread(target=lambda: seen.append(is_free("a")))
        thread.start()
        thread.join()
    assert seen == [False]


def test_a_wait_ends_at_its_timeout(other):
    """A lock is waited for no longer than its timeout."""
    began = time.monotonic()
    with pytest.raises(TimeoutError), Locks().hold("a", 0.3):
        pass
    assert time.monotonic() - began < 5
