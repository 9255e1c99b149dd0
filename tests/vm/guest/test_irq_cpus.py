# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines whose CPU goes offline and comes back. Not with `unchanged`: what else ran on that CPU stays elsewhere."""
from pathlib import Path

import pytest

import service
import threads

BOUND_S = 20  # under emulation, where a CPU takes its time to come up
AFFINITY = Path("/proc/irq/7/smp_affinity_list")


def affinity():
    return AFFINITY.read_text().strip()


@pytest.fixture
def cpu():
    """CPU 1's switch; online at the end."""
    online = Path("/sys/devices/system/cpu/cpu1/online")
    if not online.exists():
        pytest.skip("CPU 1 cannot go offline here")
    yield online
    online.write_text("1")


@pytest.mark.rt
@pytest.mark.threadirqs
@pytest.mark.std
def test_cpu_that_was_away(cpu, daemon, caller):
    """The kernel moves a line whose CPU goes, and leaves it there: the rule brings it back, and it is nobody's drift."""
    before = affinity()
    service.apply_rules(daemon, caller, '{ match = { irq = 7; }; affinity = "1"; }')
    assert affinity() == "1"
    threads.seconds_until(lambda: caller.get("/org/lrtbf1", "Manager", "IrqWatching") == "process-events")
    cpu.write_text("0")
    threads.seconds_until(lambda: "None of the CPUs 1 is online" in daemon.log(), timeout=BOUND_S)
    assert affinity() in ("0", "0-1")  # the kernel's choice, or what was there before us
    cpu.write_text("1")
    threads.seconds_until(lambda: affinity() == "1", timeout=BOUND_S)
    assert "somebody else" not in daemon.log()
    # as are the values of a CPU that is gone and back before anybody has looked
    for state in "01":
        cpu.write_text(state)
    threads.seconds_until(lambda: affinity() == "1", timeout=BOUND_S)
    assert "somebody else" not in daemon.log()
    daemon.stop()
    assert affinity() == before
