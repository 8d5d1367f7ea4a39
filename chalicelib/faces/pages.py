"""Pages of a list in which not everything exists for the caller."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
STEP = 100
"""Items read at a time once the first page was not enough."""


def within_reach(
    read: Callable[..., tuple[Iterable[Item], str | None]], reached: Callable[[Item], bool],
    sort: Callable[[Item], str], *, after: str | None, limit: int,
) -> tuple[list[Item], str | None]:
    """The first *limit* items that are reached, and the sort key to go on after: that of the last item shown.

    *read(after=…, limit=…)* reads on. A cursor that named the last item read would tell of what is not the caller's,
    and a page that is not full, too. One item more than needed is looked for, so that a list that ends here says so.
    """
    found: list[Item] = []
    step = limit + 1
    while True:
        items, after = read(after=after, limit=step)
        for item in filter(reached, items):
            if len(found) == limit:
                return found, sort(found[-1])
            found.append(item)
        if after is None:
            return found, None
        step = max(step, STEP)
