"""Every exception of paylab.

PaylabError
├── ConfigError              a setting is missing, unreadable or unsafe
│   ├── MissingExtraError    a package that is not installed, and the command to install it
│   └── ServiceError         settings of a service that cannot be used
│       └── MissingOperationError   an operation that the service does not have
├── ArgumentError            a value that a function cannot take; names the parameter
├── UnknownItemError         nothing has this name, number or id
├── RuleError                a check before sending; lists every problem
│   └── OptionError          an argument of a call that creates nothing, or an unknown word
│       └── UnknownNameError    an unknown name, with similar known names
├── ReadOnlyError            not sent: only GETs are allowed
├── ReplayError              not sent: a recording has no such request
├── ChoiceError              no success: a payment was found or may exist, and you have to choose
├── EMVError                 a QR text that is not a valid EMV payload
├── ExactnessError           an amount that cannot be stored exactly
├── SimulatorError           the simulator cannot do what was requested
├── ProgramError             a picture cannot be drawn or read: its program failed or ended
├── WaitTimeoutError         the expected state was not reached in time
├── PagingError              a list with invalid cursors
└── APIError                 a call without a usable answer
    ├── APIConnectionError       no response: refused, reset, interrupted
    │   └── APITimeoutError      no response in time
    ├── APIResponseError         a response whose body cannot be read
    └── APIStatusError           a response that is not 2xx
        ├── RedirectError           3xx, never followed with signed headers
        ├── BadRequestError         400
        ├── AuthenticationError     401
        ├── PermissionDeniedError   403
        ├── NotFoundError           404
        ├── ConflictError           409
        ├── UnprocessableError      422
        ├── RateLimitError          429
        └── ServerError             5xx
"""

import sys

from .api import APIConnectionError as APIConnectionError
from .api import APIError as APIError
from .api import APIResponseError as APIResponseError
from .api import APIStatusError as APIStatusError
from .api import APITimeoutError as APITimeoutError
from .api import AuthenticationError as AuthenticationError
from .api import BadRequestError as BadRequestError
from .api import ConflictError as ConflictError
from .api import NotFoundError as NotFoundError
from .api import PermissionDeniedError as PermissionDeniedError
from .api import RateLimitError as RateLimitError
from .api import RedirectError as RedirectError
from .api import ServerError as ServerError
from .api import UnprocessableError as UnprocessableError
from .api import error_class_of_status as error_class_of_status
from .base import ArgumentError as ArgumentError
from .base import ChoiceError as ChoiceError
from .base import ConfigError as ConfigError
from .base import ConfigWarning as ConfigWarning
from .base import EMVError as EMVError
from .base import ExactnessError as ExactnessError
from .base import FloatWarning as FloatWarning
from .base import MissingOperationError as MissingOperationError
from .base import OptionError as OptionError
from .base import PagingError as PagingError
from .base import PaylabError as PaylabError
from .base import PaylabWarning as PaylabWarning
from .base import Problem as Problem
from .base import ProgramError as ProgramError
from .base import ReadOnlyError as ReadOnlyError
from .base import RepeatWarning as RepeatWarning
from .base import ReplayError as ReplayError
from .base import RuleError as RuleError
from .base import RuleWarning as RuleWarning
from .base import ServiceError as ServiceError
from .base import SimulatorError as SimulatorError
from .base import UnknownItemError as UnknownItemError
from .base import UnknownNameError as UnknownNameError
from .base import WaitTimeoutError as WaitTimeoutError
from .extras import MissingExtraError as MissingExtraError
from .module_names import PublicModule

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
    "ConfigWarning",
    "ConflictError",
    "EMVError",
    "ExactnessError",
    "FloatWarning",
    "MissingExtraError",
    "MissingOperationError",
    "NotFoundError",
    "OptionError",
    "PagingError",
    "PaylabError",
    "PaylabWarning",
    "PermissionDeniedError",
    "Problem",
    "ProgramError",
    "RateLimitError",
    "ReadOnlyError",
    "RedirectError",
    "RepeatWarning",
    "ReplayError",
    "RuleError",
    "RuleWarning",
    "ServerError",
    "ServiceError",
    "SimulatorError",
    "UnknownItemError",
    "UnknownNameError",
    "UnprocessableError",
    "WaitTimeoutError",
]


def __dir__() -> list[str]:
    """The public names, which an editor completes."""
    return sorted(__all__)


sys.modules[__name__].__class__ = PublicModule
