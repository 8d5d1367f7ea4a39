"""Bodies and scopes: who remembers, and the unit of storage, judging and isolation."""

import hashlib
from base64 import b32encode
from dataclasses import dataclass
from typing import Literal

Layer = Literal["agent", "user", "session"]


def escaped(part: str) -> str:
    """A part of a key that can't be mistaken for two: `%` and `/` are percent-encoded, nothing else."""
    return part.replace("%", "%25").replace("/", "%2F")


def unescaped(part: str) -> str:
    """The part that `escaped` was given."""
    return part.replace("%2F", "/").replace("%25", "%")


@dataclass(frozen=True, slots=True)
class Body:
    """A memory body: the subject that remembers, thinks and dreams."""

    project: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Scope:
    """(body, layer, owner). Layer `agent` has no owner; `user` is owned by a user, `session` by a session."""

    body: Body
    layer: Layer = "agent"
    owner: str = ""

    @property
    def partition(self) -> str:
        """The partition of the Table that holds the scope, and its name in index and graph."""
        parts = self.body.project, self.body.namespace, self.body.name, self.layer, self.owner
        return "/".join(map(escaped, parts))

    @property
    def user(self) -> str:
        """The user it belongs to, "" for none: the owner of a user's scope, and the one before the / of a session's."""
        return self.owner if self.layer == "user" else unescaped(self.owner.partition("/")[0])

    @property
    def ref(self) -> str:
        """A short name (16 characters, 80 bits of SHA-256) that memory ids carry; resolved inside a project only."""
        return b32encode(hashlib.sha256(self.partition.encode()).digest()[:10]).decode().lower()


def scope_named(partition: str) -> Scope:
    """The scope whose partition this is."""
    project, namespace, name, layer, owner = map(unescaped, partition.split("/"))
    if layer not in {"agent", "user", "session"}:
        raise ValueError(partition)
    return Scope(Body(project, namespace, name), layer, owner)  # type: ignore[arg-type]  # checked one line above
