"""What the benches share: a server to measure, a client that keeps its connection, and percentiles."""

import contextlib
import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the server has it
sys.path.insert(0, str(ROOT))  # a bench runs as a script, and the product is in the checkout
READY_SECONDS, END_SECONDS, TOO_HOT = 600, 20, 429

Data = dict[str, Any]


class StartError(RuntimeError):
    """The server ended before it was ready; what it had to say stands above."""


class RequestError(RuntimeError):
    """A request was answered with an error."""


@dataclass(slots=True)
class Client:
    """One connection to a server, kept alive; of one thread. Waits where the server says that it is too hot."""

    url: str
    key: str
    waited: float = 0.0
    connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def post(self, path: str, body: Data) -> tuple[Data, float]:
        """The `data` of the reply, and the milliseconds from the request's first byte to the reply's last."""
        payload = json.dumps(body).encode()
        while True:
            begun = time.perf_counter()
            status, headers, reply = self.exchange(path, payload)
            spent = (time.perf_counter() - begun) * 1000
            if status != TOO_HOT:
                break
            pause = float(headers.get("Retry-After") or 1)
            self.waited += pause
            time.sleep(pause)
        envelope = json.loads(reply)
        if status != http.client.OK:
            raise RequestError(f"{path}: {status} {envelope.get('code')} {envelope.get('msg')}")
        return envelope["data"], spent

    def exchange(self, path: str, payload: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        """One request and its reply; a connection that the server has closed meanwhile is opened anew, once."""
        parts = urlsplit(self.url)
        headers = {"Authorization": f"Token {self.key}", "Content-Type": "application/json"}
        for fresh in (self.connection is None, True):
            if self.connection is None:
                opened = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
                self.connection = opened(parts.netloc, timeout=300)
            try:
                self.connection.request("POST", parts.path.rstrip("/") + path, payload, headers)
                reply = self.connection.getresponse()
                return reply.status, reply.headers, reply.read()
            except (ConnectionError, http.client.BadStatusLine):
                self.connection.close()
                self.connection = None
                if fresh:
                    raise
        raise AssertionError("the second attempt either returns or raises")


@contextlib.contextmanager
def served(url: str | None, key: str | None) -> Iterator[Client]:
    """A client of the server at *url*; without one, of a server of its own that ends with the block."""
    if url:
        yield Client(url, key or "")
        return
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as home:
        server = started(free_port(), home)
        try:
            yield ready(server)
        finally:
            end(server)


def started(port: int, home: str) -> "subprocess.Popen[str]":
    """A server over an empty home, with no limit of heat: what is measured is work, not patience."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REVERIE_")}
    command = [sys.executable, "infra/server.py", "--port", str(port), "--home", home]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment | {"REVERIE_HEAT_LIMITS": "0", "REVERIE_LOG_LEVEL": "WARNING"},
        stdout=subprocess.PIPE, text=True,
    )


def ready(server: "subprocess.Popen[str]") -> Client:
    """A client of the server, once it has said where it is. Raises StartError."""
    assert server.stdout
    found: dict[str, str] = {}
    for line in server.stdout:
        name, _, value = line.strip().partition("=")
        found |= {name: value} if name in {"REVERIE_URL", "REVERIE_API_KEY"} else {}
        if len(found) == 2:
            Thread(target=server.stdout.read, daemon=True).start()  # or the pipe fills and the server stands still
            return Client(found["REVERIE_URL"], found["REVERIE_API_KEY"])
        if not found:
            say(line.rstrip())
    raise StartError(f"the server ended with status {server.wait()}")


def end(server: "subprocess.Popen[str]") -> None:
    """End the server that was started here, and wait for it."""
    server.terminate()
    try:
        server.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_name() -> str:
    """A name that no other run has, so that a server can be measured twice."""
    return f"bench-{secrets.token_hex(4)}"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that *share* (0..1) of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
