# SPDX-License-Identifier: GPL-2.0-or-later
import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from client import Terminal
from fake import Fake
from kthreads import Kept, Napi, kernel_threads
from lrtbf import Bus, Daemon


@pytest.fixture
def folder():
    """A short path (socket names are limited) that other users may traverse."""
    path = tempfile.mkdtemp(prefix="lrtbf-")
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def bus(folder, request):
    """With the limits that a test asks for by an indirect parameter."""
    bus = Bus(os.path.join(folder, "bus.d"), **getattr(request, "param", {}))
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


@pytest.fixture
def serve(bus):
    """serve(MEMBER=handler...): a service that answers as it likes."""
    made = []

    def make(**handlers):
        made.append(Fake(bus.address, **handlers))
        return made[-1]

    yield make
    for fake in made:
        fake.stop()


@pytest.fixture
def terminal(bus):
    """terminal(ARGUMENT...): lrtbfctl on a terminal."""
    made = []

    def make(*args, **kwargs):
        made.append(Terminal(bus, *args, **kwargs))
        return made[-1]

    yield make
    for t in made:
        t.done()


@contextlib.contextmanager
def irq_lock(kind):
    """Whoever changes real interrupt threads holds it alone; who only looks at them, with others."""
    folder = "/run/lock" if os.path.isdir("/run/lock") else "/dev/shm"
    path = f"{folder}/lrtbf-test-irq"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # whoever's file it is
    except FileNotFoundError:
        fd = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, kind)
        yield
    finally:
        os.close(fd)


@pytest.fixture
def irqs_at_rest():
    """Nobody changes this machine's interrupt threads meanwhile."""
    with irq_lock(fcntl.LOCK_SH):
        yield


@pytest.fixture
def irq_threads():
    """Tids of this machine's interrupt threads, for this test alone; put back whatever it does to them."""
    tids = sorted(t for t, name in kernel_threads().items() if re.match(r"irq/\d+-", name))
    if not tids:
        pytest.skip("no interrupt thread can be seen from here")
    with irq_lock(fcntl.LOCK_EX):
        kept = [Kept(tid) for tid in tids]
        yield tids
        for thread in kept:
            thread.put_back()


@pytest.fixture
def napi():
    """Kernel threads that come and go: napi.make(), napi.end(name)."""
    threads = Napi()
    made = threads.make()
    if not made:
        threads.close()
        pytest.skip("no kernel thread can be made here (a tun device with a napi thread)")
    threads.end(made[0])
    yield threads
    threads.close()


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
