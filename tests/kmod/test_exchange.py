# SPDX-License-Identifier: GPL-2.0-or-later
"""Logger and target at the two ends of a cable in memory (lrtbf-wire.ko): who answers what, and what
becomes of answers that do not come, or come at another time.

Where time is this machine's, a virtual CPU may stand still at any moment: then an answer comes late, or
two as one. So what is asserted are sums that hold nevertheless, and lower bounds; where it goes by
instructions, the same sums are exact.
"""
import os
from pathlib import Path

import pytest
from conftest import command, realtime, run, settle, wait_until
from test_kmod import (ASKED, COUNT, DETACHED, HANDLER, HARDIRQ, IRQ, KTHREAD, LOGGER, LOOPBACK, LOSSES,
                       MS, POLL, STORM, TARGET, THREAD, USER, check_sums)

DEVICES = Path("/sys/devices/platform")
DRIVER = Path("/sys/bus/platform/drivers/lrtbf-wire")
STROBE = 1
EXACT = bool(os.environ.get("LRTBF_ICOUNT"))
SLACK = 0 if EXACT else 3
pytestmark = pytest.mark.usefixtures("module")


class Cable:
    def __init__(self):
        names = [self.attribute(n, "port").read_text().strip() for n in range(2)]
        self.logger, self.target = (f"/dev/lrtbf-{name}" for name in names)
        for n in range(2):
            # a logger that polls has interrupts off: the target cannot be on his CPU
            irq = self.attribute(n, "irq").read_text().strip()
            Path(f"/proc/irq/{irq}/smp_affinity_list").write_text("0")

    @staticmethod
    def attribute(number, name):
        return DEVICES / f"lrtbf-wire.{number}" / name

    def set(self, **values):
        """Of what arrives at the logger."""
        for name, value in values.items():
            self.attribute(0, name).write_text(str(value))


@pytest.fixture
def make_cable(module):
    def make(*parameters):
        command("insmod", "/run/job/lrtbf-wire.ko", *parameters)
        settle()
        return Cable()
    yield make
    # ppdev, which udev may still be asking, has it for a moment
    wait_until(lambda: command("rmmod", "lrtbf-wire", status=None).returncode == 0, "in use")


@pytest.fixture
def cable(make_cable):
    return make_cable()


@pytest.fixture
def echo(make_cable):
    """The target is the cable itself, at once."""
    return make_cable("echo=0,1")


# as long as interrupts may be off, and with room for the slowest
PERIOD = {POLL: 20 * MS, IRQ: 40 * MS}


