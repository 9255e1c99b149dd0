# SPDX-License-Identifier: GPL-2.0-or-later
"""Interrupt threads of real devices: set by rules and by hand, put back whatever happens."""
import subprocess
import time

import pytest

import service
import threads
from lrtbf import LRTBFD

pytestmark = [pytest.mark.rt, pytest.mark.usefixtures("unchanged")]

# the parallel port's, the clock's, a network card's
DEVICES = ("irq/7-parport0", "irq/8-rtc0", r"irq/\d+-virtio2-input.0")
STOCK = ("fifo", 50, 0)


def three_rules(attributes):
    return f"""
    {{ match = {{ parport = "parport0"; }}; {attributes} }},
    {{ match = {{ action = "rtc0"; }}; {attributes} }},
    {{ match = {{ thread = "irq/*-virtio2-input.0"; }}; {attributes} }}"""


OTHER = three_rules('policy = "other"; nice = 19;')
ROUND_ROBIN = three_rules('policy = "rr"; priority = 33;')


def assert_all(policy, priority, nice):
    for device in DEVICES:
        threads.assert_is(threads.one(device), policy, priority, nice)


@pytest.mark.threadirqs
def test_table(daemon, caller, figure):
    """The list has every interrupt thread there is, and each as it is."""
    begin = time.monotonic()
    caller.manager("ListIrqs", "a{sv}", {})
    figure(f"the table of interrupts asked for over the bus: {(time.monotonic() - begin) * 1000:.1f} ms")
    seen = {r["tid"]: (r["name"], r["policy"], r["priority"], r["nice"], r["affinity"])
            for r in service.listed(daemon) if r["tid"] is not None}
    real = {tid: (name, *threads.standing(tid), threads.affinity(service.irq_of_thread(tid)))
            for tid, _, name in threads.kernel_threads() if name.startswith("irq/")}
    assert len(real) >= 10
    assert seen == real
    row = service.row(daemon, threads.one("irq/7-parport0"))
    assert (row["irq"], row["actions"], row["rule"], row["drifted"]) == (7, ["parport0"], None, False)


@pytest.mark.threadirqs
def test_other_threads(daemon):
    """--all has the threads of no line that rules may name."""
    rows = service.listed(daemon, "--all")
    names = {r["name"]: r for r in rows if r["tid"] is not None}
    for pattern in ("ksoftirqd/[01]", "rcu_preempt" if threads.named("rcu_preempt") else "rcu_sched"):
        for tid in threads.named(pattern):
            name = threads.stat(tid)[0]
            assert names[name]["tid"] == tid
            assert (names[name]["policy"], names[name]["priority"],
                    names[name]["nice"]) == threads.standing(tid)
    assert "kthreadd" not in names and "migration/0" not in names


@pytest.mark.threadirqs
def test_by_rules(daemon, caller):
    service.apply_rules(daemon, caller, OTHER)
    assert_all("other", 0, 19)
    row = service.row(daemon, threads.one("irq/8-rtc0"))
    assert row["rule"] == "50-lab/2" and not row["drifted"]
    service.apply_rules(daemon, caller, ROUND_ROBIN)
    assert_all("rr", 33, 0)
    assert daemon.stop() == 0
    assert_all(*STOCK)


@pytest.mark.threadirqs
def test_by_hand(daemon):
    for device in DEVICES:
        name = threads.stat(threads.one(device))[0]
        service.ctl(daemon, "irq", "set", name, "--policy=other", "--nice=19")
    assert_all("other", 0, 19)
    for device in DEVICES:
        name = threads.stat(threads.one(device))[0]
        service.ctl(daemon, "irq", "set", name, "--policy=rr", "--priority=33", "--nice=0")
    assert_all("rr", 33, 0)
    service.ctl(daemon, "irq", "restore")
    assert_all(*STOCK)


def test_rules_are_there_at_the_start(make_daemon):
    daemon = make_daemon()
    service.rules(daemon, OTHER)
    daemon.start()
    service.wait_for_standing(DEVICES[0], ("other", 0, 19))
    assert_all("other", 0, 19)


def test_killed_then_started_without_rules(daemon, caller):
    """What a killed daemon has left is put back by the next one."""
    service.apply_rules(daemon, caller, OTHER)
    daemon.kill()
    assert_all("other", 0, 19)
    service.rules(daemon, "")
    daemon.start()
    for device in DEVICES:
        service.wait_for_standing(device, STOCK)


def test_killed_then_started_with_other_rules(daemon, caller):
    """What was there before the first daemon is remembered through the second."""
    service.apply_rules(daemon, caller, OTHER)
    daemon.kill()
    service.rules(daemon, ROUND_ROBIN)
    daemon.start()
    for device in DEVICES:
        service.wait_for_standing(device, ("rr", 33, 0))
    assert daemon.stop() == 0
    assert_all(*STOCK)


def test_killed_then_restored(daemon, caller):
    """lrtbfd --restore does it without a daemon."""
    service.apply_rules(daemon, caller, OTHER)
    daemon.kill()
    done = subprocess.run([LRTBFD, "--restore", f"--runtime-dir={daemon.runtime}"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert_all(*STOCK)


def test_killed_and_changed_by_somebody_else(daemon, caller):
    """A value that is not ours any more is left alone."""
    service.apply_rules(daemon, caller, OTHER)
    daemon.kill()
    tid = threads.one("irq/8-rtc0")
    threads.set_policy(tid, "fifo", 41)
    service.rules(daemon, "")
    daemon.start()
    service.wait_for_standing(DEVICES[0], STOCK)
    # the nice value was still ours
    assert threads.standing(tid) == ("fifo", 41, 0)
    threads.set_policy(tid, "fifo", 50)  # this test's own change
