"""Many payouts at once: checked before anything is sent, sent once each, resumed after a crash."""

from .keys import key as key
from .plan import Plan as Plan
from .plan import RowProblem as RowProblem
from .plan import plan as plan
from .rows import Payouts as Payouts
from .run import create_many as create_many
