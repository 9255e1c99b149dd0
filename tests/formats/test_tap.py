# SPDX-License-Identifier: GPL-2.0-or-later
"""tap as perl's prove and python3-tap take it; inconclusive passes in neither."""
import re
import subprocess

import pytest

from outcomes import check_outcomes
from rendering import HOSTILE, SAMPLES, needs, render, report, text


def points(sample):
    return re.findall(r"^(ok|not ok) (\d+) - (.*)$", text(sample, "tap"), re.M)


@pytest.mark.parametrize("sample", SAMPLES)
def test_form(sample):
    lines = text(sample, "tap").split("\n")
    assert lines[0] == "TAP version 13" and lines[1] == f"1..{len(points(sample))}"
    for line in lines[2:-1]:
        assert re.match(r"#|(not )?ok \d+ - ", line), line
        # what no reader may take for the end of a line
        assert not re.search("[\0-\x1f\x7f-\x9f\u2028\u2029]", line)
    words = []
    for i, line in enumerate(lines):
        if re.match("(not )?ok ", line):
            doubt = lines[i + 1].startswith("# inconclusive: ")
            words.append("skip" if line.endswith(" # SKIP") else "pass" if line.startswith("ok") else
                         "inconclusive" if doubt else "fail")
    check_outcomes(report(sample), words)


@pytest.mark.parametrize("sample", SAMPLES)
def test_prove(sample, tmp_path):
    needs("prove")
    path = tmp_path / "report.tap"
    path.write_bytes(render(sample, "tap"))
    done = subprocess.run(["prove", "-v", "--ignore-exit", "-e", "cat", path], capture_output=True,
                          text=True)
    bad = [int(n) for status, n, _ in points(sample) if status == "not ok"]
    assert (done.returncode == 0) == (not bad)
    assert "Parse errors" not in done.stdout + done.stderr
    assert "TODO" not in done.stdout.replace(text(sample, "tap"), "")
    failed = re.search(r"Failed (\d+)/(\d+) subtests", done.stdout)
    assert (int(failed[1]) if failed else 0) == len(bad)
    if bad:
        assert f"Failed: {len(bad)})" in done.stdout


@pytest.mark.parametrize("sample", SAMPLES)
def test_python_tap(sample):
    tap = pytest.importorskip("tap.parser")
    lines = list(tap.Parser().parse_text(text(sample, "tap")))
    assert {line.category for line in lines} <= {"version", "plan", "test", "diagnostic"}
    tests = [line for line in lines if line.category == "test"]
    assert [("ok" if t.ok else "not ok", str(t.number)) for t in tests] == [
        (status, number) for status, number, _ in points(sample)]
    skips = [t.skip for t in tests]
    assert not any(t.todo for t in tests)
    assert skips == [name == "session # SKIP" for _, _, name in points(sample)]
    assert any(skips) == (report(sample)["session"]["state"] == "skipped")


@pytest.mark.parametrize("sample", HOSTILE)
def test_no_directive_by_a_name(sample):
    """By TAP 14's rule, too: behind a "#" that is not escaped."""
    for status, _, name in points(sample):
        assert not re.search(r"(?<!\\)(?:\\\\)*#", name), name
    assert any(status == "not ok" for status, _, _ in points(sample))
