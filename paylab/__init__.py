"""An interactive notebook toolkit for integrating a cross-border payments service.

    lab = paylab.connect()

All modules except the errors are loaded on first use, so that `paylab --help` is fast.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .errors import APIConnectionError as APIConnectionError
from .errors import APIError as APIError
from .errors import APIResponseError as APIResponseError
from .errors import APIStatusError as APIStatusError
from .errors import APITimeoutError as APITimeoutError
from .errors import ArgumentError as ArgumentError
from .errors import AuthenticationError as AuthenticationError
from .errors import BadRequestError as BadRequestError
from .errors import ChoiceError as ChoiceError
from .errors import ConfigError as ConfigError
from .errors import ConflictError as ConflictError
from .errors import EMVError as EMVError
from .errors import ExactnessError as ExactnessError
from .errors import MissingExtraError as MissingExtraError
from .errors import MissingOperationError as MissingOperationError
from .errors import NotFoundError as NotFoundError
from .errors import PagingError as PagingError
from .errors import PaylabError as PaylabError
from .errors import PermissionDeniedError as PermissionDeniedError
from .errors import Problem as Problem
from .errors import RateLimitError as RateLimitError
from .errors import ReadOnlyError as ReadOnlyError
from .errors import RedirectError as RedirectError
from .errors import ReplayError as ReplayError
from .errors import RuleError as RuleError
from .errors import ServerError as ServerError
from .errors import ServiceError as ServiceError
from .errors import SimulatorError as SimulatorError
from .errors import UnknownItemError as UnknownItemError
from .errors import UnprocessableError as UnprocessableError
from .errors import WaitTimeoutError as WaitTimeoutError
from .errors.late_modules import register_late_modules
from .errors.names import PublicModule, raise_unknown_name
from .errors.refusals import PUBLIC_NAME

if TYPE_CHECKING:
    from . import corridors as corridors
    from . import emvqr as emvqr
    from . import frames as frames
    from . import signing as signing
    from . import simulator as simulator
    from . import views as views
    from . import webhooks as events
    from .corridors import examples as examples
    from .frames import read_csv as read_csv
    from .frames import read_parquet as read_parquet
    from .lab.lab import Lab as Lab
    from .lab.lab import connect as connect
    from .signing import comparison as doctor
    from .spec import assumptions as assumptions
    from .spec import codes as codes
    from .spec import models as models
    from .spec import status as status
    from .spec.service.service import Service as Service
    from .views import qr as qr
    from .views.specimens import specimen as specimen

__version__ = "0.1.0"

LATE = {
    "Lab": "lab.lab:Lab",
    "Service": "spec.service.service:Service",
    "Simulator": "simulator.simulator:Simulator",
    "assumptions": "spec.assumptions",
    "charts": "views.charts",
    "codes": "spec.codes",
    "connect": "lab.lab:connect",
    "corridors": "corridors",
    "doctor": "signing.comparison",
    "emvqr": "emvqr",
    "events": "webhooks",
    "examples": "corridors.examples",
    "frames": "frames",
    "models": "spec.models",
    "qr": "views.qr",
    "read_csv": "frames:read_csv",
    "read_parquet": "frames:read_parquet",
    "signing": "signing",
    "simulator": "simulator",
    "specimen": "views.specimens:specimen",
    "status": "spec.status",
    "views": "views",
}
"""Names that are loaded on first use, as `module:name`."""


def __getattr__(name: str) -> Any:
    if name not in LATE:
        raise_unknown_name(__name__, name, __dir__())
    home, _, attribute = LATE[name].partition(":")
    module = import_module(f"{__name__}.{home}")
    if not attribute:
        module.__class__ = PublicModule
        setattr(module, PUBLIC_NAME, f"{__name__}.{name}")
    globals()[name] = value = getattr(module, attribute) if attribute else module
    return value


class _Package(PublicModule):
    """The package; a setting of it would have no effect, and is an error."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set a known name, or a submodule, which Python sets here when it is imported.

        A submodule gets errors that suggest names.
        """
        is_submodule = isinstance(value, ModuleType)
        if is_submodule:
            value.__class__ = PublicModule
        if is_submodule or name.startswith("_") or name in __dir__():
            super().__setattr__(name, value)
            return
        message = f"{__name__} has no setting {name!r}: pass settings to {__name__}.connect()"
        raise AttributeError(message)


sys.modules[__name__].__class__ = _Package
register_late_modules(__name__, LATE)


def __dir__() -> list[str]:
    return sorted({*__all__, *LATE, "__version__"})


__all__ = [
    "APIConnectionError",
    "APIError",
    "APIResponseError",
    "APIStatusError",
    "APITimeoutError",
    "ArgumentError",
    "AuthenticationError",
    "BadRequestError",
    "ChoiceError",
    "ConfigError",
    "ConflictError",
    "EMVError",
    "ExactnessError",
    "Lab",
    "MissingExtraError",
    "MissingOperationError",
    "NotFoundError",
    "PagingError",
    "PaylabError",
    "PermissionDeniedError",
    "Problem",
    "RateLimitError",
    "ReadOnlyError",
    "RedirectError",
    "ReplayError",
    "RuleError",
    "ServerError",
    "Service",
    "ServiceError",
    "SimulatorError",
    "UnknownItemError",
    "UnprocessableError",
    "WaitTimeoutError",
    "assumptions",
    "codes",
    "connect",
    "corridors",
    "doctor",
    "emvqr",
    "events",
    "examples",
    "models",
    "signing",
    "status",
]
