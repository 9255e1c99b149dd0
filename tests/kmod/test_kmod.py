# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbf.ko on an emulated port, whose STROBE line raises its own interrupt, and on timers."""
import os
import subprocess
import time
from pathlib import Path

import pytest
from conftest import (JOB, PORT, TIMERS, bind, bound, command, insmod, loaded, realtime,
                      refused, run, settle, unbind, wait_until)

LOOPBACK, TARGET, LOGGER, TIMER_IRQ, TIMER_KTHREAD = 1, 2, 3, 4, 5
HANDLER, KTHREAD, USER = 1, 2, 3
POLL, IRQ = 1, 2
HARDIRQ, THREAD = 1, 2
ASKED, COUNT, LOSSES, DETACHED, STORM, SUSPEND = 1, 2, 3, 4, 5, 6
MS = 1000000
# the machine is emulated by a busy one: what must not be lost has much time
PULSES = {"role": LOOPBACK, "period_ns": 20 * MS, "timeout_ns": 10 * MS, "cpu": 0}

pytestmark = pytest.mark.usefixtures("module")


def check_sums(result):
    """What is always true after a run of pulses."""
    assert result["running"] == 0
    assert result["pulses"] == result["samples"] + result["lost"] + result["discarded"]
    assert result["lost_records"] == 0
    for name in ("samples", "lost", "late", "discarded"):
        assert result["read"][name] == result[name], name
    assert result["read"]["disorder"] == 0


def test_loopback():
    """All pulses come back; in the thread of the line under PREEMPT_RT, else in the interrupt."""
    result = run(PORT, **PULSES, count=300)
    check_sums(result)
    assert (result["pulses"], result["interrupts"], result["strays"]) == (300, 300, 0)
    assert result["stop"] == COUNT
    # where the machine itself stood still they came late
    assert result["lost"] == result["late"] <= 10
    assert result["irq"] == 7 and result["port"] == "parport0" and result["access_ns"] > 0
    assert 0 < result["read"]["min_ns"] <= result["read"]["max_ns"] <= 10 * MS
    if realtime():
        assert result["context"] == THREAD
        assert Path(f"/proc/{result['thread']}/comm").read_text() == "irq/7-parport0\n"
        assert result["priority"] == 50
    else:
        assert (result["context"], result["thread"], result["priority"]) == (HARDIRQ, 0, 0)


def test_loopback_again():
    """A second run of the same open file begins from nothing."""
    for result in run(PORT, **PULSES, count=20, again=3):
        check_sums(result)
        assert (result["pulses"], result["interrupts"]) == (20, 20)


def test_worker(start):
    """The kernel thread that sends: its class, priority and CPU; gone after it."""
    running = start(PORT, **PULSES, priority=71)
    tids = command("pgrep", "-x", "lrtbf-parport0").stdout.split()
    assert len(tids) == 1
    shown = command("ps", "-o", "cls=,rtprio=,psr=", "-p", tids[0]).stdout.split()
    assert shown == ["FF", "71", "0"]
    result = running.stop().result()[0]
    check_sums(result)
    assert (result["stop"], result["worker"]) == (ASKED, int(tids[0]))
    command("pgrep", "-x", "lrtbf-parport0", status=1)


def test_thread_priority(start):
    """What somebody sets on the line's thread is what is told."""
    if not realtime():
        pytest.skip("the line has no thread on this kernel")
    tid = command("pgrep", "-x", "irq/7-parport0").stdout.strip()
    command("chrt", "-f", "-p", "80", tid)
    result = run(PORT, **PULSES, count=20)
    command("chrt", "-f", "-p", "50", tid)
    assert (result["priority"], result["thread"]) == (80, int(tid))


def test_full_buffer():
    """Nobody reads: what does not fit is counted, and the rest is whole."""
    result = run(TIMERS, role=TIMER_IRQ, period_ns=100000, count=20000, lazy=1)
    assert result["samples"] == 20000
    assert result["read"]["samples"] == 16384
    assert result["lost_records"] == 20000 - 16384
    assert result["read"]["disorder"] == 0


def test_watermark(start):
    """With 1 a reader is woken by each record; a poll() of the default waits for more."""
    for result in (run(TIMERS, role=TIMER_IRQ, period_ns=2 * MS, count=100, watermark=1),
                   run(TIMERS, role=TIMER_IRQ, period_ns=2 * MS, count=100)):
        assert result["read"]["samples"] == 100


