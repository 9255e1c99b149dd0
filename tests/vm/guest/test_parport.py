# SPDX-License-Identifier: GPL-2.0-or-later
"""The instruments parport and ktimer on an emulated port, through daemon and command line."""
import os
import subprocess
import time
from pathlib import Path

import pytest

import service
import threads
from lrtbf import LRTBFD, MEASURE
from measured import (EXACT, JOB, PERIOD_MS, REALTIME, TIMEOUT_US, both, check_context, check_counts, command, ctl,
                      run, stage_of)

pytestmark = pytest.mark.usefixtures("unchanged", "module")

PRINTED = JOB / "port.out"
DEVICE = "/dev/lrtbf-parport0"
THREAD = "irq/7-parport0"
PULSES, SLACK = (10000, 0) if EXACT else (400, 5)

LOOPBACK = f"""instrument = "parport"; role = "loopback"; interval = "{PERIOD_MS}ms"; timeout = "{TIMEOUT_US}us";
    warm_up = "100ms"; duration = "{PULSES * PERIOD_MS}ms"; policy = "fifo"; priority = 80; cpus = "0";
    irq_rules = ( {{ match = {{ parport = "parport0"; thread = "*"; }}; policy = "fifo"; priority = 80;
                    override = [ "measuring" ]; }} );
"""


@pytest.fixture
def port():
    """The port is there afterwards, whatever becomes of the test."""
    taken = []

    def unbind():
        taken.append(threads.unbind("parport_pc"))
    yield unbind
    for device in taken:
        threads.bind("parport_pc", device)
        threads.seconds_until(lambda: Path("/sys/bus/parport/devices/parport0").exists()
                              or Path(DEVICE).exists())


@both
@pytest.mark.exact
def test_loopback(daemon, caller, warm, figure):
    """All pulses come back, none is lost, and each has left its byte at the port. But where a virtual
    CPU may stand still for longer than the time-out, that is a loss and no fault."""
    before = PRINTED.stat().st_size
    report = run(daemon, caller, "lab", LOOPBACK)
    stage = stage_of(report)
    check_counts(stage)
    check_context(report, THREAD)
    port, figures = stage["port"], stage["all"]
    assert figures["lost"] <= port["lost"]
    assert figures["missed"] == 0 or figures["missed"] is None
    # a period more or less at the ends, and what the machine missed
    lacking = port["missed"] + port["lost"] + port["discarded"]
    assert PULSES - 1 - lacking <= figures["count"] <= PULSES + 1
    # a pulse or two are sent until it is told to end
    assert 0 <= port["samples"] - figures["count"] - figures["warmup"] <= 2 + SLACK
    if EXACT:
        # what misses a period is the thread that sends: an ordinary kernel may hold it up for one
        assert (port["lost"], port["discarded"], port["missed"] and REALTIME) == (0, 0, 0)
    else:
        assert lacking <= PULSES // 20
    assert port["interrupts"] == port["samples"] + port["late"] + port["strays"] + port["discarded"]
    assert (port["port"], port["irq"], port["role"], port["stop"]) == ("parport0", 7, "loopback", "asked")
    assert 0 < port["resolution_ns"] < 1000000
    assert figures["min_ns"] > 0
    method = report["session"]["method"]
    assert (method["role"], method["port"], method["timeout_ns"]) == ("loopback", "parport0", TIMEOUT_US * 1000)
    printed = PRINTED.read_bytes()[before:]
    assert len(printed) == port["pulses"]
    assert printed == bytes(i % 256 for i in range(len(printed)))
    if REALTIME:
        assert [(t["policy"], t["priority"]) for t in port["threads"]] == [("fifo", 80)]
    (cpu,) = stage["cpus"]
    assert (cpu["cpu"], cpu["policy"], cpu["priority"]) == (0, "fifo", 80)
    text = ctl(daemon, "session", "report", report["session"]["id"])
    assert "parport0, interrupt 7" in text and "loopback at parport0" in text
    assert (f"thread {THREAD}" if REALTIME else "hard interrupt context") in text
    figure(f"loopback: {figures['count']} pulses, {figures['min_ns']}..{figures['max_ns']} ns"
           f", average {figures['avg_ns']}, resolution {port['resolution_ns']} ns")


