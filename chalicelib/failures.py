"""Failures that must not stop others: logged without anybody's words, raised when all the rest has had its turn."""

import logging
from collections.abc import Callable, Iterable

LOG = logging.getLogger("reverie")


def quiet(error: Exception) -> Exception:
    """The error for a log: with its trace and without its message, which may quote what somebody said."""
    return RuntimeError(type(error).__name__).with_traceback(error.__traceback__)


def in_turn(what: str, acts: Iterable[Callable[[], int]]) -> int:
    """The sum of what the acts return. Raises the first failure when all have had their turn; later ones are logged."""
    done, failures = 0, []
    for act in acts:
        try:
            done += act()
        except Exception as failure:  # noqa: BLE001 -- raised below, or logged
            failures.append(failure)
    for later in failures[1:]:
        LOG.error("%s: %s", what, type(later).__name__, exc_info=quiet(later))
    if failures:
        raise failures[0]
    return done
