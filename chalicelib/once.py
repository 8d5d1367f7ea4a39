"""once: a request with an idempotency key is done once, and its repeats get the same reply."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chalicelib.errors import Conflict, UnderWay
from chalicelib.mind.rows import ABSENT, Expected, Put, Row, RowConflict
from chalicelib.ports import Table
from chalicelib.records import keys

KEPT, LEASE = timedelta(hours=24), timedelta(seconds=60)
"""How long a reply is kept, and how long a request under way keeps others of the same key out."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that is to be done once: whose, which (route and key), with which body; *task* names its work."""

    caller: str
    route: str
    key: str
    body: str
    task: str

    @property
    def request(self) -> str:
        """The request's name for good, the same for each repeat; 32 hexadecimal digits."""
        return hashlib.sha256(f"{self.caller}\x1f{self.route}\x1f{self.key}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Once:
    """Guards an act by its claim. *since*: from when on this process is alone; who began before that is dead."""

    table: Table
    since: datetime | None = None

    def __call__(
        self, claim: Claim, act: Callable[[str], dict[str, Any]], *, now: datetime
    ) -> tuple[dict[str, Any], bool]:
        """What *act* returns, called with the task to use; and whether this is a replay of an earlier reply.

        Raises Conflict for another body under the same key, UnderWay while the first request is that.
        """
        row = self.begun(claim, now=now)
        if row and row.data["state"] == "done":
            return row.data["reply"], True
        task, mine = (row.data["task"], row.version + 1) if row else (claim.task, 1)
        try:
            reply = act(task)
        except BaseException:
            self.end(claim, {"state": "started", "task": task, "until": 0}, mine, now=now)
            raise
        stands = self.end(claim, {"state": "done", "task": task, "reply": reply}, mine, now=now)
        return stands.get("reply", reply), False

    def begun(self, claim: Claim, *, now: datetime) -> Row | None:
        """Take the claim: None if it is the first, else the row of the one before it, finished or taken over."""
        started = {"state": "started", "task": claim.task, "until": (now + LEASE).timestamp()}
        try:
            self.save(claim, started, ABSENT, now=now)
        except RowConflict as conflict:
            row = conflict.standing
            if not isinstance(row, Row):
                raise Conflict("the request with this Idempotency-Key has just ended; send it again") from conflict
            return self.standing(claim, row, now=now)
        return None

    def standing(self, claim: Claim, row: Row, *, now: datetime) -> Row:
        """The row of an earlier request with the key, if this one may follow it."""
        if row.data["body"] != claim.body:
            raise Conflict("this Idempotency-Key was used with another body")
        if row.data["state"] == "done":
            return row
        left = row.data["until"] - now.timestamp()
        under_way = UnderWay(f"the request with this Idempotency-Key is still under way as {row.data['task']}", left)
        if left > 0 and not self.dead(row):
            raise under_way
        taken = {"state": "started", "task": row.data["task"], "until": (now + LEASE).timestamp()}
        try:
            self.save(claim, taken, row.version, now=now)
        except RowConflict:
            raise under_way from None  # another repeat was quicker
        return row

    def dead(self, row: Row) -> bool:
        """True if whoever began is known to be gone, however long its lease."""
        return self.since is not None and row.data["until"] <= (self.since + LEASE).timestamp()

    def end(self, claim: Claim, data: dict[str, Any], mine: int, *, now: datetime) -> Mapping[str, Any]:
        """Write how it ended, unless somebody has taken it over meanwhile: what then stands, stands."""
        try:
            self.save(claim, data, mine, now=now)
        except RowConflict as conflict:
            return conflict.standing.data if conflict.standing else {}
        return data

    def save(self, claim: Claim, data: dict[str, Any], expect: Expected, *, now: datetime) -> None:
        """Write how far the request has come."""
        key = keys.once(claim.caller, claim.request)
        whole = {"body": claim.body, **data}
        expires = int((now + KEPT).timestamp())
        self.table.commit([Put(key, whole, expect, expires)])
