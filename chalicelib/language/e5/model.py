"""The embedder that needs no network: multilingual-e5-small, int8, run by onnxruntime on the CPU."""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as states

from chalicelib.errors import ModelUnavailable
from chalicelib.language.e5.build import DIMENSION, FILES, MOST_TOKENS, built, check
from chalicelib.language.e5.encoder import Q4, unpacked
from chalicelib.language.e5.tokenizer import Tokenizer
from chalicelib.mind.documents import Vector

__all__ = ["E5", "built"]

FLOOR, CEILING = 0.75, 0.92
"""Cosines of unrelated texts, and of texts that say the same: measured for this model in Chinese and English."""

PREFIXES = {"query": "query: ", "passage": "passage: "}
"""What the model was trained with."""

MOST_CHARACTERS = 4096
"""Of a text; the rest is not even tokenised. 512 tokens are some 700 Chinese characters or 2,200 English ones."""

BUDGET = 512
"""Tokens that one run of the model holds, padding included, unless a single text is longer."""

Floats = npt.NDArray[np.float32]

DRIVER_ERRORS = tuple(
    error for error in vars(states).values() if isinstance(error, type) and issubclass(error, Exception)
)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what onnxruntime raises into ModelUnavailable."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise ModelUnavailable("e5", f"{type(error).__name__} in onnxruntime") from error


class E5:
    """A build, loaded. Threads may share one object.

    A text's vector does not depend on the others of its batch, nor on the number of threads (differences below 1e-6).
    A text that says nothing (empty, blank, control characters, half a surrogate pair) has a unit vector like any other,
    which lies near nothing in particular: such texts are better not indexed.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        """*path*: where a build is (see `built`). *threads*: that work on one text; leave 1 below one whole core.

        Raises ModelUnavailable if the build is not whole.
        """
        meta = check(path)
        self._model = str(meta["model"])
        self._tokenizer = Tokenizer(path / FILES[2], MOST_TOKENS)
        self._words = np.load(path / FILES[1], "r")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        with translated():
            self._session: Any = onnxruntime.InferenceSession(path / FILES[0], options, ["CPUExecutionProvider"])

    @property
    def model(self) -> str:
        """Identity of the vectors."""
        return self._model

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    @property
    def floor(self) -> float:
        """The cosine at which texts have nothing to do with one another."""
        return FLOOR

    @property
    def ceiling(self) -> float:
        """The cosine at which texts say the same."""
        return CEILING

    def embed(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> "list[Vector[float]]":
        """A unit vector for each text, of its first 512 tokens. Raises ModelUnavailable."""
        rows = [self._tokenizer.ids(PREFIXES[kind] + text[:MOST_CHARACTERS]) for text in texts]
        vectors = np.empty((len(rows), DIMENSION), np.float32)
        for batch in batches([len(row) for row in rows]):
            vectors[batch] = self._run([rows[index] for index in batch])
        return [array("f", vector.tobytes()) for vector in vectors]

    def _run(self, rows: Sequence[Sequence[int]]) -> Floats:
        """The vectors of a batch of token ids."""
        ids = np.full((len(rows), max(map(len, rows))), self._tokenizer.padding)
        for line, row in zip(ids, rows, strict=True):
            line[: len(row)] = row
        mask = (ids != self._tokenizer.padding).astype(np.float32)
        with translated():
            vectors: Floats = self._session.run(None, {"x": unpacked(self._words[ids].view(Q4)), "mask": mask})[0]
        return vectors


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts of these lengths, those of a like length together, `BUDGET` padded tokens a batch."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BUDGET:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