def logger(receive, **more):
    return {"role": LOGGER, "receive": receive, "period_ns": PERIOD[receive],
            "timeout_ns": PERIOD[receive] // 2, "cpu": os.cpu_count() - 1, **more}


both = pytest.mark.parametrize("receive", [POLL, IRQ], ids=["poll", "irq"])


def need_another_cpu(receive):
    if receive == POLL and os.cpu_count() == 1:
        pytest.skip("who polls has interrupts off, and the target is on the same CPU")


@both
@pytest.mark.parametrize("answer", [HANDLER, KTHREAD, USER], ids=["handler", "kthread", "user"])
def test_answers(cable, start, answer, receive):
    """Each pulse is answered once, and nobody hears himself."""
    need_another_cpu(receive)
    setup = {"role": TARGET, "answer": answer, "count": 40, "cpu": 0}
    if answer == USER:
        setup["serve"] = 1
    target = start(cable.target, **setup)
    result = run(cable.logger, **logger(receive, count=40))
    check_sums(result)
    assert result["pulses"] == 40 and result["strays"] <= SLACK
    assert 0 <= result["lost"] - result["late"] <= SLACK  # all came
    assert result["samples"] > 0
    answered = target.result()[0]
    assert (answered["answers"], answered["interrupts"], answered["stop"]) == (40, 40, COUNT)
    # the latencies in the target are parts of the logger's
    assert answered["read"]["samples"] == 40
    assert answered["read"]["min_ns"] <= result["read"]["max_ns"]
    context = THREAD if realtime() else HARDIRQ
    assert answered["context"] == context
    if receive == POLL:
        assert (result["interrupts"], result["context"]) == (0, 0)
        assert result["thread"] == result["worker"]
        assert result["off_max_ns"] >= result["read"]["max_ns"]
    else:
        assert (result["interrupts"], result["context"]) == (40, context)


@pytest.mark.exact
@both
def test_delay(echo, receive):
    """What is known to take so long never takes less."""
    echo.set(delay_ns=3 * MS)
    result = run(echo.logger, **logger(receive, count=50))
    check_sums(result)
    assert result["lost"] == result["late"]
    assert result["samples"] > 10
    assert result["read"]["min_ns"] >= 3 * MS


@pytest.mark.exact
@both
def test_dropped(echo, receive):
    """Every tenth answer: exactly a tenth never came, and one is left out after each."""
    echo.set(drop_every=10)
    result = run(echo.logger, **logger(receive, count=100))
    check_sums(result)
    assert result["pulses"] == 100 and result["strays"] <= SLACK
    assert 10 <= result["lost"] - result["late"] <= 10 + SLACK
    # the last pulse is lost, and none follows it; two losses in a row have one after them
    assert 5 < result["discarded"] <= result["lost"] - 1
    if not result["late"]:
        assert (result["discarded"], result["samples"]) == (9, 81)
    assert result["read"]["min_ns"] > 0


@pytest.mark.exact
@both
def test_late(echo, receive):
    """Every tenth answer comes after the time-out, before the next pulse: lost and late, no sample."""
    echo.set(late_every=10, late_ns=PERIOD[receive] * 6 // 10)
    result = run(echo.logger, **logger(receive, count=100))
    check_sums(result)
    assert 10 <= result["lost"] <= 10 + SLACK * 10
    assert 0 <= result["lost"] - result["late"] <= SLACK and result["strays"] <= SLACK
    assert result["read"]["max_ns"] <= PERIOD[receive] // 2


@pytest.mark.exact
@both
@pytest.mark.parametrize("periods", [0.7, 1.2, 2.2, 3.2, 5.3])
def test_always_late(echo, receive, periods):
    """Every answer comes when a later pulse is out: there is no sample at all."""
    setup = logger(receive, losses_max=9)
    setup.update(period_ns=10 * MS, timeout_ns=5 * MS)
    echo.set(delay_ns=int(periods * 10 * MS))
    result = run(echo.logger, **setup)
    check_sums(result)
    assert (result["stop"], result["samples"]) == (LOSSES, 0)


@pytest.mark.exact
@both
@pytest.mark.parametrize("periods", [1.3, 2.1])
def test_very_late(echo, receive, periods):
    """It comes when the next pulses are out. Credited to one of those it would be earlier than any can
    be, as the cable keeps everything for 2 ms."""
    echo.set(late_every=10, late_ns=int(periods * PERIOD[receive]), delay_ns=2 * MS)
    result = run(echo.logger, **logger(receive, count=100))
    check_sums(result)
    assert result["lost"] >= 10
    assert result["samples"] >= 40
    assert 2 * MS <= result["read"]["min_ns"]
    assert result["read"]["max_ns"] <= PERIOD[receive] // 2


@pytest.mark.exact
def test_strays(echo):
    """Interrupts between the pulses belong to none."""
    echo.set(stray_every=10, stray_ns=30 * MS)
    result = run(echo.logger, **logger(IRQ, count=100))
    check_sums(result)
    assert (result["interrupts"], result["late"] + result["strays"]) == (110, 10 + result["lost"])
    assert result["read"]["samples"] > 50


@pytest.mark.exact
def test_restless(echo):
    """A line that is never quiet for a period: what follows a loss is not put off for ever.

    Strays come at least twice a period, so that the answer to a probe never stands alone. Of two answers that are
    dropped, strays can stand in for one at most: these pulses are 20 ms apart, which is 5 strays and 1.5 ms.
    """
    echo.set(drop_every=2, stray_ns=3700000)
    setup = logger(IRQ, count=12, losses_max=100)
    setup.update(period_ns=10 * MS, timeout_ns=1 * MS)
    # before the run begins: how soon this machine gets to it afterwards, nobody knows
    echo.attribute(0, "stray").write_text("100000")
    result = run(echo.logger, **setup)
    check_sums(result)
    assert (result["stop"], result["pulses"]) == (COUNT, 12)
    # from the fifth pulse on each is a probe that waited as long as any does, and was none the wiser
    assert result["lost"] > 0 and result["lost"] + result["discarded"] >= 8
    assert result["missed"] > 8 * 30


def test_storm(echo, start):
    """A line gone mad is masked, and the machine lives."""
    echo.set(stray_ns=100000)
    running = start(echo.logger, **logger(IRQ, rate_max=1000, stop_ms=15000))
    echo.attribute(0, "stray").write_text("100000")
    result = running.result()[0]
    assert result["stop"] == STORM
    assert result["strays"] < 5000


@both
def test_silent_target(cable, receive):
    result = run(cable.logger, **logger(receive))
    check_sums(result)
    assert (result["stop"], result["lost"], result["samples"]) == (LOSSES, 16, 0)


@both
def test_target_goes_silent(cable, start, receive):
    """In the middle: what was measured stays."""
    need_another_cpu(receive)
    target = start(cable.target, role=TARGET, answer=HANDLER, count=20)
    result = run(cable.logger, **logger(receive, losses_max=6))
    target.result()
    check_sums(result)
    assert result["samples"] + result["discarded"] + result["late"] == 20
    # the last answers may have come late, and are the first of the row
    assert 6 - SLACK <= result["lost"] - result["late"] <= 6
    assert result["stop"] == LOSSES


@both
def test_unplugged(echo, start, receive):
    """The logger's port, in the middle."""
    running = start(echo.logger, **logger(receive, watermark=1, stop_ms=5000))
    command("sleep", "0.4")
    (DRIVER / "unbind").write_text("lrtbf-wire.0")
    result = running.result()[0]
    assert result["stop"] == DETACHED
    assert result["samples"] == result["read"]["samples"] > 0
    (DRIVER / "bind").write_text("lrtbf-wire.0")
    wait_until(lambda: Path(echo.logger).exists(), "the port did not come back")
    settle()


def test_in_use(cable, start):
    """The software ports' module, while one of them measures."""
    running = start(cable.target, role=TARGET, answer=HANDLER)
    assert "in use" in command("rmmod", "lrtbf-wire", status=1).stderr
    assert running.stop().result()[0]["stop"] == ASKED


@pytest.mark.exact
def test_strobe_echo(make_cable):
    """A cable from STROBE to ACK, both ways."""
    cable = make_cable("cable=strobe", "echo=0,1")
    result = run(cable.logger, **logger(IRQ, count=50, flags=STROBE))
    check_sums(result)
    assert (result["interrupts"], result["strays"]) == (50, 0)
    assert result["lost"] == result["late"] < 10


def test_strobe_target(make_cable, start):
    cable = make_cable("cable=strobe")
    target = start(cable.target, role=TARGET, answer=HANDLER, count=25, flags=STROBE)
    result = run(cable.logger, **logger(IRQ, count=25, flags=STROBE))
    check_sums(result)
    assert (result["interrupts"], result["strays"]) == (25, 0)
    assert result["lost"] == result["late"] < 10
    answered = target.result()[0]
    assert (answered["answers"], answered["stop"]) == (25, COUNT)


def test_strobe_begin_and_end(make_cable, start):
    """Beginning and ending make no pulse over there, where somebody may be waiting for one."""
    cable = make_cable("cable=strobe")
    silent = {"role": TARGET, "answer": USER, "flags": STROBE}  # nobody gives the answers
    target = start(cable.target, **silent)
    for _ in range(2):
        result = run(cable.logger, **logger(IRQ, count=5, flags=STROBE))
        assert (result["interrupts"], result["lost"]) == (0, 5)
    listener = start(cable.logger, **silent)
    assert target.stop().result()[0]["interrupts"] == 10
    assert listener.stop().result()[0]["interrupts"] == 0


def test_jumper(make_cable):
    """Loopback on a software port."""
    cable = make_cable("cable=jumper")
    result = run(cable.logger, role=LOOPBACK, period_ns=60 * MS, timeout_ns=30 * MS, count=25)
    check_sums(result)
    assert (result["interrupts"], result["strays"]) == (25, 0)
    assert result["lost"] == result["late"] < 10
