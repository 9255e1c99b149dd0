# SPDX-License-Identifier: GPL-2.0-or-later
import os
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from lrtbf import Bus, Daemon


@pytest.fixture
def folder():
    """A short path (socket names are limited) that other users may traverse."""
    path = tempfile.mkdtemp(prefix="lrtbf-")
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def bus(folder):
    bus = Bus(os.path.join(folder, "bus.d"))
    yield bus
    bus.stop()


@pytest.fixture
def make_daemon(bus, folder):
    """make_daemon(args=(), env=None, prefix=(), name="d"): an lrtbfd that is not started yet."""
    made = []

    def make(name="d", **kwargs):
        daemon = Daemon(bus, os.path.join(folder, name), **kwargs)
        made.append(daemon)
        return daemon

    yield make
    for daemon in made:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.send_signal(signal.SIGCONT)
            try:
                daemon.stop()
            except subprocess.TimeoutExpired:
                daemon.kill()
    for daemon in made:
        if daemon.process:
            assert not re.search("(Address|Leak)Sanitizer|runtime error:", daemon.log()), daemon.log()


@pytest.fixture
def daemon(make_daemon):
    """An lrtbfd that runs."""
    return make_daemon().start()


@pytest.fixture
def caller(bus):
    connection = bus.connect()
    yield connection
    connection.close()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows its daemons' logs."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed and "make_daemon" in item.fixturenames:
        base = item.funcargs.get("folder")
        for name in os.listdir(base) if base else []:
            log = os.path.join(base, name, "lrtbfd.log")
            if os.path.exists(log):
                with open(log, errors="replace") as file:
                    report.sections.append((f"{name}/lrtbfd.log", file.read()[-8000:]))
