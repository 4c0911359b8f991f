"""An interactive notebook toolkit for integrating a cross-border payments service.

    lab = paylab.connect()

`frames` and `views` (pandas, widgets, pictures) are loaded when they are first used.
"""

from importlib import import_module
from typing import Any

from . import corridors, emvqr, signing
from . import webhooks as events
from .corridors import examples
from .errors import APIConnectionError as APIConnectionError
from .errors import APIResponseError as APIResponseError
from .errors import APIStatusError as APIStatusError
from .errors import APITimeoutError as APITimeoutError
from .errors import AuthenticationError as AuthenticationError
from .errors import BadRequestError as BadRequestError
from .errors import ChoiceError as ChoiceError
from .errors import ConfigError as ConfigError
from .errors import ConflictError as ConflictError
from .errors import EMVError as EMVError
from .errors import ExactnessError as ExactnessError
from .errors import NotFoundError as NotFoundError
from .errors import PagingError as PagingError
from .errors import PaylabError as PaylabError
from .errors import PermissionDeniedError as PermissionDeniedError
from .errors import Problem as Problem
from .errors import RateLimitError as RateLimitError
from .errors import RedirectError as RedirectError
from .errors import RuleError as RuleError
from .errors import ServerError as ServerError
from .errors import SimulatorError as SimulatorError
from .errors import UnprocessableError as UnprocessableError
from .errors import WaitTimeoutError as WaitTimeoutError
from .lab.lab import Lab as Lab
from .lab.lab import connect as connect
from .signing import comparison as doctor
from .spec import assumptions, codes, models, status
from .spec.service import Service as Service

__version__ = "0.1.0"

LATE = ("frames", "simulator", "views")


def __getattr__(name: str) -> Any:
    if name == "read_csv":
        return import_module(f"{__name__}.frames").read_csv
    if name in LATE:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "APIConnectionError",
    "APIResponseError",
    "APIStatusError",
    "APITimeoutError",
    "AuthenticationError",
    "BadRequestError",
    "ChoiceError",
    "ConfigError",
    "ConflictError",
    "EMVError",
    "ExactnessError",
    "Lab",
    "NotFoundError",
    "PagingError",
    "PaylabError",
    "PermissionDeniedError",
    "Problem",
    "RateLimitError",
    "RedirectError",
    "RuleError",
    "ServerError",
    "Service",
    "SimulatorError",
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
