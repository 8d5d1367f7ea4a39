"""How many rows there are, as far as it is cheap to know."""

from chalicelib.ports import Table

MOST = 1000
"""Rows that are counted; where there are more, no total is given rather than a wrong one."""


def total(table: Table, partition: str, prefix: str) -> int | None:
    """The number of rows under a prefix; None when there are more than MOST."""
    page = table.query(partition, prefix, limit=MOST)
    return len(page.rows) if page.cursor is None else None
