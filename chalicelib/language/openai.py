"""Embeddings of any endpoint that speaks OpenAI's protocol, through the package `openai`.

Nothing here logs a text, and no error repeats what an endpoint said, which may quote one. The package's own retries
are switched off, because it waits up to two minutes where an endpoint asks for it; one try more after half a second is
all that a request in progress can afford.
"""

import math
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from chalicelib.errors import ModelUnavailable
from chalicelib.language.calibration import calibrated
from chalicelib.mind.documents import Vector
from chalicelib.mind.ranking import Calibration
from chalicelib.mind.texts import blank

if TYPE_CHECKING:
    from openai import OpenAI

BASE_URL = "https://api.openai.com/v1"
TIMEOUT = 20.0
"""Seconds without a sign of life."""

PAUSE = 0.5
"""Seconds before the second and last try."""

MOST_BYTES = 8000
"""Of a text, in UTF-8: no tokenizer makes more tokens than bytes, and OpenAI's models take 8,192."""

BATCH_TEXTS, BATCH_BYTES = 64, 200_000
"""Of a request; OpenAI takes 2,048 texts and 300,000 tokens, others less."""

NOTHING = "."
"""Stands for a text that shows nothing: endpoints refuse empty ones."""

LEAST_LENGTH = 1e-9
AGAIN = frozenset({408, 409, 425, 429})
"""Status numbers that may be tried again, beside those from 500 on."""

SERVER_FAULT = 500


@contextmanager
def translated(model: str) -> Iterator[None]:
    """Turn what the package raises into ModelUnavailable, and what it trips over in a reply that is none.

    Status and kind of the error are all that is told.
    """
    from openai import OpenAIError  # noqa: PLC0415 -- .85 s, needed by those who use an endpoint

    try:
        yield
    except OpenAIError as error:
        status = getattr(error, "status_code", None)
        raise ModelUnavailable(model, f"{type(error).__name__}" + (f" ({status})" if status else "")) from error
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ModelUnavailable(model, f"the reply can't be read ({type(error).__name__})") from error


def opened(
    base_url: str, api_key: str, model: str, known: tuple[int, Calibration] | None = None, *, timeout: float = TIMEOUT,
    pause: Callable[[float], None] = time.sleep,
) -> "OpenAIEmbedder":
    """The embedder behind an endpoint; "" for OpenAI's own, "" for a key where none is asked for.

    Dimension, floor and ceiling are *known* or measured with one request. Raises ModelUnavailable.
    """
    from openai import OpenAI  # noqa: PLC0415 -- .85 s, needed by those who use an endpoint

    client = OpenAI(base_url=base_url or BASE_URL, api_key=api_key or "none", timeout=timeout, max_retries=0)
    if known:
        return OpenAIEmbedder(client, model, known[0], known[1].floor, known[1].ceiling, pause=pause)
    unknown = OpenAIEmbedder(client, model, 0, 0.0, 1.0, pause=pause)
    dimension = 0

    def embed(texts: Sequence[str]) -> "list[Vector[float]]":
        nonlocal dimension
        vectors = unknown.embed(texts, "passage")
        dimension = len(vectors[0])
        return vectors

    found = calibrated(embed)
    return OpenAIEmbedder(client, model, dimension, found.floor, found.ceiling, pause=pause)


class OpenAIEmbedder:
    """A model behind an endpoint. Threads may share one object.

    Questions and passages are embedded alike: the protocol has no word for the difference.
    """

    def __init__(
        self, client: "OpenAI", model: str, dimension: int, floor: float, ceiling: float,
        *, pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """*dimension*: of every vector; 0 for whatever the endpoint gives. *pause* waits so many seconds."""
        self._client, self._pause = client, pause
        self._model, self._dimension, self._floor, self._ceiling = model, dimension, floor, ceiling

    @property
    def model(self) -> str:
        """The name that the endpoint knows."""
        return self._model

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    @property
    def floor(self) -> float:
        """The cosine at which texts have nothing to do with one another."""
        return self._floor

    @property
    def ceiling(self) -> float:
        """The cosine at which texts say the same."""
        return self._ceiling

    def embed(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> "list[Vector[float]]":  # noqa: ARG002 -- see the class
        """A unit vector for each text, of its first 8,000 bytes. Raises ModelUnavailable."""
        vectors: list[Vector[float]] = []
        for batch in batches([prepared(text) for text in texts]):
            with translated(self._model):
                vectors += [self._unit(values) for values in in_order(self._asked(batch).data, len(batch))]
        if len({len(vector) for vector in vectors}) > 1:
            raise ModelUnavailable(self._model, "vectors of different dimensions")
        return vectors

    def _asked(self, batch: list[str]) -> Any:
        """The endpoint's reply; asked twice where that may help."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 -- see `translated`

        try:
            return self._client.embeddings.create(model=self._model, input=batch)
        except APITimeoutError:
            raise
        except APIStatusError as error:
            if error.status_code not in AGAIN and error.status_code < SERVER_FAULT:
                raise
        except APIConnectionError:
            pass  # the endpoint may just be starting, or has closed a connection that was kept
        self._pause(PAUSE)
        return self._client.embeddings.create(model=self._model, input=batch)

    def _unit(self, values: Sequence[float]) -> "Vector[float]":
        """The values at unit length. Raises ModelUnavailable if they have none, or are too few or too many."""
        length = math.hypot(*values)
        if not values or (self._dimension and len(values) != self._dimension):
            raise ModelUnavailable(self._model, f"a vector of {len(values)} numbers, not {self._dimension}")
        if not LEAST_LENGTH < length < math.inf:  # also of NaN
            raise ModelUnavailable(self._model, f"a vector of length {length}")
        return array("f", [value / length for value in values])


def prepared(text: str) -> str:
    """What is sent for a text: never empty, never too long, no half of a character."""
    shown = NOTHING if blank(text) else text
    return shown.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore")


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, so many a request as `BATCH_TEXTS` and `BATCH_BYTES` allow."""
    batch: list[str] = []
    size = 0
    for text in texts:
        more = len(text.encode())
        if batch and (len(batch) == BATCH_TEXTS or size + more > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += more
    if batch:
        yield batch


def in_order(items: Sequence[Any], count: int) -> list[Sequence[float]]:
    """The vectors by their `index`. Raises ValueError unless there is exactly one for each text."""
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or set(vectors) != set(range(count)):
        raise ValueError("not one vector for each text")
    return [vectors[index] for index in range(count)]
