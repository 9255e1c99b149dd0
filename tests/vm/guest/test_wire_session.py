# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions with a logger at one end of a cable in memory (lrtbf-wire.ko), and the cable's own echo or a
target at the other. The cable knows when each edge was there: a session's figures are held against that.

Where time is this machine's a virtual CPU may stand still at any moment: then an answer is late or lost
that the cable delivered in time, and only sums and lower bounds are asserted.
"""
import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import threads
from lrtbf import MEASURE, ROOT, wait_for
from measured import (EXACT, PERIOD_MS, REALTIME, TIMEOUT_US, both, check_context, check_counts, command, ctl, insert,
                      loaded, run, shipped, stage_of)
from ports import ports, state

sys.path.append(str(ROOT / "tests/kmod"))

import wire

pytestmark = pytest.mark.usefixtures("unchanged", "module")

US, MS = 1000, 1000000
PULSES = 1000 if EXACT else 100
DELAY_NS = 300 * US
# answers that this machine delays beyond the time-out, where it can
SLACK = 0 if EXACT else PULSES // 10
RULES = """( { match = { parport = "*"; thread = "*"; }; policy = "fifo"; priority = 80;
    override = [ "measuring" ]; } )"""


@pytest.fixture
def make_ends(daemon, caller):
    """make_ends(PARAMETER...): the two ports of a cable, the logger's first; known to the daemon."""
    if not Path("/sys/kernel/debug/tracing").exists():
        command("mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug")

    def make(*parameters):
        insert("lrtbf-wire", *parameters)
        ends = [wire.Port(0), wire.Port(1)]
        for end in ends:
            wait_for(lambda: state(caller, end.name) == "ready", timeout=60)
            end.clear()  # the core has looked for printers
        return ends
    yield make
    # ppdev, which udev may still be asking, has it for a moment
    wait_for(lambda: not loaded("lrtbf_wire") or not subprocess.run(["rmmod", "lrtbf_wire"]).returncode, timeout=60)


@pytest.fixture
def echo(make_ends):
    """The target is the cable itself. What it sends takes some time, or it would be there before the write
    that asks has returned."""
    return make_ends("echo=0,1", f"delay_ns={DELAY_NS},0")


def logger(ends, receive="poll", duration_ms=PULSES * PERIOD_MS, **keys):
    """The plan that is shipped, at this port, and slow enough for an emulated machine."""
    return shipped("parport_logger", port=f'"{ends[0].name}"', receive=f'"{receive}"', warm_up='"0s"',
                   interval=f'"{PERIOD_MS}ms"', timeout=f'"{TIMEOUT_US}us"', duration=f'"{duration_ms}ms"',
                   cpus='"0"', irq_rules=RULES, **keys)


def thread_of(end):
    return f"irq/{end.irq}-{end.name}"


def check_logger(report, ends, receive):
    """What the report says of how it was measured."""
    stage = stage_of(report)
    check_counts(stage)
    port, method = stage["port"], report["session"]["method"]
    assert (report["session"]["plan"], stage["complete"]) == ("lab", True)
    assert (port["port"], port["irq"], port["role"], port["receive"]) == (ends[0].name, ends[0].irq, "logger", receive)
    assert (method["role"], method["port"], method["receive"]) == ("logger", ends[0].name, receive)
    assert (port["answer"], method["timeout_ns"], port["timeout_ns"]) == (None, TIMEOUT_US * US, TIMEOUT_US * US)
    assert 0 < port["resolution_ns"] < MS
    assert port["pulses"] == ends[1].counters()["pulses"]
    if receive == "irq":
        check_context(report, thread_of(ends[0]))
        assert (port["off_ns"], port["off_max_ns"]) == (0, 0)
        if REALTIME:
            assert [(t["policy"], t["priority"]) for t in port["threads"]] == [("fifo", 80)]
    else:
        assert (port["context"], port["interrupts"]) == ([], 0)
        assert port["off_ns"] >= port["off_max_ns"] > 0
        assert port["off_ns"] <= stage["duration_ns"] // 2 + TIMEOUT_US * US
        (thread,) = port["threads"]
        assert (thread["name"], thread["policy"], thread["priority"]) == (f"lrtbf-{ends[0].name}", "fifo", 80)
    return port, stage["all"]


