"""The objects of one account, and the steps that fall due as time goes by."""

import heapq
from datetime import UTC, datetime
from itertools import count

KINDS = (
    "individual",
    "account",
    "quote",
    "transfer",
    "conversion_account",
    "conversion",
    "webhook",
)
PREFIX = {"conversion_account": "acct", "account": "dest", "individual": "person"}


class World:
    """Objects by kind and id, the answers that are stored by key, and a list of due steps."""

    def __init__(self, ways, clock):
        self.ways, self.clock = ways, clock
        self.objects = {kind: {} for kind in KINDS}
        self.stored, self.nonces = {}, set()
        self.requests = []
        self._due, self._numbers, self._order = [], count(1001), count()
        self._at = None

    def now(self):
        """The time of the step that runs, or of the clock."""
        return self._at or self.clock()

    def stamp(self, ahead=0):
        """The time as text, some seconds ahead."""
        moment = datetime.fromtimestamp(self.now() + ahead, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def new(self, kind, **values):
        """Store a new object."""
        at = self.stamp()
        key = f"{PREFIX.get(kind, kind)}-{next(self._numbers)}"
        made = {"id": key, **values, "created_at": at, "updated_at": at}
        self.objects[kind][key] = made
        return made

    def newest(self, kind):
        """All objects of a kind, the newest first."""
        return list(self.objects[kind].values())[::-1]

    def after(self, seconds, step):
        """Run a step when this time is over."""
        heapq.heappush(self._due, (self.now() + seconds, next(self._order), step))

    def catch_up(self):
        """Run every step that is due, each at its own time."""
        while self._due and self._due[0][0] <= self.clock():
            self._at, _, step = heapq.heappop(self._due)
            step()
        self._at = None

    def move(self, held, status, **values):
        """Give an object another status."""
        held.update(values, status=status, updated_at=self.stamp())
