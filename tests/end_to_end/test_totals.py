"""The closing line of the test command."""

from infra.totals import line, main, outcomes

REPORT = (
    '<testsuites><testsuite name="pytest" tests="{}" failures="{}" errors="{}" skipped="{}"></testsuite></testsuites>'
)


def test_an_error_in_a_fixture_counts_as_failed(tmp_path):
    report = tmp_path / "one.xml"
    report.write_text(REPORT.format(10, 2, 1, 3))
    assert outcomes(report) == {"passed": 4, "failed": 3, "skipped": 3}


def test_it_adds_up_all_runs_and_names_what_was_not_clean(tmp_path, capsys):
    (tmp_path / "parallel.xml").write_text(REPORT.format(10, 0, 0, 0))
    (tmp_path / "serial.xml").write_text(REPORT.format(5, 0, 0, 0))
    assert main([str(tmp_path), "mypy"]) == 0
    assert capsys.readouterr().out == "15 passed, 0 failed (not clean: mypy)\n"


def test_skipped_tests_are_told_where_there_are_any(tmp_path):
    report = tmp_path / "one.xml"
    report.write_text(REPORT.format(2, 0, 0, 1))
    assert line(outcomes(report), []) == "1 passed, 0 failed, 1 skipped"