def check_text(daemon, report, ends, receive):
    text = ctl(daemon, "session", "report", report["session"]["id"])
    assert f"{ends[0].name}, interrupt {ends[0].irq}; resolution" in text
    assert ("two latencies in one figure" in text) == (receive == "irq")
    if receive == "poll":
        assert f"It polled in thread lrtbf-{ends[0].name}" in text and "Interrupts were off for" in text
    elif REALTIME:
        assert f"The handler ran in thread {thread_of(ends[0])}" in text and "fifo 80" in text
    else:
        assert "hard interrupt context" in text


def truth(ends, receive):
    """How long each answer really took."""
    answers = {e.at: e for e in ends[0].edges()}
    pairs = [(pulse, answers[pulse.due]) for pulse in ends[1].edges()]
    return [(answer.due if receive == "poll" else answer.handled) - pulse.at for pulse, answer in pairs]


def try_delay(daemon, caller, ends, receive):
    """The cable takes 300 us: no sample is shorter, and where time is exact each is what it really took."""
    report = run(daemon, caller, "lab", logger(ends, receive))
    port, figures = check_logger(report, ends, receive)
    check_text(daemon, report, ends, receive)
    assert figures["min_ns"] >= DELAY_NS
    assert all(high > DELAY_NS for _, high, _ in figures["histogram"])
    if not EXACT:
        assert figures["count"] >= PULSES // 2
        return None
    assert (port["lost"], port["late"], port["strays"], port["discarded"]) == (0, 0, 0, 0)
    # periods pass until the module has begun: time goes on while the machine outside reads files for this one;
    # a pulse or two are sent after the end
    assert PULSES // 2 <= figures["count"] <= port["pulses"] <= figures["count"] + 2
    true_ns = truth(ends, receive)[:figures["count"]]
    for key, value in (("min_ns", min(true_ns)), ("max_ns", max(true_ns)), ("avg_ns", sum(true_ns) / len(true_ns))):
        assert 0 <= figures[key] - value <= port["resolution_ns"], (key, figures[key], value)
    return (f"truth {min(true_ns)}..{max(true_ns)} ns, measured {figures['min_ns']}..{figures['max_ns']}, "
            f"resolution {port['resolution_ns']} ns")


def check_lost(port, figures, numbers):
    """Each of these pulses was lost, but for one that was still under way when the run ended; and one that
    came to its end when the stage's time was over counts for the module, but not in the figures."""
    over = [n for n in numbers if n < port["pulses"] - 2]
    assert len(over) <= port["lost"] <= len(numbers)
    assert port["lost"] - 1 <= figures["lost"] <= port["lost"]


def try_dropped(daemon, caller, ends, receive):
    """Every 100th answer: exactly 1 % is lost, and nothing is a sample that was not answered."""
    ends[0].set(drop_every=100)
    report = run(daemon, caller, "lab", logger(ends, receive, duration_ms=2 * PULSES * PERIOD_MS))
    port, figures = check_logger(report, ends, receive)
    dropped = [e.number for e in ends[0].edges() if "dropped" in e.flags]
    assert dropped == list(range(99, port["pulses"], 100)) != []
    assert len(dropped) <= port["lost"] - port["late"] <= len(dropped) + SLACK
    assert figures["min_ns"] >= DELAY_NS
    assert all(low > 0 and high > port["resolution_ns"] for low, high, _ in figures["histogram"])
    if EXACT:
        check_lost(port, figures, dropped)
        assert (port["late"], figures["late"]) == (0, 0)
        # a sample is left out after each, but none comes after the last one when that was the last pulse
        assert len([n for n in dropped if n < port["pulses"] - 3]) <= port["discarded"] <= port["lost"]
        assert port["samples"] - 2 <= figures["count"] <= port["samples"]


