# SPDX-License-Identifier: GPL-2.0-or-later
"""How test cases' outcomes must go together with the session's verdict."""


def check_outcomes(report, words):
    """words: "pass", "fail", "inconclusive", "skip", one for each case."""
    session = report["session"]
    assert len(words) == 1 + len(report["stages"]) + sum(len(s["limits"]) for s in report["stages"])
    if session["verdict"] == "fail":
        assert "fail" in words
    elif session["verdict"] == "inconclusive":
        assert "inconclusive" in words and "fail" not in words
    elif session["verdict"] == "pass":
        assert set(words) == {"pass"}
    else:
        assert "fail" not in words
        if session["verdict"] == "" and session["state"] != "skipped":
            assert "inconclusive" in words  # not ended: nothing to rely on
    if session["state"] in ("failed", "interrupted"):
        assert "inconclusive" in words
    broken = sum(limit["broken"] is True for s in report["stages"] for limit in s["limits"])
    assert words.count("fail") >= broken
