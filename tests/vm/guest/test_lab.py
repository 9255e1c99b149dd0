# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab is what the other tests take it for."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import threads
from lrtbf import MEASURE


@pytest.mark.rt
def test_preempt_rt():
    assert Path("/sys/kernel/realtime").read_text().strip() == "1"
    assert "PREEMPT_RT" in os.uname().version
    for name in ("irq/7-parport0", "irq/8-rtc0", r"irq/\d+-virtio2-input.0"):
        threads.assert_is(threads.one(name), "fifo", 50, 0)


@pytest.mark.threadirqs
def test_threadirqs():
    assert "threadirqs" in Path("/proc/cmdline").read_text().split()
    assert not Path("/sys/kernel/realtime").exists()
    threads.assert_is(threads.one("irq/7-parport0"), "fifo", 50, 0)


@pytest.mark.std
def test_ordinary():
    assert not Path("/sys/kernel/realtime").exists()
    assert threads.named("irq/7-.*") == []
    assert threads.irq_of("parport0") == 7


@pytest.mark.rt
def test_new_thread():
    """The port's thread is another after its driver was taken away and given back."""
    before = threads.one("irq/7-parport0")
    device = threads.unbind("parport_pc")
    assert threads.named("irq/7-parport0") == []
    threads.bind("parport_pc", device)
    threads.seconds_until(lambda: threads.named("irq/7-parport0"))
    assert threads.one("irq/7-parport0") != before


@pytest.mark.rt
def test_measure():
    """lrtbf-measure by itself. Nothing is said of how late: time is emulated here."""
    done = subprocess.run([MEASURE, "timer", "--duration=1s", "--interval=10ms", "--warm-up=100ms",
                           "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    figures = report["all"]
    assert figures["count"] + figures["missed"] >= 2 * 100
    assert figures["min_ns"] > 0


@pytest.mark.rt
def test_session(daemon, caller):
    """A session on a PREEMPT_RT kernel says that it is one."""
    daemon.plan("short", 'instrument = "timer"; duration = "1s"; interval = "10ms"; warm_up = "100ms";')
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("short")
    assert caller.wait_state(sid, timeout=90) == "done"
    report = caller.report(sid)
    assert "not-preempt-rt" not in [w["id"] for w in report["conditions"]["warnings"]]
    assert report["conditions"]["kernel"]["realtime"] is True
