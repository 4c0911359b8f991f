"""The fixture `paylab_world` and the marker `paylab`; pytest finds them by an entry point.

Everything else is imported when a test asks for the fixture.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..simulator.server import Server

MARKER = (
    "paylab(seed=7, service=None, strict=False, frozen=True, start=None, production_like=False, "
    "expects=''): the options of paylab_world: service is the path of a service.toml or its "
    "values, start the first time of the clock, like 2026-11-22T12:00Z or now, expects the refusal "
    "that the test expects, like '409'"
)
OPTION_TYPES: Mapping[str, tuple[type, str]] = {
    "seed": (int, "an int"),
    "strict": (bool, "a bool"),
    "frozen": (bool, "a bool"),
    "production_like": (bool, "a bool"),
    "expects": (str, "text"),
}
OPTIONS = (*OPTION_TYPES, "service", "start")
_WORLD = pytest.StashKey[Any]()


READY_PLUGIN = "paylab-ready"
"""The name of the plugin that collects journals, where `--paylab-ready` asks for it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that judges the tested integration."""
    parser.getgroup("paylab").addoption(
        "--paylab-ready",
        metavar="FILE",
        nargs="?",
        const="paylab-ready.json",
        help="judge the integration by all worlds of the run, and write their journals to a file",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the plugin that judges if it is asked for."""
    config.addinivalue_line("markers", MARKER)
    if config.getoption("--paylab-ready"):
        from .ready import ReadyPlugin

        config.pluginmanager.register(ReadyPlugin(config), READY_PLUGIN)


@pytest.fixture(scope="session", name="_paylab_server")
def paylab_server() -> Iterator[Server]:
    """The server of all worlds of this process."""
    from ..simulator.server import Server
    from ..simulator.simulator import Simulator

    with Server(Simulator(frozen=False)) as server:
        yield server


@pytest.fixture
def paylab_world(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    _paylab_server: Server,
) -> Iterator[Any]:
    """An empty simulated service for this test, and its address and keys in the environment.

    Every other variable of paylab is unset.
    `python -P -c "help('paylab.testing')"` explains it.
    """
    from .world import PaylabWorld

    for variable_name in list(os.environ):
        if variable_name.startswith("PAYLAB_"):
            monkeypatch.delenv(variable_name)  # a configured shell must not change a test
    world = PaylabWorld(_paylab_server, test=request.node.nodeid, **_read_options(request.node))
    for variable_name, variable_value in world.env.items():
        monkeypatch.setenv(variable_name, variable_value)
    request.node.stash[_WORLD] = world
    yield world
    ready_plugin = request.config.pluginmanager.get_plugin(READY_PLUGIN)
    if ready_plugin is not None:
        ready_plugin.add_journal(world.journal())
    world.close()


def _read_options(node: pytest.Item) -> dict[str, Any]:
    """Read the options of the marker nearest to the test; a wrong marker fails the test."""
    marker = node.get_closest_marker("paylab")
    if marker is None:
        return {}
    options = dict(marker.kwargs)
    unknown_names = options.keys() - set(OPTIONS)
    if marker.args or unknown_names:
        pytest.fail(f"the marker paylab takes {', '.join(OPTIONS)} by name", pytrace=False)
    for option_name, (option_type, type_name) in OPTION_TYPES.items():
        if option_name in options and type(options[option_name]) is not option_type:
            pytest.fail(f"the marker paylab: {option_name} must be {type_name}", pytrace=False)
    return options


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last requests and deliveries to the report of a failed test."""
    report = yield
    world = item.stash.get(_WORLD, None)
    if world is not None and report.when != "teardown" and report.failed:
        report.sections.append(("paylab_world", world.text()))
    return report