def try_late(daemon, caller, ends, receive):
    """What comes after the time-out is late, and no sample of this pulse or of another one."""
    ends[0].set(late_every=20, late_ns=TIMEOUT_US * US)
    report = run(daemon, caller, "lab", logger(ends, receive))
    port, figures = check_logger(report, ends, receive)
    numbers = [e.number for e in ends[0].edges() if "late" in e.flags]
    late = len(numbers)
    assert late == port["pulses"] // 20 > 0
    assert late <= port["lost"] <= late + SLACK and late - SLACK <= port["late"] <= port["lost"]
    assert DELAY_NS <= figures["min_ns"] and figures["max_ns"] <= TIMEOUT_US * US
    if EXACT:
        check_lost(port, figures, numbers)
        assert (figures["late"], port["late"]) == (figures["lost"], port["lost"])
    text = ctl(daemon, "session", "report", report["session"]["id"])
    assert f"Late answers, not counted as samples: {figures['late']}." in text


def try_silent(daemon, caller, ends, receive):
    """Nobody answers: sixteen losses and no verdict, and neither the service nor the machine minds."""
    ends[1].set(echo=0)
    report = run(daemon, caller, "lab", logger(ends, receive, duration_ms=3600000, limits='[ "max <= 1s" ]'))
    stage = stage_of(report)
    check_counts(stage)
    assert report["session"]["verdict"] == "inconclusive"
    assert "port-silent" in [f["id"] for f in stage["findings"] if f["inconclusive"]]
    assert (stage["port"]["pulses"], stage["port"]["lost"], stage["port"]["stop"]) == (16, 16, "losses")
    assert (stage["all"]["count"], stage["all"]["min_ns"], stage["all"]["histogram"]) == (0, None, [])
    assert "many answers in a row were lost" in ctl(daemon, "session", "report", report["session"]["id"])


@both
@pytest.mark.exact
@pytest.mark.parametrize("receive", ["poll", "irq"])
def test_echo(daemon, caller, warm, make_ends, figure, receive):
    """One after the other, so that each is measured by a service and a module that had all before it."""
    ends = make_ends()
    for measure in (try_silent, try_delay, try_dropped, try_late):
        ends[0].set(delay_ns=DELAY_NS, drop_every=0, late_every=0)
        ends[1].set(echo=1)
        for end in ends:
            end.clear()
        seen = measure(daemon, caller, ends, receive)
        if seen:
            figure(f"wire, {receive}: {seen}")


@contextlib.contextmanager
def alone(end, role, *options):
    """lrtbf-measure by itself at one end, until it is told to end; then its report."""
    measuring = subprocess.Popen([MEASURE, "parport", f"--role={role}", f"--port={end.name}", "--warm-up=0s",
                                  "--cpus=0", "--duration=1h", "--json", *options],
                                 stdout=subprocess.PIPE, text=True)
    found = {}
    try:
        threads_of = f"/proc/sys/dev/parport/{end.name}/devices/active"
        wait_for(lambda: "lrtbf" in Path(threads_of).read_text(), timeout=60)
        yield found
    finally:
        measuring.send_signal(signal.SIGINT)
        output, _ = measuring.communicate(timeout=60)
    assert measuring.returncode == 0
    found.update(json.loads(output))


