# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbf-wire.ko by itself, through ppdev: what it says to be the truth is what was done."""
import errno
import os
import re
import signal
import time
from pathlib import Path

import pytest
import wire
from conftest import JOB, TROUBLE, command, load, loaded, realtime, wait_until

EXACT = bool(os.environ.get("LRTBF_ICOUNT"))
US, MS = 1000, 1000000
ACK = 0x40
LEVELS = 0xb8

pytestmark = pytest.mark.skipif(not (JOB / "lrtbf-wire.ko").exists(), reason="lrtbf-wire.ko was not built")


def pulses(user, port, count):
    """@count of them to @port, each after the one before is done with."""
    for _ in range(count):
        user.pulse()
        port.quiet()


def test_pins(ends):
    """The wiring table, both ways."""
    with wire.Ppdev(ends[0]) as a, wire.Ppdev(ends[1]) as b:
        for writer, reader in ((a, b), (b, a)):
            writer.data(0)
            for bit, status in ((0, 0x08), (1, 0x10), (2, 0x20), (3, 0x40)):
                writer.data(1 << bit)
                assert reader.status() == 0x80 | status
            writer.data(0x10)
            assert reader.status() == 0
            writer.data(0xff)
            assert reader.status() == 0x78
            writer.control(0x0d)
            assert reader.status() == 0x78
            writer.data(0)
            assert reader.status() == 0x80


@pytest.mark.parametrize("cable", ["strobe", "jumper"])
def test_other_cables(make_wire, cable):
    ends = make_wire(cable=cable)
    with wire.Ppdev(ends[0]) as a, wire.Ppdev(ends[1]) as b:
        reader, port = (b, ends[1]) if cable == "strobe" else (a, ends[0])
        assert reader.status() & ACK
        a.control(0x0d)
        assert not reader.status() & ACK
        assert len(port.edges()) == 0
        a.control(0x0c)
        assert reader.status() & ACK
        port.quiet()
        assert (a.interrupts(), b.interrupts()) == ((0, 1) if cable == "strobe" else (1, 0))
        a.data(0x07)
        assert b.status() & 0x38 == 0x38
        a.data(0x00)
        assert b.status() & 0x38 == (0 if cable == "strobe" else 0x38)


def interrupts_of(irq):
    for line in Path("/proc/interrupts").read_text().splitlines():
        if line.split()[0] == f"{irq}:":
            return line
    return None


def threads_named(name):
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == name:
                found.append(int(path.parent.name))
        except OSError:  # it has ended
            continue
    return found


def test_lines(ends):
    """Each port has one, which is like any other; with a thread under PREEMPT_RT."""
    for port in ends:
        assert re.search(rf"lrtbf-wire +{port.number}-edge +{port.name}$", interrupts_of(port.irq))
        tids = threads_named(f"irq/{port.irq}-{port.name}")
        assert len(tids) == (1 if realtime() or "threadirqs" in Path("/proc/cmdline").read_text() else 0)
        for tid in tids:
            assert os.sched_getscheduler(tid) == os.SCHED_FIFO
            assert os.sched_getparam(tid).sched_priority == 50


def test_affinity(ends):
    """The interrupt comes to the CPU it was given to, whoever writes."""
    port = ends[1]
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port):
        for cpu in sorted(os.sched_getaffinity(0)):
            Path(f"/proc/irq/{port.irq}/smp_affinity").write_text(f"{1 << cpu:x}")
            before = interrupts_of(port.irq).split()[1:]
            pulses(user, port, 10)
            after = interrupts_of(port.irq).split()[1:]
            counts = [int(x) - int(y) for x, y in zip(after[:os.cpu_count()], before)]
            assert counts == [10 if n == cpu else 0 for n in range(os.cpu_count())]


def test_truth(ends):
    """A line for each pulse, with its times in the order they must have."""
    port = ends[1]
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        marks = []
        for _ in range(100):
            marks.append(time.monotonic_ns())
            user.data(0x08)
            marks.append(time.monotonic_ns())
            assert other.status() & ACK
            user.data(0)
            port.quiet()
            marks.append(time.monotonic_ns())
        assert other.interrupts() == 100
    edges = port.edges()
    assert [e.number for e in edges] == list(range(100))
    for i, edge in enumerate(edges):
        before, written, handled = marks[3 * i:3 * i + 3]
        assert before <= edge.at == edge.due <= written
        assert edge.due <= edge.raised <= edge.handled <= handled
        assert written <= edge.seen <= handled and not edge.flags
    counters = port.counters()
    assert counters["pulses"] == counters["interrupts"] == counters["handled"] == 100
    assert ends[0].edges() == []
    port.clear()
    assert port.edges() == [] and port.counters()["pulses"] == 0


