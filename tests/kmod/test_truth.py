# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbf.ko's samples compared with what lrtbf-wire.ko knows to be the truth.

With LRTBF_ICOUNT set, time goes by instructions on one CPU (QEMU's -icount), and figures are held
against the truth to the nanosecond. Without it a virtual CPU may stand still at any time: then a
sample may be longer than the truth, but never shorter, and counts are those of the truth.
"""
import os
import time

import pytest
import wire
from conftest import JOB, command, load_lrtbf, wait_until

EXACT = bool(os.environ.get("LRTBF_ICOUNT"))
TARGET, LOGGER = 2, 3
HANDLER, KTHREAD = 1, 2
POLL, IRQ = 1, 2
COUNT, LOSSES, DETACHED, STORM = 2, 3, 4, 5
LOST, LATE = 1, 2
US, MS = 1000, 1000000
# Where virtual CPUs stand still, time enough for that.
TIMES = {"period_ns": 4 * MS, "timeout_ns": 1 * MS} if EXACT else {"period_ns": 20 * MS, "timeout_ns": 10 * MS}

pytestmark = pytest.mark.skipif(not (JOB / "lrtbf-wire.ko").exists(), reason="lrtbf-wire.ko was not built")


def compare(records, ends, resolution_ns, receive):
    """Each sample with the pulse of the same number and the answer to that. Its latency is that
    from one to the other and what it takes to see it."""
    sent = {e.number: e for e in ends[1].edges()}
    answers = {e.at: e for e in ends[0].edges() if "stray" not in e.flags}
    assert records
    for record in records:
        pulse = sent[record.seq]
        assert record.at <= pulse.at
        if record.flags:
            continue
        answer = answers[pulse.due]
        assert not answer.flags & {"dropped", "late"}
        true_ns = (answer.due if receive == POLL else answer.handled) - pulse.at
        over_ns = record.latency - true_ns
        assert over_ns >= 0
        assert over_ns <= resolution_ns or not EXACT


def measure(ends, receive, count, **setup):
    """(records, counters) of a logger at the first port, compared with the truth."""
    for port in ends:
        port.clear()
    with wire.Lrtbf(ends[0], role=LOGGER, receive=receive, count=count, **TIMES, **setup) as logger:
        records, counters = logger.records(), logger.counters()
        if receive == IRQ:
            ends[0].quiet()  # noted after the handler
        assert 0 < logger.access_ns() < counters["resolution_ns"]
        compare(records, ends, counters["resolution_ns"], receive)
    assert len(ends[1].edges()) == counters["pulses"]
    assert not [r for r in records if not r.flags and not r.latency]
    return records, counters


@pytest.fixture
def answered(make_wire, lrtbf):
    ends = make_wire(delay_ns="100000,0", echo="0,1")
    return ends


both = pytest.mark.parametrize("receive", [POLL, IRQ], ids=["poll", "irq"])


@pytest.mark.exact
@both
def test_logger(answered, receive):
    """Each sample is the truth; a delay of 300 us more is in each."""
    for delay_ns in (100 * US, 400 * US):
        answered[0].set(delay_ns=delay_ns)
        records, counters = measure(answered, receive, 200)
        assert min(r.latency for r in records if not r.flags) >= delay_ns
        assert counters["samples"] + counters["lost"] + counters["discarded"] == counters["pulses"]
        if EXACT:
            assert (counters["stop"], counters["samples"], len(records)) == (COUNT, 200, 200)
            assert receive == IRQ or max(r.latency for r in records) < delay_ns + 10 * US


@pytest.mark.exact
@both
@pytest.mark.parametrize("lost", [0, 1], ids=["answer", "pulse"])
def test_logger_lost(answered, receive, lost):
    """Exactly one in a hundred; it is no sample, and the next is a probe."""
    answered[lost].set(drop_every=100)
    records, counters = measure(answered, receive, 500)
    dropped = [e.number for e in answered[lost].edges() if "dropped" in e.flags]
    assert dropped == [99, 199, 299, 399, 499]
    assert set(dropped) <= {r.seq for r in records if r.flags & LOST}
    if EXACT:
        assert (counters["lost"], counters["discarded"], counters["samples"]) == (5, 4, 491)
        assert [r.seq for r in records if r.flags & LOST] == dropped
        assert counters["late"] == 0


@pytest.mark.exact
@both
def test_logger_late(answered, receive):
    """After the time-out it is late, and the next pulse's sample is its own."""
    answered[0].set(late_every=20, late_ns=TIMES["timeout_ns"] + 100 * US)
    records, counters = measure(answered, receive, 100)
    assert {r.seq for r in records if r.flags & LATE} >= {19, 39, 59, 79, 99} or not EXACT
    assert not [r for r in records if not r.flags and r.seq % 20 == 19]
    assert not [r for r in records if not r.flags and r.latency > TIMES["timeout_ns"]]
    if EXACT:
        assert (counters["lost"], counters["late"], counters["samples"]) == (5, 5, 91)


@pytest.mark.exact
def test_logger_strays(answered):
    answered[0].set(stray_every=20, stray_ns=200 * US)
    records, counters = measure(answered, IRQ, 100)
    assert answered[0].counters()["strays"] == 5
    if EXACT:
        assert (counters["strays"], counters["samples"]) == (5, 100)


@both
def test_logger_silent(ends, lrtbf, receive):
    """Nobody answers: it ends after sixteen losses, and the machine lives."""
    with wire.Lrtbf(ends[0], role=LOGGER, receive=receive, count=1000, **TIMES) as logger:
        records, counters = logger.records(), logger.counters()
    assert [r.flags for r in records] == [LOST] * 16
    assert (counters["stop"], counters["samples"], counters["lost"]) == (LOSSES, 0, 16)


def test_storm(ends, lrtbf):
    """The line is masked, and who measured is told."""
    ends[0].set(stray_ns=2 * US)
    times = {"period_ns": 200 * MS, "timeout_ns": 100 * MS}
    with wire.Lrtbf(ends[0], role=LOGGER, receive=IRQ, rate_max=100, **times) as logger:
        for _ in range(100):
            ends[0].set(stray=100)
            time.sleep(0.002)
        wait_until(lambda: not logger.counters()["running"], "it goes on")
        assert logger.counters()["stop"] == STORM
        handled = ends[0].counters()["handled"]
        ends[0].set(stray=100)
        time.sleep(0.05)
        assert ends[0].counters()["handled"] == handled


@pytest.mark.exact
@pytest.mark.parametrize("answer", [HANDLER, KTHREAD], ids=["handler", "kthread"])
def test_target(ends, lrtbf, answer):
    """lrtbf.ko at both ends: every pulse that the target had is answered, and each answer arrives."""
    times = {"period_ns": 5 * MS, "timeout_ns": 2500 * US} if EXACT else {"period_ns": 40 * MS, "timeout_ns": 20 * MS}
    with wire.Lrtbf(ends[1], role=TARGET, answer=answer) as target:
        for port in ends:
            port.clear()
        with wire.Lrtbf(ends[0], role=LOGGER, receive=IRQ, count=100, **times) as logger:
            records, counters = logger.records(), logger.counters()
            wait_until(lambda: target.counters()["answers"] == 100, target.counters())
            ends[0].quiet()
    asked, answers = ends[1].edges(), ends[0].edges()
    assert len(asked) == len(answers) == counters["pulses"] == 100
    for record in records:
        pulse, given = asked[record.seq], answers[record.seq]
        assert record.at <= pulse.at <= pulse.handled < given.at <= given.handled
        if not record.flags:
            assert record.latency >= given.handled - pulse.at
    assert counters["samples"] > 90 or not EXACT


def test_unplug_while_measuring(ends, lrtbf):
    """It ends, what was measured is kept; and the port can be had again."""
    ends[1].set(echo=1)
    ends[0].set(delay_ns=50 * US)
    with wire.Lrtbf(ends[0], role=LOGGER, receive=IRQ, **TIMES) as logger:
        wait_until(lambda: logger.counters()["samples"] > 10, "no samples")
        ends[0].unplug()
        counters = logger.counters()
        assert (counters["running"], counters["stop"]) == (0, DETACHED)
        assert len([r for r in logger.records() if not r.flags]) == counters["samples"]
        ends[0].plug()
    with wire.Lrtbf(ends[0], role=LOGGER, receive=IRQ, count=10, **TIMES) as logger:
        logger.records()
        assert logger.counters()["pulses"] == 10


def test_unload_orders(make_wire):
    for first in ("lrtbf", "wire"):
        for last in ("lrtbf", "lrtbf_wire"):
            if first == "lrtbf":
                load_lrtbf()
            ends = make_wire()
            if first == "wire":
                load_lrtbf()
            with wire.Lrtbf(ends[1], role=TARGET, answer=HANDLER):
                for module in ("lrtbf", "lrtbf_wire"):
                    assert "in use" in command("rmmod", module, status=None).stderr
            for module in sorted(("lrtbf", "lrtbf_wire"), key=lambda name: name == last):
                command("rmmod", module)
