"""Read an English clause: whose it is, which pattern it meets, what it says in the third person."""

import re
from collections.abc import Iterator
from dataclasses import replace

from chalicelib.language.rules import lexicon_en as words
from chalicelib.language.rules import phrasing, slots
from chalicelib.language.rules import values_en as values
from chalicelib.language.rules.clauses import VERBS
from chalicelib.language.rules.findings import Finding, Subject, polarised
from chalicelib.language.rules.patterns_en import ATTRIBUTES, FAVOURITE, GO_TO, PREDICATES
from chalicelib.mind.statements import Sense

LEAD = re.compile(
    r"^(?:(?:and|but|so|well|yeah|yep|yes|yup|no|nope|nah|wow|oh|ah|aw|also|actually|honestly|hey|hi|"
    r"hello|thanks|ok|okay|btw|by the way|plus|then|anyway|"
    r"still|personally|definitely|absolutely|for sure|of course|right|sure|haha|lol|to be honest|tbh|"
    r"as for me|in fact|currently|these days|nowadays|lately|ps|"
    r"basically|now|recently|guess what|same here|me too|totally|as you know|after all|usually|luckily|"
    r"fun fact|since|because|cause|'cause|while|though|although|especially|other than that)"
    r"(?:,? [A-Z][a-z]{1,15}(?=[,!]))?[,!]? +){1,4}",
    re.IGNORECASE,
)
THOUGHT = re.compile(
    (
        r"^(?:I (?:think|guess|believe|suppose|heard|assume)|maybe|perhaps|apparently|supposedly|as far as "
        r"I know|if I remember correctly)(?: that)?,? "
    ),
    re.IGNORECASE,
)
NEGATORS = frozenset({"never", "rarely", "hardly", "barely"})
ADVERB = re.compile(
    (
        rf"^(?:(?:{'|'.join(word for word in phrasing.ADVERBS.split('|') if word not in NEGATORS)}|might|"
        rf"may|do(?! not)|used to|tend to) )+"
    ),
    re.IGNORECASE,
)
ENDED = re.compile(r"^(?:no longer|used to) ", re.IGNORECASE)
PAST = re.compile(r"\bused to\b", re.IGNORECASE)
NO_MORE = re.compile(r",? (?:any ?more|any longer|no more)$", re.IGNORECASE)
NEGATED = re.compile(
    (
        r"^(?:do not|don't|doesn't|does not|never|have never|has never|haven't|hasn't|didn't|did not|won't|"
        r"can't really|am not|isn't|is not|wasn't|was not) (?:really |actually |particularly |even |ever |"
        r"too |all that |that |much |exactly )?"
    ),
    re.IGNORECASE,
)
KIN = re.compile(
    rf"^My (?P<kin>(?:(?:{words.KIN_ADJECTIVES}) ){{0,2}}(?:{words.KIN}))(?P<name>,? (?-i:[A-Z][a-z]+),?)?(?='s | )",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"^(?P<name>[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?) (?=(?:also |really |just |absolutely )"
    r"?(?:loves|likes|hates|dislikes|enjoys|prefers|adores|lives in|works (?:at|for|as)|"
    r"is (?:an? |from |allergic |married|single)|owns|drives|speaks|can't stand|doesn't like|moved to|"
    r"has (?:an?|two|three) |joined|doesn't|no longer|was born))"
)
NOT_PEOPLE = frozenset(
    {
        "i",
        "it",
        "he",
        "she",
        "we",
        "they",
        "you",
        "this",
        "that",
        "everyone",
        "everybody",
        "nobody",
        "someone",
        "somebody",
        "who",
        "what",
        "one",
        "there",
        "here",
        "mom",
        "dad",
        "mum",
        "life",
        "family",
        "god",
        "nature",
        "music",
        "art",
        "love",
        "each",
        "all",
        "another",
        "which",
        "my",
        "our",
        "your",
        "his",
        "her",
        "its",
        "their",
        "the",
        "a",
    }
)
POSSESSED = tuple(
    (
        re.compile(rf"^(?:{noun}) (?P<not>is not|isn't|is|was|are) {{0,1}}(?:on )?(?P<v>.{{1,100}})$", re.IGNORECASE),
        attribute,
        value,
    )
    for noun, attribute, value in ATTRIBUTES
)
PET_NAME = re.compile(
    (
        rf"^My (?:[\w-]+ )?(?P<pet>{words.PETS})(?:'s name is| is (?:called|named)| are (?:called|named)) "
        rf"(?P<v>[A-Z].{{0,40}})$"
    ),
    re.IGNORECASE,
)
INSTEAD = re.compile(r"^(?:but )?(?:it is|it's|but|rather|should be|it should be) (?P<v>.{1,60})$", re.IGNORECASE)
SPECIALS = (
    (
        re.compile(r"^(?:you can )?(?:reach|contact|e-?mail|call|text) me (?:at|on) (?P<v>\S.{3,60})$", re.IGNORECASE),
        "identity_email",
        slots.email,
    ),
    (
        re.compile(r"^(?:you can )?(?:reach|contact|call|text) me (?:at|on) (?P<v>[+\d].{3,60})$", re.IGNORECASE),
        "identity_phone",
        slots.digits,
    ),
    (
        re.compile(
            (
                r"^(?:(?:you can|people|everyone|everybody|my friends|friends|they|just|please) )*call me "
                r"(?P<v>.{1,40})$"
            ),
            re.IGNORECASE,
        ),
        "identity_name",
        values.person,
    ),
)
IS_FAVOURITE = re.compile(r"^(?P<v>[A-Z\ue000-\uf8ff].{0,60}) is my (?:all-time )?favou?rite (?P<a>[a-z][\w -]{1,30})$")
PARTED = re.compile(
    r"^(?P<v>[A-Z][a-z]+) & I (?P<did>broke up|split up|separated|got divorced|got married|got engaged|"
    r"are engaged|are married)(?: .{1,40})?$"
)
IS_KIN = re.compile(
    rf"^(?P<v>[A-Z][a-z]+(?: [A-Z][a-z]+)?) is my (?P<kin>(?:(?:{words.KIN_ADJECTIVES}) ){{0,2}}(?:{words.KIN}))$"
)
PROJECT = r"(?:the |our |my )?(?P<p>[\w-]+(?: [\w-]+){0,3})"
STATUS = r"(?P<v>done|finished|completed?|live|paused|on hold|cancell?ed|blocked|in progress|delayed|deprecated)"
PROJECTS = tuple(
    (re.compile(cue, re.IGNORECASE), attribute, value)
    for cue, attribute, value in (
        (rf"^The deadline for {PROJECT} is (?:on )?(?P<v>.{{1,60}})$", "project_deadline", values.project_value),
        (rf"^The owner of {PROJECT} is (?P<v>.{{1,60}})$", "project_owner", values.person),
        (rf"^The status of {PROJECT} is (?P<v>.{{1,60}})$", "project_status", values.project_value),
        (rf"^{PROJECT} (?:is|are) due (?:on )?(?P<v>.{{1,60}})$", "project_deadline", values.project_value),
        (
            (
                rf"^{PROJECT} (?:slipped|was moved|was pushed(?: back)?|was postponed|was brought forward) to "
                rf"(?P<v>.{{1,60}})$"
            ),
            "project_deadline",
            values.project_value,
        ),
        (
            (
                rf"^{PROJECT} (?:is (?:now )?(?:on|at)|was upgraded to|has been upgraded to) (?:version )"
                rf"?(?P<v>v?\d[\w.-]{{0,20}})$"
            ),
            "project_version",
            values.version,
        ),
        (rf"^The {PROJECT} (?:is|was|has been) (?:now |currently )?{STATUS}$", "project_status", values.project_value),
        (
            (
                rf"^(?P<v>[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:owns|leads|is in charge of|is responsible for|took over) "
                rf"the {PROJECT}$"
            ),
            "project_owner",
            values.person,
        ),
        (rf"^{PROJECT} is (?:built on|built with|written in) (?P<v>.{{1,40}})$", "project_stack", values.thing),
        (
            r"^We (?:use|run) (?P<v>[A-Z][\w.+#-]{0,20}) for (?:the |our )?(?P<p>[\w-]+(?: [\w-]+){0,3})$",
            "project_stack",
            values.thing,
        ),
    )
)
NO_PROJECT = re.compile(
    (
        r"^(?:it|he|she|this|that|they|everything|everyone|i|we|you|there|what|which|who|all|one|\w+ing$|"
        r"everybody|dinner|lunch)\b|^(?:\w+ ){0,3}(?:is|was|are|has|it|that)\b"
    ),
    re.IGNORECASE,
)
LESSON = re.compile(r"^lessons? learn(?:ed|t)[,:]? (?P<v>.{4,200})$", re.IGNORECASE)


