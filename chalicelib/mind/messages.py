"""What a queue delivers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """A delivery: *receipt* names this delivery, *deliveries* counts it and those before it (1: the first)."""

    body: Mapping[str, str]
    receipt: str
    deliveries: int
