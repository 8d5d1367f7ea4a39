"""Conversations and their turns: heads, turns, the client's message ids, and what of a request has been accepted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chalicelib.mind.rows import ABSENT, Key, Put, Row, Write
from chalicelib.mind.scopes import Scope
from chalicelib.mind.turns import Turn
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import packed, unpacked

REMEMBERED = timedelta(days=7)
"""How long a request's receipt and a list's name are kept."""

MOST_TERMS_BYTES = 100_000
"""Text and terms up to which a turn carries its terms; else it is analysed again on reading, so that its row fits.

A text can have terms of four times its bytes (each two neighbours of a Japanese one).
"""

BESIDE = 8
"""Bytes that a term takes beside its letters: its count, and what JSON puts around both."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a conversation: the next position, and the fingerprints of its latest messages, oldest first."""

    next: int = 0
    fingerprints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What of a request's messages is new (`fresh`, as indexes), and at which positions those accepted so far stand."""

    name: str
    conversation: str
    fresh: tuple[int, ...]
    positions: tuple[int, ...] = ()

    @property
    def left(self) -> tuple[int, ...]:
        """Indexes of messages still to be accepted."""
        return self.fresh[len(self.positions):]


def at(head: Row | None) -> Head:
    """The head that a row says, that of a new conversation if there is none."""
    return unpacked(Head, head.data) if head else Head()


def put(key: Key, data: Mapping[str, object], over: Row | None, *, expires: int | None = None) -> Put:
    """A write that takes the place of this row, or of none, and of nothing else."""
    return Put(key, data, over.version if over else ABSENT, expires)


def turn_data(turn: Turn) -> dict[str, object]:
    """A turn as a row; a long one without its terms."""
    size = max(len(turn.content.encode()), sum(len(term.encode()) + BESIDE for term in turn.terms or ()))
    return packed(turn if size <= MOST_TERMS_BYTES else replace(turn, terms=None))


def turn_of(row: Row) -> Turn:
    """The turn in a row."""
    return unpacked(Turn, row.data)


def week_after(now: datetime) -> int:
    """When receipts written now may go, in epoch seconds."""
    return int((now + REMEMBERED).timestamp())


@dataclass(frozen=True, slots=True)
class Conversations:
    """Reads of turns, and the writes that add some."""

    table: Table

    def turns(self, scope: Scope, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Turn]:
        """The turns that exist at (conversation, position)."""
        rows = self.table.get([keys.turn(scope, name, position) for name, position in places if position >= 0])
        found = map(turn_of, rows.values())
        return {(turn.conversation, turn.position): turn for turn in found}

    def page(self, scope: Scope, conversation: str, *, after: str | None, limit: int) -> tuple[list[Turn], str | None]:
        """Turns in order, of one conversation or of all ("")."""
        page = self.table.query(scope.partition, keys.turns(conversation), after=after, limit=limit)
        return [turn_of(row) for row in page.rows], page.cursor

    def length(self, scope: Scope, conversation: str) -> int:
        """How many turns a conversation has had."""
        key = keys.conversation(scope, conversation)
        return at(self.table.get([key]).get(key)).next

    def adding(self, scope: Scope, turns: Sequence[Turn]) -> list[Write]:
        """The writes for turns and their client ids; a position or an id that is taken refuses them."""
        writes: list[Write] = [
            Put(keys.turn(scope, turn.conversation, turn.position), turn_data(turn), ABSENT) for turn in turns
        ]
        named = [turn for turn in turns if turn.message is not None]
        writes += [
            Put(keys.message(scope, turn.conversation, turn.message or ""), {"position": turn.position}, ABSENT)
            for turn in named
        ]
        return writes
