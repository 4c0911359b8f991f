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
        worker_id: str = getattr(config, "workerinput", {}).get("workerid", "")
        self._path = _choose_report_path(config)
        self._part_path: Path | None = None
        if worker_id:
            self._part_path = self._path.with_name(f"{self._path.name}.{worker_id}")
        else:
            for part_path in self._find_parts():  # an interrupted run may have left some
                part_path.unlink()
        self._rows_by_world: dict[str, Sequence[JsonMapping]] = {}

    def _find_parts(self) -> list[Path]:
        """The files of the workers beside the report: paylab-ready.json.gw0, and so on."""
        part_name_pattern = re.compile(rf"{re.escape(self._path.name)}\.gw\d+")
        folder = self._path.parent
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        return [
            path
            for path in paths
            if part_name_pattern.fullmatch(path.name) and is_replaceable(path)
        ]

    def add_journal(self, rows: Sequence[JsonMapping]) -> None:
        """Store the journal of a world before it ends."""
        if rows:
            self._rows_by_world[str(rows[0]["test"])] = rows

    def pytest_sessionfinish(self) -> None:
        """Write the part of a worker; the main process joins the parts to the report."""
        if self._part_path is not None:
            write_report(self._rows_by_world, self._part_path)
            return
        for part_path in self._find_parts():
            self._rows_by_world |= read_report(part_path)
            part_path.unlink()
        write_report(self._rows_by_world, self._path)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what is broken and not seen, and where the report is."""
        terminalreporter.section("readiness")
        terminalreporter.write_line(_write_summary(self._rows_by_world))
        terminalreporter.write_line(
            f"{self._path} has the journals: paylab ready --pytest {self._path.name} --html FILE"
        )


def _choose_report_path(config: pytest.Config) -> Path:
    """Choose the path of the report; UsageError for a file or folder that is no report.

    `pytest --paylab-ready tests` reads the folder of the tests as the path.
    """
    path_text: str = config.getoption(OPTION)
    folder = Path(config.invocation_params.dir)
    if not is_replaceable(folder / path_text.partition("::")[0]):
        raise pytest.UsageError(
            f"{OPTION}: {path_text} is no report, and is not overwritten: "
            f"write the tests before {OPTION}, or {OPTION}=FILE for a report of another name"
        )
    return folder / path_text


def _write_summary(rows_by_world: Mapping[str, Sequence[JsonMapping]]) -> str:
    """Write the counts, then each broken item with its evidence, then the ids of unseen items."""
    readiness = judge(rows_by_world)
    lines = [readiness.summary]
    broken_items = readiness.of("broken")
    for judged_item in broken_items:
        lines.append(f"broken: {judged_item.item.id}: {judged_item.item.what}")
        lines += [f"    {evidence}" for evidence in judged_item.evidence]
    if broken_items:
        lines.append(EXPECTS_HINT)
    unseen_text = ", ".join(judged_item.item.id for judged_item in readiness.of("not seen"))
    if unseen_text:
        lines.append(f"not seen: {unseen_text}")
    return "\n".join(lines)