CONTINUED = re.compile(VERBS)
OURS = re.compile(
    r"we (?:(?:do not|don't|no longer|used to|have|had|just|recently|now) )*"
    r"(?:have|live|own|got|adopted|moved|relocated|bought) ",
    re.IGNORECASE,
)
"""Begins what is true of the author too when it is said of "we"."""

INSERTED = re.compile(
    r",? (?:by the way|btw|you know|of course|to be honest|tbh|obviously|anyway|actually)(?=,|$),?", re.IGNORECASE
)
"""Words that say nothing, between commas or at the end."""


def stripped(clause: str) -> str:
    """The clause without contractions and without the words that only lead into it."""
    text = LEAD.sub("", INSERTED.sub("", phrasing.expanded(clause).strip()) + " ").strip(" ,")
    return f"{text[:1].upper()}{text[1:]}" if text[:1] == "i" and text[1:2] in {" ", "'"} else text


def read(clause: str, author: str, carried: Subject | None) -> tuple[list[Finding], Subject | None]:
    """What the clause states, and the subject that a next clause without one continues."""
    said = stripped(clause)
    bare = THOUGHT.sub("", said)
    whom, predicate = subject(bare, author)
    if whom is None and carried is not None and CONTINUED.match(bare):
        whom, predicate, said = carried, bare, f"{'I' if carried.self_ else carried.shown} {bare}"
    found = list(special(bare, said, author)) or list(project(bare))
    if not found and whom is not None:
        found = list(stated(whom, predicate, phrasing.third_person(said, author)))
    found = [
        replace(finding, value=phrasing.turned(finding.value, author))
        for finding in [*found, *introduced(bare, author)]
    ]
    return found, whom if found else None


