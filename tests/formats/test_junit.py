# SPDX-License-Identifier: GPL-2.0-or-later
"""junit by its schema, and as python3-junitparser reads it."""
import os
import subprocess

import pytest

from outcomes import check_outcomes
from rendering import HOSTILE, SAMPLES, needs, render, report, text

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "junit.xsd")


def validate(data):
    needs("xmllint")
    return subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, "-"], input=data,
                          capture_output=True)


@pytest.mark.parametrize("sample", SAMPLES)
def test_schema(sample):
    done = validate(render(sample, "junit"))
    assert done.returncode == 0, done.stderr


def test_schema_finds_what_is_wrong():
    good = render("hell", "junit")
    for a, b in ((b'errors="3"', b'errors="x"'), (b"<error ", b"<mistake "), (b'time="10.000"', b'time="1s"'),
                 (b'name="measured"', b'name="max &lt;= 100ms"')):
        assert a in good and validate(good.replace(a, b)).returncode != 0, a


@pytest.mark.parametrize("sample", SAMPLES)
def test_junitparser(sample):
    junitparser = pytest.importorskip("junitparser")
    whole = junitparser.JUnitXml.fromstring(render(sample, "junit"))
    words, counts = [], {"pass": 0, "fail": 0, "inconclusive": 0, "skip": 0}
    kinds = {junitparser.Failure: "fail", junitparser.Error: "inconclusive", junitparser.Skipped: "skip"}
    for suite in whole:
        own = []
        for case in suite:
            own.append(kinds[type(case.result[0])] if case.result else "pass")
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
            len(own), own.count("fail"), own.count("inconclusive"), own.count("skip"))
        words += own
    for word in words:
        counts[word] += 1
    assert (whole.tests, whole.failures, whole.errors) == (
        len(words), counts["fail"], counts["inconclusive"])
    check_outcomes(report(sample), words)


@pytest.mark.parametrize("sample", HOSTILE)
def test_names_come_through(sample):
    junitparser = pytest.importorskip("junitparser")
    suites = list(junitparser.JUnitXml.fromstring(render(sample, "junit")))
    label = next((p.value for p in suites[-1].properties() if p.name == "label"), "")
    kept = [c for c in report(sample)["session"]["label"] if c.isascii() and c.isprintable() and c != " "]
    assert [c for c in label if c in kept] == kept
    assert text(sample, "junit").isprintable() or "\n" in text(sample, "junit")
