# SPDX-License-Identifier: GPL-2.0-or-later
"""The wall clock set by a year in the middle of a session. Here, where the clock is nobody else's."""
import json
import time

import pytest

from lrtbf import MANAGER, assert_grid, plain

PLAN = """
instrument = "timer"; policy = "other"; interval = "10ms"; duration = "%s"; cpus = "0"; checkpoint = "1s";
keep = { age = "30d"; summary_age = "60d"; };
"""
YEAR_S = 365 * 86400


@pytest.fixture
def clock():
    """clock(SECONDS): set it so much forward. Right again at the end."""
    began = time.time() - time.monotonic()
    yield lambda seconds: time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)
    time.clock_settime(time.CLOCK_REALTIME, began + time.monotonic())


@pytest.mark.std
@pytest.mark.parametrize("seconds, word", ((-YEAR_S, "back"), (YEAR_S, "forward")))
def test_set_in_mid_session(make_daemon, caller, clock, seconds, word):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "500ms")
    daemon.plan("second", PLAN % "4s")
    daemon.start()
    before = caller.start("brief")
    caller.wait_state(before)
    sid, waits = caller.start("second"), caller.start("brief")
    caller.wait_state(sid, "running")
    time.sleep(1)
    clock(seconds)
    assert caller.wait_state(sid) == "done"
    assert caller.wait_state(waits) == "done"
    after = caller.start("brief")
    caller.wait_state(after)
    # what was measured is all there, for as long as it was
    report = caller.report(sid)
    assert_grid(report["stages"][0]["all"], 400, interval_ns=10_000_000)
    assert 3_900_000_000 <= report["session"]["duration_ns"] <= 4_100_000_000
    said = [w["text"] for w in report["conditions"]["warnings"] if w["id"] == "clock-set"]
    assert len(said) == 1 and f"set {word} by 365d" in said[0], said
    assert not [w for w in caller.report(after)["conditions"]["warnings"] if w["id"] == "clock-set"]
    # set back, nothing is older than it was; set forward, what is kept for a time goes, never the newest
    there = [after, waits, sid, before] if seconds < 0 else [after, waits, sid]
    # the order is the order of their beginning, whatever the clock says
    listed = plain(caller.manager("ListSessions", "a{sv}su", {}, "", 0)[0])
    assert [s["id"] for s in listed] == there
    assert not [s for s in listed if "thinned_usec" in s]
    assert caller.manager("GetSession", "s", "last") == f"{MANAGER}/session/{after}"
    new = {s["id"] for s in json.loads(daemon.ctl("session", "list", "--since=1h", "--json").stdout)}
    assert new == (set(there) if seconds < 0 else {after})
    assert daemon.ctl("status", "--plan=brief", "--max-age=1h").returncode == 0
    daemon.kill()
    daemon.start()
    assert caller.session_get(sid, "State") == "done"
    assert caller.report(after)["stages"]