def subject(bare: str, author: str) -> tuple[Subject | None, str]:
    """Whom a clause begins with, and the rest of it."""
    if bare.startswith("I "):
        return Subject(author, author, self_=True), bare[2:]
    if (found := KIN.match(bare)) and not bare[found.end() :].startswith("'s"):
        name = values.person((found["name"] or "").strip(" ,"))
        kin = found["kin"].split()[-1].lower()
        shown = f"{phrasing.possessive(author)} {found['kin']}"
        return Subject(name or shown, f"{shown} {name}".strip(), bond=kin), bare[found.end() :].strip()
    if (found := NAMED.match(bare)) and found["name"].split()[0].lower() not in NOT_PEOPLE:
        return Subject(found["name"], found["name"]), bare[found.end() :]
    if OURS.match(bare):
        return Subject(author, author, self_=True), bare[3:]
    return None, bare


def stated(whom: Subject, predicate: str, text: str) -> Iterator[Finding]:
    """The first pattern that the predicate meets, with its polarity."""
    rest = ADVERB.sub("", predicate)
    ended = bool(
        ENDED.match(predicate)
        or PAST.match(predicate)
        or NO_MORE.search(predicate)
        or re.match(r"(?:am|is) no longer ", predicate)
        or "used to " in predicate[:20]
    )
    rest = ADVERB.sub("", re.sub(r"^(am|is) no longer ", r"\1 ", NO_MORE.sub("", rest)))
    positive = re.match(r"(?:can't|cannot|can not) (?:stand|bear|eat)", rest)
    negation = None if positive else NEGATED.match(rest)
    if negation:
        be = re.match(r"(?:am|is|was)(?= not)|(?:is|was)(?=n't)|(?:have|has)(?= never)|(?:haven't|hasn't)", rest)
        auxiliary = {"haven't": "have", "hasn't": "has"}.get(be.group(), be.group()) + " " if be else ""
        rest = auxiliary + ADVERB.sub("", rest[negation.end() :])
    if NEGATED.match(rest) and not re.match(r"(?:can't|cannot)", rest):
        return
    if finding := met(whom, rest, text, negated=negation is not None, ended=ended):
        yield finding
    elif (
        ended
        and not negation
        and whom.self_
        and (doing := values.habit(rest))
        and re.match(r"[a-z]+ ", rest)
        and not re.match(r"(?:am|is|be|have|has|was|the) ", rest)
    ):
        yield Finding(text, whom, "fact_habit", doing, "ending", dated=True)


