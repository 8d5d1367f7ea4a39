"""Read a Chinese clause: whose it is, which pattern it meets, what it says about its subject."""

import re
from collections.abc import Iterator

from chalicelib.language.rules import lexicon_zh as words
from chalicelib.language.rules import phrasing, slots
from chalicelib.language.rules import values_zh as values
from chalicelib.language.rules.findings import Finding, Normaliser, Subject, polarised
from chalicelib.language.rules.patterns_zh import ATTRIBUTES, DEGREE, PREDICATES, PROJECT_ATTRIBUTES, WHEN

LEAD = re.compile(
    "^(?:(?:其实|对了|不过|但是|但|而且|另外|还有|所以|因为|哦|嗯|啊|哈哈|那个|顺便说一下|说实话|"
    "说真的|老实说|另外|然后|并且|而|且|话说|添加|你知道|我跟你说|是的|没错|刚才说错了|首先|最近)[ 、]?)"
    "+"
)
HEDGE = re.compile("^(?:可能|好像|也许|大概|应该|似乎|估计|或许|说不定|貌似|据说|听说|我觉得|我猜|我想|印象中)+")
ADVERB = re.compile(
    f"^(?:可能|好像|也许|大概|应该|似乎|估计|或许|说不定|貌似|大约|差不多|平常|通常|一般(?!用)|经常|总是|只|才|"
    f"一个人|自己|本人|呢|呀|啊|{WHEN}|{DEGREE}|(?:会|能)(?=经常|一直))+(?!$)"
)
ENDING_NEGATION = re.compile("^(?:已经不再|不再|再也不|已经不|早就不)")
NEGATION = re.compile(
    "^(?:从来没有?(?=[养去买喜会住])|从没有?(?=[养去买喜会住])|从来没(?=有)|从没(?=有)|"
    "没有(?=[养去买喜会住叫])|从来不|从不|绝不|并不|不太|不怎么|不是很|不算|没(?=[有养去买结])|不(?!能|"
    "可以|敢|得|但|仅|过|同))"
)
NEGATED_LIKE = re.compile("^(?:太|怎么|很|是很|算)")
KIN = re.compile(f"^我(?:的|家的?)?(?:那个|一个)?(?P<kin>(?:{words.KIN_ALTERNATIVES}))(?!们|圈|团|友)")
IS_KIN = re.compile(f"^(?P<v>[\u4e00-\u9fff·]{{2,4}})是我的?(?:一个|一位|好)?(?P<kin>{words.KIN_ALTERNATIVES})$")
KIN_CALLED = re.compile("^(?:的名字|名字)?(?:叫做?|名叫|是)(?P<v>.{2,6})$")
PET_CALLED = re.compile(
    f"^我(?:家|养)?的?(?:那?[只条])?(?P<pet>{words.PETS})(?:的名字)?(?:名?叫|是)做?(?P<v>.{{1,6}})$"
)
FAVOURITE = re.compile(
    "^(?:的)?最(?:喜欢|爱|喜爱|钟爱)(?P<verb>吃|看|听|喝|玩|读|去)?的(?P<a>[\u4e00-\u9fff]{1,6})(?:是|"
    "就是|叫)(?P<v>.{1,30})$"
)
LIKED = re.compile("^喜欢的(?P<a>[\u4e00-\u9fff]{1,6})是(?P<v>.{1,30})$")
RATHER = re.compile("^比起.{1,12}?(?=我更|我还是更)")
SUBJECT = "(?P<p>[^，。的你我他她它这那]{2,30}?)"
STATUS = "(?P<v>完成|上线|暂停|取消|延期|下线|进行中|结束|发布)"
PROJECTS: tuple[tuple[re.Pattern[str], str, Normaliser], ...] = tuple(
    (re.compile(cue), attribute, value)
    for cue, attribute, value in (
        (
            f"^{SUBJECT}(?:现在|目前|已经?|改)?(?:由|交给)(?P<v>.{{1,6}}?)(?:来?负责|接手|接管)了?$",
            "project_owner",
            values.owner,
        ),
        (f"^{SUBJECT}(?:已经|已)?(?:升级到|更新到|升到)了?(?P<v>.{{1,20}})$", "project_version", values.version),
        (f"^{SUBJECT}用的是(?P<v>[\\w.]{{1,16}})版本$", "project_version", values.version),
        (f"^{SUBJECT}(?:推迟到|延期到|提前到|定在)了?(?P<v>.{{1,20}})$", "project_deadline", values.exact),
        (f"^{SUBJECT}(?:已经|已|现在)?{STATUS}了$", "project_status", values.exact),
        (f"^{SUBJECT}(?:已经|已){STATUS}$", "project_status", values.exact),
        (f"^{SUBJECT}(?:是)?用(?P<v>[\\w+#. ]{{1,20}})(?:写|开发|实现)的$", "project_stack", values.exact),
        (f"^{SUBJECT}基于(?P<v>[\\w+#. ]{{1,20}})$", "project_stack", values.exact),
    )
)
NO_PROJECT = re.compile("^(?:所有|每|今天|昨天|明天|大家|有人|电影|会议?室|时间|最近|现在|已经|作业)|是|有|了|[？?]")
LESSON = re.compile("^(?:上次的教训(?:是)?|踩过坑|教训(?:是)?)[:： ]*(?P<v>.{4,60})$")
NAMED_ATTRIBUTE = tuple(
    (re.compile(f"^的?{noun}(?P<not>不是|不叫)?(?:是|为|叫|在|有|:)?(?P<v>.{{1,120}})$"), attribute, value)
    for noun, attribute, value in ATTRIBUTES
)
PROJECT_ATTRIBUTE = tuple(
    (re.compile(f"^(?P<p>[^，。]{{2,30}}?)的?{noun}(?:是|为|在)(?P<v>.{{1,160}})$"), attribute, value)
    for noun, attribute, value in PROJECT_ATTRIBUTES
)
NO_SUBJECT = re.compile("^(?:我|你|您|他|她|它|其|这|那|今天|明天|刚|昨|关于|最)|喜欢|觉得|[是有了在]|的$")
FOLLOWS = re.compile(
    f"{DEGREE}?(?:的|喜欢|不喜欢|讨厌|不爱|住在|今年|在.{{1,16}}(?:工作|上班)|毕业于|来自|对.{{1,8}}过敏|是[^我])"
)
CALLED = re.compile("^(?:的?名字(?:就?叫做?|是)|名叫|就?叫做?)(?P<v>.{1,6})$")
PET = "pet"
"""The bond of an author's animal."""