@both
@pytest.mark.parametrize("answer", ["handler", "user"])
def test_target(daemon, caller, make_ends, answer):
    """The session answers what somebody else asks."""
    ends = make_ends()
    plan = shipped("parport_target", port=f'"{ends[1].name}"', answer=f'"{answer}"', cpus='"0"', duration='"1h"')
    daemon.plan("lab", plan)
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("lab")
    wait_for(lambda: state(caller, ends[1].name) == "measuring", timeout=60)
    assert ports(caller)[ends[1].name]["Role"] == "target"
    with alone(ends[0], "logger", "--receive=irq", f"--interval={PERIOD_MS}ms", f"--timeout={TIMEOUT_US}us") as asked:
        wait_for(lambda: ends[1].counters()["pulses"] >= 50, timeout=60)
    time.sleep(0.2)
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=60) == "stopped"
    report = json.loads(ctl(daemon, "session", "report", sid, "--format=json"))
    stage, method = stage_of(report), report["session"]["method"]
    port, pulses = stage["port"], asked["port"]["pulses"]
    assert (port["role"], port["answer"], port["irq"]) == ("target", answer, ends[1].irq)
    assert (method["role"], method["answer"], method["port"]) == ("target", answer, ends[1].name)
    check_context(report, thread_of(ends[1]))
    assert port["answers"] == port["samples"] == stage["all"]["count"]
    assert port["answers"] + port["missed"] == port["interrupts"]
    assert pulses - SLACK <= port["interrupts"] <= pulses
    assert asked["port"]["samples"] > 0
    assert stage["all"]["min_ns"] > 0
    said = {"handler": "the handler itself", "user": "a thread of user space"}[answer]
    assert f"Target, answering from {said}" in ctl(daemon, "session", "report", sid)


@both
def test_logger_and_target(daemon, caller, make_ends):
    """The session asks, and somebody else answers."""
    ends = make_ends()
    with alone(ends[1], "target", "--answer=kthread") as answered:
        report = run(daemon, caller, "lab", logger(ends, "irq"))
        text = ctl(daemon, "session", "report", report["session"]["id"])
    port, figures = check_logger(report, ends, "irq")
    assert "two latencies in one figure" in text
    assert figures["count"] > PULSES // 2
    assert answered["port"]["answers"] <= port["pulses"]
    assert answered["port"]["answers"] >= port["samples"]


@both
def test_one_of_two(daemon, caller, make_ends):
    """Two sessions at the two ends of one cable: the second waits for the first, and neither spoils the other."""
    ends = make_ends()
    target = shipped("parport_target", port=f'"{ends[1].name}"', cpus='"0"', duration='"2s"')
    daemon.plan("target", target)
    daemon.plan("logger", logger(ends, "irq", duration_ms=3600000))
    caller.manager("Reload", "a{sv}", {})
    first = caller.start("target")
    second = daemon.ctl("session", "start", "logger", "--no-queue")
    assert second.returncode == 1 and first in second.stderr
    second = caller.start("logger")
    assert caller.wait_state(first, timeout=60) == "done"
    assert caller.wait_state(second, timeout=60) == "done"
    assert [s["port"]["stop"] for s in caller.report(second)["stages"]] == ["losses"]


@both
def test_unplugged(daemon, caller, echo):
    """The logger's port is pulled out: failed, with what was measured; plugged in again it measures."""
    daemon.plan("lab", logger(echo, "poll", duration_ms=3600000))
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("lab")
    caller.wait_state(sid, "running", timeout=60)
    wait_for(lambda: echo[1].counters()["pulses"] > 50, timeout=60)
    name = echo[0].name
    echo[0].unplug()
    assert caller.wait_state(sid, timeout=60) == "failed"
    report = caller.report(sid)
    assert report["session"]["reason_id"] == "NoDevice"
    stage = stage_of(report)
    check_counts(stage)
    assert stage["port"]["stop"] == "detached" and stage["all"]["count"] > 20
    wait_for(lambda: name not in ports(caller), timeout=30)
    echo[0].plug()
    wait_for(lambda: state(caller, echo[0].name) == "ready", timeout=30)
    echo[1].clear()
    report = run(daemon, caller, "again", logger(echo, "poll", duration_ms=50 * PERIOD_MS))
    assert stage_of(report)["all"]["count"] > 20


