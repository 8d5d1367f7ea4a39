"""Set the checkout up with nothing but Python's own library: .venv, the pinned packages, the built embedder.

    python3 infra/prepare.py [--tests] [--no-model]

Each is made once, and again when what it is made from has changed: a stamp in .venv names the requirement files it was
made from. A stamp is written last, so a set-up that failed or was interrupted is done again. Two starts take turns.
pip's own settings (its index, proxies, caches) are the user's: nothing here overrides them.
"""

import argparse
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
SERVING = ("requirements.txt", "infra/requirements-embedded.txt")
TESTING = (*SERVING, "infra/requirements-test.txt")
STDLIB = "libpython3-stdlib"
DEBIAN = {"ensurepip": "python3-venv", "venv": "python3-venv", "sqlite3": STDLIB, "ssl": STDLIB}
"""What set-up or server need of Python's own library that a machine may lack, and Debian's package that holds it."""


class SetupError(Exception):
    """Something the user can mend; its text is the whole message."""


def say(text: str) -> None:
    """Progress, on the error stream: the output belongs to the command that follows."""
    print(text, file=sys.stderr, flush=True)


def require_python() -> None:
    """Refuse a Python that lacks what is needed, naming it."""
    if missing := [name for name in DEBIAN if importlib.util.find_spec(name) is None]:
        packages = " ".join(sorted({DEBIAN[name] for name in missing}))
        raise SetupError(
            f"{sys.executable} has no module {', '.join(missing)}. On Debian or Ubuntu: apt-get install {packages}"
        )


@contextmanager
def turn(file: Path) -> Iterator[None]:
    """Wait until nobody else sets up what this file or directory stands for."""
    handle = os.open(file, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another start is setting up; waiting for it ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    say(f"{what} ...")
    begun = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - begun:.0f} s (once)")


def run(*arguments: str | Path) -> None:
    """Run a command whose output goes to the error stream. Raises SetupError if it fails."""
    done = subprocess.run(arguments, stdout=sys.stderr.fileno(), check=False)
    if done.returncode:
        raise SetupError(f"failed with status {done.returncode}: {' '.join(map(str, arguments))}")


def stamp(files: Sequence[str]) -> Path:
    """The file that tells that exactly these requirements are installed."""
    digest = hashlib.sha256(b"\0".join((ROOT / file).read_bytes() for file in files)).hexdigest()
    return VENV / f"installed-{digest[:16]}"


def install(files: Sequence[str]) -> None:
    """Have the packages of these files in .venv."""
    if PYTHON.exists() and stamp(files).exists():
        return
    if not works():
        with timed(f"Making {VENV}"):
            shutil.rmtree(VENV, ignore_errors=True)
            run(sys.executable, "-m", "venv", VENV)
    with timed(f"Installing the packages of {', '.join(files)}"):
        listed = [part for file in files for part in ("-r", str(ROOT / file))]
        run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *listed)
    for old in VENV.glob("installed-*"):
        old.unlink()
    for done in {stamp(SERVING), stamp(files)}:
        done.touch()


def works() -> bool:
    """True if .venv holds a Python that runs and has pip: not so after an interrupted start or an upgraded system."""
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def model_directory() -> Path:
    """Where the built embedder is kept, for all checkouts of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reverie" / "e5"


def build_model(directory: Path) -> None:
    """Have the embedder built from the weights of the installed package; one that is there is verified, in 0.3 s."""
    run(PYTHON, ROOT / "infra" / "build_model.py", directory)


def main(arguments: Sequence[str] | None = None) -> int:
    """Set up what is asked for. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", action="store_true", help="also the tools that test")
    parser.add_argument("--no-model", action="store_true", help="without the embedder")
    options = parser.parse_args(arguments)
    try:
        require_python()
        with turn(ROOT):
            install(TESTING if options.tests else SERVING)
        if not options.no_model:
            build_model(model_directory())
    except (SetupError, OSError) as error:
        say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
