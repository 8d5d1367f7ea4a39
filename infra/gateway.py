"""HTTP in front of Chalice's own local gateway: what API Gateway is to the deployed functions.

It differs from `chalice local` in what a server needs: many threads, a limit of size, HEAD, and an envelope for
whatever Chalice itself does not answer. A path stays percent-encoded, as a route of the deployed functions gets it.
"""

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread
from typing import Any

from chalice.app import Chalice
from chalice.config import Config
from chalice.local import LocalChalice, LocalGateway, LocalGatewayException, RouteMatcher

from chalicelib.faces.replies import envelope, failure

LOG = logging.getLogger("reverie")
THREADS = 64
MOST_BYTES = 10_485_760
"""Bytes of a request's body: API Gateway's limit of 10 MB."""

DRAINED_BYTES = 64 * 1_048_576
"""Bytes of a refused body that are read and dropped, so that a client that first sends all of it sees the refusal."""

FUNCTION_SECONDS, FUNCTION_MEGABYTES = 29, 1024
"""What a function is told of itself: API Gateway's limit of time, and the deployed size."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: header names and values as they go over the wire."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Gone(Exception):  # noqa: N818 -- it is the client that is gone; nothing went wrong here
    """The client has closed the connection."""


class Oversized(Exception):  # noqa: N818 -- a turn of the talk, answered two lines away
    """The body is over the limit."""


class Gateway:
    """An ASGI application that hands each request to the Chalice application, in a thread of its own."""

    def __init__(self, app: Chalice, posted: Callable[[], None]) -> None:
        """*posted* is called after each POST, which may have queued work. The application changes: see `threaded`."""
        self.routes = app.routes
        self.matcher = RouteMatcher(list(app.routes))
        config = Config.create(lambda_timeout=FUNCTION_SECONDS, lambda_memory_size=FUNCTION_MEGABYTES)
        self.local = LocalGateway(threaded(app), config)
        self.posted = posted
        self.pool = ThreadPoolExecutor(THREADS, "request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = decoded(scope["headers"])
        try:
            body = await received(receive, headers)
            reply = await asyncio.get_running_loop().run_in_executor(
                self.pool, self.answer, scope["method"], target(scope), headers, body
            )
            await sent(send, reply)
        except asyncio.CancelledError:  # it has gone on past the server's end; its thread is left behind
            await sent(send, told(503, "C0001", "the server is ending"))
        except Oversized:
            await refused(receive, send, drain="expect" not in headers)
        except Gone:
            LOG.debug("a client left before it had sent its request")

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The reply of the application, or ours where there is no such route."""
        route = self.route(path)
        if route is None:
            return told(404, "A0404", "no such route")
        if method == "HEAD" and "HEAD" not in self.routes[route]:
            method = "GET"  # the server leaves the body out
        try:
            response = self.local.handle_request(method, path, dict(headers), body)
        except LocalGatewayException as error:
            return told(error.CODE, {401: "A0301", 403: "A0303"}.get(error.CODE, "B0001"), type(error).__name__)
        except Exception as error:  # noqa: BLE001 -- every request ends in an answer; `failure` logs what this was
            response = failure(error).to_dict()
        if method == "POST":
            self.posted()
        return translated(response)

    def route(self, path: str) -> str | None:
        """The route a path leads to. A path that begins with two slashes would be taken for a host name."""
        if not path.startswith("/") or path.startswith("//"):
            return None
        try:
            return str(self.matcher.match_route(path).route)
        except ValueError:
            return None

    def close(self, seconds: float) -> bool:
        """Let requests in flight end; True if all have ended in time."""
        closing = Thread(target=self.pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        closing.start()
        closing.join(seconds)
        return not closing.is_alive()


def threaded(app: Chalice) -> Chalice:
    """The application with a current request for each thread, as Chalice's own local server has it."""
    if not isinstance(app, LocalChalice):
        app.__class__ = type("ThreadedChalice", (LocalChalice, app.__class__), {})
    return app


def decoded(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers as text; of a repeated one the last counts, as in API Gateway."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def target(scope: Scope) -> str:
    """Path and query as they came. `;` and `#`, which the matcher would cut the path at, are encoded."""
    path = scope["raw_path"].decode("latin-1").replace(";", "%3B").replace("#", "%23")
    query = scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


async def received(receive: Receive, headers: Mapping[str, str]) -> bytes:
    """The body. Raises Oversized as soon as that is known, Gone if the client leaves."""
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) > MOST_BYTES:
        raise Oversized
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise Oversized
        if not message.get("more_body"):
            return bytes(body)


async def refused(receive: Receive, send: Send, *, drain: bool) -> None:
    """Answer 413 at once, then let the client finish, within bounds, so that it comes to read the answer."""
    reply = told(413, "A0413", f"body: is over {MOST_BYTES} bytes", ((b"connection", b"close"),))
    await sent(send, reply, more_body=True)
    dropped, more = 0, drain
    while more and dropped < DRAINED_BYTES:
        message = await receive()
        dropped += len(message.get("body", b""))
        more = bool(message.get("more_body"))
    await send({"type": "http.response.body"})


async def sent(send: Send, reply: Reply, *, more_body: bool = False) -> None:
    """Send a reply; with *more_body* the end of it is left to the caller."""
    await send({"type": "http.response.start", "status": reply.status, "headers": list(reply.headers)})
    await send({"type": "http.response.body", "body": reply.body, "more_body": more_body})


def told(status: int, code: str, message: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Reply:
    """A reply of the gateway's own, in the envelope."""
    body = json.dumps(envelope(code, message, {}), ensure_ascii=False).encode()
    length = b"content-length", str(len(body)).encode()
    return Reply(status, (
        (b"content-type", b"application/json; charset=utf-8"), (b"access-control-allow-origin", b"*"), length, *headers
    ), body)


def translated(response: Mapping[str, Any]) -> Reply:
    """A function's response as it goes over the wire."""
    body = response.get("body") or b""
    encoded = body.encode() if isinstance(body, str) else body
    raw = base64.b64decode(encoded) if response.get("isBase64Encoded") else encoded
    named: dict[str, list[str]] = {name.lower(): [str(value)] for name, value in response.get("headers", {}).items()}
    named |= {name.lower(): list(map(str, values)) for name, values in response.get("multiValueHeaders", {}).items()}
    named.setdefault("content-type", ["application/json"])
    named["content-length"] = [str(len(raw))]
    headers = tuple((name.encode("latin-1"), value.encode("latin-1")) for name in named for value in named[name])
    return Reply(response["statusCode"], headers, raw)
