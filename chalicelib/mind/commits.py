"""What a commit must be before any store sees it, and what each of its writes makes of the row it meets.

Every Table takes exactly the same commits, because they are all checked here, against the limits of the strictest of
them (`rows.MOST_WRITES` and the like). Data is JSON, written once, here: tuples become lists, as `json.dumps` has it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import Malformed, TooLarge
from chalicelib.mind.rows import (
    ABSENT,
    ANY,
    MOST_BYTES,
    MOST_ROW_BYTES,
    MOST_WRITES,
    Add,
    Check,
    Data,
    Delete,
    Expected,
    Key,
    Put,
    Row,
    RowConflict,
    Write,
)

MOST_PARTITION_BYTES, MOST_SORT_BYTES = 2048, 1024
"""DynamoDB's limits of a partition key and of a sort key (Developer Guide, Quotas)."""

COUNTER_BYTES = 21
"""What a number of 38 digits takes at the most in DynamoDB (Developer Guide, Item sizes)."""

MOST_AMOUNTS = 20
"""Counters of one Add; their conditions fit into DynamoDB's 4 KB for an expression (Developer Guide, Quotas)."""

LAST_SECOND = 2**53
"""No row expires after this second; all stores and clocks count so far exactly."""

ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A write that may be done: `text` is the JSON of a Put's data ("" for other writes), `size` is in bytes."""

    write: Write
    text: str
    size: int


def checked(writes: Sequence[Write]) -> tuple[Weighed, ...]:
    """The writes of one commit, ready to be done.

    Raises TooLarge over a limit, Malformed for text or numbers that JSON can't hold, ValueError for what no caller may
    ask for whatever the data: a row twice, an empty key, a Check of ANY.
    """
    if len(writes) > MOST_WRITES:
        raise TooLarge("commit", f"{len(writes)} rows, at most {MOST_WRITES} can be written at once")
    if len({write.key for write in writes}) < len(writes):
        raise ValueError("a commit writes no row twice")
    ready = tuple(map(weighed, writes))
    if (total := sum(each.size for each in ready)) > MOST_BYTES:
        raise TooLarge("commit", f"{total} bytes, at most {MOST_BYTES} can be written at once")
    return ready


def weighed(write: Write) -> Weighed:
    """One write, ready to be done; raises as `checked` does."""
    size = key_bytes(write.key)
    text = ""
    if isinstance(write, Add):
        refuse_amounts(write)
        size += sum(len(encoded_bytes(name)) + COUNTER_BYTES for name in write.amounts)
    else:
        refuse_expectation(write)
    if isinstance(write, Put):
        refuse_expiry(write.expires)
        text = encoded(write.data)
        size += len(encoded_bytes(text))
    if size > MOST_ROW_BYTES:
        raise TooLarge("row", f"{size} bytes, a row has at most {MOST_ROW_BYTES}")
    return Weighed(write, text, size)


def key_bytes(key: Key) -> int:
    """The size of a key that can be written. Raises TooLarge, Malformed, or ValueError where a part is empty."""
    if not key.partition or not key.sort:
        raise ValueError(f"a key has an empty part: {key}")
    partition, sort = len(encoded_bytes(key.partition)), len(encoded_bytes(key.sort))
    if partition > MOST_PARTITION_BYTES or sort > MOST_SORT_BYTES:
        limits = f"at most {MOST_PARTITION_BYTES} and {MOST_SORT_BYTES} can be kept"
        raise TooLarge("key", f"{partition} and {sort} bytes, {limits}")
    return partition + sort


def refuse_expectation(write: Put | Delete | Check) -> None:
    """Raise ValueError for an expectation that makes no sense: versions begin at 1, and a Check must check."""
    if isinstance(write.expect, int) and (write.expect < 1 or isinstance(write.expect, bool)):
        raise ValueError(f"no row has version {write.expect}")
    if isinstance(write, Check) and write.expect is ANY:
        raise ValueError("a Check of ANY checks nothing")


def refuse_amounts(write: Add) -> None:
    """Raise ValueError unless there is something to add, not too much, and integers only."""
    named = 0 < len(write.amounts) <= MOST_AMOUNTS and all(write.amounts)
    if not (named and all(map(whole, write.amounts.values()))):
        raise ValueError("an Add has named integers")


def refuse_expiry(expires: int | None) -> None:
    """Raise ValueError unless the time is an integer that every store can hold."""
    if expires is not None and not (whole(expires) and 0 <= expires < LAST_SECOND):
        raise ValueError(f"a row can't expire at {expires!r}")


def whole(value: Any) -> bool:
    """True for an integer that is no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def encoded(data: Data) -> str:
    """Data as compact JSON. Raises Malformed for NaN, infinity or bottomless nesting, ValueError for other objects."""
    try:
        return ENCODER.encode(data if isinstance(data, dict) else dict(data))
    except TypeError as error:
        raise ValueError(f"data is no JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise Malformed("data", f"is no JSON: {error}") from error


def encoded_bytes(text: str) -> bytes:
    """Text as UTF-8. Raises Malformed for a lone surrogate, which no store can keep."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Malformed("text", "holds a lone surrogate, which is no character") from error


def holdable(key: Key) -> bool:
    """Whether a row can stand under the key at all; if not, it is absent from every table."""
    try:
        return key_bytes(key) > 0
    except (ValueError, Malformed):
        return False


def answerable(partition: str, prefix: str, *, after: str | None, until: str | None, limit: int) -> bool:
    """Whether a query can find anything. Raises Malformed for a bound that is no sort key, ValueError for no limit."""
    if limit < 1:
        raise ValueError("a page has at least one row")
    if not all(bound is None or holdable(Key("-", bound or "-")) for bound in (after, until)):
        raise Malformed("cursor", "is no place in a list")
    return holdable(Key(partition or "", prefix or "-"))


def met(expect: Expected, standing: Row | None) -> bool:
    """Whether the standing row (None: there is none) is as expected."""
    if expect is ANY:
        return True
    return standing is None if expect is ABSENT else standing is not None and standing.version == expect


def outcome(write: Write, standing: Row | None) -> Row | None:
    """The row that stands once the write is done where *standing* stood; None if there is none then.

    Raises RowConflict where the write meets another row than it expects, or would take a counter below its floor.
    """
    if isinstance(write, Add):
        return added(write, standing)
    if not met(write.expect, standing):
        raise RowConflict(write.key, standing)
    if isinstance(write, Put):
        return Row(write.key, write.data, (standing.version if standing else 0) + 1, write.expires)
    return None if isinstance(write, Delete) else standing


def added(write: Add, standing: Row | None) -> Row:
    """The row with the amounts added. Raises RowConflict below the floor, ValueError where a field is no counter."""
    before = standing or Row(write.key, {}, 0)
    sums = {name: counter(before.data, name) + amount for name, amount in write.amounts.items()}
    if write.floor is not None and min(sums.values()) < write.floor:
        raise RowConflict(write.key, standing)
    return Row(write.key, {**before.data, **sums}, before.version + 1, before.expires)


def counter(data: Data, name: str) -> int:
    """The value of a counter, 0 if there is none. Raises ValueError where the field is something else."""
    value = data.get(name, 0)
    if not whole(value):
        raise ValueError(f"{name!r} is no counter")
    return int(value)
