"""Cursors: a sort key in a coat, valid only within the query that gave it."""

import base64
import binascii

from chalicelib.errors import OutOfRange


def cursor_of(sort: str | None) -> str | None:
    """What a caller sends to go on after this sort key."""
    return None if sort is None else base64.urlsafe_b64encode(sort.encode()).decode().rstrip("=")


def sort_of(cursor: str | None, prefix: str) -> str | None:
    """The sort key in a cursor. Raises OutOfRange for what is none, or belongs to another query."""
    if cursor is None:
        return None
    try:
        sort = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise OutOfRange("cursor", "this is no cursor of ours") from None
    if not sort.startswith(prefix):
        raise OutOfRange("cursor", "this cursor belongs to another list")
    return sort