INSTEAD = re.compile("^(?:而是|应该是|是|叫|改成|应该叫)(?P<v>.{1,30})$")


def read(clause: str, author: str, carried: Subject | None) -> tuple[list[Finding], Subject | None]:
    """What the clause states, and the subject that a next clause without one continues."""
    said = LEAD.sub("", clause.strip())
    bare = RATHER.sub("", HEDGE.sub("", said))
    whom, predicate = subject(bare, author)
    text = phrasing.chinese(said, author)
    if whom is None and carried is not None:
        whom, predicate = carried, re.sub("^(?:其|他|她)(?=.)", "", bare)
        joint = "的" if bare.startswith("其") else ""
        text = f"{carried.shown}{joint}{phrasing.chinese(predicate, author)}"
        found = list(continued(whom, predicate, text, author))
        if found:
            return found, topic(found, author) or carried
        return list(standing_alone(bare, said, author)), carried
    found = list(standing_alone(bare, said, author))
    if not found and whom is not None:
        found = list(stated(whom, predicate, text))
    going_on = topic(found, author) or named_after(found, whom, bare, author) or carried
    return [*found, *introduced(bare, author)], going_on


def topic(found: list[Finding], author: str) -> Subject | None:
    """Whom the next clause is about after 我有个女儿 or 我养了一只猫: the one who was just brought up."""
    brought = (one for one in found if one.attribute in {"fact_family", "fact_pet"} and one.sense == "assertion")
    new = next(brought, None)
    if new is None or not new.subject.self_:
        return None
    shown = f"{author}的{new.value}"
    return Subject(shown, shown, bond=words.KIN.get(new.value, new.value) if new.attribute == "fact_family" else PET)


