"""Chinese pattern tables: cue, attribute, normaliser. The longest cue comes first."""

import re

from chalicelib.language.rules import lexicon_zh as words
from chalicelib.language.rules import slots
from chalicelib.language.rules import values_zh as values
from chalicelib.language.rules.findings import Normaliser, Predicate

V = r"(?P<v>.{1,60})$"
NUMBER = "[一二两三四五六七八九十几\\d]{1,3}"
COUNTED = f"(?:{NUMBER}?[只条头匹个])?"
DEGREE = (
    "(?:非常|特别|十分|相当|超级|最|超|特|很|挺|蛮|真的|真|还是|比较|一直|从小就?|也|都|还|就|其实|"
    "确实|平时|现在|尤其|更加|可|太|好|非)"
)
WHEN = (
    "(?:上个?月|上周|上星期|去年|前年|今年|这个月|最近|前几天|前不久|刚刚?|昨天|今天|已经|目前|现在|"
    "如今|以前|之前|后来|终于|本来|"
    "[\\d〇零一二三四五六七八九]{4}年|\\d{1,2}月份?|[一二两三四五六七八九十几半\\d]{1,3}个?[年月周天]以?前)"
)


def row(cue: str, attribute: str, value: Normaliser = values.thing, **more: object) -> Predicate:
    """A row of the table."""
    return Predicate(re.compile(cue), attribute, value, **more)  # type: ignore[arg-type]  # fields of Predicate


