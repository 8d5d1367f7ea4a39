"""Every key of the Table, in one place. Parts that come from outside are escaped.

    <scope>                  conversation/<id>  turn/<conversation>/<position>  message/<conversation>/<client id>
                             memory/<id>  revision/<id>/<n>  log/<id>/<seq>  digest/<hash>
                             slot/<subject>/<attribute>/<id>  entity/<name>/<id>
                             receipt/<request>  pending/<ulid>  touched/<ulid>
    project/<project>        body/<namespace>/<name>  scope/<ref>  within/<ref of body>/<layer>/<owner>/
                             of/<hash of user>/<namespace>/<name>  credential/<key id>
    credential/<key id>      credential
    once/<caller>            <request>
    heard/<scope>            <hash of a list>
    task/<project>           <task id>
    task/<project>/<user>    <task id>
    open/<shard>             <task id>
    dirty/<shard>            <ref>
    scopes/<shard>           <ref>
    rebuild                  rebuild
    embedder                 <hash of endpoint and model>

Here <scope> is `Scope.partition`. It is the only partition whose name does not begin with a fixed word, and a project
named like one of them can't collide: a scope's partition has four slashes.
"""

import hashlib

from chalicelib.mind.rows import Key
from chalicelib.mind.scopes import Body, Scope, escaped

TURNS, MEMORIES, DIGESTS, TOUCHED, TASKS = "turn/", "memory/", "digest/", "touched/", "task_"
"""Beginnings of sort keys, by which rows of a kind are found and known."""

PENDING, AGAIN = "pending/", "pending/!"
"""Of the outbox: all its entries, and those for records to be projected once more, which sort before every ULID."""

SHARDS = 16
"""Partitions over which work lists are spread, so that no single key takes every write."""


def shard(text: str) -> str:
    """Which shard a text belongs to: 0 to f."""
    return hashlib.sha256(text.encode()).hexdigest()[0]


def digested(text: str) -> str:
    """A text of any length in 32 characters, where a key would else be too long for a store."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def shards(kind: str) -> tuple[str, ...]:
    """All partitions of a sharded list."""
    return tuple(f"{kind}/{number:x}" for number in range(SHARDS))


def project(name: str) -> str:
    """The partition of what belongs to a project as a whole."""
    return f"project/{escaped(name)}"


def bodies(namespace: str | None = None, user: str = "") -> str:
    """The prefix of bodies: of a namespace or of all; of the project, or those in which a user owns something."""
    start = f"of/{digested(user)}/" if user else "body/"
    return start if namespace is None else f"{start}{escaped(namespace)}/"


def body(of: Body, user: str = "") -> Key:
    """A body's row; with a user the row that lists the body as one of that user's."""
    return Key(project(of.project), f"{bodies(of.namespace, user)}{escaped(of.name)}")


def scope_ref(project_name: str, ref: str) -> Key:
    """The row that says which scope a ref stands for."""
    return Key(project(project_name), f"scope/{ref}")


def within(of: Scope) -> Key:
    """That a scope belongs to a body: how the scopes of a body are found."""
    return Key(project(of.body.project), f"{scopes_within(of.body)}{of.layer}/{escaped(of.owner)}/")


def scopes_within(of: Body) -> str:
    """The prefix under which a body's scopes are listed."""
    return f"within/{Scope(of).ref}/"


def scopes_for(of: Body, user: str) -> tuple[str, ...]:
    """The prefixes of a body's scopes that may exist for a user: the body's own, the user's, the user's sessions."""
    start, sessions = scopes_within(of), escaped(f"{escaped(user)}/")
    return f"{start}agent/", f"{start}user/{escaped(user)}/", f"{start}session/{sessions}"


def project_credential(project_name: str, key_id: str) -> Key:
    """The entry of a credential in its project's list."""
    return Key(project(project_name), f"credential/{key_id}")


def credential(key_id: str) -> Key:
    """The credential itself."""
    return Key(f"credential/{escaped(key_id)}", "credential")


