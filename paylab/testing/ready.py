"""`pytest --paylab-ready`: the journals of all worlds of a test run, judged at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ..readiness.files import is_replaceable, read_report, write_report
from ..readiness.judgement import judge
from ..spec.text import JsonMapping

OPTION = "--paylab-ready"
EXPECTS_HINT = (
    "A refusal that a test brings about on purpose does not count with "
    '@pytest.mark.paylab(expects="401").'
)


class ReadyPlugin:
    """Collects the journal of each world when its test ends, and judges them all at the end.

    With pytest-xdist each worker writes a part of the report, which the main process joins.
    """

    def __init__(self, config: pytest.Config) -> None:
        worker: str = getattr(config, "workerinput", {}).get("workerid", "")
        self._path = _report_path(config)
        self._part = self._path.with_name(f"{self._path.name}.{worker}") if worker else None
        self._rows: dict[str, Sequence[JsonMapping]] = {}
        if self._part is None:  # an interrupted run may have left some
            for report_part in self._find_parts():
                report_part.unlink()

    def _find_parts(self) -> list[Path]:
        """The reports of workers beside the report."""
        part_name = re.compile(rf"{re.escape(self._path.name)}\.gw\d+")
        folder = self._path.parent
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        return [path for path in paths if part_name.fullmatch(path.name) and is_replaceable(path)]

    def add_journal(self, rows: Sequence[JsonMapping]) -> None:
        """Store the journal of a world before it ends."""
        if rows:
            self._rows[str(rows[0]["test"])] = rows

    def pytest_sessionfinish(self) -> None:
        """Write the report, or the part of a worker."""
        if self._part is not None:
            write_report(self._rows, self._part)
            return
        rows_by_world: dict[str, Sequence[JsonMapping]] = {**self._rows}
        for report_part in self._find_parts():
            rows_by_world |= read_report(report_part)
            report_part.unlink()
        self._rows = rows_by_world
        write_report(rows_by_world, self._path)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what is broken and not seen, and where the report is."""
        terminalreporter.section("readiness")
        terminalreporter.write_line(_summary_of(self._rows))
        terminalreporter.write_line(
            f"{self._path} has the journals: paylab ready --pytest {self._path.name} --html FILE"
        )


def _report_path(config: pytest.Config) -> Path:
    """Where the report goes. UsageError if tests or another file are there."""
    path_option: str = config.getoption(OPTION)
    folder = Path(config.invocation_params.dir)
    if not is_replaceable(folder / path_option.partition("::")[0]):
        raise pytest.UsageError(
            f"{OPTION}: {path_option} is no report, and is not overwritten: "
            f"write the tests before {OPTION}, or {OPTION}=FILE for a report of another name"
        )
    return folder / path_option


def _summary_of(rows_by_world: Mapping[str, Sequence[JsonMapping]]) -> str:
    """What is broken with its evidence, what is not seen by id, and the counts."""
    readiness = judge(rows_by_world)
    summary_lines = [readiness.summary]
    for judged in readiness.of("broken"):
        summary_lines.append(f"broken: {judged.item.id}: {judged.item.what}")
        summary_lines += [f"    {evidence}" for evidence in judged.evidence]
    if readiness.of("broken"):
        summary_lines.append(EXPECTS_HINT)
    missing_ids = ", ".join(judged.item.id for judged in readiness.of("not seen"))
    if missing_ids:
        summary_lines.append(f"not seen: {missing_ids}")
    return "\n".join(summary_lines)
