"""Which Chinese words can be the value of a slot: each function normalises, and refuses with ""."""

import re

from chalicelib.language.rules import lexicon_zh as words
from chalicelib.language.rules import slots

MOST, MOST_EXACT = 30, 160
POINTING = re.compile("[你您她它哪]|(?<![吉其])他|我们|咱|这个?$|^这|^那|那个|什么|怎么|多少|谁|[女男][孩生]$|的人$")
EMPTY_START = re.compile(
    "^(?:的|了|过|得|到|上|说|问|想|要|是|有|也|都|就|还|吗|呢|吧|啊|把|被|不|没|很|"
    "太|地|们|一下|一点|点|事|问题|时间|空|看看)(?!网|海|学|汤|吉他|唱|跳舞)"
)
QUALITY = re.compile("^(?:[大小老新旧红黑白花灰黄蓝绿]|可爱的|很?[大小]的|超?可爱的)")
LATIN_NAME = re.compile(r"^[A-Z][\w .'-]{0,30}$")
NO_NAME = re.compile("^(?:[了他她你您它人车醒停这那什不个]|外卖|滴滴|救护车|出租|大家|一[个份声])")
NO_HOME = re.compile(
    "^(?:[院校得进]|酒店|宿舍|宾馆|宿|了|过|一起|不|哪|[一二三四五六七八九十几\\d]+[楼层年个])|隔壁|附近|楼上|楼下"
)
VAGUE = re.compile("[挺很蛮最太好]|比较|非常|特别|还|不")
NO_EMPLOYER = re.compile(
    "^(?:家|家里|晚上|早上|努力|认真|这|那|外地|外面|单位|公司|国外|老家|外|一起|周末|[一二两三]个?|"
    "上班|工作)$|^[这那]|的时候"
)


def thing(text: str) -> str:
    """Whatever can be liked, used or avoided, unless it points at something outside the sentence."""
    value = slots.plain(text)
    if not value or len(value) > MOST or POINTING.search(value) or EMPTY_START.match(value):
        return ""
    return value


def name(text: str) -> str:
    """A person's or pet's name: up to six Han characters or a Latin name."""
    value = text.strip(" “”\"'了吧啊哦").removeprefix("就是")
    if value.startswith(("起来", "作", "我", "你", "他", "她")):
        return ""
    if LATIN_NAME.match(value):
        return value
    return (
        value
        if re.fullmatch("[\u4e00-\u9fff·]{1,6}", value) and not NO_NAME.match(value) and not POINTING.search(value)
        else ""
    )


def job(text: str) -> str:
    """An occupation."""
    value = (
        slots.plain(re.split("的(?=.{1,10}$)", text)[-1])
        if not words.JOB.match(slots.plain(text))
        else slots.plain(text)
    )
    return value if words.JOB.match(value) and not words.NO_JOB.search(value) and not POINTING.search(value) else ""


def title(text: str) -> str:
    """What a job, education or hobby is said to be, where the attribute is named."""
    return "" if VAGUE.match(text) else thing(text.removeprefix("就"))


def employer(text: str) -> str:
    """Where somebody works, unless it is only a city."""
    value = thing(text)
    return "" if not value or NO_EMPLOYER.search(value) or located(value) or not 1 < len(value) <= 16 else value  # noqa: PLR2004  # a company's name is shorter


def work_city(text: str) -> str:
    """The city somebody works in."""
    value = slots.city(text)
    return value if located(value) else ""


def located(value: str) -> bool:
    """True for a place as such: a city, a province, a city in its province."""
    return value in words.PLACES or any(
        value.startswith(place) and value[len(place) :] in words.PLACES for place in words.PLACES
    )


def home(text: str) -> str:
    """Where somebody lives."""
    value = slots.city(
        re.sub("(?:已经|快|有)?[一二两三四五六七八九十几\\d]+多?年了?$|这边|那边|那儿|这里|那里|那个地方", "", text)
    )
    return "" if not thing(value) or NO_HOME.search(value) or len(value) > 16 else value  # noqa: PLR2004  # an address in a chat is shorter


def origin(text: str) -> str:
    """A place by its name: 湖南, 苏州, 张家村."""
    value = slots.city(re.sub("(?:就?那边|那儿|那里|那个地方|那块儿?)$", "", text))
    if re.fullmatch("[\u4e00-\u9fff]{2,10}", value) and (
        words.PLACE.search(value) or any(value.startswith(p) for p in words.PLACES)
    ):
        return value
    return ""


def region(text: str) -> str:
    """A place that was named as somebody's origin."""
    return slots.city(re.sub("(?:那边|那儿|那里|那块儿?|这边)的?$", "", exact(text)))


def pet(text: str) -> str:
    """The kind of a pet, without its looks."""
    value = QUALITY.sub("", slots.plain(re.split("叫|，", text)[0]))
    found = re.search(f"(?:{words.PETS})$", value)
    return value if found and len(value) <= 5 else ""  # noqa: PLR2004  # a kind is short


def family(text: str) -> str:
    """A relative that somebody has."""
    value = slots.plain(text)
    found = re.search(f"(?:{words.FAMILY})$", value)
    return found.group() if found and len(value) <= 10 and not POINTING.search(value) else ""  # noqa: PLR2004  # with adjective


def goods(text: str) -> str:
    """A thing somebody owns for years."""
    value = thing(text)
    return value if len(value) <= 14 else ""  # noqa: PLR2004  # a make and model


def visited(text: str) -> str:
    """A place somebody has been to."""
    value = re.sub("(?:一|两|三|很多|好几|几)[次趟回].*$|旅[游行].*$|玩.*$", "", thing(text))
    return (
        value
        if re.fullmatch("[\u4e00-\u9fff]{2,8}", value) and not re.search("医院|超市|公司|学校|厕所|银行|一次", value)
        else ""
    )


def language(text: str) -> str:
    """A language."""
    found = re.match(f"(?:一点|流利的)?((?:{words.LANGUAGE})(?:[、和](?:{words.LANGUAGE})){{0,4}})", text)
    return found[1] if found else ""


def skill(text: str) -> str:
    """What somebody can do."""
    value = thing(text)
    return value if re.match(f"(?:{words.SKILLS})", value) and len(value) <= 12 else ""  # noqa: PLR2004  # a skill is short


def owner(text: str) -> str:
    """Who is in charge."""
    return name(text)


def exact(text: str) -> str:
    """A value as it stands, where the attribute is named before it."""
    value = text.strip(" 。，“”\"'").removeprefix("就是")
    return (
        ""
        if VAGUE.match(value) or not value or len(value) > MOST_EXACT or POINTING.search(value)
        else slots.PARTICLE.sub("", value)
    )  # no essay


def measure(text: str) -> str:
    """A height or weight: a number with its unit."""
    found = re.search(r"\d[\d.]{0,6} ?(?:cm|CM|m|米|厘米|公分|kg|KG|公斤|斤)\d{0,2}", text)
    return found.group() if found else ""


def version(text: str) -> str:
    """A version: digits with dots."""
    found = re.match(r"[vV]?(\d{1,4}(?:\.\d{1,5}){0,3}[\w-]{0,10})(?:版本?)?$", text.strip())
    return found[1] if found else ""