@pytest.fixture
def begin(daemon, caller):
    """begin(): a loopback without an end, that runs; its id."""
    def begin():
        daemon.plan("lab", LOOPBACK.replace(f'duration = "{PULSES * PERIOD_MS}ms"', 'duration = "1h"'))
        caller.manager("Reload", "a{sv}", {})
        sid = caller.start("lab")
        caller.wait_state(sid, "running", timeout=60)
        return sid
    return begin


@pytest.mark.rt
@pytest.mark.threadirqs
def test_priority(daemon, caller, begin):
    """FIFO 80 for the length of the session, by chrt and ps, and FIFO 50 after it, however it ended."""
    sid, thread = begin(), threads.one(THREAD)
    threads.assert_is(thread, "fifo", 80, 0)
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=60) == "stopped"
    threads.assert_is(thread, "fifo", 50, 0)

    begin()
    threads.assert_is(thread, "fifo", 80, 0)
    daemon.kill()
    threads.assert_is(thread, "fifo", 80, 0)
    daemon.start()
    service.wait_for_standing(THREAD, ("fifo", 50, 0))

    # another value than the kernel's, by somebody else
    threads.set_policy(thread, "rr", 33)
    begin()
    threads.assert_is(thread, "fifo", 80, 0)
    daemon.kill()
    done = subprocess.run([LRTBFD, "--restore", f"--runtime-dir={daemon.runtime}"], capture_output=True, text=True)
    assert done.returncode == 0 and "put back to rr 33 from fifo 80" in done.stdout, done
    threads.assert_is(thread, "rr", 33, 0)
    threads.set_policy(thread, "fifo", 50)


@both
@pytest.mark.exact
@pytest.mark.parametrize("role", ["irq", "kthread"])
def test_ktimer(daemon, caller, warm, figure, role):
    """Every period on every CPU is there or missed; and where the time was taken."""
    report = run(daemon, caller, "lab", f"""instrument = "ktimer"; role = "{role}"; interval = "10ms";
        duration = "3s"; warm_up = "200ms"; policy = "fifo"; priority = 70;""")
    stage = stage_of(report)
    port = stage["port"]
    assert [c["cpu"] for c in stage["cpus"]] == list(range(os.cpu_count()))
    for cpu in stage["cpus"]:
        # the first is a period after the module's start, wherever that lies in the stage
        assert 299 <= cpu["count"] + cpu["missed"] <= 301, (cpu["count"], cpu["missed"], cpu["pending_ns"])
        assert cpu["migrated"] == 0
        assert sum(n for _, _, n in cpu["histogram"]) == cpu["count"]
        assert cpu["corrected"]["count"] == cpu["count"] + cpu["missed"]
        assert (cpu["policy"], cpu["priority"]) == (("fifo", 70) if role == "kthread" else (None, 0))
    assert (port["port"], port["role"], port["lost_records"]) == (None, role, 0)
    if role == "irq":
        assert (port["context"], port["threads"]) == (["hardirq"], [])
    else:
        assert port["context"] == ["thread"]
        assert [t["name"] for t in port["threads"]] == [f"lrtbf-timer/{c['cpu']}" for c in stage["cpus"]]
        assert {(t["policy"], t["priority"]) for t in port["threads"]} == {("fifo", 70)}
    figure(f"ktimer {role}: {stage['all']['min_ns']}..{stage['all']['max_ns']} ns")


@both
def test_port_removed(daemon, caller, begin, port):
    """In mid-session: it has failed, says why, and what was measured is there."""
    sid = begin()
    time.sleep(3)
    port()
    assert caller.wait_state(sid, timeout=60) == "failed"
    report = caller.report(sid)
    assert report["session"]["reason_id"] == "NoDevice"
    assert "removed" in report["session"]["reason"]
    stage = stage_of(report)
    check_counts(stage)
    assert stage["port"]["stop"] == "detached"
    assert stage["all"]["count"] > 20
    assert not stage["complete"]
    # and its place is free again
    assert subprocess.run([MEASURE, "ktimer", "--duration=100ms"], capture_output=True).returncode == 0


