"""What tests of several kinds share: a clock set by hand, and the embedded server as a program of its own."""

import http.client
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REVERIE_")}
SECONDS = 60


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    now: datetime = datetime(2026, 5, 28, 9, tzinfo=UTC)

    def __call__(self):
        return self.now.timestamp()

    def move(self, **passed):
        self.now += timedelta(**passed)
        return self.now


@pytest.fixture
def clock():
    return Clock()


@dataclass
class Server:
    """A running server: its process, where it is, and what it printed."""

    process: subprocess.Popen
    url: str
    key: str
    lines: list[str]
    rest: Thread

    def ask(self, method, path, body=None, key=None):
        """Status and body of the reply to one request."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=SECONDS)
        try:
            headers = {"Authorization": f"Token {key or self.key}", "Content-Type": "application/json"}
            connection.request(method, path, body and json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def end(self, number=signal.SIGTERM):
        """Send a signal and wait; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(SECONDS)
        self.rest.join(SECONDS)
        self.process.stdout.close()
        return code


def started(home, *options, **settings):
    """A server over a home, on a free port, once it has said that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "infra/server.py", "--port", "0", "--home", str(home), *options], cwd=ROOT,
        env=ENVIRONMENT | settings, stdout=subprocess.PIPE, text=True,
    )
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith("curl") and "/v1/recall" in line:
            break
    found = dict(line.split("=", 1) for line in lines if line.startswith("REVERIE_"))
    assert found, f"the server ended with status {process.wait(SECONDS)}"
    rest = Thread(target=lambda: lines.extend(text.rstrip("\n") for text in process.stdout), daemon=True)
    rest.start()
    return Server(process, found["REVERIE_URL"], found["REVERIE_API_KEY"], lines, rest)


@pytest.fixture(scope="module")
def start_server():
    """Starts servers; ends those that still run when the module's tests are done."""
    running = []

    def start(home, *options, **settings):
        running.append(started(home, *options, **settings))
        return running[-1]

    yield start
    for server in running:
        if not server.process.stdout.closed:
            server.end()
