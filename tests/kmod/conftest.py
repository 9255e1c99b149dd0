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

import wire
from until import wait_until

JOB = Path("/run/job")
PORT = "/dev/lrtbf-parport0"
TIMERS = "/dev/lrtbf"
DRIVER = Path("/sys/bus/pnp/drivers/parport_pc")
# what must not be in the kernel's messages after any test
TROUBLE = re.compile(r"BUG|WARNING|Oops|Call Trace|scheduling while atomic|nobody cared|soft lockup|"
                     r"rcu.*stall|refcount_t|sleeping function|general protection|unable to handle|"
                     r"INFO: (task|possible|trying|suspicious)|inconsistent lock|UBSAN|KASAN|corruption|"
                     r"Bad page|use-after-free|invalid opcode")
# what the kernel remembers: a page gone bad, an oops, a lockup
TAINTS = 1 << 5 | 1 << 7 | 1 << 14


def pytest_sessionstart(session):
    if not (JOB / ".lab").is_dir():
        pytest.exit("this is not the lab: see conftest.py", returncode=2)


# where time goes by instructions it leaps while everybody waits for a disk
HURRY = None if os.environ.get("LRTBF_ICOUNT") else 1


def command(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=HURRY and 200)
    if status is not None:
        assert done.returncode == status, (words, done.stdout, done.stderr)
    return done


def loaded(module):
    return Path(f"/sys/module/{module}").is_dir()


def settle():
    # the default of two minutes may have passed here while this machine waited for a disk
    command("udevadm", "settle", "--timeout=3600")


def insmod(name):
    command("insmod", JOB / f"{name}.ko")
    settle()


@pytest.fixture(autouse=True)
def kernel_messages():
    """Nothing the kernel complains about, of the test or of what is undone after it."""
    command("dmesg", "--clear")
    yield
    said = command("dmesg").stdout
    assert not TROUBLE.search(said), said
    assert not int(Path("/proc/sys/kernel/tainted").read_text()) & TAINTS, said


@pytest.fixture
def module():
    if not loaded("lrtbf"):
        insmod("lrtbf")
    wait_until(lambda: Path(PORT).exists(), f"{PORT} did not appear")
    yield
    command("rmmod", "lrtbf")


def module_file(name):
    """In memory: reading the job's folder takes the host's time, in which minutes may pass here."""
    path = Path("/dev/shm", f"{name}.ko")
    if not path.exists():
        path.write_bytes((JOB / path.name).read_bytes())
    return path


def load(**parameters):
    """lrtbf-wire.ko."""
    words = [f"{name}={value}" for name, value in parameters.items()]
    return command("insmod", module_file("lrtbf-wire"), *words, status=None)


def load_lrtbf():
    command("insmod", module_file("lrtbf"))


@pytest.fixture
def make_wire():
    """make_wire(PARAMETER=VALUE...): its two ports."""
    if not Path("/sys/kernel/debug/tracing").exists():
        command("mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug")
    if not loaded("ppdev"):
        command("modprobe", "ppdev")

    def make(**parameters):
        done = load(**parameters)
        assert done.returncode == 0, done.stderr
        ports = [wire.Port(0), wire.Port(1)]
        for port in ports:
            port.clear()  # the core has looked for devices on it
        return ports
    yield make
    if loaded("lrtbf_wire"):
        wait_until(lambda: command("rmmod", "lrtbf_wire", status=None).returncode == 0, "rmmod lrtbf_wire")


@pytest.fixture
def ends(make_wire):
    return make_wire()


@pytest.fixture
def lrtbf():
    if not loaded("lrtbf"):
        load_lrtbf()
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

    def stop(self):
        self.process.send_signal(signal.SIGUSR1)
        return self

    def result(self, timeout=120):
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


def run(device, timeout=120, **setup):
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
    settle()


def realtime():
    return os.path.exists("/sys/kernel/realtime")