def test_unload_while_open(start):
    running = start(PORT, **PULSES)
    done = command("rmmod", "lrtbf", status=1)
    assert "in use" in done.stderr
    check_sums(running.stop().result()[0])


def test_killed(start):
    """The kernel closes the file: the port is free, the thread gone, and the next run works."""
    running = start(PORT, **PULSES)
    time.sleep(0.3)
    running.end(9)
    command("pgrep", "-x", "lrtbf-parport0", status=1)
    assert holder() == ""
    assert run(PORT, **PULSES, count=10)["interrupts"] == 10


def test_two_openers(start):
    running = start(PORT, **PULSES)
    assert refused(PORT, **PULSES, count=1) == ("open", "EBUSY")
    running.stop().result()
    fd = os.open(PORT, os.O_RDWR)
    assert refused(PORT, **PULSES, count=1) == ("open", "EBUSY")
    os.close(fd)


def holder():
    path = Path("/proc/sys/dev/parport/parport0/devices/active")
    text = path.read_text().strip()
    return "" if text == "none" else text.split()[0]


def test_holder(start):
    """An idle port shows nothing of us; a busy one our name."""
    assert holder() == "" and not Path("/sys/bus/parport/devices/lrtbf.0").exists()
    running = start(PORT, **PULSES)
    assert holder() == "lrtbf"
    running.stop().result()
    assert holder() == "" and not Path("/sys/bus/parport/devices/lrtbf.0").exists()


