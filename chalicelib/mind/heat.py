"""Heat: what a request costs in the sliding window."""

from typing import Literal

Verb = Literal["memories", "recall", "think", "dream", "common-sense"]

BASE_HEAT: dict[Verb, int] = {"memories": 38, "recall": 6, "think": 44, "dream": 44, "common-sense": 50}
"""Heat of one request of each verb (the MemNetAI documentation's table); every other route costs nothing."""