def test_truth_is_bounded(make_wire):
    """The newest are kept, whole and in order."""
    ends = make_wire(history=1024)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(ends[1]):
        for _ in range(5000):
            user.pulse()
        ends[1].quiet()
    assert [e.number for e in ends[1].edges()] == list(range(5000 - 1024, 5000))
    counters = ends[1].counters()
    assert counters["pulses"] == 5000
    assert 0 < counters["handled"] <= counters["interrupts"] <= 5000


def test_masked(ends):
    """Who has not the port gets no interrupt, nor later on for what was before."""
    with wire.Ppdev(ends[0]) as user:
        for _ in range(10):
            user.pulse()
        with wire.Ppdev(ends[1]) as other:
            assert other.interrupts() == 0
            assert [e.flags for e in ends[1].edges()] == [{"masked"}] * 10
            user.pulse()
            ends[1].quiet()
            assert other.interrupts() == 1


def test_masked_at_arrival(ends):
    """What counts is whether the interrupt is enabled when the pulse arrives, not when it was sent."""
    port = ends[1]
    port.set(delay_ns=1000 * MS)
    with wire.Ppdev(ends[0]) as user:
        user.pulse()
        with wire.Ppdev(port) as other:
            port.quiet()
            assert other.interrupts() == 1
            user.pulse()
        port.unplug()
        time.sleep(2)
        port.plug()
        with wire.Ppdev(port) as other:
            assert other.interrupts() == 0
    assert [e.flags for e in port.edges()] == [set(), {"masked"}]


def test_delay(ends):
    """Nothing is seen or raised before it is due."""
    port = ends[1]
    port.set(delay_ns=300 * US)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        for _ in range(50):
            user.data(0x08)
            end = time.monotonic() + 10
            while not other.status() & ACK:
                assert time.monotonic() < end
            user.data(0)
            port.quiet()
        assert other.interrupts() == 50
    for edge in port.edges():
        assert edge.due - edge.at == 300 * US
        assert edge.due <= min(edge.seen, edge.raised) and edge.raised < edge.handled


def test_drop(ends):
    """Every fifth pulse: no interrupt, and its levels never were; the ones after it change them still."""
    port = ends[1]
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        user.data(0)
        port.set(drop_every=5)
        level, last, moved = 0, other.status(), []
        for _ in range(50):
            level ^= 0x17
            user.data(level | 0x08)
            user.data(level)
            port.quiet()
            moved.append((other.status() ^ last) & LEVELS)
            last = other.status()
        assert moved == ([LEVELS] * 4 + [0]) * 10
        assert other.interrupts() == 40
    assert [e.number for e in port.edges() if "dropped" in e.flags] == list(range(4, 50, 5))
    assert port.counters()["dropped"] == 10


def test_late(ends):
    port = ends[1]
    port.set(delay_ns=100 * US, late_every=4, late_ns=20 * MS)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        pulses(user, port, 20)
        assert other.interrupts() == 20
    for edge in port.edges():
        late = edge.number % 4 == 3
        assert edge.due - edge.at == 100 * US + late * 20 * MS
        assert edge.due <= edge.raised and ("late" in edge.flags) == late


def test_nothing_overtakes(ends):
    port = ends[1]
    port.set(late_every=2, late_ns=50 * MS)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port):
        for _ in range(4):
            user.pulse()
        port.quiet()
    edges = port.edges()
    due = [e.due for e in edges]
    assert due == sorted(due)
    assert edges[1].due - edges[1].at == 50 * MS
    assert edges[2].flags == set() and edges[2].due > edges[2].at


def test_overflow(ends):
    """More than there is room for on the way: they are lost, and it is said of which."""
    port = ends[1]
    port.set(delay_ns=3000 * MS if not EXACT else 500 * MS)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        for _ in range(300):
            user.pulse()
        lost = [e.number for e in port.edges() if "overflow" in e.flags]
        assert lost == list(range(128, 300))
        port.quiet()
        assert 0 < other.interrupts() <= 128
        port.set(delay_ns=0)
        pulses(user, port, 1)
        assert "overflow" not in port.edges()[-1].flags


