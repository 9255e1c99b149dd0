# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbf-measure with the kernel module, for which a library stands in that is preloaded and measures
nothing (tests/unit/fake-lrtbf.c): what becomes of its records, of its ends and of its refusals."""
import os
import signal
import time

import pytest

from lrtbf import BUILD, documented
from test_measure import CPUS, MS, SANITIZED, Run, adds_up, needs_fifo, needs_two

pytestmark = needs_fifo
MODULE = BUILD / "tests/unit/fake-lrtbf.so"
CPU = CPUS[0]


def start(how, *args):
    return Run(*args, env={"LD_PRELOAD": str(MODULE), "LRTBF_FAKE_MODULE": how})


def measure(how, *args, status=0):
    run = start(how, *args, "--json")
    return run.result(status), run.err


def refused(how, *args):
    run = start(how, *args)
    assert run.end() == 1, run.err
    assert run.out == ""
    return run.err


def warnings(report):
    """But for what is always so with a sanitizer, which keeps memory from being locked."""
    return [w["id"] for w in report["warnings"] if not SANITIZED or w["id"] != "page-faults"]


PORT = ["parport", f"--cpus={CPU}", "--interval=1ms"]


def test_loopback():
    """Every pulse of the measuring time and none of the warm-up."""
    report, _ = measure("", *PORT, "--duration=1s", "--warm-up=200ms", "--priority=77")
    figures, port = report["all"], report["port"]
    adds_up(figures)
    assert 998 <= figures["count"] <= 1001
    assert 50 <= figures["warmup"] <= 201
    assert (figures["lost"], figures["late"], figures["migrated"], figures["missed"]) == (0, 0, 0, None)
    assert 1000 <= figures["min_ns"] and figures["max_ns"] == 1999
    assert (port["role"], port["port"], port["irq"], port["resolution_ns"]) == ("loopback", "parport0", 7, 1234)
    assert port["pulses"] == port["samples"] >= figures["count"] + figures["warmup"]
    assert (port["stop"], port["context"]) == ("asked", ["thread"])
    assert port["threads"][0]["name"] == "lrtbf-measure"
    assert {*port, *port["threads"][0]} == documented("is what the kernel module says")
    assert (report["interval_ns"], warnings(report)) == (MS, [])


def test_text():
    run = start("", *PORT, "--role=logger", "--receive=irq", "--duration=200ms")
    assert run.end() == 0, run.err
    assert "two latencies in one figure" in run.out
    assert "Port parport0, interrupt 7; resolution 1.234us" in run.out


def test_lossy():
    """A loss is no sample, and a late answer neither."""
    report, _ = measure("lossy", *PORT, "--role=logger", "--duration=1s", "--warm-up=0s")
    figures = report["all"]
    adds_up(figures)
    total = figures["count"] + figures["lost"]
    assert 800 <= total <= 1001  # it begins when the module has started
    assert abs(figures["lost"] - total / 10) <= 1
    assert abs(figures["late"] - total / 20) <= 1
    assert 1000 <= figures["min_ns"] and figures["max_ns"] <= 1999
    assert report["port"]["lost"] >= figures["lost"]


def test_silent():
    begin = time.monotonic()
    report, _ = measure("silent", *PORT, "--duration=1h", "--warm-up=0s")
    assert time.monotonic() - begin < 30
    assert (report["all"]["count"], report["all"]["lost"], report["port"]["stop"]) == (0, 16, "losses")
    assert report["all"]["min_ns"] is None
    assert warnings(report) == ["port-silent"]


@pytest.mark.parametrize("how, finding", [("storm", "port-storm"), ("suspend", "suspended")])
def test_ends_early(how, finding):
    report, _ = measure(how, *PORT, "--duration=1h", "--warm-up=0s")
    assert (report["all"]["count"], report["port"]["stop"]) == (100, how)
    assert warnings(report) == [finding]


def test_removed():
    """The error is told, and what there was is printed."""
    report, err = measure("detached", *PORT, "--duration=1h", "--warm-up=0s", status=1)
    assert (report["all"]["count"], report["port"]["stop"]) == (100, "detached")
    assert "parport0 was removed" in err


def test_full():
    report, _ = measure("full", *PORT, "--duration=300ms", "--warm-up=0s")
    assert report["port"]["lost_records"] == 5
    assert warnings(report) == ["lost-records"]


def test_break():
    report, _ = measure("", *PORT, "--duration=1h", "--warm-up=0s", "--break=1500ns")
    assert report["broke_ns"] == report["all"]["max_ns"] == 1500
    assert report["all"]["count"] == 501


def test_stopped():
    """A signal, in the middle of a batch: all that was measured until then."""
    run = start("", *PORT, "--duration=1h", "--warm-up=0s", "--json")
    time.sleep(1.5)
    run.signal(signal.SIGINT)
    report = run.result()
    assert report["all"]["count"] == report["port"]["samples"] > 100


@pytest.mark.parametrize("answer", ["handler", "kthread", "user"])
def test_target(answer):
    """Its own thread answers when it is told to, at its own priority."""
    run = start("", "parport", f"--cpus={CPU}", "--role=target", f"--answer={answer}", "--duration=500ms",
                "--warm-up=0s", "--priority=33", "--json")
    report = run.result()
    assert report["interval_ns"] is None
    assert report["port"]["answer"] == answer
    if answer == "user":
        assert (report["cpus"][0]["policy"], report["cpus"][0]["priority"]) == ("fifo", 33)
        assert 5 < report["all"]["count"] <= report["port"]["answers"] <= 251
        assert report["all"]["min_ns"] == report["all"]["max_ns"] == 1500
        assert warnings(report) == []
    else:
        assert (report["all"]["count"], warnings(report)) == (0, ["port-silent"])


@needs_two
def test_timer():
    """On each CPU every period is there."""
    report, _ = measure("", "ktimer", f"--cpus={CPUS[0]},{CPUS[1]}", "--interval=1ms", "--duration=1s")
    assert [c["cpu"] for c in report["cpus"]] == CPUS[:2]
    for cpu in report["cpus"]:
        adds_up(cpu)
        assert 999 <= cpu["count"] <= 1001
        assert (cpu["missed"], cpu["pending_ns"]) == (0, 0)
    assert (report["port"]["port"], report["port"]["role"]) == (None, "irq")
    assert report["port"]["samples"] >= report["all"]["count"]


def test_timer_late():
    """What a period passed over is missed, and in the corrected view as it would have been seen."""
    report, _ = measure("late", "ktimer", f"--cpus={CPU}", "--interval=1ms", "--duration=2s", "--warm-up=0s")
    figures = report["all"]
    adds_up(figures)
    late = round(figures["count"] / 50)
    assert abs(figures["missed"] - 2 * late) <= 2
    assert 1800 <= figures["count"] + figures["missed"] <= 2002
    assert figures["max_ns"] == 2500000


def test_timer_moved():
    report, _ = measure("moved", "ktimer", f"--cpus={CPU}", "--interval=1ms", "--duration=1s", "--warm-up=0s")
    figures = report["all"]
    total = figures["count"] + figures["migrated"]
    assert 800 <= total <= 1001 and abs(figures["migrated"] - total / 50) <= 1


@pytest.mark.parametrize("how, args, sentence", [
    ("denied", [], "may not be opened"),
    ("busy", [], "in use by another measurement"),
    ("abi", [], "version 2"),
    ("noirq", [], "has no interrupt"),
    ("held", [], "parport0 is held by"),
    ("usb", [], "behind USB"),
    ("offline", [], f"CPU {CPU} is not online"),
    ("", ["--port=parport3"], "modprobe lrtbf"),
])
def test_refused(how, args, sentence):
    assert sentence in refused(how, "parport", f"--cpus={CPU}", "--duration=1h", *args)


def test_no_interrupt_needed():
    """Polling does without."""
    report, _ = measure("noirq", *PORT, "--role=logger", "--duration=100ms")
    assert report["port"]["irq"] is None and report["all"]["count"] > 90


def test_reader():
    """It stays on its CPU, and below everything that may be part of what is measured."""
    run = start("", *PORT, "--duration=1h")
    try:
        tid = run.threads()[CPU]
        end = time.monotonic() + 10
        while os.sched_getscheduler(tid) != os.SCHED_FIFO and time.monotonic() < end:
            time.sleep(0.01)
        assert (os.sched_getscheduler(tid), os.sched_getparam(tid).sched_priority) == (os.SCHED_FIFO, 1)
        assert os.sched_getaffinity(tid) == {CPU}
    finally:
        run.signal(signal.SIGTERM)
        assert run.end() == 0