def continued(whom: Subject, predicate: str, text: str, author: str) -> Iterator[Finding]:
    """What a clause without a subject says of the one before it; of an animal only its name and its age."""
    naming = CALLED.match(predicate)
    if whom.bond and whom.name == whom.shown and naming and (value := values.name(naming["v"])):
        kin = whom.name.removeprefix(f"{author}的")
        if whom.bond == PET:
            yield Finding(f"{whom.shown}叫{value}", whom, "fact_pet_name", value)
        elif kin in words.KIN:
            me = Subject(author, author, self_=True)
            yield Finding(f"{whom.shown}叫{value}", me, slots.bond_attribute(words.KIN[kin]), value)
        return
    found = stated(whom, predicate, text)
    yield from (one for one in found if whom.bond != PET or one.attribute == "identity_age")


def subject(bare: str, author: str) -> tuple[Subject | None, str]:
    """Whom a clause begins with, and the rest of it."""
    if (found := KIN.match(bare)) and not bare.startswith("我爱人民"):
        shown = f"{author}的{found['kin']}"
        if name := called(bare[found.end() :]):
            return Subject(name, f"{shown}{name}", bond=words.KIN[found["kin"]]), bare[found.end() + len(name) :]
        return Subject(shown, shown, bond=words.KIN[found["kin"]]), re.sub("^[他她](?=.)", "", bare[found.end() :])
    if bare.startswith("我") and not bare.startswith(("我们", "我俩")):
        return Subject(author, author, self_=True), re.sub("^家(?=里?有|养)", "", bare[1:])
    if name := called(bare):
        return Subject(name, name), bare[len(name) :]
    return None, bare


def called(text: str) -> str:
    """The name of a person that a text begins with, "" where no predicate follows."""
    return next((text[:size] for size in (3, 2) if words.NAME.match(text[:size]) and FOLLOWS.match(text[size:])), "")


def named_after(found: list[Finding], whom: Subject | None, bare: str, author: str) -> Subject | None:
    """The subject that goes on: in "王宇是我的表哥，其…" it is 王宇."""
    if kin := IS_KIN.match(bare):
        return Subject(kin["v"], kin["v"], bond=words.KIN[kin["kin"]])
    if whom is None and found and not found[0].subject.self_:
        return found[0].subject
    return whom if whom is None or whom.name != "" else Subject(author, author, self_=True)


def stated(whom: Subject, predicate: str, text: str) -> Iterator[Finding]:
    """The attribute or the first pattern that the predicate meets, with its polarity."""
    if finding := possessed(whom, predicate, text) or favourite(whom, predicate, text):
        yield finding
        return
    for rest in dict.fromkeys((predicate, ADVERB.sub("", predicate))):
        ending = ENDING_NEGATION.match(rest)
        negation = None if ending else NEGATION.match(rest)
        bare = ADVERB.sub("", NEGATED_LIKE.sub("", rest[(ending or negation).end() :])) if ending or negation else rest  # type: ignore[union-attr]  # one of both matched
        if NEGATION.match(bare) and not re.match("不能|不可以|不敢", bare):
            continue
        ended = (
            bool(ending)
            or bool(negation and rest.endswith("了") and negation.group() in {"不", "并不"})
            or bool(re.match("以前|曾经|过去|原来", predicate))
        )
        if finding := met(whom, bare, text, negated=negation is not None, ended=ended):
            yield finding
            return
        if ending and whom.self_ and (doing := values.thing(bare)):
            yield Finding(text, whom, "fact_habit", doing, "ending", dated=True)
            return


def met(whom: Subject, rest: str, text: str, *, negated: bool, ended: bool) -> Finding | None:
    """The finding of the first row whose cue and value fit."""
    for predicate in PREDICATES:
        found = predicate.cue.match(rest)
        if not found:
            continue
        said = found.groupdict().get("v")
        value = predicate.fixed if said is None else predicate.value(said)
        if said is None or value:
            return polarised(predicate, whom, value, text, negated=negated, ended=ended)
    return None


def possessed(whom: Subject, predicate: str, text: str) -> Finding | None:
    """What "…的A是V" says of its subject."""
    for cue, attribute, normalised in NAMED_ATTRIBUTE:
        found = cue.match(predicate)
        value = normalised(found["v"]) if found else ""
        if found and value and not (whom.bond and attribute == "identity_name"):
            return Finding(text, whom, attribute, value, "denial" if found["not"] else "assertion", dated=True)
    return None