PREDICATES = (
    row(f"对{V[:-1]}过敏$", "fact_allergy"),
    row(f"(?:不能|不可以|不敢)吃{V}", "fact_allergy"),
    row("(?:是|只)?(?P<v>吃素|素食者|素食主义者|吃全素|纯素)(?:的|主义者)?$", "identity_diet", slots.plain),
    row(f"(?:患有|得了|得过|有|确诊了?)(?:.{{0,6}})(?P<v>{words.AILMENT})$", "fact_health", slots.plain),
    row(f"患有{V}", "fact_health"),
    row(f"(?:的?名字(?:是|叫)|名叫|叫做|叫|姓){V}", "identity_name", values.name),
    row("今年已?经?(?P<v>[\\d零一二三四五六七八九十]{1,3})(?:周岁|岁)", "identity_age", slots.years, dated=True),
    row(
        "(?:现在|快|刚满?|刚过)?(?P<v>[\\d零一二三四五六七八九十]{1,3})(?:周岁|岁)了?$",
        "identity_age",
        slots.years,
        dated=True,
    ),
    row("(?P<v>.{0,8}月.{1,4}[日号])(?:出生|生)的?$", "identity_birthday", slots.month_day, dated=True),
    row("生日(?:是|在)?(?P<v>.{1,20})$", "identity_birthday", slots.month_day, dated=True),
    row("(?P<v>已婚|未婚|单身|离异)(?:了|的)?$", "identity_marital", slots.plain),
    row("(?P<v>结婚|离婚|订婚)(?:了|[一二两三四五六七八九十\\d]+年了)$", "identity_marital", slots.plain, dated=True),
    row(
        "(?:.{0,8}?)(?:辞职|离职|被裁|退休|失业)(?:了|员了)?$",
        "identity_employer",
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row(
        "(?:从(?P<v>.{1,16}))(?:辞职|离职|退休)了?$",
        "identity_employer",
        values.employer,
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row(
        "(?:和|跟|与)(?P<v>.{1,8})(?:分手|离婚)了$",
        "identity_partner",
        values.name,
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row("分手了$", "identity_partner", sense="ending", dated=True, deniable=False),
    row(f"(?:从.{{1,16}}?)?(?:搬家到|搬到|搬去|搬来)了?{V}", "identity_home_city", values.home, dated=True),
    row(
        "(?:换到|跳槽到|跳到|入职|加入|跳槽去)了?(?P<v>.{1,20}?)(?:上班|工作|任职)?了?$",
        "identity_employer",
        values.employer,
        dated=True,
    ),
    row(f"(?:转行做|转行当|升职为|升为|升任|当上|成为)了?{V}", "identity_job", values.job, dated=True),
    row(
        "在(?P<v>.{1,20}?)(?:工作|上班|任职|就职|打工)(?:了|的|呢|了?.{1,3}年了?)?$",
        "identity_work_city",
        values.work_city,
    ),
    row(
        "在(?P<v>.{1,20}?)(?:工作|上班|任职|就职|打工)(?:了|的|呢|了?.{1,3}年了?)?$",
        "identity_employer",
        values.employer,
    ),
    row("在.{1,20}?(?:当|做|担任)(?:一名|一个)?(?P<v>.{1,12}?)(?:呢|的)?$", "identity_job", values.job),
    row(f"(?:供职于|就职于|任职于|受雇于){V}", "identity_employer", values.employer),
    row(f"(?:现居|定居在?|常住在?|居住在|住在|家在|住){V}", "identity_home_city", values.home),
    row(f"(?:老家是|老家在|老家|家乡是|家乡在|来自|出生在|出生于){V}", "identity_hometown", values.origin),
    row("(?:是|在)(?P<v>.{2,8}?)(?:本地)?(?:人|出生的|长大的|的)$", "identity_hometown", values.origin),
    row(f"毕业于{V}", "identity_school", values.goods, dated=True),
    row(
        "(?:读的是|只?有|是个?|读到)?(?P<v>大专|专科|本科|硕士|博士|高中|中专|初中)(?:毕业|学历|生)?的?$",
        "identity_education",
        slots.plain,
    ),
    row("(?:从|是)(?P<v>.{2,16})毕业的?(?:了)?$", "identity_school", values.goods, dated=True),
    row(
        "在(?P<v>.{2,16}?(?:大学|学院|中学|高中|小学|学校))(?:读书|上学|读研|念书|读大学|读博|读本科).{0,3}$",
        "identity_school",
        values.goods,
    ),
    row("(?:是)?(?:学|读)(?P<v>.{2,10}?)(?:专业)?的$", "identity_major", values.goods),
    row(f"(?:会说|会讲|精通|会|懂|说|能说|正在学习?|在学习?){V}", "skill_language", values.language, deniable=False),
    row(f"(?:擅长|精通|善于){V}", "skill_skill"),
    row(f"会{V}", "skill_skill", values.skill),
    row(f"(?:正在|在|开始)(?:自学|学习|学){V}", "skill_skill", values.goods),
    row(f"(?:家里?有|有|养过|养着|养了?|家养了){COUNTED}(?P<v>.{{1,16}})$", "fact_pet", values.pet),
    row(f"有(?:{NUMBER})?[个位名对]?(?P<v>.{{2,12}})$", "fact_family", values.family),
    row(f"(?:有|买了?|新买了|拥有|入手了?)(?:{NUMBER})?[辆台部套把架块款]{V}", "fact_owns", values.goods, dated=True),
    row(
        f"(?:开的?是|用的?(?:手机|电脑|车)是|的(?:车|电脑|手机|笔记本)是(?:一[辆台部])?){V}", "fact_owns", values.goods
    ),
    row("(?:曾经|曾)?去过(?P<v>.{2,12})$", "fact_visited", values.visited, dated=True),
    row(
        (
            "(?P<v>每(?:天|周|晚|年|个?月|个?周末|天早上|天晚上|周[一二三四五六日末])(?:早上|晚上|下午|上午|中午|"
            "睡前)?(?:都|会|都会|要|都要)?.{2,16})$"
        ),
        "fact_habit",
        values.goods,
        deniable=False,
    ),
    row(f"(?:更喜欢|更爱|更偏爱|宁愿|偏好|偏向|倾向于?|更倾向于?){V}", "preference_prefers", deniable=False),
    row(f"(?:用的是|喜欢用|习惯用|一般用|平时用|通常用|常用|一直用|习惯使用){V}", "preference_uses"),
    row(
        (
            f"(?:喜欢上了?|喜欢|热爱|酷爱|钟爱|偏爱|迷上了?|爱上了?|热衷于?|着迷于|痴迷于?|爱好是?|"
            f"爱(?![情心人戴护惜国])){V}"
        ),
        "preference_likes",
        opposite="preference_dislikes",
    ),
    row(f"(?:讨厌|受不了|忍受不了|最烦|烦|反感|厌恶|憎恨|不爱){V}", "preference_dislikes", deniable=False),
    row("(?:是|当|做|干){1,2}(?:一名|一位|一个|个|名|位)?(?P<v>.{1,20})$", "identity_job", values.job),
    row("(?:是)?(?:做|从事|搞)(?P<v>.{2,10}?)(?:工作|这行|行业|方面)?的$", "identity_job", values.goods),
    row("从事(?P<v>.{2,10}?)(?:工作|行业|方面的工作)?$", "identity_job", values.goods),
    row(f"(?:戒掉?了?|放弃了){V}", "fact_habit", sense="ending", dated=True, deniable=False),
)

ATTRIBUTES: tuple[tuple[str, str, Normaliser], ...] = (
    ("(?:全名|名字|姓名|大名)", "identity_name", values.name),
    ("生日", "identity_birthday", slots.month_day),
    ("(?:年龄|年纪)", "identity_age", slots.years),
    ("(?:职业|职位|职务|工作|岗位)", "identity_job", values.title),
    ("(?:公司|单位|工作单位|雇主)(?:名称|名字)?", "identity_employer", values.exact),
    ("(?:工作地点?|上班地点|工作城市)", "identity_work_city", values.exact),
    ("(?:电话号?码?|手机号?码?|联系电话|联系方式|手机)", "identity_phone", slots.digits),
    ("(?:邮箱地址|电子邮箱|邮箱|电子邮件|邮件地址)", "identity_email", slots.email),
    ("(?:老家|家乡|籍贯|出生地)", "identity_hometown", values.region),
    ("(?:住址|家庭住址|地址)", "identity_home_city", values.exact),
    ("(?:专业)", "identity_major", values.title),
    ("(?:母校|学校)", "identity_school", values.title),
    ("(?:教育背景|学历|文化程度)", "identity_education", values.title),
    ("(?:身高|个子)", "identity_height", values.measure),
    ("(?:体重)", "identity_weight", values.measure),
    ("(?:性格)", "identity_character", values.exact),
    ("(?:兴趣爱好|爱好|兴趣)", "preference_likes", values.exact),
    ("(?:口头禅)", "identity_phrase", values.exact),
    ("(?:母语)", "skill_language", values.language),
    ("车(?=是)", "fact_owns", values.goods),
)
PROJECT_ATTRIBUTES: tuple[tuple[str, str, Normaliser], ...] = (
    ("(?:负责人|产品负责人|项目负责人)", "project_owner", values.owner),
    ("(?:截止日期|截止时间|ddl|deadline|上线时间|交付日期)", "project_deadline", values.exact),
    ("(?:当前|最新|现在的?)?版本号?", "project_version", values.version),
    ("(?:状态|进度)", "project_status", values.exact),
    ("(?:地点|举办地点|地址)", "event_place", values.exact),
    ("(?:持续时间|时长)", "event_duration", values.exact),
    ("(?:开始时间|举办时间|时间|日期)", "event_time", values.exact),
    ("(?:规模|人数)", "event_size", values.exact),
    ("(?:主要内容|主题|内容)", "event_subject", values.exact),
)
LABELS = {
    "identity_name": "名字",
    "identity_birthday": "生日",
    "identity_age": "年龄",
    "identity_job": "职业",
    "identity_employer": "工作单位",
    "identity_home_city": "住处",
    "identity_hometown": "家乡",
    "identity_phone": "电话",
    "identity_email": "邮箱",
    "identity_marital": "婚姻状况",
    "identity_partner": "伴侣",
    "identity_school": "学校",
    "identity_major": "专业",
}
