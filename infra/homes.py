"""A command over a home of the embedded world: the settings point to it, errors are told, the file is closed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from chalicelib.errors import MindError
from chalicelib.wiring import World, close, world


def over(home: Path, act: Callable[[World], object]) -> int:
    """Do *act* with the world of a home. Returns the exit code."""
    os.environ["REVERIE_HOME"], os.environ["REVERIE_STORES"] = str(home), "embedded"
    try:
        act(world())
    except MindError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        close()
    return 0
