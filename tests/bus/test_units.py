# SPDX-License-Identifier: GPL-2.0-or-later
"""What a session starts runs in units of PID 1, for which a scripted one stands in."""
import os
import time

import pytest

from lrtbf import children, wait_for
from others import several
from pid1 import Pid1
from test_crash import comm, gone

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root's lrtbfd asks PID 1 for units")

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0"; settle = "50ms";
stages = ( { load = "%s"; } );
"""
SCRATCH = """command = ( "sh", "-c", "echo 1 > file; mkdir d; sleep 600" );
scratch = "1M";
"""


@pytest.fixture
def pid1(bus):
    """pid1(**kwargs): there from now on."""
    with several(Pid1, bus) as make:
        yield make


@pytest.fixture
def ready(make_daemon):
    def make(duration="300ms", load="sleep"):
        daemon = make_daemon()
        daemon.load("sleep", 'command = ( "sleep", "600" );\n')
        daemon.load("scratch", SCRATCH)
        daemon.plan("one", PLAN % (duration, load))
        return daemon.start()
    return make


def text(caller, sid):
    return " ".join(caller.report(sid, "text").split())


def test_units(pid1, ready, caller):
    systemd = pid1()
    ready(load="scratch")
    sid = caller.start("one")
    assert caller.wait_state(sid) == "done"
    scope = systemd.asked[f"lrtbf-measure-{sid}-0.scope"]
    service = systemd.asked[f"lrtbf-load-{sid}-0-scratch.service"]
    assert len(systemd.asked) == 2
    for unit in scope, service:
        assert unit["CollectMode"] == "inactive-or-failed" and unit["TimeoutStopUSec"] == 1_000_000
        assert sid in unit["Description"]
        # its own unit is what the daemon would bind to, and it has none here
        assert "BindsTo" not in unit and "Before" not in unit
    assert scope["Slice"] == "lrtbf-measure.slice" and len(scope["PIDs"]) == 1
    assert service["Slice"] == "lrtbf-load.slice" and service["KillMode"] == "mixed"
    assert service["Type"] == "exec" and service["NoNewPrivileges"] is True
    # what a killed load leaves is removed by whoever it ran as
    (path, argv, _), = service["ExecStopPost"]
    assert argv == [path, "--sweep"] and path == service["ExecStart"][0][0]
    assert service["User"] in ("lrtbf-load", "65534")
    assert 800 < service["TasksMax"] < 32768
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert memory / 2 < service["MemoryMax"] < memory
    # a unit's processes end by signals: a stop job would wait for the daemon's own
    assert (f"lrtbf-load-{sid}-0-scratch.service", "main", 15) in systemd.called("KillUnit")
    assert not systemd.called("StopUnit")
    assert "outside" not in text(caller, sid) and "in a unit of its own" not in text(caller, sid)
    wait_for(lambda: not systemd.living(), what="end of the load")


def test_child_measures_in_its_scope(pid1, ready, caller):
    """What PID 1 is given is the process that measures, before it does anything."""
    systemd = pid1()
    daemon = ready(duration="60s")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    pid, = wait_for(lambda: systemd.asked.get(f"lrtbf-measure-{sid}-0.scope"), what="scope")["PIDs"]
    assert pid in children(daemon.pid) and comm(pid).startswith("lrtbf-measure")
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid) == "stopped"
    assert gone([pid]) and not systemd.living()


@pytest.mark.parametrize("how, words", [("refuse", "systemd refused it (not today)"),
                                        ("failed", "could not be started (failed)"),
                                        ("nonsense", "systemd's answer is none")])
def test_refused(pid1, ready, caller, how, words):
    """It is measured all the same, under the same load, and the result says where."""
    systemd = pid1(scope=how, service=how)
    ready(load="scratch")
    sid = caller.start("one")
    assert caller.wait_state(sid) == "done"
    report = text(caller, sid)
    assert "lrtbf-measure ran in the daemon's unit and not in its own: " in report
    assert "Load scratch was started below the daemon and not in a unit of its own: " in report
    assert report.count(words) >= 2
    assert caller.report(sid)["stages"][0]["all"]["count"] > 0
    assert not systemd.processes


def test_silent(pid1, ready, caller):
    """PID 1 does not answer: the daemon does, and the session goes on after some seconds."""
    systemd = pid1(scope="hold", service="hold")
    ready()
    sid = caller.start("one")
    end = time.monotonic() + 4
    while time.monotonic() < end:
        begin = time.monotonic()
        assert caller.session_get(sid, "State") in ("preparing", "running")
        assert time.monotonic() - begin < 2
        time.sleep(0.2)
    assert caller.wait_state(sid, timeout=40) == "done"
    assert text(caller, sid).count("systemd did not answer in time") >= 2
    # the load may start yet, beside the one that took its place; what measures is in its scope or not
    assert [call for call in systemd.called("KillUnit") if call[2] == 9] == [
        (f"lrtbf-load-{sid}-0-sleep.service", "all", 9)]


@pytest.mark.parametrize("bus", [{"max_match_rules_per_connection": 0}], indirect=True)
def test_match_refused(pid1, ready, caller):
    """The bus does not let us listen: what cannot be seen is waited for in vain, and nothing else happens."""
    pid1()
    daemon = ready()
    sid = caller.start("one")
    assert caller.wait_state(sid, timeout=40) == "done"
    assert text(caller, sid).count("systemd did not answer in time") >= 2
    assert daemon.process.poll() is None


def test_stop_while_silent(pid1, ready, caller):
    pid1(service="hold")
    daemon = ready(duration="60s")
    sid = caller.start("one")
    time.sleep(0.3)
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=5) == "stopped"
    assert "outside" not in text(caller, sid)
    assert not children(daemon.pid)


def test_end_while_silent(pid1, ready, caller):
    """SIGTERM while PID 1 has not put the child where it belongs."""
    pid1(scope="hold")
    daemon = ready(duration="60s")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    left = wait_for(lambda: [p for p in children(daemon.pid) if comm(p).startswith("lrtbf-meas")], what="child")
    assert daemon.stop() == 0
    assert gone(left)
    daemon.start()
    assert caller.session_get(sid, "State") == "stopped"


def test_daemon_killed(pid1, ready, caller):
    """Where PID 1 has nothing to bind a load to, the load sees for itself that it is alone."""
    systemd = pid1()
    daemon = ready(duration="60s")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    everything = children(daemon.pid)
    assert systemd.living() and everything
    daemon.kill()
    assert gone(everything)
    wait_for(lambda: not systemd.living(), timeout=2, what="end of the load")
    daemon.start()
    assert caller.session_get(sid, "State") == "interrupted"


def test_load_killed(pid1, ready, caller):
    systemd = pid1()
    daemon = ready(duration="2s", load="scratch")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    scratch = daemon.state / "scratch"
    wait_for(lambda: list(scratch.glob("*/d")), what="the load's files")
    systemd.processes[f"lrtbf-load-{sid}-0-scratch.service"].kill()
    assert caller.wait_state(sid) == "done"
    assert caller.report(sid)["session"]["verdict"] in ("inconclusive", "none")
    assert "Load scratch: its nanny ended" in text(caller, sid)
    assert not list(scratch.iterdir())


def test_systemd_goes_away(pid1, ready, caller):
    """The load is told to end by its socket, which needs nobody else."""
    systemd = pid1()
    ready(duration="60s")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    Pid1.__mro__[1].close(systemd)  # it leaves the bus, its processes stay
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=5) == "stopped"
    wait_for(lambda: not systemd.living(), timeout=2, what="end of the load")


def test_busy_systemd(pid1, ready, caller):
    """It still holds the socket when the load has ended, which says so itself."""
    pid1(busy=True)
    ready()
    sid = caller.start("one")
    assert caller.wait_state(sid) == "done"
    assert "has not ended" not in text(caller, sid)


def test_busy_systemd_and_load_killed(pid1, ready, caller):
    """Nobody says that it has ended: that is not waited for longer than for any other load."""
    systemd = pid1(busy=True)
    ready(duration="2s")
    sid = caller.start("one")
    caller.wait_state(sid, "running")
    wait_for(systemd.living, what="the load")
    systemd.processes[f"lrtbf-load-{sid}-0-sleep.service"].kill()
    assert caller.wait_state(sid, timeout=40) == "done"
    assert "Load sleep: a process has not ended 5 s after it was killed" in text(caller, sid)


def test_leftovers_are_killed_first(pid1, ready):
    left = ["lrtbf-load-s1-0-hd.service", "lrtbf-measure-s1-0.scope"]
    systemd = pid1(left=left)
    daemon = ready()
    wait_for(lambda: len(systemd.called("KillUnit")) == 2, what="end of both")
    assert [sorted(patterns) for _, patterns in systemd.called("ListUnitsByPatterns")] == [
        ["lrtbf-load-*.service", "lrtbf-measure-*.scope"]]
    assert sorted(systemd.called("KillUnit")) == [(name, "all", 9) for name in left]
    wait_for(lambda: "Killed 2 units that an earlier lrtbfd left" in daemon.log(), what="word of it")


def test_start_with_a_silent_systemd(pid1, ready, caller):
    """It holds up the start for a moment only."""
    pid1(listing="hold")
    daemon = ready()
    begin = time.monotonic()
    sid = caller.start("one")
    assert time.monotonic() - begin < 8
    assert "Whether an earlier lrtbfd left loads cannot be asked of systemd" in daemon.log()
    assert caller.wait_state(sid) == "done"


def test_no_systemd(ready, caller):
    """How it is on a bus of one's own, and nothing to be warned of."""
    daemon = ready()
    sid = caller.start("one")
    assert caller.wait_state(sid) == "done"
    assert "in a unit of its own" not in text(caller, sid)
    assert "systemd" not in daemon.log()
