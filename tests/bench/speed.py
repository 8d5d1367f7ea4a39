"""How fast remembering and recalling are, against the least that a recall must do.

    bash infra/bench speed [--sizes 1000,10000] [--questions 100] [--out FILE] [--url URL --key KEY]

One body, one client: Chinese and English sentences made here are remembered 16 a request until the body holds as many
turns as the first size says; then questions of one sentence are recalled one after another, each beside its yardstick
(`yardstick`: one query embedding, one exact matrix product of that size, one postings query) so that whatever else the
machine does meets both; and so on for the next size. What recall spends its time on is what it says of itself
(`usage.parts` under `explain` 1).
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serving import Client, percentile, run_name, say, served
from yardstick import Yardstick

from chalicelib.settings import Settings
from chalicelib.wiring import World

MESSAGES, CONVERSATION, WARM, SEED = 16, 48, 10, 20
PARTS = ("embed", "search", "graph", "rank", "load")

ENGLISH = (
    ("my sister", "our neighbour", "the new manager", "an old friend", "my dentist", "the landlord", "a colleague", "our coach"),
    ("bought", "repaired", "lost", "painted", "borrowed", "praised", "sold", "described", "photographed", "forgot"),
    ("a red bicycle", "the kitchen table", "two concert tickets", "a camera lens", "the garden fence", "a wooden boat",
     "an espresso machine", "the winter tyres", "a violin", "some tomato plants", "the tax forms", "a hiking map"),
    ("in Lisbon", "near the harbour", "on Monday evening", "before the storm", "at the flea market", "after work",
     "during the holidays", "behind the station", "in early spring", "at the workshop"),
)
CHINESE = (
    ("我妹妹", "楼下的邻居", "新来的经理", "老同学", "我的牙医", "房东", "同事小林", "教练"),
    ("买了", "修好了", "弄丢了", "借走了", "卖掉了", "拍下了", "忘记了", "夸奖了", "重新刷了", "寄来了"),
    ("一辆红色自行车", "厨房的桌子", "两张音乐会门票", "相机镜头", "院子的篱笆", "一条木船", "咖啡机", "冬季轮胎",
     "一把小提琴", "几棵番茄苗", "报税材料", "登山地图"),
    ("在里斯本", "在港口附近", "星期一晚上", "在暴雨之前", "在跳蚤市场", "下班以后", "放假的时候", "在车站后面", "初春", "在工作室里"),
)


def sentences(chance: random.Random) -> Iterator[str]:
    """Statements without end, Chinese and English by turns, each with a number that makes it one of its kind."""
    number = 0
    while True:
        for words, form in ((ENGLISH, "{0} {1} {2} {3}, that was number {4}."), (CHINESE, "{3}{0}{1}{2}，这是第{4}件事。")):
            number += 1
            yield form.format(*(chance.choice(choices) for choices in words), number)


def questions(chance: random.Random, many: int) -> list[str]:
    """Questions of one sentence, Chinese and English by turns."""
    forms = ((ENGLISH, "What do you know about {0} and {2} {3}?"), (CHINESE, "{0}{3}{1}{2}是怎么回事？"))
    asked = [forms[at % 2] for at in range(many)]
    return [form.format(*(chance.choice(choices) for choices in words)) for words, form in asked]


def tell(client: Client, body: dict[str, str], texts: Sequence[str], first: int) -> dict[str, Any]:
    """Remember the texts, numbered from *first*; how long that took."""
    spent, begun = [], time.perf_counter()
    for at in range(0, len(texts), MESSAGES):
        said = [
            {"id": f"m{first + at + n}", "role": "assistant" if n % 2 else "user", "content": text}
            for n, text in enumerate(texts[at:at + MESSAGES])
        ]
        conversation = f"c{(first + at) // CONVERSATION}"
        spent.append(client.post("/v1/memories", body | {"conversationId": conversation, "messages": said})[1])
    seconds = time.perf_counter() - begun
    return {"turns": len(texts), "seconds": seconds, "turns_per_second": len(texts) / seconds, "requests_ms": spent}


def ask(client: Client, body: dict[str, str], asked: Sequence[str], yardstick: Yardstick) -> list[dict[str, Any]]:
    """Recall for each question beside its yardstick, after a few that aren't counted."""
    found = []
    for text in asked:
        least = yardstick(text)
        data, spent = client.post("/v1/recall", body | {"query": text, "explain": 1})
        usage = data["usage"]
        found.append({
            "question": text, "recall": spent, "server": usage["milliseconds"], "yardstick": least,
            "parts": usage.get("parts", {}),
        })
    return found[WARM:]


def rows(size: int, told: dict[str, Any], asked: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What was measured at one size."""
    recalls, least = [row["recall"] for row in asked], [row["yardstick"]["sum"] for row in asked]
    top, least_top = percentile(recalls, 0.95), percentile(least, 0.95)
    yield f"{size} turns: ingest {told['turns_per_second']:.1f} turns/s, {MESSAGES} a request, the last {told['turns']}"
    yield f"  {'ms':22}{'p50':>9}{'p95':>9}"
    yield line("recall, at the client", recalls)
    yield line("recall, at the server", [row["server"] for row in asked])
    for part in PARTS:
        yield line(f"    {part}", [row["parts"].get(part, 0.0) for row in asked])
    yield line("yardstick", least)
    for part in ("embed", "product", "postings"):
        yield line(f"    {part}", [row["yardstick"][part] for row in asked])
    yield f"  ratio of the p95: {top / least_top:.2f}"


def line(name: str, values: Sequence[float]) -> str:
    """A row of the table."""
    return f"  {name:22}{percentile(values, 0.5):9.2f}{percentile(values, 0.95):9.2f}"


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="infra/bench speed", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000", help="turns in the body when recall is measured")
    parser.add_argument("--questions", type=int, default=100, help="how many are recalled at each size")
    parser.add_argument("--out", type=Path, help="where the raw figures go, as JSON")
    parser.add_argument("--url", help="a server that runs already; without it one is started, and ended")
    parser.add_argument("--key", help="its key")
    return parser.parse_args()


def main() -> None:
    """Tell and ask, size by size."""
    chosen, chance = options(), random.Random(SEED)  # noqa: S311 -- the same sentences in every run
    sizes = [int(size) for size in chosen.sizes.split(",")]
    made, texts, raw = sentences(chance), [], []
    here = World(Settings())
    with served(chosen.url, chosen.key) as client:
        body = {"namespace": run_name(), "memoryAgentName": "speed"}
        for size in sizes:
            more = [next(made) for _ in range(size - len(texts))]
            told = tell(client, body, more, len(texts))
            texts += more
            yardstick = Yardstick(texts, here.embedder, here.analyser)
            asked = ask(client, body, questions(chance, chosen.questions + WARM), yardstick)
            raw.append({"size": size, "told": told, "asked": asked})
            for text in rows(size, told, asked):
                say(text)
    if chosen.out:
        chosen.out.write_text(json.dumps(raw, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    main()
