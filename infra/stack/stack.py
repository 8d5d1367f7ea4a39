"""Start and stop the real services that the tests talk to, on this machine and without Docker.

    python3 infra/stack/stack.py up [dynamodb] [--home DIR] [--clean] [--port-offset N]
    python3 infra/stack/stack.py status [dynamodb] [--home DIR]
    python3 infra/stack/stack.py down [dynamodb] [--home DIR]

`up` prints what a client needs as lines of `export`. The first `up` downloads the servers into the home directory:
`--home`, else the environment variable STACK_HOME, else ~/.cache/reverie-stack. That variable belongs to this
tool and is no setting of the product, which refuses names of REVERIE_* that it doesn't know: don't export it there.
Every server listens on 127.0.0.1 only. Nothing here is a security boundary: any user of the machine can talk to them.
"""

import argparse
import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import venv
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

HERE = Path(__file__).resolve().parent
READY_SECONDS, DOWNLOAD_SECONDS, STOP_SECONDS, KILL_SECONDS = 90, 600, 30, 5
TAIL = 3000
"""Characters of a log that an error message shows."""


class StackError(Exception):
    """A problem the user can act on; its text is the whole message."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A request that only a working server answers with 200."""

    method: str
    path: str
    body: bytes | None
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Record:
    """A server that was started: its process, its port, and a part of its command line that tells it from others."""

    pid: int
    port: int
    marker: str


