# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that takes nothing more, and a clock that is wrong, in mid-session."""
import pytest

import sessions

NO_ROOM = "dd if=/dev/zero of=/var/fill bs=1M; dd if=/dev/zero of=/var/fill2 bs=4k; sync; true"


@pytest.fixture
def full(machine):
    """The machine's disk, when it is asked to; free again at the end."""
    yield lambda: machine.sh(NO_ROOM)
    machine.sh("rm -f /var/fill*")


@pytest.fixture
def read_only(machine):
    """As the kernel does it by itself when it finds the file system broken."""
    yield lambda: machine.sh("sync; echo u >/proc/sysrq-trigger; until grep -q ' / ext4 ro' /proc/mounts; do sleep 0.1; done")
    machine.sh("mount -o remount,rw /")


@pytest.mark.parametrize("trouble, mend, word", (("full", "rm /var/fill*", "full"),
                                                 ("read_only", "mount -o remount,rw /", "read-only")))
def test_no_writing(machine, request, trouble, mend, word):
    """It is said, the session goes on, and all of it is on the disk once that takes it."""
    machine.plan("timer", sessions.TIMER)
    machine.sh("systemctl restart lrtbfd")  # its log has no room of its own left over
    sid = machine.start("timer")
    machine.wait_count(sid, 100)
    request.getfixturevalue(trouble)()
    machine.wait("lrtbfctl status | grep -q Trouble:")
    said = machine.ctl("status", status=1)
    assert word in said, said
    assert "1e330194e2e7449ea20457585d4ccd8d" in machine.sh("journalctl -b -u lrtbfd -o export")
    seen = machine.session(sid)["figures"]["count"]
    machine.wait_count(sid, seen + 100)
    machine.ctl("session", "stop")
    machine.wait_state(sid, "stopped")
    counted = sessions.count(machine, sid)
    assert counted >= seen + 100
    machine.sh(mend)
    machine.wait("lrtbfctl status")
    # what is on the disk, and not what the daemon remembers
    machine.sh("systemctl kill --kill-whom=main --signal=KILL lrtbfd; sleep 1; systemctl start lrtbfd")
    assert machine.session(sid)["state"] == "stopped"
    assert sessions.count(machine, sid) == counted
    sessions.check_store(machine)


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
