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
from .errors.module_names import PublicModule, raise_unknown_name
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
    """Load a public name on first use; AttributeError that suggests names for an unknown one."""
    if name not in LATE:
        raise_unknown_name(__name__, name, __dir__())
    module_name, _, attribute_name = LATE[name].partition(":")
    module = import_module(f"{__name__}.{module_name}")
    if attribute_name:
        public_object = getattr(module, attribute_name)
    else:
        public_object = module
        module.__class__ = PublicModule  # an unknown name in it is an error that suggests one
        setattr(module, PUBLIC_NAME, f"{__name__}.{name}")  # errors name it as the user does
    globals()[name] = public_object  # Python asks only once
    return public_object


class _Package(PublicModule):
    """The package itself. It has no settings: to assign an unknown name is an error."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set a submodule or a known name; AttributeError for any other.

        Python sets a submodule here when it is imported. It gets errors that suggest names.
        """
        is_submodule = isinstance(value, ModuleType)
        if is_submodule:
            value.__class__ = PublicModule
        is_known = name.startswith("_") or name in dir(self)
        if not is_submodule and not is_known:
            raise AttributeError(
                f"{__name__} has no setting {name!r}: pass settings to {__name__}.connect()"
            )
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
register_late_modules(__name__, LATE)


def __dir__() -> list[str]:
    """The public names, also those that are not loaded yet."""
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
