"""The operations of the service: one record each, which everything else reads."""

from .records import AMOUNTS as AMOUNTS
from .records import ANSWER_NAMES as ANSWER_NAMES
from .records import ANSWERED_AMOUNTS as ANSWERED_AMOUNTS
from .records import IDEMPOTENT as IDEMPOTENT
from .records import LISTS as LISTS
from .records import OPERATIONS as OPERATIONS
