"""Rebuild index and graph of the embedded world from its truth: `bash infra/rebuild [--home .reverie]`.

Needed after a change of the embedding model (REVERIE_EMBEDDER, REVERIE_EMBEDDING_MODEL): vectors of two models can't be
compared, so everything is embedded anew. It has the home to itself: a server must be stopped before, and can't be
started meanwhile. When it is killed, calling it again goes on where it stopped.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from chalicelib.wiring import World
from infra.homes import over
from infra.server import ClaimError, held

SECONDS = 2.0
"""Between two lines that say how far it has come."""


class Progress:
    """Says how far it has come, on the error stream, every few seconds."""

    def __init__(self) -> None:
        """Begin now."""
        self.begun = self.last = time.monotonic()

    def __call__(self, what: str, count: int) -> None:
        """*what* has been done with so many records."""
        now = time.monotonic()
        if now - self.last >= SECONDS:
            self.last = now
            print(f"{what} {count} records ({now - self.begun:.0f} s)", file=sys.stderr, flush=True)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line. Exits with status 2 and the usage where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="infra/rebuild", description="Embed everything anew, and refill index and graph from what is kept."
    )
    parser.add_argument("--home", type=Path, default=Path(".reverie"), metavar="DIR", help="default: %(default)s")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild. Returns the exit code."""
    home = parsed(arguments).home.expanduser().resolve()
    if not (home / "reverie.sqlite").exists():
        print(f"error: home {home} holds nothing to rebuild from", file=sys.stderr)
        return 1
    try:
        with held(home, "rebuilds its index"):
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the server has it
            return over(home, rebuild)
    except ClaimError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def rebuild(here: World) -> None:
    """Rebuild a home that is held, showing how far it has come."""
    progress = Progress()
    count = here.rebuild(progress)
    print(f"rebuilt {count} records with {here.embedder.model} in {time.monotonic() - progress.begun:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
