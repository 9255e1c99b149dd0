# SPDX-License-Identifier: GPL-2.0-or-later
"""The service while the machine is on: what it measures, and how it ends and begins again."""
import pytest

import sessions


@pytest.fixture
def unchanged(machine):
    machine.sh("systemctl reset-failed lrtbfd.service")  # no start limit from the test before
    before = machine.sh("for t in $(pgrep irq/); do chrt -p $t; done")
    yield
    machine.wait("systemctl is-active lrtbfd")
    assert machine.sh("for t in $(pgrep irq/); do chrt -p $t; done") == before


def test_quick(machine, unchanged):
    said = machine.ctl("session", "start", "quick", "--duration=3s", "--wait")
    assert "PREEMPT_RT" in said and "fifo priority 80" in said
    (figures,) = sessions.figures(machine, "last:quick")
    assert 5900 <= figures["count"] + figures["missed"] <= 6100
    sessions.check_gone(machine)


def test_parport(machine, unchanged):
    """The module was loaded by udev: the daemon may not, and has not asked for it. Its device is opened in
    the daemon's sandbox, and the port's thread has the plan's priority for as long as it is measured with."""
    assert machine.sh("systemctl show -P ActiveState modprobe@lrtbf.service") == "inactive\n"
    assert machine.sh("systemctl show -P DevicePolicy lrtbfd") == "closed\n"
    assert machine.sh("stat -c %A-%U-%G /dev/lrtbf-parport0") == "crw-rw-----root-lrtbf\n"
    machine.plan("port", sessions.PORT)
    for end in ("lrtbfctl session stop", "systemctl stop lrtbfd"):
        sid = machine.start("port")
        assert machine.thread(sessions.PORT_THREAD) == ("fifo", 80)
        scope = machine.sh("cut -d: -f3 /proc/$(pgrep -xo lrtbf-measure)/cgroup").strip()
        assert scope == f"/lrtbf.slice/lrtbf-measure.slice/lrtbf-measure-{sid}-0.scope"
        assert "SCHED_FIFO" in machine.sh("chrt -a -p $(pgrep -xo lrtbf-measure)")
        machine.wait_count(sid, 50)
        machine.sh(end)
        machine.wait("pgrep -x lrtbf-measure && exit 1; true")
        assert machine.thread(sessions.PORT_THREAD) == ("fifo", 50)
        assert machine.session(sid)["state"] == "stopped"
        assert sessions.count(machine, sid) >= 50
    sessions.check_gone(machine)


def test_reload(machine, unchanged):
    """A session goes on through it; a file that is wrong is named, and everything else is in use."""
    machine.plan("timer", sessions.TIMER)
    sid, pid = machine.start("timer"), machine.main_pid()
    machine.write("/etc/lrtbfd/plans.d/new.conf", sessions.BRIEF)
    machine.sh("systemctl reload lrtbfd")
    machine.ctl("plan", "show", "new")
    machine.write("/etc/lrtbfd/plans.d/wrong.conf", "instrument = \"timer\"; colour = 1;")
    machine.sh("systemctl reload lrtbfd", status=1)
    assert "wrong.conf:1" in machine.sh("journalctl -b -u lrtbfd -n 20")
    machine.sh("rm /etc/lrtbfd/plans.d/wrong.conf; systemctl reload lrtbfd")
    assert (machine.main_pid(), machine.session(sid)["state"]) == (pid, "running")


def restart(machine):
    machine.sh("systemctl restart lrtbfd")


def kill(machine):
    machine.sh("systemctl kill --kill-whom=main --signal=KILL lrtbfd")


def stand_still(machine):
    """Its watchdog is of a minute: the drop-in makes that three seconds."""
    machine.sh("systemctl kill --kill-whom=main --signal=STOP lrtbfd")


DROP_IN = "/run/systemd/system/lrtbfd.service.d/watchdog.conf"


@pytest.fixture
def short_watchdog(machine, end):
    if end is not stand_still:
        yield
        return
    machine.write(DROP_IN, "[Service]\nWatchdogSec=3s\n")
    machine.sh("systemctl daemon-reload; systemctl restart lrtbfd")
    yield
    machine.sh(f"rm {DROP_IN}; systemctl daemon-reload; systemctl restart lrtbfd")


@pytest.mark.parametrize("end, state", ((restart, "stopped"), (kill, "interrupted"), (stand_still, "interrupted")))
def test_in_mid_session(machine, unchanged, short_watchdog, end, state):
    """Priorities are back, loads are gone, what was measured is kept to the last, and who waited has his turn."""
    machine.plan("loaded", sessions.LOADED)
    machine.plan("brief", sessions.BRIEF)
    before = machine.thread(sessions.LOADED_THREAD)
    sid, pid = machine.start("loaded"), machine.main_pid()
    waits = machine.start("brief", state="queued")
    assert machine.thread(sessions.LOADED_THREAD) == ("fifo", 70) != before
    machine.wait(f"systemctl is-active lrtbf-load-{sid}-0-proc.service")
    machine.wait_count(sid, 300)
    seen = machine.session(sid)["figures"]["count"]
    end(machine)
    machine.wait(f"p=$(systemctl show -P MainPID lrtbfd); [ $p != 0 ] && [ $p != {pid} ] && "
                 "systemctl is-active lrtbfd")
    assert machine.thread(sessions.LOADED_THREAD) == before
    machine.wait_state(sid, state)
    assert sessions.count(machine, sid) >= seen
    machine.wait_state(waits, "done")
    sessions.check_gone(machine)
    sessions.check_store(machine)
    if end is stand_still:
        assert "Watchdog timeout" in machine.sh("journalctl -b -u lrtbfd")
