"""Impression: how strongly a memory is held. Computed on reading; rises with touch and repetition, fades with time."""

import math
from dataclasses import dataclass
from datetime import datetime

STEEPNESS, EXPONENT = 1.84, 1.25
"""Ebbinghaus (1885), ch. 7: share kept after t minutes = k / ((log10 t)^c + k) with k = 1.84, c = 1.25."""

RISE = 0.35
"""Share of what is lacking to 1 that one touch or repetition adds. Ours; no source gives one."""


@dataclass(frozen=True, slots=True)
class Impression:
    """Strength 0..1 as it was at a time."""

    value: float
    at: datetime

    def felt(self, now: datetime) -> float:
        """What is left of it, 0..1. A time before `at` counts as `at`."""
        minutes = max((now - self.at).total_seconds() / 60, 1.0)
        faded: float = math.log10(minutes) ** EXPONENT
        return self.value * (STEEPNESS / (faded + STEEPNESS))

    def touched(self, now: datetime) -> "Impression":
        """The impression after a recall or a repetition at *now*; a touch before the last one changes nothing.

        It is fresh again, and stronger than it was, so that at no later time less is left than without the touch.
        """
        return self if now <= self.at else Impression(self.value + RISE * (1 - self.value), now)
