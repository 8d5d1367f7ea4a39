"""What the rules make of single messages: slots, polarity, subjects, exclusions, commands."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.language.rules import lexicon_en, lexicon_zh
from chalicelib.language.rules.extractor import RuleExtractor
from chalicelib.mind.turns import Turn

NOW = datetime(2024, 5, 15, 10, tzinfo=UTC)


def turn(content, character="", role="user", position=0):
    return Turn("talk", position, role, character, content, NOW, NOW)


def statements(content, character="", role="user", mode="standard"):
    return RuleExtractor(None, mode).extract([turn(content, character, role)])


def filled(content, **more):
    return [(s.slot.attribute, s.slot.value) for s in statements(content, **more) if s.slot and s.sense == "assertion"]


def ended(content):
    return [(s.slot.attribute, s.slot.value, s.sense) for s in statements(content) if s.slot and s.sense != "assertion"]


@pytest.mark.parametrize(("content", "attribute", "value"), [
    ("我叫陈立。", "identity_name", "陈立"),
    ("我的名字是周晓。", "identity_name", "周晓"),
    ("我今年41岁。", "identity_age", "41"),
    ("我今年三十五岁了", "identity_age", "35"),
    ("我的生日是11月3日", "identity_birthday", "11-03"),
    ("我是一名牙医", "identity_job", "牙医"),
    ("我在网易上班", "identity_employer", "网易"),
    ("我在上海工作", "identity_work_city", "上海"),
    ("我住在苏州市", "identity_home_city", "苏州"),
    ("我去年从武汉搬到了厦门", "identity_home_city", "厦门"),
    ("我是四川人", "identity_hometown", "四川"),
    ("我毕业于复旦大学", "identity_school", "复旦大学"),
    ("我的手机号是139 0000 1111", "identity_phone", "13900001111"),
    ("我吃素", "identity_diet", "吃素"),
    ("我对芒果过敏", "fact_allergy", "芒果"),
    ("我养了两只猫", "fact_pet", "猫"),
    ("我有一个儿子", "fact_family", "儿子"),
    ("我有一辆自行车", "fact_owns", "自行车"),
    ("我去过挪威", "fact_visited", "挪威"),
    ("我会弹吉他", "skill_skill", "弹吉他"),
    ("我会说法语", "skill_language", "法语"),
    ("我最喜欢的季节是秋天", "preference_favourite_season", "秋天"),
    ("我更喜欢坐火车", "preference_prefers", "坐火车"),
    ("My name is Ida Berg.", "identity_name", "Ida Berg"),
    ("I'm 47 years old.", "identity_age", "47"),
    ("My birthday is on 3 November.", "identity_birthday", "11-03"),
    ("I'm a paramedic at the city hospital.", "identity_job", "paramedic"),
    ("I work for Siemens in Munich.", "identity_employer", "Siemens"),
    ("I live in Ghent with my brother.", "identity_home_city", "Ghent"),
    ("I just moved from Turin to Ghent.", "identity_home_city", "Ghent"),
    ("I grew up in Wales.", "identity_hometown", "Wales"),
    ("I graduated from Leiden University.", "identity_school", "Leiden University"),
    ("You can reach me at ida@example.org.", "identity_email", "ida@example.org"),
    ("I'm vegan.", "identity_diet", "vegan"),
    ("I'm severely allergic to wasps.", "fact_allergy", "wasps"),
    ("We have two cats.", "fact_pet", "cats"),
    ("I have three daughters.", "fact_family", "three daughters"),
    ("I drive a Skoda.", "fact_owns", "Skoda"),
    ("I've been to Chile.", "fact_visited", "Chile"),
    ("I swim every morning.", "fact_habit", "swim every morning"),
    ("I'm fluent in Dutch.", "skill_language", "Dutch"),
    ("My favorite season is autumn.", "preference_favourite_season", "autumn"),
    ("I prefer trains to planes.", "preference_prefers", "trains"),
])
def test_a_plain_sentence_fills_its_slot(content, attribute, value):
    assert (attribute, value) in filled(content)


@pytest.mark.parametrize(("content", "attribute", "value"), [
    ("我喜欢钓鱼", "preference_likes", "钓鱼"),
    ("我特别喜欢钓鱼", "preference_likes", "钓鱼"),
    ("我非常喜欢钓鱼", "preference_likes", "钓鱼"),
    ("我不喜欢钓鱼", "preference_dislikes", "钓鱼"),
    ("我不太喜欢钓鱼", "preference_dislikes", "钓鱼"),
    ("我不爱吃芹菜", "preference_dislikes", "吃芹菜"),
    ("我讨厌堵车", "preference_dislikes", "堵车"),
    ("I love rowing.", "preference_likes", "rowing"),
    ("I do like rowing.", "preference_likes", "rowing"),
    ("I'm really into rowing.", "preference_likes", "rowing"),
    ("I don't like rowing.", "preference_dislikes", "rowing"),
    ("I do not really enjoy rowing.", "preference_dislikes", "rowing"),
    ("I never liked rowing, I hate rowing.", "preference_dislikes", "rowing"),
    ("I can't stand rowing.", "preference_dislikes", "rowing"),
    ("I'm not a fan of rowing.", "preference_dislikes", "rowing"),
    ("I'm not into rowing.", "preference_dislikes", "rowing"),
    ("I like rowing, not running.", "preference_likes", "rowing"),
])
def test_a_preference_has_the_right_polarity(content, attribute, value):
    assert filled(content) == [(attribute, value)]


@pytest.mark.parametrize("content", [
    "我不是不喜欢狗", "没人不喜欢假期", "我没有不开心", "It's not that I don't like dogs.", "I don't hate dogs.",
    "I don't dislike dogs.", "I like neither dogs nor cats.", "I love nothing more than that.", "Who doesn't like holidays",
])
def test_what_negation_leaves_undecided_is_not_kept(content):
    assert statements(content) == []


@pytest.mark.parametrize(("content", "subject", "text"), [
    ("My cousin Tom can't stand swimming.", "Tom", "User's cousin Tom can't stand swimming."),
    ("My aunt loves opera.", "User's aunt", "User's aunt loves opera."),
    ("My sister doesn't eat; my boss hates mail.", "User's boss", "User's boss hates mail."),
    ("Priya lives in Pune.", "Priya", "Priya lives in Pune."),
    ("我表姐不喜欢游泳", "用户的表姐", "用户的表姐不喜欢游泳"),
    ("我的邻居今年60岁", "用户的邻居", "用户的邻居今年60岁"),
    ("我同事张伟喜欢下棋", "张伟", "用户的同事张伟喜欢下棋"),
])
def test_what_is_said_of_somebody_else_is_theirs(content, subject, text):
    assert (subject, text) in [(s.subject, s.text) for s in statements(content)]
    assert not [s for s in statements(content) if s.subject in {"用户", "User"} and s.category == "preference"]


@pytest.mark.parametrize("content", [
    "My sister said I love opera.", "He told me, I am a doctor.", "他说我喜欢唱歌", "妈妈说：我住在北京", "我朋友说他喜欢唱歌",
])
def test_reported_speech_is_nobodys_fact(content):
    assert statements(content) == []


@pytest.mark.parametrize(("content", "relation", "name"), [
    ("My husband is called Ole.", "identity_partner", "Ole"),
    ("My wife Sara is a teacher.", "identity_partner", "Sara"),
    ("Ole is my cousin.", "relation_cousin", "Ole"),
    ("我女朋友叫小美", "identity_partner", "小美"),
    ("张敏是我的同学", "relation_classmate", "张敏"),
    ("我同事叫王磊", "relation_colleague", "王磊"),
])
def test_a_named_relative_is_a_relation_of_the_author(content, relation, name):
    (found,) = [s for s in statements(content) if s.slot.attribute == relation]
    assert (found.slot.value, [r.object for r in found.relations]) == (name, [name])


def test_a_named_speaker_is_the_subject():
    (found,) = statements("I love hiking in the Alps", character="Caroline")
    assert (found.text, found.subject, found.slot.subject) == ("Caroline loves hiking in the Alps.", "Caroline", "Caroline")


def test_a_named_chinese_speaker_is_the_subject():
    (found,) = statements("我在学吉他", character="小林")
    assert (found.text, found.subject) == ("小林在学吉他", "小林")


@pytest.mark.parametrize("character", ["user", "", "用户", "我"])
def test_a_role_for_a_name_gives_the_user(character):
    assert statements("I love rowing.", character=character)[0].text == "User loves rowing."
    assert statements("我喜欢划船", character=character)[0].text == "用户喜欢划船"


@pytest.mark.parametrize(("content", "text"), [
    ("I'm 32 years old.", "User is 32 years old."),
    ("I have a dog.", "User has a dog."),
    ("I don't like my job", "User doesn't like User's job."),
    ("I carry on, and I study chemistry", "User studies chemistry."),
    ("We have two dogs.", 'User said: "We have two dogs."'),
    ("我叫小林", "用户叫小林"),
    ("我家在成都", "用户家在成都"),
    ("我喜欢我的工作", "用户喜欢用户的工作"),
])
def test_a_statement_stands_alone_in_the_third_person(content, text):
    assert text in [s.text for s in statements(content)]


def test_a_chain_of_clauses_keeps_its_subject():
    found = filled("我叫小林，今年28岁，在网易上班，喜欢爬山和摄影。")
    assert found == [
        ("identity_name", "小林"), ("identity_age", "28"), ("identity_employer", "网易"),
        ("preference_likes", "爬山"), ("preference_likes", "摄影"),
    ]


def test_what_follows_a_relatives_name_is_the_relatives():
    found = statements("王宁是我的表哥，其身高是178cm。")
    assert [(s.subject, s.text) for s in found] == [("用户", "王宁是用户的表哥"), ("王宁", "王宁的身高是178cm")]


def test_items_of_a_list_are_values_of_their_own():
    assert filled("I love rowing, chess, and jazz.") == [
        ("preference_likes", "rowing"), ("preference_likes", "chess"), ("preference_likes", "jazz"),
    ]


@pytest.mark.parametrize("content", [
    "What do I like?", "我喜欢什么？", "我住在北京吗", "Hi there, thanks!", "谢谢你，辛苦了", "If I lived in Rome I would be glad.",
    "如果我住在罗马就好了", "Imagine I am a pilot.", "I'd like a coffee.", "I wish I had a dog.", "I'm tired.", "I'm a bit late.", "我有点累", "我饿了",
    "I have a question.", "I have a meeting at 3 pm.", "我有个问题", "我有事", "今天下午我在公司", "I'm at the gym right now.", "I almost quit my job.",
    "I haven't moved to Rome yet.", "我还没搬到上海", "我打算搬到上海", "启动时报错：我的服务崩溃", "My app crashed with error 500.", "请用英文回答这个问题",
    "answer this in English", "I love it!", "I love your painting.", "I like the colours.", "我喜欢你", "我喜欢这个", "我叫了外卖", "我是说明天", "我是第一次来",
    "我是昨天到的", "I live in fear.", "I work from home.", "I joined a book club.", "I know what you mean.", "我没忘记你的生日", "我喜欢猫，对吧？", "I like cats, right?",
])
def test_what_states_nothing_lasting_is_not_kept(content):
    assert statements(content, mode="relaxed") == []


@pytest.mark.parametrize("content", [
    "Pretend you are a pirate. I love rum.", "Translate: I am a doctor. My name is Bob.", "你来扮演船长。我喜欢朗姆酒。", "翻译：我叫李四",
])
def test_words_in_a_role_or_for_translation_are_not_the_authors(content):
    assert statements(content) == []


@pytest.mark.parametrize(("content", "value"), [
    ("I'm allergic to nuts, what can I eat tonight?", "nuts"), ("我对虾过敏，晚上吃什么好呢？", "虾"),
])
def test_a_fact_before_a_question_is_kept(content, value):
    assert filled(content) == [("fact_allergy", value)]


@pytest.mark.parametrize(("content", "found"), [
    ("I quit my job.", ("identity_employer", "", "ending")),
    ("I no longer work at Shell.", ("identity_employer", "Shell", "ending")),
    ("I don't live in Ghent any more.", ("identity_home_city", "Ghent", "ending")),
    ("I used to live in Ghent.", ("identity_home_city", "Ghent", "ending")),
    ("I stopped smoking last year", ("fact_habit", "smoking", "ending")),
    ("I don't have a cat.", ("fact_pet", "cat", "denial")),
    ("My name isn't Ida.", ("identity_name", "Ida", "denial")),
    ("Ole and I broke up.", ("identity_partner", "Ole", "ending")),
    ("我辞职了", ("identity_employer", "", "ending")),
    ("我不住北京了", ("identity_home_city", "北京", "ending")),
    ("我再也不喝酒了", ("fact_habit", "喝酒", "ending")),
    ("我以前住在南京", ("identity_home_city", "南京", "ending")),
    ("我没有狗", ("fact_pet", "狗", "denial")),
    ("我不叫王芳", ("identity_name", "王芳", "denial")),
])
def test_endings_and_denials_are_statements_of_their_own(content, found):
    assert found in ended(content)
    assert found[:2] not in filled(content)


@pytest.mark.parametrize(("content", "value"), [("I was wrong, my birthday is July 9.", "07-09"), ("我记错了，我的生日是7月9日。", "07-09")])
def test_a_correction_denies_what_was_said_before_and_is_sure(content, value):
    denial, assertion = statements(content)
    assert (denial.sense, denial.slot.value, denial.confidence) == ("denial", "", 0.99)
    assert (assertion.slot.value, assertion.confidence) == (value, 0.99)
    assert denial.slot.attribute == assertion.slot.attribute


@pytest.mark.parametrize(("content", "value"), [("My name is not Ida, it's Ada.", "Ada"), ("我不是护士，是医生", "医生")])
def test_after_a_denial_comes_the_value_instead(content, value):
    assert [s.slot.value for s in statements(content) if s.sense == "assertion"] == [value]


@pytest.mark.parametrize("content", ["I think I live in Oslo now.", "我好像换到网易上班了"])
def test_a_hedged_value_of_a_single_slot_passes_with_less_confidence(content):
    (found,) = statements(content)
    assert (found.hedged, found.confidence) == (True, 0.63)


@pytest.mark.parametrize("content", ["I might like jazz.", "我可能喜欢爵士乐"])
def test_a_hedged_taste_needs_the_relaxed_mode(content):
    assert statements(content) == []
    (found,) = statements(content, mode="relaxed")
    assert (found.hedged, found.confidence) == (True, 0.58)


@pytest.mark.parametrize("content", ["The gateway was upgraded to 2.4.0.", "季报由李娜负责"])
def test_project_facts_are_not_for_the_strict(content):
    assert statements(content)
    assert statements(content, mode="strict") == []


@pytest.mark.parametrize(("content", "subject", "attribute", "value"), [
    ("季报由李娜负责", "季报", "project_owner", "李娜"),
    ("季报的截止日期是8月2日", "季报", "project_deadline", "8月2日"),
    ("迁移项目已经暂停", "迁移项目", "project_status", "暂停"),
    ("Omar owns the search index.", "search index", "project_owner", "Omar"),
    ("The report is due on August 2.", "report", "project_deadline", "August 2"),
    ("The backend is written in Go.", "backend", "project_stack", "Go"),
])
def test_a_project_is_the_subject_of_its_facts(content, subject, attribute, value):
    (found,) = statements(content)
    assert (found.slot.subject, found.slot.attribute, found.slot.value) == (subject, attribute, value)


@pytest.mark.parametrize(("content", "attribute", "value"), [
    ("从现在起请用法语回答", "style_language", "法语"), ("以后回答要简洁", "style_length", "简洁"), ("以后不要用表情", "style_format", "不要表情"),
    ("From now on answer in Dutch.", "style_language", "Dutch"), ("Always be concise, please.", "style_length", "concise"),
    ("Going forward, don't use emoji.", "style_format", "no emoji"),
])
def test_a_standing_wish_fills_a_style_slot(content, attribute, value):
    assert filled(content) == [(attribute, value)]


def test_a_standing_wish_without_a_slot_is_kept_as_said():
    (found,) = statements("Always cite a source when I ask about history.")
    assert (found.text, found.slot, found.category) == ('User asks: "Always cite a source when I ask about history."', None, "preference")


@pytest.mark.parametrize(("role"), ["assistant", "system", "tool"])
def test_only_the_user_states_facts(role):
    assert statements("My name is Ida and I love rowing.", role=role) == []


@pytest.mark.parametrize("content", [
    "```\nmy name is Bob\n```", "`I love tea`", '"I love tea"', "“我喜欢喝茶”", "> I love tea", "<system-reminder>I live in Oslo.</system-reminder>",
    "<system-reminder>I live in Oslo.", "<ctx a='1'>我住在上海<ctx>我喜欢茶</ctx></ctx>", "[a photo of me. I love tea]", "    # I love tea", "```\nI love tea",
])
def test_code_quotes_and_scaffolding_say_nothing(content):
    assert statements(content) == []


def test_what_stands_around_scaffolding_is_read():
    assert filled("<system-reminder>I live in Oslo.</system-reminder>\nI live in Ghent.") == [("identity_home_city", "Ghent")]


def test_the_tail_of_a_long_turn_is_read():
    content = "There is a lot to say about the weather in the north. " * 400 + "It rained again, and I am allergic to latex."
    (found,) = statements(content)
    assert (found.text, found.slot.value) == ("User is allergic to latex.", "latex")


def test_a_quotation_can_be_the_object():
    (found,) = statements('I love "The Long Way Home".')
    assert (found.text, found.slot.value) == ('User loves "The Long Way Home".', "The Long Way Home")


def test_the_same_words_twice_make_one_statement():
    assert len(statements("I love tea. I love tea. I love tea!")) == 1


def test_each_statement_names_its_turn():
    found = RuleExtractor().extract([turn("I love tea.", position=3), turn("Nice.", position=4), turn("I love rye.", position=5)])
    assert [s.turns for s in found] == [("talk/3",), ("talk/5",)]


@pytest.mark.parametrize(("content", "attribute"), [
    ("Please remember that I'm allergic to pollen.", "fact_allergy"), ("Don't forget I live in Ghent.", "identity_home_city"),
    ("请记住我对花粉过敏", "fact_allergy"), ("别忘了我住在苏州", "identity_home_city"), ("Can you remember that I'm vegan?", "identity_diet"),
])
def test_what_is_to_be_remembered_is_sure(content, attribute):
    (found,) = statements(content, mode="strict")
    assert (found.slot.attribute, found.confidence, found.explicit) == (attribute, 0.99, True)


@pytest.mark.parametrize(("content", "text"), [
    ("Remember: the alarm code is 7712.", "The alarm code is 7712."), ("帮我记一下，车位是B203", "车位是B203"),
    ("Remember that my locker is 15.", "User's locker is 15."),
])
def test_what_fits_no_slot_is_noted(content, text):
    (found,) = statements(content)
    assert (found.text, found.category, found.slot) == (text, "note", None)


def test_an_errand_is_context_until_its_day_is_over():
    (found,) = statements("记得明天买邮票")
    assert (found.category, found.expires_at) == ("context", datetime(2024, 5, 17, tzinfo=UTC))
    assert found.expires_at - NOW < timedelta(days=2)


@pytest.mark.parametrize("content", [
    "记住今天下午三点开会", "记得今晚要交水电费", "Remember that I have to call Nora today.", "Remember that we must pick up the parcel today.",
    "Remember that I need to read the report today.", "Remember: buy milk and bread today.", "Remember that we're having dinner with Ann tonight.",
    "Remember that the form has to be signed today.", "记得今晚买牛奶", "记得今天下午去取快递", "记住今天别忘了带伞", "记得今天要告诉小林", "记住今天要提醒小林",
    "Remember that the doctor sees Ann at 3pm today.", "Remember that the plumber comes at 15:30 today.",
])
def test_what_is_still_to_come_today_is_over_with_the_day(content):
    assert [found.expires_at for found in statements(content)] == [datetime(2024, 5, 16, tzinfo=UTC)]


@pytest.mark.parametrize("content", [
    "Remember that I met Ann today.", "Remember that I finished my thesis today.", "Remember that today is our anniversary.",
    "记住我今天见了小林", "记住今天是我们的纪念日", "记住我今天三点见过小林",
    "Remember that I put the key in the drawer at 3 today.", "Remember that I met Ann yesterday.", "记住我昨天见了小林", "记住小林今天说要离婚",
    "记住我今天决定要戒烟", "记住我今天打麻将赢钱", "记住小林今天有一点不开心", "记住今天小林提出三点建议",
    "记住小林今天提醒我要多喝水", "Remember that today is free due to the snow.",
])
def test_what_has_been_today_is_kept(content):
    assert [found.expires_at for found in statements(content)] == [None]


@pytest.mark.parametrize("content", [
    "Remember that the shop will be closed from tomorrow.", "Remember that Ann will have the key as of today.", "记住从明天起车位是B203", "记住办公室今天开始要刷卡",
])
def test_what_only_begins_on_a_day_does_not_end_with_it(content):
    assert [found.expires_at for found in statements(content)] == [None]


@pytest.mark.parametrize("content", [
    "Forget that I live in Ghent.", "忘掉我住在苏州", "删除记忆：我喜欢茶", "Don't remember this: I like tea.", "不要记住我喜欢茶", "Do you remember my name?",
    "你还记得我叫什么吗", "I remember when I lived in Ghent.", "Forget it.", "Remember to smile.",
])
def test_other_commands_store_nothing(content):
    assert statements(content) == []


@pytest.mark.parametrize(("content", "importance"), [("I love tea.", 0.6), ("I'm allergic to nuts.", 0.9), ("Remember that I love tea.", 0.8), ("I think I live in Oslo.", 0.6)])
def test_importance_follows_category_wish_and_hedge(content, importance):
    assert statements(content)[0].importance == importance


@pytest.mark.parametrize(("content", "texts"), [
    ("对了，我养了一只猫，名字叫豆包，是橘色的。", ["陈立养了一只猫", "陈立的猫叫豆包"]),
    ("我养了一只狗，叫旺财，今年三岁，很喜欢喝茶。", ["陈立养了一只狗", "陈立的狗叫旺财", "陈立的狗今年三岁"]),
    ("我有个女儿，名字叫小雨，今年五岁。", ["陈立有个女儿", "陈立的女儿叫小雨", "陈立的女儿今年五岁"]),
    ("我有一个弟弟，在上海工作，我住在杭州。", ["陈立有一个弟弟", "陈立的弟弟在上海工作", "陈立住在杭州"]),
    ("我有个儿子，我今年四十岁。", ["陈立有个儿子", "陈立今年四十岁"]),
])
def test_after_somebody_is_brought_up_a_clause_without_a_subject_is_about_them(content, texts):
    assert [statement.text for statement in statements(content, character="陈立")] == texts


def test_what_a_name_sounds_like_is_no_name():
    assert filled("我叫陈立，名字叫起来很简单。") == [("identity_name", "陈立")]


@pytest.mark.parametrize("content", [
    "We moved to Ghent last month.", "We have just moved to Ghent.", "We live in Ghent.", "We now live in Ghent, near the river.",
])
def test_where_we_live_is_where_the_author_lives(content):
    assert ("identity_home_city", "Ghent") in filled(content)


@pytest.mark.parametrize("content", ["We don't live in Ghent any more.", "We no longer live in Ghent."])
def test_where_we_live_no_more_ends_where_the_author_lives(content):
    assert [(attribute, sense) for attribute, _, sense in ended(content)] == [("identity_home_city", "ending")]


@pytest.mark.parametrize("content", [
    "I'm allergic to shellfish, by the way, so no oysters for me.", "I'm allergic to shellfish, of course.",
    "I'm allergic to shellfish, actually.",
])
def test_words_that_only_lead_on_are_no_value(content):
    assert filled(content) == [("fact_allergy", "shellfish")]


def spellings(pattern):
    """The words that an alternative of a lexicon stands for: each with and without its optional end, each of a set."""
    if found := re.search(r"\[(\w+)\]", pattern):
        return [word for letter in found[1] for word in spellings(pattern.replace(found[0], letter))]
    if found := re.search(r"\(\?:(.+)\)\?$|(\w)\?$", pattern):
        return [pattern[: found.start()], pattern[: found.start()] + (found[1] or found[2])]
    return [pattern]


@pytest.mark.parametrize("ailment", [word for each in lexicon_en.AILMENTS.split("|") for word in spellings(each)])
def test_every_ailment_that_is_listed_is_understood(ailment):
    assert filled(f"I have {ailment}.") == [("fact_health", ailment)]


@pytest.mark.parametrize(("lexicon", "name"), [
    (lexicon, name) for lexicon in (lexicon_en, lexicon_zh) for name, value in vars(lexicon).items() if isinstance(value, str) and "|" in value
])
def test_no_list_of_alternatives_has_an_empty_one_which_would_match_anything(lexicon, name):
    assert not re.search(r"^\||\|\||\|$|\(\||\|\)", vars(lexicon)[name])