def test_port_of_another():
    """ppdev has claimed it; and exclusively."""
    hold = """import fcntl, os, sys
fd = os.open("/dev/parport0", os.O_RDWR)
if sys.argv[1] == "exclusive":
    fcntl.ioctl(fd, 0x708f)
fcntl.ioctl(fd, 0x708b)
print("held", flush=True)
sys.stdin.read()"""
    for how in ("shared", "exclusive"):
        with subprocess.Popen(["/usr/bin/python3", "-c", hold, how], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "held\n"
            assert refused(PORT, **PULSES, count=1) == ("START", "EBUSY")
            other.stdin.close()
            other.wait()
        assert run(PORT, **PULSES, count=10)["interrupts"] == 10


def test_port_of_lp():
    """lp keeps the port from its first write until it is closed."""
    insmod("lp")
    try:
        with open("/dev/lp0", "wb", buffering=0) as printer:
            printer.write(b"x")
            assert holder() == "lp"
            assert refused(PORT, **PULSES, count=1) == ("START", "EBUSY")
        assert run(PORT, **PULSES, count=10)["interrupts"] == 10
    finally:
        command("rmmod", "lp")


def test_removed_while_running(start):
    """The port goes away in the middle: the run ends with what it has, and says why."""
    running = start(PORT, **PULSES)
    time.sleep(1)
    name = unbind()
    try:
        result = running.result()[0]
        assert result["stop"] == DETACHED
        assert result["samples"] > 5
        assert result["read"]["samples"] == result["samples"]
        assert not Path(PORT).exists()
    finally:
        bind(name)
    wait_until(lambda: Path(PORT).exists(), "the port did not come back")
    assert run(PORT, **PULSES, count=10)["interrupts"] == 10


def test_removed_while_open():
    """An open file of a port that is gone: ENODEV, also when the port has come back."""
    import ctypes
    import errno
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(PORT, os.O_RDWR)
    name = unbind()
    try:
        for _ in range(2):
            ctypes.set_errno(0)
            assert libc.ioctl(fd, 0x4cb2, 0) == -1 and ctypes.get_errno() == errno.ENODEV
            assert os.read(fd, 4096) == b""
            if not bound():
                bind(name)
    finally:
        if not bound():
            bind(name)
        os.close(fd)


def test_removed_while_waiting(start):
    """A thread in LRTBF_WAIT comes back."""
    running = start(PORT, role=TARGET, answer=USER, serve=1)
    time.sleep(0.3)
    name = unbind()
    try:
        assert running.result()[0]["stop"] == DETACHED
    finally:
        bind(name)


def test_restarted_while_waiting():
    """A thread in LRTBF_WAIT leaves with its run, also when the next has begun before it could."""
    command(JOB / "exercise", "restart", PORT)


def test_unload_port_driver(start):
    """In use while a run has the port, not while the device is only open."""
    fd = os.open(PORT, os.O_RDWR)
    command("rmmod", "ppdev", status=None)
    command("rmmod", "parport_pc")
    os.close(fd)
    assert not Path(PORT).exists()
    command("modprobe", "parport_pc")
    wait_until(lambda: Path(PORT).exists(), "the port did not come back")
    running = start(PORT, **PULSES)
    assert "in use" in command("rmmod", "parport_pc", status=1).stderr
    check_sums(running.stop().result()[0])
    command("modprobe", "ppdev")
    settle()


def test_port_without_interrupt():
    """It can poll, and nothing else."""
    command("rmmod", "ppdev")
    command("rmmod", "parport_pc")
    command("modprobe", "parport_pc", "io=0x378", "irq=none")
    try:
        wait_until(lambda: Path(PORT).exists(), "no port")
        assert refused(PORT, **PULSES, count=1) == ("START", "ENXIO")
        assert refused(PORT, role=TARGET, answer=HANDLER) == ("START", "ENXIO")
        assert refused(PORT, role=LOGGER, receive=IRQ, period_ns=MS) == ("START", "ENXIO")
        result = run(PORT, role=LOGGER, receive=POLL, period_ns=5 * MS)
        assert (result["irq"], result["stop"]) == (-1, LOSSES)
        check_sums(result)
    finally:
        command("rmmod", "parport_pc")
        command("modprobe", "parport_pc")
        command("modprobe", "ppdev")
        settle()


def test_silent_target():
    """Nobody answers: 16 losses in a row, no sample of any kind, and interrupts never off for long."""
    for receive in (POLL, IRQ):
        result = run(PORT, role=LOGGER, receive=receive, period_ns=5 * MS, timeout_ns=MS)
        check_sums(result)
        assert (result["stop"], result["lost"], result["samples"]) == (LOSSES, 16, 0)
        if receive == POLL:
            assert 16 * MS <= result["off_ns"] and MS <= result["off_max_ns"]
        else:
            assert result["off_ns"] == 0


def test_share_of_interrupts_off():
    """At most one tenth of the time, whatever the period."""
    begin = time.monotonic_ns()
    result = run(PORT, role=LOGGER, receive=POLL, period_ns=2 * MS, timeout_ns=MS, off_share_max=100,
                 losses_max=20)
    assert result["off_ns"] * 10 <= time.monotonic_ns() - begin
    assert result["missed"] >= 19 * 4
    assert result["lost"] == 20


def test_logger_virtual():
    """With the own interrupt masked no pulse of STROBE is taken for an answer."""
    result = run(PORT, role=LOGGER, receive=IRQ, period_ns=5 * MS, timeout_ns=MS, flags=2)
    assert (result["stop"], result["samples"], result["interrupts"]) == (LOSSES, 0, 0)


def test_storm():
    """More interrupts than allowed: masked, and said so."""
    result = run(PORT, role=LOOPBACK, period_ns=2 * MS, timeout_ns=MS, rate_max=100)
    assert result["stop"] == STORM
    # five in 50 ms are allowed; an emulated machine may stand still for some of them
    assert 6 <= result["interrupts"] < 60
    assert run(PORT, **PULSES, count=10)["interrupts"] == 10


@pytest.mark.parametrize("answer", [HANDLER, KTHREAD, USER])
def test_target_idle(answer):
    """Nothing to answer: it waits, and can be stopped."""
    result = run(PORT, role=TARGET, answer=answer, stop_ms=300, serve=int(answer == USER))
    assert (result["stop"], result["answers"], result["samples"]) == (ASKED, 0, 0)
    assert (result["worker"] != 0) == (answer == KTHREAD)


def check_periods(result, count):
    """Every period is there or counted, also those that the last wake-up was late by."""
    read = result["read"]
    after_last = result["missed"] - (read["last_seq"] + 1 - count)
    assert 0 <= after_last <= read["max_ns"] // (2 * MS) + 1


def test_timer_irq():
    result = run(TIMERS, role=TIMER_IRQ, period_ns=2 * MS, count=500, cpu=1)
    assert (result["samples"], result["stop"], result["context"]) == (500, COUNT, HARDIRQ)
    assert result["read"]["other_cpu"] == 0
    check_periods(result, 500)


def test_timer_kthread():
    result = run(TIMERS, role=TIMER_KTHREAD, period_ns=2 * MS, count=500, cpu=1, priority=80)
    assert (result["samples"], result["stop"], result["context"]) == (500, COUNT, THREAD)
    assert (result["priority"], result["thread"]) == (80, result["worker"])
    assert result["read"]["other_cpu"] == 0
    check_periods(result, 500)


def test_timers_of_each_cpu(start):
    """As many as CPUs, at one time."""
    cpus = os.cpu_count()
    running = [start(TIMERS, role=TIMER_IRQ, period_ns=2 * MS, cpu=cpu, stop_ms=1500)
               for cpu in range(cpus)]
    assert refused(TIMERS, role=TIMER_IRQ, period_ns=MS) == ("open", "EBUSY")
    for one in running:
        result = one.result()[0]
        assert result["samples"] > 100 and result["read"]["other_cpu"] == 0


def test_cpu_offline():
    """Refused before it runs; and a timer whose CPU goes away says where it ran."""
    online = Path("/sys/devices/system/cpu/cpu1/online")
    online.write_text("0")
    try:
        for role in (TIMER_IRQ, TIMER_KTHREAD):
            assert refused(TIMERS, role=role, period_ns=MS, cpu=1) == ("START", "ENXIO")
    finally:
        online.write_text("1")


@pytest.mark.parametrize("role", [TIMER_IRQ, TIMER_KTHREAD])
def test_cpu_goes_offline(start, role):
    online = Path("/sys/devices/system/cpu/cpu1/online")
    running = start(TIMERS, role=role, period_ns=5 * MS, cpu=1, stop_ms=2000)
    time.sleep(0.3)
    online.write_text("0")
    try:
        result = running.result()[0]
        assert result["read"]["other_cpu"] > 0
        assert result["stop"] == ASKED
    finally:
        online.write_text("1")


@pytest.mark.parametrize("device", [PORT, TIMERS])
def test_bad_requests(device):
    command(JOB / "exercise", "bad", device)


@pytest.mark.parametrize("device", [PORT, TIMERS])
def test_fuzz(device):
    """The kernel has nothing to say about it, and all works as before."""
    for seed in range(2):
        command(JOB / "fuzz", device, "1000", str(seed))
    command("pgrep", "-x", "lrtbf-.*", status=1)
    assert holder() == ""
    assert run(PORT, **PULSES, count=10)["interrupts"] == 10
    assert run(TIMERS, role=TIMER_IRQ, period_ns=2 * MS, count=10)["samples"] == 10


def test_32_bit_caller():
    command(JOB / "caller32")


def test_suspend(start):
    """The machine goes to sleep, as far as freezing everything: all runs end, say so, and can begin anew."""
    running = [start(PORT, **PULSES), start(TIMERS, role=TIMER_IRQ, period_ns=20 * MS),
               start(TIMERS, role=TIMER_KTHREAD, period_ns=20 * MS)]
    time.sleep(0.5)
    Path("/sys/power/pm_test").write_text("freezer")
    Path("/sys/power/state").write_text("freeze")
    Path("/sys/power/pm_test").write_text("none")
    for one in running:
        result = one.result()[0]
        assert result["stop"] == SUSPEND
        assert result["samples"] == result["read"]["samples"] > 0
    assert holder() == ""
    assert run(PORT, **PULSES, count=10)["interrupts"] == 10


def test_nobody():
    for device in (PORT, TIMERS):
        assert os.stat(device).st_mode & 0o777 == 0o600
        for words in (["exercise", "bad", device], ["fuzz", device, "100", "1"]):
            done = command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", JOB / words[0],
                           *words[1:], status=3)
            assert done.stderr == "open: EACCES\n"