def met(whom: Subject, rest: str, text: str, *, negated: bool, ended: bool) -> Finding | None:
    """The finding of the first row whose cue and value fit."""
    if whom.self_ and (favourite := GO_TO.match(rest)):
        return Finding(text, whom, f"preference_tool_{favourite['a']}", values.thing(favourite["v"]))
    for predicate in PREDICATES:
        found = predicate.cue.match(rest)
        if not found:
            continue
        said = found.groupdict().get("v")
        value = predicate.fixed if said is None else predicate.value(said)
        if said is not None and not value:
            continue
        return polarised(predicate, whom, value, text, negated=negated, ended=ended)
    return None


def special(bare: str, said: str, author: str) -> Iterator[Finding]:
    """Patterns whose subject is not in front: possessed attributes, ways to be reached, partings."""
    me, text = Subject(author, author, self_=True), phrasing.third_person(said, author)
    if found := PARTED.match(bare):
        yield from parted(found, me, author)
        return
    if lesson := LESSON.match(bare):
        yield Finding(text, me, "mistake", lesson["v"])
    for cue, attribute, normalised in SPECIALS:
        if (found := cue.match(bare)) and (value := normalised(found["v"])):
            label = {
                "identity_name": f"{author} is called",
                "identity_email": f"{phrasing.possessive(author)} e-mail address is",
            }
            yield Finding(
                f"{label.get(attribute, f'{phrasing.possessive(author)} phone number is')} {value}.",
                me,
                attribute,
                value,
            )
            return
    if (found := IS_FAVOURITE.match(bare)) and (value := values.thing(found["v"])):
        yield Finding(text, me, favourite(found["a"]), value)
    if (found := PET_NAME.match(bare)) and (value := values.person(found["v"])):
        pet = found["pet"].lower()
        yield Finding(
            text,
            Subject(f"{phrasing.possessive(author)} {pet}", f"{phrasing.possessive(author)} {pet}"),
            "fact_pet_name",
            value,
        )
    elif re.match("My ", bare, re.IGNORECASE) and "pet" not in bare[:6]:
        yield from possessed(bare, me, author, text)


def parted(found: re.Match[str], me: Subject, author: str) -> Iterator[Finding]:
    """What "Tom and I broke up" (or got married) says of the partner, and of being married or single."""
    name, did = found["v"], found["did"].split()[-1]
    together = did in {"married", "engaged"}
    sense: Sense = "assertion" if together else "ending"
    yield Finding(f"{name} and {author} {found['did']}.", me, "identity_partner", name, sense, dated=True)
    state = did if together or did == "divorced" else "single"
    yield Finding(f"{author} is {state}.", me, "identity_marital", state, dated=True)


