"""Looking after the whole: health."""

from collections.abc import Callable, Mapping

from chalice.app import Blueprint, Response

from chalicelib.errors import Unavailable
from chalicelib.faces.calls import Call, Data, answered
from chalicelib.faces.replies import CORS, failure, success
from chalicelib.mind.access import may_touch
from chalicelib.mind.rows import Key
from chalicelib.wiring import VERSION, World, world

routes = Blueprint(__name__)
NOWHERE = Key("health", "health")
"""A row, and a scope, that never exist: a store that says so answers."""

PROBES: Mapping[str, Callable[[World], object]] = {
    "table": lambda here: here.table.get([NOWHERE]),
    "index": lambda here: here.index.facets([NOWHERE.partition], "turn"),
    "graph": lambda here: here.graph.neighbourhood([NOWHERE.partition], [NOWHERE.sort], hops=1, limit=1),
    "queue": lambda here: here.queue.depth(),
}
"""What is asked of each store to see whether it answers."""


@routes.route("/health", methods=["GET"], content_types=["*/*"], cors=CORS)
def health() -> Response:
    """Public: the status alone. With a credential: what is up, how much is pending, which versions."""
    if "authorization" in routes.current_request.headers:
        return answered(routes.current_request, state)
    try:
        PROBES["table"](world())
    except Unavailable as error:
        return failure(error)
    return success({"status": "ok"})


def state(call: Call) -> Data:
    """What is up, store by store; pending: outbox entries of the scopes that exist for the caller."""
    here = call.here
    stores = {name: "down" if told(here, probe) is None else "up" for name, probe in PROBES.items()}
    pending = told(here, lambda here: here.projection.depth(lambda scope: may_touch(call.who, scope)))
    embedder = told(here, lambda here: here.embedder.model)
    whole = set(stores.values()) == {"up"} and pending is not None and embedder is not None
    return {
        "status": "ok" if whole else "degraded", "stores": stores, "pending": pending, "version": VERSION,
        "embedder": embedder, "model": here.settings.model or None,
    }


def told(here: World, probe: Callable[[World], object]) -> object | None:
    """What is told; None where it does not answer."""
    try:
        return probe(here)
    except Unavailable:
        return None
