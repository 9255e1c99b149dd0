# SPDX-License-Identifier: GPL-2.0-or-later
"""A plan's state as monitoring systems take it: one line and a status, by docs/examples/check_lrtbf."""
import os
import subprocess
import time

import pytest
from client import environment, run
from fake import SID
from lrtbf import CTL, ROOT

CHECK = ROOT / "docs" / "examples" / "check_lrtbf"


def check(bus, *args, ctl=CTL):
    env = environment(LRTBFCTL=str(ctl), LRTBF_BUS=bus.address)
    result = subprocess.run([str(CHECK), *args], capture_output=True, text=True, env=env, timeout=30)
    assert result.stderr == "" and result.stdout.count("\n") == 1, result
    return result.returncode, result.stdout.rstrip("\n")


@pytest.mark.parametrize("state, verdict, ago, code, words", (
    ("done", "pass", 3600, 0, ("LRTBF OK - nightly: pass: ", SID, "ended 1 h ago")),
    ("done", "none", 3600, 0, ("LRTBF OK - nightly: none: ",)),
    ("failed", "", 3600, 2, ("LRTBF CRITICAL - nightly: failed: ",)),
    ("done", "fail", 3600, 2, ("LRTBF CRITICAL - nightly: fail: ",)),
    ("done", "inconclusive", 3600, 1, ("LRTBF WARNING - nightly: inconclusive: ",)),
    ("interrupted", "none", 3600, 1, ("LRTBF WARNING - nightly: interrupted: ",)),
    ("done", "pass", 100000, 1, ("LRTBF WARNING - nightly: stale: ",)),
    ("done", "pass", -100000, 0, ("LRTBF OK - nightly: pass: ", "ended 0")),  # the clock was set back since
    (None, None, None, 1, ("LRTBF WARNING - nightly: missing: ",)),
))
def test_check(bus, serve, state, verdict, ago, code, words):
    ended = int((time.time() - (ago or 0)) * 1e6)
    found = [] if state is None else [{"id": ("s", SID), "state": ("s", state), "verdict": ("s", verdict),
                                       "finished_usec": ("t", ended)}]
    serve(ListSessions=lambda *a: ("aa{sv}s", (found, "")))
    got, line = check(bus, "nightly", "26h")
    assert got == code, line
    for word in words:
        assert word in line


def test_check_without_a_service(bus, folder):
    code, line = check(bus, "nightly", "26h")
    assert code == 3 and line.startswith("LRTBF UNKNOWN - ") and "lrtbfd" in line
    result = run(bus, "status", "--plan=nightly", "--max-age=26h")
    assert (result.returncode, result.stdout) == (5, "nightly: unknown: lrtbfd cannot be asked\n")
    assert "not running" in result.stderr
    assert run(bus, "status", "--plan=nightly", "--json").stdout == ""
    assert check(bus, "nightly", ctl=os.path.join(folder, "none"))[0] == 3
    assert check(bus)[0] == 3
    assert check(bus, "nightly", "soon")[0] == 3
