# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that run inside of the lab, with the helpers of the bus tests. Each is marked with the
kernels it is for, and scripts/test runs pytest with that mark on each."""
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

BUS_TESTS = Path(__file__).resolve().parents[2] / "bus"
sys.path.insert(0, str(BUS_TESTS))

import threads
from lrtbf import CTL, LRTBFD, MEASURE
from measured import EXACT, JOB, ctl, insert, loaded

# both files are called conftest, which is why it cannot be imported by its name
spec = importlib.util.spec_from_file_location("bus_conftest", BUS_TESTS / "conftest.py")
bus_conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bus_conftest)

folder = bus_conftest.folder
bus = bus_conftest.bus
make_daemon = bus_conftest.make_daemon
daemon = bus_conftest.daemon
caller = bus_conftest.caller
pytest_runtest_makereport = bus_conftest.pytest_runtest_makereport

FIGURES = pytest.StashKey()
TROUBLE = re.compile(r"BUG|WARNING|Oops|Call Trace|scheduling while atomic|nobody cared|soft lockup|refcount_t")


def pytest_configure(config):
    config.stash[FIGURES] = []


@pytest.fixture
def figure(request):
    """figure(TEXT): a figure that nothing is asserted of, told at the end."""
    return request.config.stash[FIGURES].append


def pytest_terminal_summary(terminalreporter, config):
    for text in config.stash[FIGURES]:
        terminalreporter.write_line(f"figure: {text}")


@pytest.fixture
def unchanged():
    """After the daemon's stop every thread and line that was there before its start is as it was; and is
    made so for the next test when it is not."""
    before = threads.everything()
    yield
    try:
        threads.assert_unchanged(before)
    finally:
        threads.put_back(before)


@pytest.fixture
def kernel_messages():
    """The kernel complains of nothing."""
    subprocess.run(["dmesg", "--clear"], check=True)
    yield
    said = subprocess.run(["dmesg"], check=True, capture_output=True, text=True).stdout
    assert not TROUBLE.search(said), said


@pytest.fixture
def module(kernel_messages):
    """lrtbf.ko with a device for each port."""
    insert("lrtbf")
    threads.seconds_until(lambda: Path("/dev/lrtbf-parport0").exists())
    yield
    if loaded():
        subprocess.run(["rmmod", "lrtbf"], check=True)


@pytest.fixture
def warm(daemon, caller):
    """Whatever a session needs is in memory. With instructions for a clock nobody knows how long a page
    takes that comes from this machine: it may seem to be a minute, and a call is out of time."""
    for program in (LRTBFD, MEASURE, CTL) if EXACT else ():
        program.read_bytes()
    daemon.plan("warm", 'instrument = "ktimer"; duration = "100ms";')
    for _ in range(2 if EXACT else 0):
        try:
            caller.manager("Reload", "a{sv}", {})
            ctl(daemon, "session", "start", "warm", "--wait")
            ctl(daemon, "session", "report", "last", "--format=json")
        except (AssertionError, TimeoutError):
            continue


@pytest.fixture(autouse=True, scope="session")
def in_the_lab():
    """These tests unbind drivers and set real threads: on a virtual machine of ours only."""
    if not (JOB / ".lab").is_dir():
        pytest.exit("this is not the lab: scripts/test vm", returncode=2)
