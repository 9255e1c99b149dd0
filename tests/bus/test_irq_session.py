# SPDX-License-Identifier: GPL-2.0-or-later
"""A plan's interrupt rules: in force while its session measures, shown in its report, and undone at its end,
whatever that end is."""
import os
import subprocess

import pytest
from jeepney import DBusErrorResponse

from kthreads import kernel_threads, rules, set_thread, stat, state, thread_path
from lrtbf import wait_for

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may set other threads")

PLAN = """
instrument = "timer"; policy = "fifo"; priority = %d; fallback_policy = "other"; interval = "1ms"; duration = "%s";
stages = ( { load = "none"; } ); limits = ( "max <= 1h" );
irq_rules = ( { match = { thread = "%s"; }; policy = "other"; nice = 19; } );
"""
BY_NAME = 'rules = ( { name = "house"; match = { thread = "irq/*"; }; policy = "rr"; priority = 33; } );\n'


def escaped(tid):
    """A pattern that matches the thread's name alone."""
    return "".join(f"\\\\{c}" if c in "[]*?" else c for c in stat(tid)[0])


def threads_of(report):
    found = {}
    for line in report["conditions"]["interrupts"]["lines"]:
        found.update({t["tid"]: t for t in line["threads"]})
    return found


def reasons(report):
    return {r["id"] for stage in report["stages"] for r in stage["reasons"]} | {
        w["id"] for w in report["conditions"]["warnings"]}


def measuring(daemon, caller, plan):
    """A session of @plan that has begun to measure, in a daemon started for it."""
    daemon.start()
    sid = caller.start(plan)
    wait_for(lambda: caller.session_get(sid, "State") == "running", what="measuring")
    return sid


def test_in_force_and_undone(make_daemon, caller, irq_threads):
    before = {tid: state(tid) for tid in irq_threads}
    daemon = make_daemon()
    daemon.plan("quieter", PLAN % (80, "2s", "irq/*"))
    sid = measuring(daemon, caller, "quieter")
    for tid in irq_threads:
        assert state(tid) == ("other", 0, 19)
    assert caller.wait_state(sid) == "done"
    assert {tid: state(tid) for tid in irq_threads} == before
    report = caller.report(sid)
    for tid in irq_threads:
        shown = threads_of(report)[tid]
        assert (shown["policy"], shown["priority"], shown["nice"]) == ("other", 0, 19)
        assert shown["rule"].startswith("plan:quieter/")
    text = caller.report(sid, "text")
    assert f"Interrupts  {stat(irq_threads[0])[0]} other nice 19 (plan:quieter/1)" in text


def test_over_the_rules_of_the_machine(make_daemon, caller, irq_threads):
    """irq.d's value before and after; the plan's in between."""
    before = {tid: state(tid) for tid in irq_threads}
    daemon = rules(make_daemon(), house=BY_NAME)
    daemon.plan("quieter", PLAN % (80, "1s", escaped(irq_threads[0])))
    daemon.start()
    assert caller.manager("ListPlans", "a{sv}", {})  # calls are answered once everything is in force
    house = {tid: state(tid) for tid in irq_threads}
    assert {(p, prio) for p, prio, _ in house.values()} == {("rr", 33)}
    sid = caller.start("quieter")
    wait_for(lambda: caller.session_get(sid, "State") == "running", what="measuring")
    assert state(irq_threads[0]) == ("other", 0, 19)
    caller.wait_state(sid)
    assert {tid: state(tid) for tid in irq_threads} == house
    assert threads_of(caller.report(sid))[irq_threads[0]]["rule"] == "plan:quieter/1"
    daemon.stop()
    assert {tid: state(tid) for tid in irq_threads} == before


@pytest.mark.parametrize("how", ["stop", "terminate", "child"])
def test_undone_after_an_early_end(make_daemon, caller, irq_threads, how):
    before = {tid: state(tid) for tid in irq_threads}
    daemon = make_daemon()
    daemon.plan("quieter", PLAN % (80, "60s", "irq/*"))
    sid = measuring(daemon, caller, "quieter")
    assert state(irq_threads[0]) == ("other", 0, 19)
    if how == "stop":
        caller.session(sid, "Stop", "a{sv}", {})
        assert caller.wait_state(sid) == "stopped"
    elif how == "terminate":
        daemon.stop()
    else:
        pid = next(p for p in map(int, os.listdir(f"/proc/{daemon.pid}/task")) if p)
        children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True)
        measure = [int(line.split()[0]) for line in children.stdout.splitlines() if "lrtbf-measure" in line]
        os.kill(measure[0], 9)
        assert caller.wait_state(sid) == "failed"
    assert {tid: state(tid) for tid in irq_threads} == before