def test_load_in_every_order():
    """Ports before us and after us; what is in use says so."""
    command("rmmod", "ppdev", status=None)
    command("rmmod", "parport_pc")
    command("rmmod", "lrtbf")
    insmod("lrtbf")
    command("modprobe", "parport_pc")
    wait_until(lambda: Path(PORT).exists(), "no port")
    command("rmmod", "lrtbf")
    command("rmmod", "parport_pc")
    command("modprobe", "parport_pc")
    insmod("lrtbf")
    assert Path(PORT).exists()
    insmod("lp")
    assert "in use" in command("rmmod", "parport_pc", status=1).stderr
    assert run(PORT, **PULSES, count=5)["interrupts"] == 5
    command("rmmod", "lp")
    assert "in use" in command("rmmod", "parport", status=1).stderr
    command("modprobe", "ppdev")
    settle()
    assert loaded("lrtbf")


@pytest.mark.slow
def test_ten_minutes():
    """1 kHz for ten minutes: counts exact, memory flat."""
    def slab():
        return int(next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines()
                        if line.startswith("SUnreclaim")))
    before = slab()
    result = run(PORT, role=LOOPBACK, period_ns=MS, count=600000, timeout=1200)
    check_sums(result)
    assert result["pulses"] == 600000
    assert abs(slab() - before) < 4096
