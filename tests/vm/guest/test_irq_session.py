# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules that a plan brings are in force for the length of its session."""
import subprocess
from pathlib import Path

import pytest

import service
import threads
from lrtbf import plain

pytestmark = [pytest.mark.rt, pytest.mark.usefixtures("unchanged")]

PORT, CLOCK = "irq/7-parport0", "irq/8-rtc0"
PLAN = """instrument = "timer"; duration = "{duration}"; interval = "10ms"; warm_up = "100ms";
    policy = "fifo"; priority = 80;
    irq_rules = (
        {{ match = {{ parport = "parport0"; }}; policy = "other"; nice = 19; }},
        {{ match = {{ action = "virtio2-input.0"; }}; affinity = "1"; }}
    );
"""


def begin(daemon, caller, duration):
    daemon.plan("tuned", PLAN.format(duration=duration))
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("tuned")
    caller.wait_state(sid, "running", timeout=60)
    return sid


def end(caller, sid):
    """How long the looking took does not matter so."""
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=60) == "stopped"


def test_session(daemon, caller):
    """During it the plan's values, after it those of the rules, after the daemon those before."""
    service.apply_rules(daemon, caller, """
        { match = { parport = "parport0"; }; policy = "rr"; priority = 33; },
        { match = { action = "rtc0"; }; policy = "fifo"; priority = 44; }""")
    line = threads.irq_of("virtio2-input.0")
    before = threads.affinity(line)
    sid = begin(daemon, caller, "1h")
    threads.assert_is(threads.one(PORT), "other", 0, 19)
    threads.assert_is(threads.one(CLOCK), "fifo", 44, 0)
    assert threads.affinity(line) == "1"
    end(caller, sid)
    assert (threads.standing(threads.one(PORT)), threads.affinity(line)) == (("rr", 33, 0), before)
    service.ctl(daemon, "irq", "restore")
    threads.assert_is(threads.one(PORT), "fifo", 50, 0)
    service.ctl(daemon, "irq", "apply")
    threads.assert_is(threads.one(PORT), "rr", 33, 0)
    assert daemon.stop() == 0
    threads.assert_is(threads.one(PORT), "fifo", 50, 0)
    threads.assert_is(threads.one(CLOCK), "fifo", 50, 0)


def test_killed(daemon, caller):
    """The session is over with its daemon, and so are its rules at the next start."""
    begin(daemon, caller, "1h")
    threads.assert_is(threads.one(PORT), "other", 0, 19)
    daemon.kill()
    daemon.start()
    service.wait_for_standing(PORT, ("fifo", 50, 0))


def test_drift_is_a_finding(daemon, caller):
    """Somebody changes a thread meanwhile: left to him, and said in the report."""
    sid = begin(daemon, caller, "8s")
    tid = threads.one(PORT)
    threads.set_policy(tid, "fifo", 47)
    assert caller.wait_state(sid, timeout=90) == "done"
    assert "irq-drift-plan" in [w["id"] for w in caller.report(sid)["conditions"]["warnings"]]
    assert caller.session_get(sid, "Verdict") == "inconclusive"
    # the nice value was still the plan's
    assert threads.standing(tid) == ("fifo", 47, 0)
    threads.set_policy(tid, "fifo", 50)  # this test's own change


ABOVE = """instrument = "timer"; duration = "1h"; interval = "10ms"; policy = "fifo"; priority = 60;
    irq_rules = ( {{ match = {{ parport = "parport0"; }}; policy = "fifo"; priority = 60; {override} }} );"""


def test_rule_above_the_measuring_threads(daemon, caller):
    """A plan that lets an interrupt thread disturb what it measures has to say that it means it."""
    daemon.plan("above", ABOVE.format(override=""))
    problems = plain(caller.manager("Reload", "a{sv}", {}))
    assert len(problems) == 1 and "measuring" in str(problems)
    daemon.plan("above", ABOVE.format(override='override = [ "measuring" ];'))
    assert plain(caller.manager("Reload", "a{sv}", {})) == []
    sid = caller.start("above")
    caller.wait_state(sid, "running", timeout=60)
    threads.assert_is(threads.one(PORT), "fifo", 60, 0)
    end(caller, sid)
    report = caller.report(sid)["conditions"]["warnings"]
    assert PORT in str([w for w in report if w["id"] == "rt-neighbours"])


@pytest.fixture
def network():
    """Both cards up, the first with its napi in threads."""
    napi = Path("/sys/class/net/eth0/threaded")
    for name in ("eth0", "eth1"):
        subprocess.run(["ip", "link", "set", name, "up"], check=True)
    napi.write_text("1")
    threads.seconds_until(lambda: threads.named("napi/eth0-.*"))
    yield
    napi.write_text("0")
    for name in ("eth0", "eth1"):
        subprocess.run(["ip", "link", "set", name, "down"], check=True)


def test_recipe_of_2005(daemon, caller, network):
    """The plan that is shipped: the network at nice 19, and none but the network."""
    interrupts = threads.named(r"irq/\d+-(virtio2-.*|eth1.*)")
    polls = threads.named("napi/eth0-.*")
    assert len(interrupts) >= 6 and polls
    others = {t: threads.standing(t) for pattern in ("ktimers/.*", "ksoftirqd/.*", "irq/7-.*", "irq/8-.*")
              for t in threads.named(pattern)}
    assert len(others) == 6
    sid = caller.start("netnice")
    caller.wait_state(sid, "running", timeout=60)
    assert {t: threads.standing(t) for t in interrupts + polls} == dict.fromkeys(interrupts + polls, ("other", 0, 19))
    threads.assert_is(interrupts[0], "other", 0, 19)
    threads.assert_is(polls[0], "other", 0, 19)
    assert {t: threads.standing(t) for t in others} == others
    end(caller, sid)
    assert {t: threads.standing(t) for t in interrupts} == dict.fromkeys(interrupts, ("fifo", 50, 0))
    assert {t: threads.standing(t) for t in polls} == dict.fromkeys(polls, ("other", 0, 0))
