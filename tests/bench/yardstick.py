"""What a recall is measured against: one query embedding, one exact matrix product, one postings query, and no more.

It does the least that any recall of this kind must do, with the product's own embedder and Analyser and numpy, in the
process of the bench: no server, no store, no ranking.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from chalicelib.ports import Analyser, Embedder

K1, B, BEST, SEED = 1.2, 0.75, 200, 7
Floats = np.ndarray


class Yardstick:
    """Vectors and postings of so many texts. The vectors are random: a product costs the same whatever they mean."""

    def __init__(self, texts: Sequence[str], embedder: Embedder, analyser: Analyser) -> None:
        """Index the texts."""
        self.embedder, self.analyser = embedder, analyser
        vectors = np.random.default_rng(SEED).standard_normal((len(texts), embedder.dimension), np.float32)
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        counts = [Counter(analyser.terms(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], np.float32)
        self.norm = K1 * (1 - B + B * lengths / lengths.mean())
        postings = defaultdict(list)
        for at, count in enumerate(counts):
            for term, times in count.items():
                postings[term].append((at, times))
        self.postings = {term: np.array(found, np.int32).T for term, found in postings.items()}

    def embed(self, question: str) -> Floats:
        """The question's vector."""
        return np.frombuffer(self.embedder.embed([question], "query")[0], np.float32)

    def nearest(self, vector: Floats) -> Floats:
        """The best by vector."""
        return best(self.vectors @ vector)

    def by_words(self, question: str) -> Floats:
        """The best by BM25."""
        scores = np.zeros(len(self.vectors), np.float32)
        for term in set(self.analyser.terms(question)):
            if (found := self.postings.get(term)) is None:
                continue
            at, times = found
            weight = math.log(1 + (len(scores) - len(at) + 0.5) / (len(at) + 0.5))
            scores[at] += weight * times / (times + self.norm[at])
        return best(scores)

    def __call__(self, question: str) -> dict[str, float]:
        """The milliseconds that each of the three takes for this question, and their sum."""
        spent: dict[str, float] = {}
        vector = timed(spent, "embed", lambda: self.embed(question))
        timed(spent, "product", lambda: self.nearest(vector))
        timed(spent, "postings", lambda: self.by_words(question))
        return spent | {"sum": sum(spent.values())}


def best(scores: Floats) -> Floats:
    """Where the highest scores are, in no order."""
    most = min(BEST, len(scores))
    return np.argpartition(-scores, most - 1)[:most]


def timed(spent: dict[str, float], name: str, act: Callable[[], Floats]) -> Floats:
    """What *act* returns; the milliseconds it took are noted under the name."""
    begun = time.perf_counter()
    found = act()
    spent[name] = (time.perf_counter() - begun) * 1000
    return found
