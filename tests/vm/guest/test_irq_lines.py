# SPDX-License-Identifier: GPL-2.0-or-later
"""Affinity of lines, those which the kernel manages too, and what may not be set."""
import errno
from pathlib import Path

import pytest
from jeepney import DBusErrorResponse

import service
import threads
from lrtbf import plain

MANAGED = "virtio3-req.0"
FREE = "virtio2-input.0"

pytestmark = pytest.mark.usefixtures("unchanged")


@pytest.mark.rt
@pytest.mark.threadirqs
@pytest.mark.std
def test_affinity(daemon, caller):
    """By a rule, then by hand above it, then as it was."""
    irq = threads.irq_of(FREE)
    before = threads.affinity(irq)
    service.apply_rules(daemon, caller, f'{{ match = {{ action = "{FREE}"; }}; affinity = "1"; }}')
    assert threads.affinity(irq) == "1"
    service.ctl(daemon, "irq", "set", str(irq), "--affinity=0")
    assert threads.affinity(irq) == "0"
    service.ctl(daemon, "irq", "restore")
    assert threads.affinity(irq) == before


@pytest.mark.rt
@pytest.mark.threadirqs
@pytest.mark.std
def test_managed_line(daemon, caller):
    """The kernel refuses: said so, never reported as set, and the other lines are done."""
    managed, free = threads.irq_of(MANAGED), threads.irq_of(FREE)
    before = threads.affinity(managed)
    with pytest.raises(OSError) as refusal:
        Path(f"/proc/irq/{managed}/smp_affinity_list").write_text("1")
    assert refusal.value.errno in (errno.EIO, errno.EPERM)
    service.apply_rules(daemon, caller, f"""
        {{ match = {{ action = "{MANAGED}"; }}; affinity = "{'1' if before == '0' else '0'}"; }},
        {{ match = {{ action = "{FREE}"; }}; affinity = "1"; }}""")
    assert threads.affinity(managed) == before
    assert threads.affinity(free) == "1"
    refused = [c for c in plain(caller.manager("ApplyIrqPolicy", "a{sv}", {})) if c["outcome"] == "refused"]
    assert [c["irq"] for c in refused] == [managed]
    assert "manages" in refused[0]["message"]
    row = next(r for r in service.listed(daemon) if r["irq"] == managed)
    assert row["affinity"] == before


@pytest.mark.rt
def test_guard(daemon, caller):
    """ksoftirqd may not stand above the threads that it waits for, unless it is said twice."""
    tid = threads.one("ksoftirqd/0")
    stock = threads.standing(tid)
    with pytest.raises(DBusErrorResponse) as refusal:
        service.thread_set(caller, tid, {"policy": "fifo", "priority": 2})
    assert refusal.value.name == "org.lrtbf1.Error.Refused"
    assert "rcu" in refusal.value.data[0] and "softirq" in refusal.value.data[0]
    assert threads.standing(tid) == stock
    service.thread_set(caller, tid, {"policy": "fifo", "priority": 1})  # as high is allowed
    threads.assert_is(tid, "fifo", 1, 0)
    service.thread_set(caller, tid, {"policy": "fifo", "priority": 2}, override="softirq")
    threads.assert_is(tid, "fifo", 2, 0)


@pytest.mark.rt
def test_guard_of_rules(daemon, caller):
    """The same in rules: one is refused, the others are in force."""
    tid, other = threads.one("ksoftirqd/0"), threads.one("ksoftirqd/1")
    stock = threads.standing(tid)
    service.apply_rules(daemon, caller, """
        { match = { kthread = "ksoftirqd/0"; }; policy = "fifo"; priority = 3; },
        { match = { kthread = "ksoftirqd/1"; }; policy = "fifo"; priority = 3; override = [ "softirq" ]; },
        { match = { parport = "parport0"; }; policy = "fifo"; priority = 84; }""")
    assert threads.standing(tid) == stock
    threads.assert_is(other, "fifo", 3, 0)
    threads.assert_is(threads.one("irq/7-parport0"), "fifo", 84, 0)
    outcomes = service.changes(caller.manager("ApplyIrqPolicy", "a{sv}", {}))
    assert outcomes["ksoftirqd/0", "policy"] == "refused"


@pytest.mark.rt
def test_never(daemon, caller):
    """Threads that keep the machine alive have no object at all, and a user's process neither."""
    listed = {t["tid"] for t in plain(caller.manager("ListThreads", "a{sv}", {}))}
    for name in ("migration/0", "cpuhp/0", "kthreadd"):
        tid = threads.one(name)
        stock = threads.standing(tid)
        assert tid not in listed
        with pytest.raises(DBusErrorResponse):
            service.thread_set(caller, tid, {"policy": "fifo", "priority": 1})
        assert threads.standing(tid) == stock
    with pytest.raises(DBusErrorResponse):
        service.thread_set(caller, daemon.pid, {"nice": 19})
    assert threads.standing(daemon.pid)[2] == 0


@pytest.mark.std
def test_no_threads_here(daemon):
    """An ordinary kernel runs handlers in hard interrupt context, and the list says which lines."""
    rows = {r["irq"]: r for r in service.listed(daemon) if r["irq"] is not None}
    row = rows[threads.irq_of("parport0")]
    assert row["tid"] is None and row["actions"] == ["parport0"]
    assert row["threaded"] == "not-forced"
    assert "PREEMPT_RT" in row["explanation"] and "threadirqs" in row["explanation"]


@pytest.mark.std
def test_rule_that_can_have_no_thread(daemon, caller):
    """Said as such; it does not wait for ever in silence."""
    service.apply_rules(daemon, caller, '{ match = { parport = "parport0"; }; policy = "fifo"; priority = 81; }')
    told = [c for c in plain(caller.manager("ApplyIrqPolicy", "a{sv}", {})) if c["outcome"] == "never"]
    assert len(told) == 1 and "threadirqs" in told[0]["message"]