class Server(ABC):
    """One server: where its files lie, how it starts, and whether it answers."""

    name: ClassVar[str]
    port: ClassVar[int]
    pins: ClassVar[str]
    exports: ClassVar[tuple[str, ...]]
    probe: ClassVar[Probe]

    def __init__(self, home: Path) -> None:
        self.settings = HERE / self.name
        digest = hashlib.sha256((self.settings / self.pins).read_bytes()).hexdigest()[:12]
        self.lib = home / "lib" / f"{self.name}-{digest}"
        self.data = home / "data" / self.name
        self.log, self.pid_file = home / "run" / f"{self.name}.log", home / "run" / f"{self.name}.pid"

    @abstractmethod
    def download(self) -> None:
        """Put the server into `lib`, in the versions of the pins."""

    @abstractmethod
    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        """The argument list that runs the server, and what it adds to the environment."""

    def install(self) -> None:
        """Download the server, unless a download of exactly these pins has completed."""
        if (self.lib / ".complete").exists():
            return
        print(f"{self.name}: downloading ...", flush=True)
        shutil.rmtree(self.lib, ignore_errors=True)
        self.download()
        (self.lib / ".complete").touch()

    def start(self, port: int) -> "subprocess.Popen[bytes]":
        """Start the server in a session of its own; its output goes to the log."""
        self.data.mkdir(parents=True, exist_ok=True)
        arguments, extra = self.command(port)
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                arguments, env=os.environ | extra, cwd=self.data, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)
        self.pid_file.write_text(json.dumps({"pid": process.pid, "port": port, "marker": str(self.lib)}))
        return process

    def record(self) -> Record | None:
        """The server as recorded if it still runs, else None (a stale file counts as none)."""
        try:
            record = Record(**json.loads(self.pid_file.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return record if record.marker in command_line(record.pid) else None

    def answers(self, port: int) -> bool:
        """True when a real request to the server succeeds."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
        try:
            connection.request(self.probe.method, self.probe.path, self.probe.body, dict(self.probe.headers))
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait_ready(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        """Wait until the server answers; if it doesn't in time, stop it and show the end of its log."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            if self.answers(port):
                return
            time.sleep(0.1)
        reason = "no answer in time" if process.poll() is None else f"exit code {process.returncode}"
        self.stop()
        raise StackError(f"{self.name}: {reason}. End of {self.log}:\n{self.log.read_text(errors='replace')[-TAIL:]}")

    def stop(self) -> int | None:
        """End the recorded process: TERM, then KILL. Returns its pid, or None if none ran."""
        record = self.record()
        for number, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
            if record and self.record():
                with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
                    os.kill(record.pid, number)
                self.wait_gone(seconds)
        self.pid_file.unlink(missing_ok=True)
        return record.pid if record else None

    def wait_gone(self, seconds: float) -> None:
        """Wait until the recorded process has ended, but no longer than *seconds*."""
        deadline = time.monotonic() + seconds
        while self.record() and time.monotonic() < deadline:
            time.sleep(0.05)


class DynamoDB(Server):
    """Ministack: DynamoDB and other AWS interfaces on LocalStack's port. It never throttles or reports conflicts."""

    name = "dynamodb"
    port = 4566
    pins = "requirements.txt"
    exports = ("AWS_ENDPOINT_URL=http://127.0.0.1:{}", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
               "AWS_DEFAULT_REGION=us-east-1")
    probe = Probe("POST", "/", b"{}", {"Content-Type": "application/x-amz-json-1.0",
                                       "X-Amz-Target": "DynamoDB_20120810.ListTables"})

    def download(self) -> None:
        """Install it from PyPI into a virtual environment of its own: its pins are not ours."""
        venv.create(self.lib, with_pip=True)
        fetch(self.lib / "bin" / "python", "-m", "pip", "install", "-q", "-r", self.settings / self.pins)

    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        """One process that keeps its state under `data` between clean stops, with all other listeners off."""
        return [str(self.lib / "bin" / "python"), "-m", "ministack"], {
            "BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port), "MINISTACK_HOST": "localhost",
            "TMPDIR": str(self.data), "PERSIST_STATE": "1", "STATE_DIR": str(self.data / "state"),
            "S3_PERSIST": "1", "S3_DATA_DIR": str(self.data / "s3"), "IOT_MTLS_ENABLED": "0", "SFTP_ENABLED": "0"}


SERVERS: dict[str, type[Server]] = {server.name: server for server in (DynamoDB,)}


def fetch(*arguments: str | Path) -> None:
    """Run a download command; its output is the error message if it fails."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise StackError(f"download not done after {DOWNLOAD_SECONDS} s: {' '.join(map(str, arguments))}") from error
    if done.returncode:
        output = (done.stdout + done.stderr)[-TAIL:]
        raise StackError(f"download failed: {' '.join(map(str, arguments))}\n{output}")


def command_line(pid: int) -> str:
    """The command line of a live process; empty if it is gone or a zombie."""
    if not Path("/proc/self").exists():  # macOS
        listed = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
        return subprocess.run(listed, capture_output=True, text=True, check=False).stdout
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def refuse_taken(server: Server, port: int) -> None:
    """Refuse a port that another program listens on."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise StackError(f"{server.name}: port {port} is taken by another program. Stop it or use --port-offset.")


def begin(server: Server, port: int) -> None:
    """Install the server, start it and wait until it answers."""
    refuse_taken(server, port)
    server.install()
    begun = time.monotonic()
    process = server.start(port)
    server.wait_ready(process, port)
    print(f"{server.name}: up on port {port} (pid {process.pid}, {time.monotonic() - begun:.1f} s)")


def confirm(server: Server, record: Record) -> None:
    """Say that the server was up already. Raises StackError if it runs without answering."""
    if not server.answers(record.port):
        raise StackError(f"{server.name}: runs (pid {record.pid}) but does not answer. Use 'down' first.")
    print(f"{server.name}: already up on port {record.port} (pid {record.pid})")


def up(servers: Sequence[Server], *, clean: bool, offset: int) -> None:
    """Start those servers that are down; then print what a client needs."""
    running = {server.name: server.record() for server in servers}
    if clean and any(running.values()):
        raise StackError("--clean needs the services down; run 'down' first.")
    for server in servers:
        record = running[server.name]
        port = record.port if record else server.port + offset
        if clean:
            shutil.rmtree(server.data, ignore_errors=True)
        if record:
            confirm(server, record)
        else:
            begin(server, port)
        print("\n".join(f"export {line}" for line in server.exports).format(port))


def down(servers: Sequence[Server]) -> None:
    """Stop the servers and say which."""
    for server in servers:
        pid = server.stop()
        print(f"{server.name}: " + (f"stopped (pid {pid})" if pid else "not running"))


def status(servers: Sequence[Server]) -> bool:
    """Print the state of each server. True when all of them answer."""
    states = []
    for server in servers:
        record = server.record()
        states.append("down" if not record else "up" if server.answers(record.port) else "not answering")
        print(f"{server.name}: {states[-1]}" + (f" (pid {record.pid}, port {record.port})" if record else ""))
    return set(states) == {"up"}


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line: what to do, with which services, where."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["up", "down", "status"])
    parser.add_argument("services", nargs="*", metavar="service", help="default: " + " ".join(SERVERS))
    parser.add_argument("--home", default=os.environ.get("STACK_HOME", "~/.cache/reverie-stack"))
    parser.add_argument("--clean", action="store_true", help="up: start without the data of earlier runs")
    parser.add_argument("--port-offset", type=int, default=0, choices=range(100), metavar="N",
                        help="up: add N (0 to 99) to each default port")
    options = parser.parse_args(arguments)
    if unknown := set(options.services) - set(SERVERS):
        parser.error(f"unknown service: {', '.join(sorted(unknown))}")
    return options


def done(options: argparse.Namespace, home: Path) -> bool:
    """Carry the command out, one `up` or `down` at a time. False when a status is not all up."""
    servers = [SERVERS[name](home) for name in dict.fromkeys(options.services or SERVERS)]
    if options.command == "status":
        return status(servers)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if options.command == "up":
            up(servers, clean=options.clean, offset=options.port_offset)
        else:
            down(servers)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run one command. Returns the exit code."""
    options = parsed(arguments)
    home = Path(options.home).expanduser().resolve()
    (home / "run").mkdir(parents=True, exist_ok=True)
    try:
        return 0 if done(options, home) else 1
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
