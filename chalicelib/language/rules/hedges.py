"""Words by which a speaker does not vouch for a sentence: it is kept with less confidence and ends nothing."""

import re

LESS = 0.30
"""What a hedge takes from confidence: .93 becomes .63, under standard and over relaxed."""

CHINESE = re.compile(
    r"可能(?!性)|好像|也许|大概(?!念)|(?<![你您他她们])应该(?!用)|似乎|估计|或许|说不定|不太确定|"
    r"不确定|我猜|我觉得|貌似|看起来|听说|据说|印象中|差不多|如果没记错"
)
ENGLISH = re.compile(
    r"\b(?:maybe|perhaps|might|could be|probably|possibly|I think|I guess|I believe|I suppose|I assume|"
    r"not sure|not certain|kind of|kinda|"
    r"sort of|sorta|seems?|apparently|I heard|supposedly|roughly|as far as I know|if I remember "
    r"correctly|I'm thinking)\b|(?<=I )may\b",
    re.IGNORECASE,
)


def hedged(clause: str, language: str) -> bool:
    """True if the clause holds a hedge."""
    return (CHINESE if language == "zh" else ENGLISH).search(clause) is not None
