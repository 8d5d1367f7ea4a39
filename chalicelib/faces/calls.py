"""One call: an authenticated request on its way to a verb, and its reply on the way back."""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalice.app import Request, Response

from chalicelib.errors import OutOfRange
from chalicelib.faces.replies import failure, success
from chalicelib.faces.requests import caller, json_object
from chalicelib.mind.access import Principal
from chalicelib.mind.ids import task_id
from chalicelib.once import Claim
from chalicelib.wiring import World, world

Data = dict[str, Any]
MOST_KEY = 255
"""Characters of an Idempotency-Key."""


@dataclass(slots=True)
class Call:
    """What a route gets: the world, who calls, the request, and what to say about the cost."""

    here: World
    who: Principal
    request: Request
    heat: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    usage: Data = field(default_factory=dict)

    @property
    def query(self) -> Mapping[str, str]:
        """Query parameters; of a repeated one the last counts."""
        given: Mapping[str, str] = self.request.query_params or {}
        return {name: given[name] for name in given}

    @property
    def body(self) -> bytes:
        """The bytes of the body."""
        raw = self.request.raw_body
        return raw if isinstance(raw, bytes) else raw.encode()

    @property
    def json(self) -> Data:
        """The JSON object in the body."""
        return json_object(self.body)

    def new_task(self) -> str:
        """The id of a task that begins now."""
        return task_id(self.who.project, self.here.ids())

    def once(self, act: Callable[[str, str], Data]) -> Data:
        """What *act(request name, task id)* returns, done once where the request carries an Idempotency-Key."""
        key, task = self.request.headers.get("idempotency-key"), self.new_task()
        if key is None:
            return act(task, task)
        if not 1 <= len(key) <= MOST_KEY or not key.isascii() or not key.isprintable() or " " in key:
            raise OutOfRange("Idempotency-Key", f"must have 1 to {MOST_KEY} visible ASCII characters")
        claim = Claim(self.who.caller, f"{self.request.method} {self.request.path}", key, self.body_hash(), task)
        data, replayed = self.here.once(claim, lambda work: act(claim.request, work), now=self.here.now())
        if replayed:
            self.heat, self.headers["Idempotency-Replayed"] = 0, "true"
        return data

    def body_hash(self) -> str:
        """What makes two requests of a route the same: the user spoken for, path, query and the bytes of the body."""
        path = sorted((self.request.uri_params or {}).items())
        parts = self.who.user.encode(), repr(path).encode(), repr(sorted(self.query.items())).encode(), self.body
        return hashlib.sha256(b"\x1f".join(parts)).hexdigest()


def answered(request: Request, act: Callable[[Call], Data], *, heat: int = 0) -> Response:
    """The reply to a request: authenticated, acted upon, in its envelope, with its usage."""
    begun = time.perf_counter()
    try:
        here = world()
        call = Call(here, caller(here.credentials, request.headers), request, heat)
        data = act(call)
    except Exception as error:  # noqa: BLE001 -- whatever happens, the caller gets an envelope; a bug is logged there
        return failure(error)
    spent = round((time.perf_counter() - begun) * 1000, 1)
    return success(data | {"usage": usage(call.heat, spent) | call.usage}, call.headers)


def usage(heat: int, milliseconds: float) -> Data:
    """The cost of a call. The consumed counts are strings that hold numbers, as this interface's clients expect."""
    names = ("Points", "MemoryCount", "RecallCount", "ThinkingCount", "DreamCount", "CommonMemoryWords")
    return {f"consumed{name}": "0" for name in names} | {
        "hasRemainingQuota": True, "heat": heat, "points": 0, "tokens": 0, "milliseconds": milliseconds,
    }