def test_undone_after_kill(make_daemon, caller, irq_threads):
    """The daemon killed in mid-session: the next one puts back what the plan's rules had set."""
    before = {tid: state(tid) for tid in irq_threads}
    daemon = make_daemon()
    daemon.plan("quieter", PLAN % (80, "60s", "irq/*"))
    sid = measuring(daemon, caller, "quieter")
    daemon.kill()
    assert state(irq_threads[0]) == ("other", 0, 19)
    daemon.start()
    assert caller.session_get(sid, "State") == "interrupted"
    assert {tid: state(tid) for tid in irq_threads} == before


def test_drift_is_no_silent_pass(make_daemon, caller, irq_threads):
    """Somebody else sets another priority in mid-session: left alone, and the stage is inconclusive."""
    daemon = make_daemon()
    daemon.plan("quieter", PLAN % (80, "4s", "irq/*"))
    sid = measuring(daemon, caller, "quieter")
    subprocess.run(["chrt", "-f", "-p", "7", str(irq_threads[0])], check=True)
    caller.wait_state(sid)
    assert state(irq_threads[0])[:2] == ("fifo", 7)
    report = caller.report(sid)
    assert report["session"]["verdict"] == "inconclusive"
    assert "irq-drift-plan" in reasons(report)


def test_a_rule_that_waits(make_daemon, caller, irq_threads):
    """One that matches nothing now: it measures all the same, and says so."""
    before = {tid: state(tid) for tid in irq_threads}
    daemon = rules(make_daemon())
    daemon.plan("waits", PLAN % (80, "1s", "irq/*-no such device"))
    daemon.start()
    sid = caller.start("waits")
    assert caller.wait_state(sid) == "done"
    assert "irq-rule-waits" in reasons(caller.report(sid))
    assert {tid: state(tid) for tid in irq_threads} == before


def test_a_rule_that_is_refused(make_daemon, caller, irq_threads):
    """By a guard: it measures all the same, and its result is in doubt."""
    softirqs = {tid: state(tid) for tid, name in kernel_threads().items() if name.startswith("ksoftirqd/")}
    daemon = make_daemon()
    daemon.plan("above", PLAN.replace('thread = "%s"', 'kthread = "ksoftirqd/*"').replace(
        'policy = "other"; nice = 19;', 'policy = "fifo"; priority = 30;') % (80, "1s"))
    daemon.start()
    sid = caller.start("above")
    assert caller.wait_state(sid) == "done"
    report = caller.report(sid)
    assert "irq-rule" in reasons(report)
    assert report["session"]["verdict"] == "inconclusive"
    assert {tid: state(tid) for tid in softirqs} == softirqs


def test_measuring_guard(make_daemon, caller, irq_threads):
    """While a session measures at 40, nothing is put at or above it; afterwards it is allowed again."""
    daemon = make_daemon()
    daemon.plan("low", PLAN % (40, "3s", "irq/*-no such device"))
    sid = measuring(daemon, caller, "low")
    if caller.report(sid)["session"]["method"]["policy"] != "fifo":
        pytest.skip("no real-time priority here")
    path = thread_path(irq_threads[0])
    set_thread(caller, path, policy="fifo", priority=39)
    with pytest.raises(DBusErrorResponse) as refused:
        set_thread(caller, path, policy="fifo", priority=40)
    assert refused.value.name == "org.lrtbf1.Error.Refused"
    assert "measuring" in refused.value.data[0]
    assert state(irq_threads[0])[:2] == ("fifo", 39)
    set_thread(caller, path, override="measuring", policy="fifo", priority=41)
    assert state(irq_threads[0])[:2] == ("fifo", 41)
    caller.wait_state(sid)
    set_thread(caller, path, policy="fifo", priority=45)
    assert state(irq_threads[0])[:2] == ("fifo", 45)
