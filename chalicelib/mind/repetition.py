"""Sent again is not said again: which messages of a list are new.

Clients repeat whole windows of a conversation, without ids. Where a message has a client id, the id decides. Of the
others: (a) a list of four or more equal to one accepted lately is known as a whole (`whole`); (b) else the longest end
of what is stored that equals the start of the list, if it is four or more messages, is known (`overlap`). Shorter
repeats are taken as said twice.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC

from chalicelib.mind.times import iso
from chalicelib.mind.turns import Said, Turn

LEAST = 4
"""Messages that a repeat must have to be taken for one."""

KEPT = 64
"""Hashes of the latest messages that a conversation keeps with it."""


def fingerprint(message: Said | Turn) -> str:
    """A name for a message: role, speaker, text and the time given, if one was; 24 hexadecimal digits."""
    timed = message.said_at if isinstance(message, Said) or message.timed else None
    time = iso(timed.astimezone(UTC)) if timed else ""
    text = f"{message.role}\x1f{message.character}\x1f{time}\x1f{message.content}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def whole(fingerprints: Sequence[str]) -> str | None:
    """The name of a list long enough to be known as a whole, else None."""
    return hashlib.sha256("".join(fingerprints).encode()).hexdigest()[:32] if len(fingerprints) >= LEAST else None


def overlap(
    stored: Sequence[str], arriving: Sequence[str], earlier: Callable[[int], Sequence[str]] | None = None
) -> int:
    """How many messages at the start of *arriving* are the end of what is stored: 0, or LEAST and more.

    *stored* holds the latest fingerprints. Where it is shorter than the match could be, *earlier(n)* reads the latest
    n from further back; it is called once at the most, and only if a match reaches to where *stored* begins.
    """
    best = longest(stored, arriving)
    if earlier is None or len(arriving) <= len(stored) or not stored:
        return best
    if stored[0] not in arriving:
        return best
    return longest(earlier(len(arriving)), arriving)


def longest(stored: Sequence[str], arriving: Sequence[str]) -> int:
    """The length of the longest suffix of *stored* that is a prefix of *arriving*, 0 if under LEAST. Linear time."""
    joined = [*arriving, None, *stored]
    border = [0] * len(joined)
    for i in range(1, len(joined)):
        k = border[i - 1]
        while k and joined[i] != joined[k]:
            k = border[k - 1]
        border[i] = k + (joined[i] == joined[k])
    k = border[-1] if stored and arriving else 0
    return k if k >= LEAST else 0