def favourite(whom: Subject, predicate: str, text: str) -> Finding | None:
    """What "最喜欢的A是V" says."""
    if (found := FAVOURITE.match(predicate)) and (value := values.thing(found["v"])):
        return Finding(text, whom, f"preference_favourite_{words.FAVOURITES.get(found['a'], found['a'])}", value)
    if (found := LIKED.match(predicate)) and (value := values.thing(found["v"])):
        return Finding(text, whom, "preference_likes", value)
    return None


def standing_alone(bare: str, said: str, author: str) -> Iterator[Finding]:
    """Patterns whose subject is a project, an event, a pet, or nobody."""
    me, text = Subject(author, author, self_=True), phrasing.chinese(said, author)
    if found := LESSON.match(bare):
        yield Finding(text, me, "mistake", found["v"])
    elif (found := PET_CALLED.match(bare)) and (value := values.name(found["v"])):
        pet = f"{author}的{found['pet']}"
        yield Finding(text, Subject(pet, pet), "fact_pet_name", value)
    elif (found := re.match("^(?:大家|朋友们?|同事们?|你|你们)?(?:都|可以)?叫我(?P<v>.{1,8})$", bare)) and (
        value := values.name(re.sub("就[好行]$", "", found["v"]))
    ):
        yield Finding(f"{author}叫{value}", me, "identity_name", value)
    elif (found := re.match("^我?(?:和|跟|与)(?P<v>.{1,6})分手了$", bare[1:] if bare.startswith("我") else "")) and (
        value := values.name(found["v"])
    ):
        yield Finding(text, me, "identity_partner", value, "ending", dated=True)
        yield Finding(f"{author}单身", me, "identity_marital", "单身", dated=True)
    else:
        yield from project(bare)


def project(bare: str) -> Iterator[Finding]:
    """What a clause says of a project or event."""
    for cue, attribute, normalised in (*PROJECTS, *PROJECT_ATTRIBUTE):
        found = cue.match(bare)
        name = found["p"].removesuffix("的") if found and found["p"] else ""
        if not found or not name or NO_PROJECT.search(name) or NO_SUBJECT.search(name) or person_like(name, attribute):
            continue
        if value := normalised(found["v"]):
            yield Finding(bare, Subject(name, name), attribute, value, dated=True)
            return


def person_like(name: str, attribute: str) -> bool:
    """True for a name of a person where the attribute is one of events."""
    return attribute.startswith("event") and len(name) <= 3 and words.NAME.match(name) is not None  # noqa: PLR2004  # a Chinese name


def introduced(bare: str, author: str) -> Iterator[Finding]:
    """That somebody named is the author's relative: 我同事叫…, …是我的同事."""
    me = Subject(author, author, self_=True)
    if found := IS_KIN.match(bare):
        if value := values.name(found["v"]):
            yield Finding(f"{value}是{author}的{found['kin']}", me, bond_of(found), value)
    elif (found := KIN.match(bare)) and (name := called(bare[found.end() :])):
        yield Finding(f"{name}是{author}的{found['kin']}", me, bond_of(found), name)
    elif found and (naming := KIN_CALLED.match(bare[found.end() :])):
        value = values.name(naming["v"])
        if (
            value
            and ("叫" in naming.group()[:4] or words.NAME.match(value))
            and not slots.PARTICLE.search(naming["v"])
            and not words.JOB.match(value)
        ):
            yield Finding(f"{author}的{found['kin']}叫{value}", me, bond_of(found), value)


def bond_of(found: re.Match[str]) -> str:
    """The attribute of the author that the relative in a match fills."""
    return slots.bond_attribute(words.KIN[found["kin"]])


def instead(clause: str, before: Finding) -> Finding | None:
    """What 是V says after the opposite was denied."""
    found = INSTEAD.match(clause)
    value = values.exact(found["v"]) if found else ""
    if not value:
        return None
    text = re.sub("不(?=[是叫住姓])", "", before.text, count=1).replace(before.value, value)
    return Finding(text, before.subject, before.attribute, value, dated=True)