@both
def test_port_absent(daemon, caller):
    """Refused at once by the service, and by lrtbf-measure with what to do."""
    daemon.plan("lab", LOOPBACK)
    caller.manager("Reload", "a{sv}", {})
    done = daemon.ctl("session", "start", "lab", "--port=parport7")
    assert done.returncode == 1 and "parport7" in done.stderr and "parport0" in done.stderr
    alone = [MEASURE, "parport", "--duration=1s"]
    done = subprocess.run([*alone, "--port=parport7"], capture_output=True, text=True)
    assert done.returncode == 1 and "there are: parport0." in done.stderr
    command("rmmod", "lrtbf")
    done = subprocess.run(alone, capture_output=True, text=True)
    assert done.returncode == 1 and "modprobe lrtbf" in done.stderr


@both
def test_port_in_use(daemon, caller):
    """Of two who want it the second is told."""
    with subprocess.Popen([MEASURE, "parport", "--interval=20ms", "--timeout=10ms", "--duration=1h"],
                          stdout=subprocess.DEVNULL) as other:
        try:
            threads.seconds_until(lambda: threads.named("lrtbf-parport0"))
            daemon.plan("lab", LOOPBACK)
            caller.manager("Reload", "a{sv}", {})
            done = daemon.ctl("session", "start", "lab")
            alone = subprocess.run([MEASURE, "parport", "--duration=1s"], capture_output=True, text=True)
        finally:
            other.terminate()
    assert other.returncode == 0
    assert done.returncode == 1 and "parport0" in done.stderr
    assert alone.returncode == 1 and f"{DEVICE} is in use" in alone.stderr


@both
def test_silent_logger(daemon, caller):
    """Nobody answers: lost, and no sample of 0; the end after 16."""
    report = run(daemon, caller, "lab", """instrument = "parport"; role = "logger"; receive = "irq";
        interval = "20ms"; timeout = "10ms"; warm_up = "0s"; duration = "1h"; limits = [ "max <= 1s" ];""")
    stage = stage_of(report)
    check_counts(stage)
    assert report["session"]["verdict"] == "inconclusive"
    assert "port-silent" in [f["id"] for f in stage["findings"]]
    assert (stage["all"]["count"], stage["all"]["lost"], stage["port"]["stop"]) == (0, 16, "losses")
    assert stage["all"]["min_ns"] is None and stage["all"]["histogram"] == []


@both
@pytest.mark.parametrize("answer", ["handler", "kthread", "user"])
def test_silent_target(daemon, caller, answer):
    """Nobody asks: one finding, and nulls for figures."""
    for _ in range(3):  # whoever had the port before may have left an edge that is still under way
        report = run(daemon, caller, "lab", f"""instrument = "parport"; role = "target"; answer = "{answer}";
            warm_up = "0s"; duration = "2s";""")
        stage = stage_of(report)
        if stage["port"]["answers"] == 0:
            break
    assert report["session"]["verdict"] == "inconclusive"
    assert [f["id"] for f in stage["findings"] if f["inconclusive"]] == ["port-silent"]
    assert (stage["all"]["count"], stage["all"]["avg_ns"]) == (0, None)
    assert (stage["port"]["answer"], stage["port"]["answers"]) == (answer, 0)
    assert report["session"]["interval_ns"] is None


@both
def test_plan(daemon, caller):
    """The plan that is shipped: its rule is in force where there is a thread, and no doubt where not."""
    sid = ctl(daemon, "session", "start", "parport_loopback", "--duration=1s", "--warm-up=0s").strip()
    assert caller.wait_state(sid, timeout=60) == "done"
    report = caller.report(sid)
    found = {w["id"] for w in report["conditions"]["warnings"]}
    assert "irq-rule" not in found
    assert ("irq-rule-waits" in found) == (not REALTIME)
    if REALTIME:
        (thread,) = stage_of(report)["port"]["threads"]
        assert (thread["name"], thread["policy"], thread["priority"]) == (THREAD, "fifo", 80)
