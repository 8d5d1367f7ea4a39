"""The queue in a SQLite file: messages that are hidden while somebody works on them, and gone when that is done.

What is not finished in time appears again, before what was sent later. A message's receipt is `<number>/<delivery>`.
"""

import json
from collections.abc import Mapping

from chalicelib.errors import Malformed
from chalicelib.mind.messages import Message
from chalicelib.stores.sqlite.connection import Database

TABLES = (
    """CREATE TABLE IF NOT EXISTS messages (
        number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, visible_at REAL NOT NULL,
        deliveries INTEGER NOT NULL
    )""",
)
SEND = "INSERT INTO messages (body, visible_at, deliveries) VALUES (?, ?, 0)"
VISIBLE = "SELECT number, body, deliveries + 1 FROM messages WHERE visible_at <= ? ORDER BY number LIMIT ?"
HIDE = "UPDATE messages SET visible_at = ?, deliveries = ? WHERE number = ?"
FINISH = "DELETE FROM messages WHERE number = ?"


class SqliteQueue:
    """Implements `ports.Queue` on the shared file; each message goes to one receiver at a time, thread or process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        with database.writing() as cursor:
            for statement in TABLES:
                cursor.execute(statement)

    def send(self, body: Mapping[str, str]) -> None:
        """Put a message in the queue, visible at once."""
        with self._database.writing() as cursor:
            cursor.execute(SEND, (json.dumps(dict(body)), self._database.clock()))

    def receive(self, *, limit: int, visibility: int) -> list[Message]:
        """At most *limit* messages, oldest first. An idle queue is looked at without asking for the writer's lock."""
        if limit < 1 or not self._waiting():
            return []
        with self._database.writing() as cursor:
            now = self._database.clock()
            found = cursor.execute(VISIBLE, (now, limit)).fetchall()
            cursor.executemany(HIDE, [(now + visibility, deliveries, number) for number, _, deliveries in found])
        return [Message(json.loads(body), f"{number}/{deliveries}", deliveries) for number, body, deliveries in found]

    def finish(self, message: Message) -> None:
        """Drop the message, even if it has been delivered again meanwhile. Raises Malformed for no receipt of ours."""
        number, _, delivery = message.receipt.partition("/")
        if not (number.isdecimal() and delivery.isdecimal()):
            raise Malformed("receipt", "is none that this queue gave")
        with self._database.writing() as cursor:
            cursor.execute(FINISH, (int(number),))

    def depth(self) -> int:
        """How many messages are not finished, hidden ones too."""
        with self._database.reading() as cursor:
            depth: int = cursor.execute("SELECT count(*) FROM messages").fetchone()[0]
        return depth

    def _waiting(self) -> bool:
        """Whether any message is visible now."""
        with self._database.reading() as cursor:
            return cursor.execute(VISIBLE, (self._database.clock(), 1)).fetchone() is not None
