"""The embedded server as a whole: HTTP, the queue's worker, the timetable, the first key; from start to clean end."""

import http.client
import logging
import os
import signal
import socket
import sys
import time
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

import uvicorn

from app import app
from chalicelib.errors import MindError
from chalicelib.schedules import resume, sweep, work
from chalicelib.wiring import close, world
from infra import demo
from infra.gateway import Gateway
from infra.keys import host_key
from infra.repeating import Repeating

LOG = logging.getLogger("reverie")
QUEUE_SECONDS = 0.5
GRACE_SECONDS = 10
"""How long requests in flight may go on after a signal."""

IDLE_SECONDS = 75
"""How long a connection may be silent; clients that keep connections expect them to be kept about a minute."""

READY_SECONDS = 30


class Embedded:
    """One run of the server. The listener is given, so that the port is claimed before anything else is done."""

    def __init__(self, listener: socket.socket, home: Path, url: str, *, demo: bool) -> None:
        """*url* is where the listener listens."""
        self.listener, self.home, self.url, self.demo = listener, home, url, demo
        self.stop = Event()
        self.failed = False

    def run(self) -> int:
        """Serve until SIGTERM or SIGINT. Returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop.set())
        try:
            here = world()
            logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
            LOG.setLevel(here.settings.log_level)
            resume()  # the home is ours alone: `infra.server` holds its lock
            here.warm()
            key = host_key(here, self.home / "key")
            self.serve(key, here.settings.schedule_seconds)
        except MindError as error:
            print(f"error: {error}", file=sys.stderr)
            self.failed = True
        finally:
            close()
        return int(self.failed)

    def serve(self, key: str, schedule_seconds: float) -> None:
        """Start everything, say so, wait for the signal, end everything."""
        worker = Repeating("queue", lambda going: work(1, going) > 0, QUEUE_SECONDS)
        timetable = Repeating("timetable", lambda going: sweep(going) < 0, schedule_seconds)
        gateway = Gateway(app, worker.wake)
        server = uvicorn.Server(uvicorn.Config(
            gateway, http="h11", ws="none", loop="asyncio", lifespan="off", interface="asgi3", log_config=None,
            access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        ))
        listening = Thread(target=self.listen, args=[server], name="http", daemon=True)
        for thread in (listening, worker, timetable):
            thread.start()
        if self.answers():
            self.announce(key)
        self.stop.wait()
        server.should_exit = True
        self.finish(listening, gateway, worker, timetable)

    def listen(self, server: uvicorn.Server) -> None:
        """Serve HTTP; if that ends unasked, everything ends."""
        try:
            server.run([self.listener])
        finally:
            self.failed = not self.stop.is_set()
            self.stop.set()

    def answers(self) -> bool:
        """True when a request has been answered; False when the server is to end before that."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=READY_SECONDS)
        try:
            connection.request("GET", "/health")
            self.failed = connection.getresponse().status != http.HTTPStatus.OK
        except OSError as error:
            LOG.error("no answer from %s: %s", self.url, error)  # noqa: TRY400 -- the trace would say no more
            self.failed = True
        finally:
            connection.close()
        if self.failed:
            print("error: the server does not answer as it should; see above", file=sys.stderr)
            self.stop.set()
        return not self.stop.is_set()

    def announce(self, key: str) -> None:
        """Say where the server is and how to use it; show the demonstration if that is asked for."""
        print(f"REVERIE_URL={self.url}\nREVERIE_API_KEY={key}\n", flush=True)
        print(f"# Remember, then recall:\n{pastes(self.url, key)}", flush=True)
        if self.demo:
            Thread(target=demo.show, args=[self.url, key, self.stop], name="demo", daemon=True).start()

    def finish(self, listening: Thread, gateway: Gateway, *others: Repeating) -> None:
        """End in order: no more requests, those in flight done, then the workers.

        What does not end in time is left behind with the process: every commit is whole or not there.
        """
        for worker in others:
            worker.end()
        deadline, threads = time.monotonic() + GRACE_SECONDS + 1, (listening, *others)
        for thread in threads:
            thread.join(max(0.1, deadline - time.monotonic()))
        if not gateway.close(1) or any(thread.is_alive() for thread in threads):
            LOG.warning("not everything ended within %d s; leaving", GRACE_SECONDS)
            sys.stdout.flush()
            os._exit(int(self.failed))


def pastes(url: str, key: str) -> str:
    """Two commands to try it with."""
    head = f"-s -H 'Authorization: Token {key}' -H 'Content-Type: application/json'"
    said = '{"memoryAgentName": "ada", "messages": [{"role": "user", "content": "My sister Nora lives in Lisbon."}]}'
    asked = '{"memoryAgentName": "ada", "query": "Where does Nora live?"}'
    return f"curl {url}/v1/memories {head} -d '{said}'\ncurl {url}/v1/recall {head} -d '{asked}'"
