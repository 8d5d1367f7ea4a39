"""Build the embedder in a directory, or verify the build that is there.

    python infra/build_model.py DIRECTORY

Prints one line: what was done, where, how long it took. The exit status is 1 where no sound build could be had.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chalicelib.errors import ModelUnavailable
from chalicelib.language.e5.build import built, check, intact


def main(arguments: Sequence[str]) -> int:
    """Build or verify. Returns the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    directory, begun = Path(arguments[0]), time.perf_counter()
    did = "verified" if intact(directory) else "built"
    try:
        meta = check(built(directory, sound=intact))
    except ModelUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{did} {meta['model']} in {directory}: {time.perf_counter() - begun:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