def conversation(scope: Scope, name: str) -> Key:
    """A conversation's head."""
    return Key(scope.partition, f"conversation/{escaped(name)}")


def turns(name: str = "") -> str:
    """The prefix of a conversation's turns; of all turns of the scope without a name."""
    return f"{TURNS}{escaped(name)}/" if name else TURNS


def turn(scope: Scope, name: str, position: int) -> Key:
    """A turn. Positions are written so that they sort as numbers."""
    return Key(scope.partition, f"{turns(name)}{position:010d}")


def message(scope: Scope, name: str, client_id: str) -> Key:
    """Where a client's message id leads to its position."""
    return Key(scope.partition, f"message/{escaped(name)}/{escaped(client_id)}")


def memory(scope: Scope, memory_id: str) -> Key:
    """A memory's current revision."""
    return Key(scope.partition, f"{MEMORIES}{memory_id}")


def memory_id(sort: str) -> str:
    """The memory that a sort key of its row names."""
    return sort.removeprefix(MEMORIES)


def revisions(memory_id: str) -> str:
    """The prefix of a memory's revisions."""
    return f"revision/{memory_id}/"


def revision(scope: Scope, memory_id: str, number: int) -> Key:
    """A revision, never written twice."""
    return Key(scope.partition, f"{revisions(memory_id)}{number:06d}")


def log(scope: Scope, memory_id: str, seq: int) -> Key:
    """A change, never written twice."""
    return Key(scope.partition, f"log/{memory_id}/{seq:06d}")


def digest(scope: Scope, text: str) -> Key:
    """Which memory says this already."""
    return Key(scope.partition, f"{DIGESTS}{text}")


def slot(scope: Scope, subject: str, attribute: str, memory_id: str) -> Key:
    """That a memory fills a slot."""
    return Key(scope.partition, f"slot/{escaped(subject)}/{escaped(attribute)}/{memory_id}")


def entity(scope: Scope, name: str, memory_id: str) -> Key:
    """That a memory names an entity."""
    return Key(scope.partition, f"entity/{escaped(name)}/{memory_id}")


def receipt(scope: Scope, request: str) -> Key:
    """What of a request has been accepted."""
    return Key(scope.partition, f"receipt/{request}")


def pending(scope: Scope, ulid: str) -> Key:
    """A record that index and graph don't know yet."""
    return Key(scope.partition, f"{PENDING}{ulid}")


def again(scope: Scope, record: str) -> Key:
    """A record to be projected once more, behind all that is new."""
    return Key(scope.partition, f"{AGAIN}{record}")


def touched(scope: Scope, ulid: str) -> Key:
    """Memories that a recall brought back."""
    return Key(scope.partition, f"{TOUCHED}{ulid}")


def dirty(scope: Scope) -> Key:
    """That a scope has something for the sweep to do."""
    return Key(f"dirty/{shard(scope.partition)}", scope.ref)


def listed(scope: Scope) -> Key:
    """That a scope has been used: how all scopes of all projects are found."""
    return Key(f"scopes/{shard(scope.partition)}", scope.ref)


def rebuild() -> Key:
    """A rebuild of index and graph under way."""
    return Key("rebuild", "rebuild")


def embedder(name: str) -> Key:
    """What was measured of an embedding model."""
    return Key("embedder", digested(name))


def once(caller: str, request: str) -> Key:
    """A request with an idempotency key."""
    return Key(f"once/{escaped(caller)}", request)


def heard(scope: Scope, name: str) -> Key:
    """A list of messages accepted lately."""
    return Key(f"heard/{scope.partition}", name)


def task(project_name: str, task_id: str, user: str = "") -> Key:
    """A task; with a user the row that lists it as one of that user's."""
    return Key(f"task/{escaped(project_name)}/{escaped(user)}" if user else f"task/{escaped(project_name)}", task_id)


def open_task(task_id: str) -> Key:
    """That a task is not done yet."""
    return Key(f"open/{shard(task_id)}", task_id)
