# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that takes nothing more, and a clock that is wrong, in mid-session."""
import pytest

import sessions

TROUBLE = "1e330194e2e7449ea20457585d4ccd8d"
NO_ROOM = "dd if=/dev/zero of=/var/fill bs=1M; dd if=/dev/zero of=/var/fill2 bs=4k; sync; true"
DROP_IN = "/run/systemd/system/lrtbfd.service.d/read-only.conf"


@pytest.fixture
def room(machine):
    yield
    machine.sh("rm -f /var/fill*")


@pytest.fixture
def writable(machine):
    yield
    machine.sh(f"rm -f {DROP_IN}; systemctl daemon-reload; systemctl reset-failed lrtbfd; systemctl start lrtbfd")


def kept(machine, sid, state, count):
    """What is on the disk, and not what the daemon remembers."""
    machine.sh("systemctl kill --kill-whom=main --signal=KILL lrtbfd")
    machine.wait("systemctl start lrtbfd")
    assert machine.session(sid)["state"] == state
    assert sessions.count(machine, sid) == count
    sessions.check_store(machine)


def test_full(machine, room):
    """It is said, the session goes on, and all of it is on the disk once there is room again."""
    machine.plan("timer", sessions.TIMER)
    machine.sh("systemctl restart lrtbfd")  # its log has no room of its own left over
    sid = machine.start("timer")
    machine.wait_count(sid, 100)
    machine.sh(NO_ROOM)
    machine.wait("lrtbfctl status | grep -q Trouble:")
    assert "make room in /var/lib/lrtbfd" in machine.ctl("status", status=1)
    assert TROUBLE in machine.sh("journalctl -b -u lrtbfd -o export")
    seen = machine.session(sid)["figures"]["count"]
    machine.wait_count(sid, seen + 100)
    machine.ctl("session", "stop")
    machine.wait_state(sid, "stopped")
    counted = sessions.count(machine, sid)
    assert counted >= seen + 100
    machine.sh("rm /var/fill*")
    machine.wait("lrtbfctl status")
    kept(machine, sid, "stopped", counted)


def test_read_only(machine, writable):
    """A daemon that is killed, and may not write to its folder afterwards: it does not start, says why, and what
    was measured waits in memory until it may."""
    machine.plan("timer", sessions.TIMER)
    sid = machine.start("timer")
    machine.wait_count(sid, 300)
    machine.write(DROP_IN, "[Service]\nReadOnlyPaths=/var/lib/lrtbfd\n")
    machine.sh("systemctl daemon-reload")
    seen = machine.session(sid)["figures"]["count"]
    machine.sh("systemctl kill --kill-whom=main --signal=KILL lrtbfd")
    machine.wait("systemctl is-failed lrtbfd")  # after some attempts
    said = machine.sh("journalctl -b -u lrtbfd -n 40")
    assert "/var/lib/lrtbfd" in said and "Read-only file system" in said, said
    sessions.check_gone(machine)
    machine.sh(f"rm {DROP_IN}; systemctl daemon-reload; systemctl reset-failed lrtbfd; systemctl start lrtbfd")
    assert machine.session(sid)["state"] == "interrupted"
    counted = sessions.count(machine, sid)
    assert counted >= seen
    kept(machine, sid, "interrupted", counted)


def test_clock_set_back(machine):
    """By a year: the session ends in its time, is the newest, and is there after a restart in the past."""
    machine.plan("short", sessions.TIMER.replace('"1h"', '"4s"'))
    sid = machine.start("short")
    machine.sh("date -s '-1 year'")
    try:
        machine.wait_state(sid, "done")
        (figures,) = sessions.figures(machine, sid)
        assert 3.9 <= sessions.grid_seconds(figures) <= 4.1
        machine.sh("systemctl restart lrtbfd")
        assert machine.session("last")["id"] == sid
        assert any("set back by 365d" in w["text"] for w in machine.report(sid)["conditions"]["warnings"])
        sessions.check_store(machine)
    finally:
        machine.sh("date -s '+1 year'")
