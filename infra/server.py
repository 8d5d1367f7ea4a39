"""The embedded server's command line: claim the port, claim the home, then serve.

    python infra/server.py [--port 8000] [--home .reverie] [--demo]

Only Python's own library is imported until both are claimed, so that a mistake is told at once, and by any Python.
"""

import argparse
import fcntl
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
MOST_PORT = 65_535
BACKLOG = 1024


class ClaimError(Exception):
    """What the server needs is in other hands; its text is the whole message."""


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line. Exits with status 2 and the usage for an option that does not exist."""
    parser = argparse.ArgumentParser(prog="infra/run", description="Serve Reverie's embedded world on this machine.")
    parser.add_argument("--port", type=port, default=8000, help="0 takes any free one (default: %(default)s)")
    parser.add_argument("--home", type=Path, default=Path(".reverie"), metavar="DIR",
                        help="where everything is kept (default: %(default)s)")
    parser.add_argument("--demo", action="store_true", help="remember two conversations, show what recall brings back")
    parser.add_argument("--check", action="store_true", help="end when the options and the port are found to be good")
    return parser.parse_args(arguments)


def port(text: str) -> int:
    """A port number."""
    number = int(text)
    if not 0 <= number <= MOST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {MOST_PORT}")
    return number


def listening(number: int) -> socket.socket:
    """A socket that listens on the port: requests wait there until the server is ready. Raises ClaimError."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # named, or asyncio lets it wait for acknowledgements (40 ms)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, number))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ClaimError(
            f"port {number} of {HOST} can't be used: {error.strerror}. Stop what holds it, or choose another (--port)."
        ) from error
    return listener


@contextmanager
def held(home: Path, doing: str) -> Iterator[None]:
    """Hold the home for this process alone, saying what it is *doing*. Raises ClaimError, naming who holds it."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (home / "server.lock").open("a+")
    except OSError as error:
        raise ClaimError(f"home {home} can't be used: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise ClaimError(f"home {home} is in use by {lock.read().strip() or 'another server'}") from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()}, which {doing}\n")
        lock.flush()
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Claim, then serve until a signal comes. Returns the exit code."""
    options = parsed(arguments)
    home = options.home.expanduser().resolve()
    try:
        with listening(options.port) as listener:
            if options.check:
                return 0
            url = f"http://{HOST}:{listener.getsockname()[1]}"
            with held(home, f"serves {url}"):
                return served(listener, home, url, demo=options.demo)
    except ClaimError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def served(listener: socket.socket, home: Path, url: str, *, demo: bool) -> int:
    """Serve the home. Returns the exit code."""
    os.environ["REVERIE_HOME"], os.environ["REVERIE_STORES"] = str(home), "embedded"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads and the embedder's would wait for each other
    from infra.embedded import Embedded  # noqa: PLC0415 -- it imports the product, which only the checkout's Python has

    return Embedded(listener, home, url, demo=demo).run()


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the checkout: where `app`, `chalicelib` and `infra` are
    sys.exit(main())
