# SPDX-License-Identifier: GPL-2.0-or-later
"""Schedules, as systemd keeps them."""
import os
import re
import time

import pytest

from container import wait_for

EVERY_5 = "*:*:0/5"
STAMP = "/var/lib/systemd/timers/stamp-lrtbf-plan-{}.timer"


@pytest.fixture(autouse=True)
def none_afterwards(machine):
    yield
    machine.sh("rm -rf /etc/lrtbfd/plans.d; systemctl daemon-reload; systemctl --all stop 'lrtbf-plan-*.timer'")
    machine.reload()


def next_usec(machine, plan):
    """When systemd will start it, from the list that people read."""
    rows = machine.ok("systemctl list-timers --all --no-legend").splitlines()
    row = next(r for r in rows if f"lrtbf-plan-{plan}.timer" in r)
    assert f"lrtbf-session@{plan}.service" in row
    stamp = re.match(r"\s*(\w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC", row)
    return int(machine.ok(["date", "+%s", "-d", stamp[1]])) * 1_000_000 if stamp else None


def test_fires_and_says_when(machine):
    """Three times in 16 s, at the times that were announced."""
    machine.plan("often", "100ms", f'schedule = "{EVERY_5}";')
    machine.reload()
    machine.ok(["lrtbfctl", "plan", "enable", "often"])
    announced, end = set(), time.monotonic() + 16
    while time.monotonic() < end:
        announced.add(next_usec(machine, "often"))
        time.sleep(0.3)
    machine.ok(["lrtbfctl", "plan", "disable", "often"])
    sessions = machine.sessions("often")
    assert len(sessions) >= 3, sessions
    assert {s["state"] for s in sessions} <= {"done", "running", "queued"}
    announced.discard(None)
    assert {usec % 5_000_000 for usec in announced} == {0}
    # each began after one of those times, and none much later
    for session in sessions:
        late = min(session["started_usec"] - usec for usec in announced if usec <= session["started_usec"])
        assert late < 3_000_000, (session, announced)
    assert machine.ok("systemctl list-timers --no-legend 'lrtbf*'") == ""


def test_no_time_to_come(machine):
    """It is told, and what is set afterwards counts, although the timer runs already."""
    machine.plan("late", "100ms")
    machine.reload()
    done = machine.sh(["lrtbfctl", "plan", "schedule", "late", "2020-01-01"])
    assert done.returncode == 0 and "No time that is to come" in done.stderr
    assert next_usec(machine, "late") is None
    done = machine.sh(["lrtbfctl", "plan", "schedule", "late", "*-*-* 03:00"])
    assert done.returncode == 0 and done.stderr == ""
    assert next_usec(machine, "late") is not None


def test_missed_while_down(machine):
    """A time that passed meanwhile is made up for at the next start, once."""
    options = {"nightly": ["--persistent"], "forgetful": ["--no-persistent"],
               "hasty": ["--persistent", "--start-within=1min"]}
    for plan in options:
        machine.plan(plan, "100ms")
    machine.reload()
    for plan, words in options.items():
        machine.ok(["lrtbfctl", "plan", "schedule", plan, "*-*-* 03:00", *words])
    machine.c.power_off()
    # what systemd reads of when it last ran: the machine was down for two days
    for plan in ("nightly", "hasty"):
        stamp = machine.c.upper / STAMP.format(plan).lstrip("/")
        assert stamp.exists()
        past = time.time() - 2 * 86400
        os.utime(stamp, (past, past))
    machine.c.boot()
    sid = wait_for(lambda: machine.sessions("nightly"), what="session of the night")[0]["id"]
    assert machine.wait_state(sid) == "done"
    skipped = wait_for(lambda: machine.sessions("hasty"), what="session that comes too late")[0]
    assert machine.wait_state(skipped["id"]) == "skipped"
    assert "start_within" in machine.session(skipped["id"])["reason"]
    assert machine.sessions("forgetful") == []
    machine.c.power_off()
    machine.c.boot()
    machine.ok("systemctl is-active lrtbf-plan-nightly.timer")
    time.sleep(2)
    assert len(machine.sessions("nightly")) == len(machine.sessions("hasty")) == 1


def test_two_at_once_queue(machine):
    for plan in ("left", "right"):
        machine.plan(plan, "1s", f'schedule = "{EVERY_5}";')
    machine.reload()
    for plan in ("left", "right"):
        machine.ok(["lrtbfctl", "plan", "enable", plan])
    wait_for(lambda: machine.sessions("left") and machine.sessions("right"), 15, 0.3, what="session of each")
    for plan in ("left", "right"):
        machine.ok(["lrtbfctl", "plan", "disable", plan])
    for session in machine.sessions("left") + machine.sessions("right"):
        assert machine.wait_state(session["id"]) == "done"


def test_on_boot(machine):
    machine.plan("booted", "100ms", 'on_boot = "1s";')
    machine.c.power_off()
    machine.c.boot()
    sid = wait_for(lambda: machine.sessions("booted"), what="session of the boot")[0]["id"]
    assert machine.wait_state(sid) == "done"
    assert len(machine.sessions("booted")) == 1
