"""Python programs of paylab's own: what they answer, and every way in which they may end."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import paylab
from paylab.errors import ProgramError
from paylab.processes.interpreter import python_command
from paylab.processes.programs import PythonProgram

PROGRAM = """
import os, signal, sys, time

def answer(request):
    word = request.decode()
    if word == "abort":
        os.abort()
    if word == "hang":
        time.sleep(600)
    if word == "exit":
        os._exit(3)
    if word == "raise":
        raise ValueError("no \\x1b[2J such\\u202e word")
    print("a library prints")
    return (word if word != "pid" else str(os.getpid())).encode()
"""
ROOT = Path(paylab.__file__).parent
TRAPS = (
    "json",
    "signal",
    "runpy",
    "logging",
    "sitecustomize",
    "usercustomize",
    "PIL",
    "vl_convert",
)


@pytest.fixture(name="program")
def program_fixture(tmp_path):
    """A program that answers with its request, or ends as the request says."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    program = PythonProgram(file, "answer", "the test program")
    yield program
    program.close()


@pytest.mark.parametrize("size", [0, 1, 200_000])
def test_one_process_answers_all_requests(program, size):
    """Answers of any size come from one process, whatever else is printed there."""
    assert program.ask(b"x" * size) == b"x" * size
    first = program.ask(b"pid")
    assert program.ask(b"pid") == first == str(program.pid).encode()


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (b"abort", "ended before it answered (signal SIGABRT)"),
        (b"exit", "ended before it answered (exit status 3)"),
        (b"hang", "was ended: it took longer than 1 seconds"),
        (b"raise", "failed: no \\x1b[2J such\\u202e word"),
    ],
)
def test_a_failure_is_an_error_and_the_next_request_is_answered(program, word, reason):
    """A crash, a hang and an exception are one error each, and nothing of the process is left."""
    program.ask(b"pid")
    pid = program.pid
    with pytest.raises(ProgramError) as error:
        program.ask(word, 1)
    assert str(error.value) == f"the test program {reason}"
    assert program.ask(b"again") == b"again"
    if word != b"raise":
        with pytest.raises(ChildProcessError):  # it is no zombie
            os.waitpid(pid, os.WNOHANG)


def test_a_program_that_was_killed_between_requests_is_started_again(program):
    """A program that ended while it had nothing to do is replaced without an error."""
    program.ask(b"one")
    os.kill(program.pid, signal.SIGKILL)
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    assert program.ask(b"two") == b"two"


def test_an_interrupt_does_not_mix_up_answers(program):
    """After an interrupted request, the next one gets its own answer."""
    program.ask(b"one")
    main = threading.main_thread().ident
    threading.Timer(0.2, signal.pthread_kill, [main, signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        program.ask(b"hang")
    assert program.ask(b"two") == b"two"


def test_threads_get_their_own_answers(program):
    """Requests of many threads are answered one by one, each with its own answer."""
    words = [f"{at}".encode() for at in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(program.ask, words)) == words


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_a_program_of_its_own(program):
    """A fork, even during a request, leaves the parent's program alone and starts another."""
    first = program.ask(b"pid")
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(program.ask, b"hang", 2)
        child = os.fork()
        if not child:
            own = program.ask(b"pid")
            program.close()
            os._exit(0 if own not in (b"", first) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with pytest.raises(ProgramError, match="longer than 2 seconds"):
            slow.result()
    assert program.ask(b"after") == b"after"


SCRIPT = """
import sys, threading
from paylab.processes.programs import PythonProgram
program = PythonProgram(sys.argv[1], "answer", "the program")
print(program.ask(b"pid").decode(), flush=True)
if sys.argv[2] == "busy":
    threading.Thread(target=program.ask, args=(b"hang",), daemon=True).start()
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_a_program_ends_with_its_process(tmp_path, state):
    """An interpreter that exits waits for no program, and leaves none."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = python_command("-c", SCRIPT, str(file), state)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
    assert state == "busy" or done.stderr == ""


def test_nothing_of_the_folder_is_imported(tmp_path, monkeypatch):
    """A program that starts in a folder with modules named like libraries runs none of them."""
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text("open('trapped', 'w').close()")
    file = tmp_path / "apart" / "program.py"
    file.parent.mkdir()
    file.write_text("import json, logging, PIL\n" + PROGRAM)
    (file.parent / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert PythonProgram(file, "answer", "the program").ask(b"one") == b"one"
    assert not list(tmp_path.rglob("trapped"))


def test_a_program_that_cannot_be_started(tmp_path):
    """A program without a file ends before it answers."""
    with pytest.raises(ProgramError, match="ended before it answered"):
        PythonProgram(tmp_path / "none.py", "answer", "the program").ask(b"")
