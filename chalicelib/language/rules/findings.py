"""What reading a clause yields, before it is weighed and becomes a statement."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.mind.statements import Sense

Normaliser = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause is about: `name` names them everywhere, `shown` is how its statement begins.

    `self_` is True for the author; `bond` is what a relative is to the author ("cousin"), "" for others.
    """

    name: str
    shown: str
    self_: bool = False
    bond: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """(subject, attribute) = value, in the words of `text`, which stands alone.

    `dated`: it tells of a change or names a day by nature, so that a time word in the clause does not make it passing.
    """

    text: str
    subject: Subject
    attribute: str
    value: str
    sense: Sense = "assertion"
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """A row of a pattern table: a cue at the beginning of a predicate, with a group `v` for the value.

    *value* normalises, and refuses with "". *opposite* is the attribute that the negated predicate states; without it a
    negated predicate denies this one if *deniable*, else says nothing. A cue without `v` has the value `fixed`,
    which may be "" in an ending.
    """

    cue: re.Pattern[str]
    attribute: str
    value: Normaliser
    opposite: str = ""
    deniable: bool = True
    dated: bool = False
    fixed: str = ""
    sense: Sense = "assertion"


def polarised(
    predicate: Predicate, whom: Subject, value: str, text: str, *, negated: bool, ended: bool
) -> Finding | None:
    """The finding with its sense: ended, denied, turned into its opposite, or nothing where that is undecided."""
    if whom.bond and predicate.attribute == "identity_name":
        return None
    if ended:
        return Finding(text, whom, predicate.attribute, value, "ending", dated=True)
    if negated and predicate.opposite:
        return Finding(text, whom, predicate.opposite, value, dated=predicate.dated)
    if negated:
        return Finding(text, whom, predicate.attribute, value, "denial", dated=True) if predicate.deniable else None
    return Finding(text, whom, predicate.attribute, value, predicate.sense, dated=predicate.dated)
