"""Count the tests of several pytest runs: the closing line of `infra/test`.

    python infra/totals.py DIRECTORY [WHAT FAILED ...]

DIRECTORY holds the runs' JUnit reports.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET


def outcomes(report: Path) -> Counter[str]:
    """How many tests of one run passed, failed and were skipped; an error in a fixture counts as failed."""
    counts: Counter[str] = Counter()
    for suite in ET.parse(report).getroot().iter("testsuite"):  # noqa: S314 -- pytest has just written it here
        number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        failed = number["failures"] + number["errors"]
        counts += Counter(passed=number["tests"] - failed - number["skipped"], failed=failed, skipped=number["skipped"])
    return counts


def line(counts: Counter[str], failed: Iterable[str]) -> str:
    """The closing line."""
    told = f"{counts['passed']} passed, {counts['failed']} failed"
    told += f", {counts['skipped']} skipped" if counts["skipped"] else ""
    culprits = ", ".join(failed)
    return f"{told} (not clean: {culprits})" if culprits else told


def main(arguments: Sequence[str]) -> int:
    """Print the closing line."""
    reports, *failed = arguments
    total: Counter[str] = sum(map(outcomes, sorted(Path(reports).glob("*.xml"))), Counter())
    print(line(total, failed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
