"""The service that a command follows, and the variables that name a simulator to other commands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..simulator.credentials import ServedSimulator
    from ..spec.service.service import Service

FACTS = ("base_url", "api_key", "secret_key", "control_token")
"""What other programs need to use a simulator that is served."""


def service_for(service_file: str | None, environ: Mapping[str, str] = os.environ) -> Service:
    """The service of a service.toml: of this file, else of that in PAYLAB_SERVICE.

    Without both, the service of the specification.
    """
    from ..client.settings import find_service
    from ..spec.service.service import Service

    setting_by_name = find_service(service_file, environ)
    service: Service = setting_by_name["service"][0] if setting_by_name else Service()
    return service


def variables(server: ServedSimulator, facts: Sequence[str] = FACTS) -> dict[str, str]:
    """The environment variables that name this simulator to a program.

    `base_url` becomes PAYLAB_BASE_URL.
    """
    return {f"PAYLAB_{fact_name.upper()}": getattr(server, fact_name) for fact_name in facts}


def environment(server: ServedSimulator, service_file: str | None) -> dict[str, str]:
    """The variables that name this simulator, and the service.toml that it follows if any."""
    value_by_variable = variables(server)
    if service_file:
        value_by_variable["PAYLAB_SERVICE"] = str(Path(service_file).expanduser().resolve())
    return value_by_variable


def exports(server: ServedSimulator, facts: Sequence[str] = FACTS[:3]) -> str:
    """The lines to run in another terminal to use this simulator."""
    return "\n".join(
        f"export {variable_name}={variable_value}"
        for variable_name, variable_value in variables(server, facts).items()
    )