def test_strays(ends):
    port = ends[1]
    port.set(stray_every=10, stray_ns=500 * US)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(port) as other:
        for _ in range(100):
            user.pulse()
            port.quiet()
            time.sleep(0.003)
        wait_until(lambda: port.counters()["strays"] == 10, "strays")
        port.quiet()
        counters = port.counters()
        assert counters["pulses"] == 110
        assert other.interrupts() == counters["handled"] <= counters["interrupts"] <= 110
        assert counters["handled"] == 110 or not EXACT
        edges = port.edges()
        sent = [e for e in edges if "stray" not in e.flags]
        assert [e.due for e in edges if "stray" in e.flags] == [e.due + 500 * US for e in sent[9::10]]
        # by hand
        port.clear()
        port.set(stray_every=0, stray=50)
        wait_until(lambda: port.counters()["strays"] == 50, "strays")
        due = [e.due for e in port.edges()]
        assert all(y - x == 500 * US for x, y in zip(due, due[1:]))


def test_echo(ends):
    """The wire answers with nobody at the other end: by interrupt and by levels."""
    ends[1].set(echo=1, delay_ns=50 * US)
    ends[0].set(delay_ns=300 * US)
    with wire.Ppdev(ends[0]) as user:
        last = user.status()
        for _ in range(20):
            user.pulse()
            ends[0].quiet()
            assert (user.status() ^ last) & LEVELS == LEVELS
            last = user.status()
        assert user.interrupts() == 20
    for pulse, answer in zip(ends[1].edges(), ends[0].edges(), strict=True):
        assert answer.flags == {"echo"}
        assert answer.at == pulse.due == pulse.at + 50 * US
        assert answer.due == answer.at + 300 * US


def test_parameters(make_wire):
    assert load(cable="string").returncode != 0
    assert load(delay_ns="1,99999999999").returncode != 0
    assert not loaded("lrtbf_wire")
    ends = make_wire(delay_ns="5,6", drop_every="3", echo="0,1")
    assert [(p.device / "delay_ns").read_text() for p in ends] == ["5\n", "6\n"]
    assert [(p.device / "drop_every").read_text() for p in ends] == ["3\n", "0\n"]
    assert [(p.device / "echo").read_text() for p in ends] == ["0\n", "1\n"]
    for name, value in (("echo", 2), ("stray_ns", 999), ("delay_ns", 10**10 + 1), ("delay_ns", "x")):
        with pytest.raises(OSError) as refused:
            ends[0].set(**{name: value})
        assert refused.value.errno in (errno.EINVAL, errno.ERANGE)


def test_unload_in_use(ends):
    with wire.Ppdev(ends[1]):
        assert "in use" in command("rmmod", "lrtbf_wire", status=None).stderr
        assert loaded("lrtbf_wire")
    command("rmmod", "lrtbf_wire")


def take_known_warning():
    """ppdev's device is removed twice by the parport core when its port goes first, parport_pc's too."""
    for text in command("dmesg").stdout.split("[ cut here ]")[1:]:
        assert "sysfs group 'power' not found for kobject 'ppdev" in text, text
        assert len(TROUBLE.findall(text)) <= 2, text  # WARNING and Call Trace
    command("dmesg", "--clear")


def test_unplug_in_use(ends):
    """Twenty times under a user who writes on; who holds an old port keeps the module, until he closes."""
    ends[0].set(delay_ns=10 * US, stray_ns=200 * US)
    with wire.Ppdev(ends[0]) as user, wire.Ppdev(ends[1]) as other:
        child = os.fork()
        if not child:
            while True:
                user.pulse()
                other.pulse()
                user.status()
        try:
            for _ in range(20):
                ends[0].set(stray=100)
                ends[0].unplug()
                ends[0].plug()
                time.sleep(0.01)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        assert user.status() == 0xf8
        assert "in use" in command("rmmod", "lrtbf_wire", status=None).stderr
        with wire.Ppdev(ends[0]) as again:  # the new port works
            other.data(0)
            ends[0].clear()
            pulses(other, ends[0], 10)
            assert again.interrupts() == 10
    take_known_warning()
    command("rmmod", "lrtbf_wire")


def test_load_again(make_wire):
    for _ in range(5):
        make_wire()
        command("rmmod", "lrtbf_wire")
        assert not Path("/proc/irq/by-name").exists() and "lrtbf-wire" not in Path("/proc/interrupts").read_text()
