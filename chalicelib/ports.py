"""What the product asks of a store, a language model or a queue: Protocols, five methods at the most."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from chalicelib.mind.association import Associations, Neighbourhood, Step
from chalicelib.mind.documents import Document, Found, Kind, Removal, Search, Selected, Selection, Vector
from chalicelib.mind.messages import Message
from chalicelib.mind.rows import Key, Page, Row, Write
from chalicelib.mind.statements import Statement
from chalicelib.mind.turns import Turn


class Table(Protocol):
    """Rows under ordered keys, with versions and atomic commits. The truth."""

    def get(self, keys: Sequence[Key]) -> Mapping[Key, Row]:
        """The rows that exist, strongly consistent, any number of keys; an expired row does not exist."""
        ...

    def query(
        self, partition: str, prefix: str = "", *, after: str | None = None, until: str | None = None,
        limit: int = 100, newest_first: bool = False,
    ) -> Page:
        """Rows of a partition whose sort key begins with *prefix*, in order of sort key (*newest_first*: reversed).

        *after*: go on after this sort key, in the direction asked for. *until*: no sort key above this one (included),
        in either direction.
        """
        ...

    def commit(self, writes: Sequence[Write]) -> None:
        """Do all writes or none. Raises RowConflict with the row that stood in the way, TooLarge over a limit.

        Raises ValueError for an Add to a field that holds no integer.
        """
        ...


class SearchIndex(Protocol):
    """Documents by words and by vector. A projection: it can be lost and rebuilt."""

    def claim(self, model: str, dimension: int) -> None:
        """Say which vectors it is about to hold. Raises Conflict if it holds those of another model or dimension."""
        ...

    def apply(self, changes: Sequence[Document | Removal]) -> None:
        """Take what is new, drop what is gone; an older or equal version than the one kept changes nothing."""
        ...

    def search(self, scopes: Sequence[str], search: Search) -> Mapping[Kind, Found]:
        """The candidates of each kind asked for, in exactly these scopes."""
        ...

    def select(self, scopes: Sequence[str], selection: Selection) -> Selected:
        """A page of ids in order, with the total."""
        ...

    def facets(self, scopes: Sequence[str], kind: Kind) -> Mapping[str, int]:
        """How many documents of the kind there are: under `total`, `state:<n>`, and each of their labels."""
        ...


class AssociationGraph(Protocol):
    """Entities and relations. A projection: it can be lost and rebuilt."""

    def relate(self, associations: Sequence[Associations]) -> None:
        """Replace the edges of each memory by those given; an entity without edges goes."""
        ...

    def neighbourhood(
        self, scopes: Sequence[str], entities: Sequence[str], *, hops: int, limit: int, hubs: Sequence[str] = ()
    ) -> Neighbourhood:
        """Edges of state 1 or 2 within 1..4 hops of the entities; never through a hub or one of over 200 edges."""
        ...

    def shortest_path(
        self, scopes: Sequence[str], source: str, target: str, *, hops: int = 4, hubs: Sequence[str] = ()
    ) -> tuple[Step, ...]:
        """The fewest edges from one entity to another, within one scope; () if there is no way."""
        ...


class Embedder(Protocol):
    """Text to unit vectors. Cosines mean nothing until they are placed between `floor` and `ceiling`."""

    @property
    def model(self) -> str:
        """Identity of the vectors: they are compared only within one model."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def floor(self) -> float:
        """The cosine at which texts have nothing to do with one another."""
        ...

    @property
    def ceiling(self) -> float:
        """The cosine at which texts say the same."""
        ...

    def embed(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> "list[Vector[float]]":
        """One vector for each text. Raises ModelUnavailable."""
        ...


class Analyser(Protocol):
    """Text to search terms and token counts."""

    def terms(self, text: str) -> list[str]:
        """Terms in reading order, repeats kept; the same for index and query."""
        ...

    def tokens(self, text: str) -> int:
        """An upper bound of the tokens a language model would count."""
        ...


class Extractor(Protocol):
    """Turns to statements worth remembering."""

    def extract(self, turns: Sequence[Turn]) -> list[Statement]:
        """What the turns state, in reading order; each statement names the turns it comes from."""
        ...


class Queue(Protocol):
    """Work to be done later, delivered at least once. Messages carry ids only."""

    def send(self, body: Mapping[str, str]) -> None:
        """Put a message in the queue, durably."""
        ...

    def receive(self, *, limit: int, visibility: int) -> list[Message]:
        """Messages now hidden from others for *visibility* seconds; unfinished ones appear again."""
        ...

    def finish(self, message: Message) -> None:
        """The message's work is done: it never appears again."""
        ...

    def depth(self) -> int:
        """How many messages are not finished, hidden ones too; approximate where the queue knows no better."""
        ...
