# SPDX-License-Identifier: GPL-2.0-or-later
"""What is left of a session when the daemon does not live to its end: all of it, and nothing that runs."""
import signal

import pytest

from container import wait_for
from lrtbfd import UNIT

CHECKPOINT = "checkpoint = \"5min\";"  # what is there came from the region, not from one


def occupy(machine):
    """A session that measures under a load and one that waits: machine.active, machine.waiting."""
    machine.active, machine.waiting = machine.start("loaded"), machine.start("brief")
    machine.wait_running(machine.active, 1.5)
    assert machine.processes("sleep 1073")


@pytest.fixture
def ready(machine):
    machine.load("stubborn")
    machine.plan("loaded", "60s", CHECKPOINT + 'stages = ( { load = "stubborn"; } );')
    machine.plan("brief", "300ms")
    machine.reload()
    yield machine
    machine.restore()
    for session in machine.sessions():
        if session["state"] not in ("done", "stopped", "failed", "interrupted", "skipped"):
            machine.ok(["lrtbfctl", "session", "stop", session["id"]])
            machine.wait_state(session["id"])


@pytest.fixture
def busy(ready):
    occupy(ready)
    return ready


def assert_kept(busy, state, samples=500):
    """And the queue goes on."""
    assert busy.wait_state(busy.active) == state
    assert busy.count(busy.active) > samples
    busy.wait_units_gone(f"lrtbf-load-{busy.active}-*")
    assert busy.processes("sleep 1073") == []
    assert busy.wait_state(busy.waiting) == "done"


def test_restart(busy):
    before = busy.pid()
    busy.ok(["systemctl", "restart", UNIT], timeout=40)
    assert busy.wait_active(before) != before
    assert_kept(busy, "stopped")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_killed(busy, number):
    """The kernel's memory shortage is such a SIGKILL."""
    before = busy.pid()
    busy.ok(["kill", f"-{int(number)}", before])
    assert busy.wait_active(before) != before
    assert_kept(busy, "interrupted")
    assert f"Session {busy.active}" in busy.c.journal("-u", UNIT)


def test_everything_of_it_killed(busy):
    """Daemon, measuring process and loads at once."""
    before = busy.pid()
    # those that follow the daemon may be gone before their turn comes
    busy.sh(["kill", "-9", before, *busy.processes("lrtbf-measure"), *busy.processes("sleep 1073")])
    assert busy.wait_active(before) != before
    assert_kept(busy, "interrupted")


def test_measuring_process_killed(busy):
    """As for its memory: the session has failed, and nobody else."""
    before = busy.pid()
    busy.ok("systemctl kill -s KILL 'lrtbf-measure-*.scope'")
    assert_kept(busy, "failed")
    assert "SIGKILL" in busy.session(busy.active)["reason"]
    assert busy.pid() == before


def test_watchdog(ready):
    """A loop that stands still."""
    ready.drop_in("[Service]\nWatchdogSec=3s\n")
    ready.ok(["systemctl", "restart", UNIT])
    before = ready.wait_active()
    occupy(ready)
    # it is fed: longer than its time, and nothing has happened
    ready.ok("sleep 3")
    assert ready.pid() == before
    ready.ok(["kill", f"-{int(signal.SIGSTOP)}", before])
    assert ready.wait_active(before) != before
    assert_kept(ready, "interrupted")
    assert "Watchdog timeout" in ready.c.journal("-u", UNIT)


def test_start_limit(ready):
    """No start follows: what was measured reaches the disk all the same, and the runtime folder stays."""
    ready.drop_in("[Unit]\nStartLimitIntervalSec=1h\nStartLimitBurst=1\n")
    ready.ok(["systemctl", "restart", UNIT])
    ready.wait_active()
    occupy(ready)
    ready.ok(["kill", "-9", ready.pid()])
    wait_for(lambda: ready.c.active(UNIT) == "failed", what="start limit that is hit")
    assert "Start request repeated too quickly" in ready.c.journal("-u", UNIT)
    assert ready.stored(ready.active) == "interrupted"
    assert ready.stored(ready.waiting) == "queued"
    ready.ok("test -d /run/lrtbfd")
    assert ready.processes("sleep 1073") == []
    ready.restore()
    assert_kept(ready, "interrupted")


def test_power_cut(ready):
    """The container is killed. What a checkpoint has written is there; what the disk had not, no container can show."""
    ready.plan("often", "60s", 'checkpoint = "1s";')
    ready.reload()
    ready.active, ready.waiting = ready.start("often"), ready.start("brief")
    ready.wait_running(ready.active, 3)
    ready.c.stop()
    ready.c.boot()
    ready.wait_active()
    assert_kept(ready, "interrupted")
    assert ready.ok(["sqlite3", "/var/lib/lrtbfd/lrtbfd.db", "pragma integrity_check"]).strip() == "ok"


def test_reboot(busy):
    """In order: as a stop."""
    busy.c.power_off()
    busy.c.boot()
    busy.wait_active()
    assert_kept(busy, "stopped")
