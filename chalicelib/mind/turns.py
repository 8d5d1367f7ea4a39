"""A turn: one message as it was said. Evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from chalicelib.mind.texts import cut

Role = Literal["user", "assistant", "system", "tool"]
UNNAMED = frozenset({"", "user", "assistant", "system", "tool", "bot", "ai", "用户", "助手", "我", "你"})
"""Speakers that are roles rather than names (compared case-folded)."""

SHORT, MOST = 300, 1200
"""Characters of a previous turn that is still added to the window, and of a turn that are embedded.

Both from the measurements of the ranking formula: a long previous turn and a long turn's tail drag the vector away.
"""


def named(character: str) -> str:
    """The character, if it is a name rather than a role; else ""."""
    return "" if character.casefold() in UNNAMED else character


@dataclass(frozen=True, slots=True)
class Turn:
    """`position` counts from 0 in its conversation; `message` is the client's id, None if it gave none.

    `said_at` is the client's time (`timed`), else the time of arrival; `recorded_at` is always ours.
    """

    conversation: str
    position: int
    role: Role
    character: str
    content: str
    said_at: datetime
    recorded_at: datetime
    message: str | None = None
    timed: bool = False
    terms: Mapping[str, int] | None = None

    @property
    def id(self) -> str:
        """The turn's name within its scope."""
        return f"{self.conversation}/{self.position}"

    @property
    def speaker(self) -> str:
        """The speaker's name, or "" where a role is all that is known."""
        return named(self.character)

    @property
    def labelled(self) -> str:
        """The text with the speaker's name before it, where there is one: what terms are made from."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content


@dataclass(frozen=True, slots=True)
class Said:
    """A message on its way to become a turn: as sent, and checked; *character* is "" where a role is all it says."""

    role: Role
    character: str
    content: str
    said_at: datetime | None = None
    message: str | None = None

    def turn(self, conversation: str, position: int, *, terms: Mapping[str, int], now: datetime) -> Turn:
        """The turn it becomes at this position."""
        return Turn(
            conversation, position, self.role, self.character, self.content, self.said_at or now, now,
            message=self.message, timed=self.said_at is not None, terms=terms,
        )


def window(turn: Turn, previous: Turn | None) -> str:
    """What is embedded of a turn: the previous turn of its conversation, if it is a short one, then its beginning."""
    text = cut(turn.labelled, MOST)
    return f"{previous.labelled}\n{text}" if previous and len(previous.content) <= SHORT else text