@both
def test_unplugged_while_queued(daemon, caller, echo):
    """A session that waits for its turn, and whose port is gone then: failed and said why."""
    daemon.plan("long", 'instrument = "timer"; policy = "other"; interval = "10ms"; duration = "1h"; cpus = "0";')
    daemon.plan("lab", logger(echo))
    caller.manager("Reload", "a{sv}", {})
    first = caller.start("long")
    second = caller.start("lab")
    name = echo[0].name
    echo[0].unplug()
    wait_for(lambda: name not in ports(caller), timeout=30)
    caller.session(first, "Stop", "a{sv}", {})
    assert caller.wait_state(second, timeout=60) == "failed"
    assert caller.session_get(second, "ReasonId") == "NoDevice"
    assert name in caller.session_get(second, "Reason")
    echo[0].plug()


@pytest.fixture
def printer(make_ends):
    """printer(): lp prints at the logger's port, and its printer is busy as long as it prints. A process."""
    ends = make_ends()
    printing = []

    def start(wait=True):
        insert("lp", f"parport={ends[0].name.removeprefix('parport')}")
        wait_for(Path("/dev/lp0").exists)
        child = subprocess.Popen(["sh", "-c", "exec 3>/dev/lp0; exec head -c 4096 /dev/zero >&3"])
        printing.append(child)
        return child
    with wire.Ppdev(ends[1]) as other:
        other.data(0x13)  # no error, selected, paper, busy
        start.ends = ends
        yield start
        for child in printing:
            child.kill()
            child.wait(60)
    if loaded("lp"):
        command("rmmod", "lp")


@both
def test_printer(daemon, caller, printer):
    """lp has the port as long as it prints: named, nothing else may have it, and afterwards all is well."""
    ends = printer.ends
    name = ends[0].name
    child = printer()
    wait_for(lambda: ports(caller)[name]["Holder"] == "lp", timeout=30)
    assert state(caller, name) == "busy"
    daemon.plan("lab", logger(ends, "irq", duration_ms=50 * PERIOD_MS))
    caller.manager("Reload", "a{sv}", {})
    done = daemon.ctl("session", "start", "lab")
    assert done.returncode == 1 and f"{name} is held by the driver lp" in done.stderr
    done = daemon.ctl("port", "test", name)
    assert "held by the driver lp" in done.stdout + done.stderr
    assert "lp" in ctl(daemon, "port", "show", name)
    assert subprocess.run(["rmmod", "lp"], capture_output=True).returncode == 1
    assert state(caller, name) == "busy" and child.poll() is None
    child.kill()
    child.wait(60)
    wait_for(lambda: state(caller, name) == "ready", timeout=30)
    command("rmmod", "lp")
    report = run(daemon, caller, "lab", logger(ends, "irq", duration_ms=3600000))
    assert stage_of(report)["port"]["stop"] == "losses"


@both
def test_printer_waits(daemon, caller, printer):
    """Who wants to print during a session waits for its end, and the session is not disturbed."""
    ends = printer.ends
    ends[1].set(echo=1)
    ends[0].set(delay_ns=DELAY_NS)
    daemon.plan("lab", logger(ends, "irq", duration_ms=3600000))
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("lab")
    wait_for(lambda: state(caller, ends[0].name) == "measuring", timeout=60)
    child = printer()
    before = ends[1].counters()["pulses"]
    wait_for(lambda: ends[1].counters()["pulses"] > before + 50, timeout=60)
    assert state(caller, ends[0].name) == "measuring" and child.poll() is None
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid, timeout=60) == "stopped"
    wait_for(lambda: ports(caller)[ends[0].name]["Holder"] == "lp", timeout=30)
    stage = stage_of(caller.report(sid))
    check_counts(stage)
    assert stage["all"]["count"] > 20
