# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd at home on a PREEMPT_RT machine: installed from its package, below a real systemd, on a disk that is
there after a reboot and after a power cut. One machine for all tests, which leave it fit for the next one.

LRTBF_DEBS is the folder with the package, LRTBF_MODULES the one with lrtbf.ko for the lab's kernel.
"""
import os
import random
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "systemd")]

import debs
from guestmachine import GuestMachine
from kernel import LabError
from machine import turn


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="cut the power 20 times and not 3")
    parser.addoption("--seed", type=int, default=None, help="of the moments of power cuts")


@pytest.fixture(scope="session")
def seed(request):
    given = request.config.getoption("--seed")
    return given if given is not None else random.SystemRandom().randrange(1 << 32)


@pytest.fixture(scope="session")
def the_machine(tmp_path_factory):
    if os.getuid() != 0:
        pytest.skip("a disk of its own is made by root only")
    for program in ("qemu-system-x86_64", "mmdebstrap", "mke2fs"):
        if not shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin"):
            pytest.skip(f"{program} is not installed")
    folders = os.environ.get("LRTBF_DEBS"), os.environ.get("LRTBF_MODULES")
    if None in folders:
        pytest.exit("LRTBF_DEBS and LRTBF_MODULES are not set: scripts/test vm-systemd", returncode=2)
    try:
        machine = GuestMachine(tmp_path_factory.mktemp("machine"), "rt", debs.find(folders[0]),
                               [Path(folders[1], "lrtbf.ko")])
    except LabError as error:
        pytest.skip(f"no disk for a machine: {error}")
    with turn(2):
        try:
            yield machine
        finally:
            machine.off()


@pytest.fixture
def machine(the_machine):
    """It is on, and nothing measures or waits."""
    if not the_machine.on():
        the_machine.boot()
    yield the_machine
    if not the_machine.on():
        return
    # one after the other: the next in the queue begins
    the_machine.run("for i in 1 2 3 4 5 6 7 8; do lrtbfctl session stop || break; sleep 0.3; done")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    machine = item.funcargs.get("machine") if hasattr(item, "funcargs") else None
    if report.when == "call" and report.failed and machine and machine.on():
        try:
            report.sections.append(("journal of the guest", machine.journal()))
        except Exception as e:  # whatever is wrong with it, the test's own failure is told
            report.sections.append(("journal of the guest", repr(e)))
