"""The envelope of the MemNetAI interface, and which error wears which code and status."""

import json
import logging
import math
from collections.abc import Mapping
from typing import Any

from chalice.app import CORSConfig, Response

from chalicelib.errors import (
    Conflict,
    Forbidden,
    Malformed,
    MindError,
    Missing,
    NotFound,
    OutOfPoints,
    OutOfRange,
    Retired,
    TooHot,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnderWay,
)
from chalicelib.failures import quiet

LOG = logging.getLogger("reverie")
SUCCESS = "0"
"""A string: the only spelling of success that every known client takes."""

CODES: tuple[tuple[type[MindError], int, str], ...] = (
    (Missing, 400, "A0410"),
    (OutOfRange, 400, "A0420"),
    (TooLarge, 413, "A0413"),
    (Malformed, 400, "A0400"),
    (Unauthenticated, 401, "A0301"),
    (Forbidden, 403, "A0303"),
    (Retired, 410, "A0449"),
    (NotFound, 404, "A0404"),
    (Conflict, 409, "A0409"),
    (TooHot, 429, "A0501"),
    (OutOfPoints, 402, "A0600"),
    (Unavailable, 503, "C0001"),
)
"""Status and code of an error, the most special class first."""

STATUS_CODES = {
    400: "A0400", 401: "A0301", 403: "A0303", 404: "A0404", 405: "A0405", 413: "A0413", 415: "A0415", 429: "A0501",
}
"""Codes of failures that a gateway, not a verb, has found."""

CORS = CORSConfig(
    allow_headers=["Idempotency-Key", "X-User-Id", "X-Org-Id", "X-Run-Id"],
    expose_headers=["Idempotency-Replayed", "Retry-After"],
)
"""What a page of another origin may send, beside what Chalice allows by itself, and may read."""

Headers = Mapping[str, str]


def envelope(code: str, message: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The one shape of every reply; `data` is always an object."""
    return {"code": code, "msg": message, "data": dict(data)}


def reply(status: int, body: Mapping[str, Any], headers: Headers | None = None) -> Response:
    """A JSON reply, UTF-8, non-ASCII as it is."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text, {"Content-Type": "application/json; charset=utf-8", **(headers or {})}, status)


def success(data: Mapping[str, Any], headers: Headers | None = None) -> Response:
    """Success is exactly 200 with an object."""
    return reply(200, envelope(SUCCESS, "success", data), headers)


def failure(error: Exception) -> Response:
    """The error in its envelope. A bug is logged by its type and place, without any text of a request."""
    if not isinstance(error, MindError):
        LOG.error("unexpected %s", type(error).__name__, exc_info=quiet(error))
        return reply(500, envelope("B0001", "an error of ours; it has been logged", {}))
    status, code = next((status, code) for kind, status, code in CODES if isinstance(error, kind))
    return reply(status, envelope(code, str(error), {}), waiting(error))


def waiting(error: MindError) -> Headers:
    """When to come back, in whole seconds, where that is known."""
    if isinstance(error, TooHot | UnderWay):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    return {}


def templated(status: int, body: object) -> dict[str, Any]:
    """What a gateway answers on its own, in the envelope."""
    message = body.get("Message") or body.get("message") if isinstance(body, dict) else None
    return envelope(STATUS_CODES.get(status, "B0001" if status >= 500 else "A0400"), str(message or "refused"), {})  # noqa: PLR2004 -- server errors
