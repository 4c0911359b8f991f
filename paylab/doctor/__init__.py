"""The signature doctor: somebody else's headers for a request against ours, and the clock.

`compare` names the first layer and line that differs, and the mistake if it is a known one.
"""

from .compare import compare as compare
from .finding import Finding as Finding
from .skew import skew as skew
from .skew import skew_warning as skew_warning
from .theirs import Request as Request
from .theirs import read_headers as read_headers

__all__ = ["Finding", "Request", "compare", "read_headers", "skew", "skew_warning"]
