"""Text that SQLite can't hold: half of a character. It is refused when written, and never found when read."""

from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib.errors import Malformed


@contextmanager
def whole_characters() -> Iterator[None]:
    """Raise Malformed where sqlite3 meets a lone surrogate, which has no UTF-8."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise Malformed("text", "holds a lone surrogate, which is no character") from error
