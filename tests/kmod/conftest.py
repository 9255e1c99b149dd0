# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of lrtbf.ko. They load and unload modules and unbind drivers: in the lab only.

    tests/kmod/build rt FOLDER
    tests/vm/run rt FOLDER /usr/bin/python3 -B -m pytest -p no:cacheprovider $PWD/tests/kmod
"""
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from until import wait_until

JOB = Path("/run/job")
PORT = "/dev/lrtbf-parport0"
TIMERS = "/dev/lrtbf"
DRIVER = Path("/sys/bus/pnp/drivers/parport_pc")
# what must not be in the kernel's messages after any test
TROUBLE = re.compile(r"BUG|WARNING|Oops|Call Trace|scheduling while atomic|nobody cared|soft lockup|"
                     r"rcu.*stall|refcount_t|sleeping function|general protection")


def pytest_sessionstart(session):
    if not (JOB / ".lab").is_dir():
        pytest.exit("this is not the lab: see conftest.py", returncode=2)


# where time goes by instructions it leaps while everybody waits for a disk
HURRY = None if os.environ.get("LRTBF_ICOUNT") else 1


def command(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=HURRY and 120)
    if status is not None:
        assert done.returncode == status, (words, done.stdout, done.stderr)
    return done


def loaded(module):
    return Path(f"/sys/module/{module}").is_dir()


def insmod(name):
    command("insmod", JOB / f"{name}.ko")
    command("udevadm", "settle")


@pytest.fixture(autouse=True)
def kernel_messages():
    """Nothing the kernel complains about."""
    command("dmesg", "--clear")
    yield
    said = command("dmesg").stdout
    assert not TROUBLE.search(said), said


@pytest.fixture
def module():
    if not loaded("lrtbf"):
        insmod("lrtbf")
    wait_until(lambda: Path(PORT).exists(), f"{PORT} did not appear")
    yield
    command("rmmod", "lrtbf")


class Exercise:
    """`exercise` under way."""

    def __init__(self, *words):
        self.process = subprocess.Popen([JOB / "exercise", *map(str, words)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def started(self):
        line = self.process.stderr.readline()
        assert line == "started\n", line
        return self

    def result(self, timeout=40):
        out, err = self.process.communicate(timeout=HURRY and timeout)
        assert self.process.returncode == 0, err
        return [json.loads(line) for line in out.splitlines()]

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.communicate(timeout=HURRY and 30)


@pytest.fixture
def start():
    """start(DEVICE, NAME=VALUE...): running. Ended at last."""
    begun = []

    def start(device, **setup):
        words = [f"{name}={value}" for name, value in setup.items()]
        begun.append(Exercise("run", device, *words))
        return begun[-1].started()
    yield start
    for exercise in begun:
        exercise.end()


def run(device, timeout=60, **setup):
    """The result of one run, or [results] with `again`."""
    words = [f"{name}={value}" for name, value in setup.items()]
    results = Exercise("run", device, *words).result(timeout)
    return results if "again" in setup else results[0]


def refused(device, **setup):
    """(call, errno's name) that refused it."""
    words = [f"{name}={value}" for name, value in setup.items()]
    done = command(JOB / "exercise", "run", device, *words, status=3)
    return tuple(done.stderr.splitlines()[-1].split(": "))


def bound():
    return [p.name for p in DRIVER.iterdir() if ":" in p.name]


def unbind():
    name = bound()[0]
    (DRIVER / "unbind").write_text(name)
    return name


def bind(name):
    (DRIVER / "bind").write_text(name)
    command("udevadm", "settle")


def realtime():
    return os.path.exists("/sys/kernel/realtime")
