"""Looking after the whole: health."""

from chalice.app import Blueprint, Response

from chalicelib.errors import Unavailable
from chalicelib.faces.calls import Call, Data, answered
from chalicelib.faces.replies import CORS, failure, success
from chalicelib.mind.rows import Key
from chalicelib.wiring import VERSION, World, world

routes = Blueprint(__name__)
NOWHERE = Key("health", "health")
"""A row that never exists: reading it tells whether the table answers."""


@routes.route("/health", methods=["GET"], content_types=["*/*"], cors=CORS)
def health() -> Response:
    """Public: the status alone. With a credential: what is up, how much is pending, which versions."""
    if "authorization" in routes.current_request.headers:
        return answered(routes.current_request, state)
    try:
        world().table.get([NOWHERE])
    except Unavailable as error:
        return failure(error)
    return success({"status": "ok"})


def state(call: Call) -> Data:
    """What is up, store by store."""
    here = call.here
    up = {"table": answers(here), "index": "up", "graph": "up", "queue": "up"}
    return {
        "status": "ok" if set(up.values()) == {"up"} else "degraded", "stores": up, "pending": here.projection.depth(),
        "version": VERSION, "embedder": here.embedder.model, "model": here.settings.model or None,
    }


def answers(here: World) -> str:
    """Whether the table answers."""
    try:
        here.table.get([NOWHERE])
    except Unavailable:
        return "down"
    return "up"