def possessed(bare: str, me: Subject, author: str, text: str) -> Iterator[Finding]:
    """What "my A is V" says, of the author or of a relative ("my aunt's birthday is ...")."""
    whom, rest = me, bare[3:]
    if (kin := KIN.match(bare)) and bare[kin.end() :].startswith("'s "):
        shown = f"{phrasing.possessive(author)} {kin['kin']}"
        whom, rest = Subject(shown, shown, bond=kin["kin"].split()[-1].lower()), bare[kin.end() + 3 :]
    elif found := FAVOURITE.match(rest) or GO_TO.match(rest):
        attribute = (
            favourite(found["a"])
            if FAVOURITE.match(rest)
            else f"preference_tool_{found['a'].lower().replace(' ', '_')}"
        )
        if value := values.thing(found["v"]):
            yield Finding(text, whom, attribute, value)
        return
    for cue, attribute, normalised in POSSESSED:
        found = cue.match(rest)
        value = normalised(found["v"]) if found else ""
        if found and value:
            negated = found["not"].lower() in {"is not", "isn't"}
            yield from named_kin(whom, attribute, value, text, me, negated=negated)
            return


def named_kin(whom: Subject, attribute: str, value: str, text: str, me: Subject, *, negated: bool) -> Iterator[Finding]:
    """The attribute of its subject; the name of a relative is a bond of the author's."""
    if whom.bond and attribute == "identity_name" and not negated:
        yield Finding(text, me, slots.bond_attribute(whom.bond), value)
    else:
        yield Finding(
            text, whom, attribute, value, "denial" if negated else "assertion", dated=attribute == "identity_birthday"
        )


def introduced(bare: str, author: str) -> Iterator[Finding]:
    """That somebody named is the author's relative: "my cousin Tom ...", "Tom is my cousin"."""
    me, owner = Subject(author, author, self_=True), phrasing.possessive(author)
    if found := IS_KIN.match(bare):
        yield Finding(
            f"{found['v']} is {owner} {found['kin']}.", me, slots.bond_attribute(found["kin"].split()[-1]), found["v"]
        )
        return
    found = KIN.match(bare)
    if not found:
        return
    called = re.match(r" (?:is|was) (?:called|named) (?P<v>.{1,40})$", bare[found.end() :])
    bond = found["kin"].split()[-1].lower()
    name = values.person(called["v"]) if called else values.person((found["name"] or "").strip(" ,"))
    if not name and bond in slots.PARTNERS and (plain := re.match(r" is (?P<v>[A-Z].{1,40})$", bare[found.end() :])):
        name = values.spouse(plain["v"])
    if name and name != "I":
        yield Finding(f"{name} is {owner} {found['kin']}.", me, slots.bond_attribute(bond), name)


def favourite(what: str) -> str:
    """preference_favourite_A, with A in its common spelling."""
    name = what.lower().strip()
    return f"preference_favourite_{words.FAVOURITES.get(name, name).replace(' ', '_')}"


def project(bare: str) -> Iterator[Finding]:
    """What a clause says of a project: its owner, deadline, version, status or stack."""
    for cue, attribute, normalised in PROJECTS:
        found = cue.match(bare)
        if not found or NO_PROJECT.match(found["p"]):
            continue
        name = re.sub(r"^(?:the|our|my) ", "", found["p"], flags=re.IGNORECASE)
        if value := normalised(found["v"]):
            yield Finding(phrasing.finished(bare), Subject(name, name), attribute, value, dated=True)
            return


def instead(clause: str, before: Finding) -> Finding | None:
    """What "it's Anna" says after "my name is not Ann" was denied."""
    found = INSTEAD.match(stripped(clause))
    value = slots.plain(found["v"]) if found else ""
    if not value:
        return None
    text = re.sub(r"\b(is) not\b|\b(is)n't\b", r"\1\2", before.text).replace(before.value, value)
    return Finding(text, before.subject, before.attribute, value, dated=True)
