# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon as a process: options, signals, what it tells the service manager, who it does not run beside."""
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from lrtbf import BUILD, LRTBFD, MANAGER, Bus, children, wait_for
from others import Logind

FIXTURES = Path(__file__).parents[1] / "fixtures"
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "200ms")
    daemon.plan("long", PLAN % "60s")
    return daemon.start()


def lrtbfd(*args):
    return subprocess.run([str(LRTBFD), *args], capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize("args", [
    ("--nosuch",), ("--bus",), ("--bus=",), ("--bus=nothing",), ("--log-level=loud",), ("word",),
    ("--state-dir=",), ("--help=yes",), ("-x",), ("--r=x",),
])
def test_usage(args):
    result = lrtbfd(*args)
    assert result.returncode == 64, result
    assert result.stderr.startswith("lrtbfd: ") and result.stderr.endswith(".\n")
    assert result.stdout == ""


def test_help_names_every_option_of_the_manual():
    assert lrtbfd("-h").stdout == lrtbfd("--help").stdout
    text = lrtbfd("--help")
    assert text.returncode == 0 and text.stderr == ""
    page = (Path(__file__).parents[2] / "docs" / "lrtbfd.8").read_text().replace("\\-", "-")
    section = page[page.index(".SH OPTIONS"):page.index(".SH SIGNALS")]
    documented = set(re.findall(r"--[a-z-]+", section))
    assert documented == set(re.findall(r"--[a-z-]+", text.stdout)) >= {"--bus", "--root"}
    version = lrtbfd("--version")
    assert version.returncode == 0 and re.fullmatch(r"lrtbfd \d+\.\d+\S*\n", version.stdout)


def test_start_fails_with_a_sentence(make_daemon, bus, folder):
    for args, words in ((("--bus=unix:path=/nonexistent",), "bus"),
                        (("--config-dir=/nonexistent",), "/nonexistent"),
                        (("--measure=/nonexistent",), "/nonexistent"),
                        (("--load=/etc/passwd",), "/etc/passwd"),
                        (("--state-dir=/proc/nosuch",), "/proc/nosuch"),
                        (("--runtime-dir=/dev/null/x",), "/dev/null/x")):
        daemon = make_daemon(name="f" + str(abs(hash(args)) % 1000000), args=args).start(wait=False)
        assert daemon.process.wait(20) == 1, args
        assert words in daemon.log() and daemon.log().count("\n") == 1, daemon.log()


def test_second_on_the_same_bus(ready, make_daemon):
    second = make_daemon(name="second").start(wait=False)
    assert second.process.wait(20) == 1
    assert "org.lrtbf1" in second.log() and "another lrtbfd" in second.log()
    assert not (second.state / "lrtbfd.db").exists()


def test_second_on_the_same_runtime_folder(ready, make_daemon, folder):
    other = Bus(os.path.join(folder, "other.d"))
    second = make_daemon(name="second")
    second.bus, second.runtime = other, ready.runtime
    second.start(wait=False)
    assert second.process.wait(20) == 1
    assert str(ready.runtime) in second.log()
    other.stop()


def test_one_folder_for_both(make_daemon, caller):
    daemon = make_daemon()
    daemon.runtime = daemon.state
    daemon.start()
    assert plans(caller)


def test_second_on_the_same_state(ready, make_daemon, folder, caller):
    """On another bus: the first one's running session is not taken for a dead one's."""
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    other = Bus(os.path.join(folder, "other.d"))
    try:
        second = make_daemon(name="second")
        second.bus, second.state = other, ready.state
        second.start(wait=False)
        assert second.process.wait(20) == 1
        assert str(ready.state) in second.log()
    finally:
        other.stop()
    assert caller.session_get(sid, "State") == "running"
    caller.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid) == "stopped"


def test_bus_goes_away(make_daemon, folder):
    bus = Bus(os.path.join(folder, "own.d"))
    daemon = make_daemon()
    daemon.bus = bus
    daemon.plan("long", PLAN % "60s")
    daemon.start()
    caller = bus.connect()
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    kids = children(daemon.pid)
    assert kids
    bus.stop()
    assert daemon.process.wait(20) == 1
    assert "bus" in daemon.log()
    assert not [k for k in kids if Path(f"/proc/{k}").exists()]
    daemon.bus = Bus(os.path.join(folder, "new.d"))
    daemon.start()
    caller = daemon.bus.connect()
    assert caller.session_get(sid, "State") == "stopped"
    assert daemon.stop() == 0
    daemon.bus.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_clean_stop(ready, caller, number):
    running, queued = caller.start("long"), caller.start("long")
    caller.wait_state(running, "running")
    kids = children(ready.pid)
    start = time.monotonic()
    os.kill(ready.pid, number)
    assert ready.process.wait(20) == 0
    assert time.monotonic() - start < 8
    assert kids and not [k for k in kids if Path(f"/proc/{k}").exists()]
    ready.start()
    assert caller.session_get(running, "State") == "stopped"
    # one that waited still waits, or is at work by now
    caller.wait_state(queued, "running")
    caller.session(queued, "Stop", "a{sv}", {})
    caller.wait_state(queued)


def test_second_signal_does_not_wait(ready, caller):
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    ready.process.terminate()
    ready.process.terminate()
    assert ready.process.wait(10) == 0
    ready.start()
    assert caller.session_get(sid, "State") in ("stopped", "interrupted", "failed")


def plans(caller):
    return {p["name"][1]: p["valid"][1] for p in caller.manager("ListPlans", "a{sv}", {})}


def test_reload(ready, caller):
    assert plans(caller)["brief"] is True  # the start is over
    ready.plan("fresh", PLAN % "1s")
    ready.plan("broken", "interval = 0;")
    assert "fresh" not in plans(caller)
    problems = caller.manager("Reload", "a{sv}", {})
    assert [p["line"][1] for p in problems if p["file"][1].endswith("broken.conf")][:1] == [1]
    assert plans(caller)["fresh"] is True and plans(caller)["broken"] is False
    (ready.config / "plans.d" / "fresh.conf").unlink()
    os.kill(ready.pid, signal.SIGHUP)
    wait_for(lambda: "fresh" not in plans(caller), what="reload by SIGHUP")
    assert "broken.conf:1" in ready.log()


def test_removed_plan_and_the_queue(ready, caller):
    """A session keeps the plan it was queued with."""
    first, queued = caller.start("long"), caller.start("brief")
    (ready.config / "plans.d" / "brief.conf").unlink()
    caller.manager("Reload", "a{sv}", {})
    caller.session(first, "Stop", "a{sv}", {})
    assert caller.wait_state(queued) == "done"
    assert caller.report(queued)["stages"][0]["all"]["count"] > 0


def test_problems_at_the_start(make_daemon, caller):
    daemon = make_daemon()
    daemon.plan("broken", "interval = 0;")
    settings = daemon.config / "lrtbfd.conf"
    settings.write_text("nosuch = 1;\n")
    daemon.start()
    assert plans(caller)["broken"] is False
    assert "broken.conf:1" in daemon.log() and "lrtbfd.conf:1" in daemon.log()


def test_log_level(ready, caller):
    settings = ready.config / "lrtbfd.conf"
    settings.write_text('log_level = "err";\n')
    settings.chmod(0o644)
    caller.manager("Reload", "a{sv}", {})
    before = ready.log()
    ready.plan("broken", "interval = 0;")
    caller.manager("Reload", "a{sv}", {})
    assert ready.log() == before
    settings.write_text('log_level = "loud"; nosuch = 1;\n')
    problems = caller.manager("Reload", "a{sv}", {})
    texts = [p["text"][1] for p in problems if p["file"][1] == str(settings)]
    assert any("nosuch" in t for t in texts) and any("log_level" in t or "loud" in t for t in texts)
    assert caller.wait_state(caller.start("brief")) == "done"


class Manager:
    """What a service manager hears at NOTIFY_SOCKET."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o777)
        self.socket.setblocking(False)
        self.heard = []

    def read(self):
        while True:
            try:
                self.heard += self.socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                return self.heard

    def wait(self, line, count=1):
        wait_for(lambda: sum(h.startswith(line) for h in self.read()) >= count, what=line)


def test_service_manager_hears(make_daemon, bus, folder):
    manager = Manager(folder)
    daemon = make_daemon(env={"NOTIFY_SOCKET": manager.path})
    daemon.plan("brief", PLAN % "200ms")
    daemon.start()
    manager.wait("READY=1")
    os.kill(daemon.pid, signal.SIGHUP)
    manager.wait("READY=1", 2)
    at = manager.heard.index("RELOADING=1")
    usec = int(manager.heard[at + 1].removeprefix("MONOTONIC_USEC="))
    assert 0 <= time.monotonic_ns() // 1000 - usec < 60_000_000
    caller = bus.connect()
    sid = caller.start("brief")
    caller.wait_state(sid)
    manager.wait(f"STATUS=Measuring: plan brief, session {sid}")
    manager.wait("STATUS=Idle", 2)
    assert not [h for h in manager.read() if h.startswith("WATCHDOG")]
    assert daemon.stop() == 0
    manager.wait("STOPPING=1")
    caller.close()


def test_watchdog_only_when_asked_for(make_daemon, folder):
    manager = Manager(folder)
    make_daemon(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"}).start()
    manager.wait("WATCHDOG=1", 3)


def switches(daemon):
    """How often its event loop has gone to sleep."""
    with open(f"/proc/{daemon.pid}/status") as status:
        return int(next(line for line in status if line.startswith("voluntary_ctxt_switches")).split()[1])


def test_watchdog_is_fed_by_the_loop_and_seldom(make_daemon, folder):
    """Not before half of the time is over: once in 30 s for a minute. And only by a loop that turns."""
    manager = Manager(folder)
    daemon = make_daemon(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000"}).start()
    manager.wait("WATCHDOG=1", 2)  # the start is over
    start, before = time.monotonic(), switches(daemon)
    manager.heard.clear()
    time.sleep(4)
    # whoever reads late may have had more of them, by the time that he was late
    halves = int(time.monotonic() - start) + 1
    fed = [h for h in manager.read() if h == "WATCHDOG=1"]
    assert 1 <= len(fed) <= halves
    assert switches(daemon) - before <= 2 * halves
    os.kill(daemon.pid, signal.SIGSTOP)
    manager.read()
    manager.heard.clear()
    time.sleep(2)
    assert manager.read() == []
    os.kill(daemon.pid, signal.SIGCONT)
    manager.wait("WATCHDOG=1")


def test_sleep_is_inhibited_while_measuring(ready, bus, caller):
    logind = Logind(bus)
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    wait_for(logind.held, what="the lock against sleep")
    what, who, why, mode = logind.called("Inhibit")[0]
    assert (what, who, mode) == ("sleep", "lrtbfd", "block") and why
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    wait_for(lambda: not logind.held(), what="the lock given back")
    logind.close()


def test_programs_are_found_in_the_build_tree(make_daemon, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "200ms")
    command = [a for a in daemon.command() if not a.startswith(("--measure", "--load"))]
    daemon.command = lambda: command
    daemon.start()
    sid = caller.start("brief")
    assert caller.wait_state(sid) == "done", caller.session_get(sid, "Reason")
    assert (BUILD / "service" / "measure" / "lrtbf-measure").exists()


def test_captured_machine(make_daemon, caller, folder):
    root = Path(folder) / "root"
    for name, text in (("proc/sys/kernel/osrelease", "6.6.6-rt6\n"), ("sys/kernel/realtime", "1\n"),
                       ("proc/version", "Linux version 6.6.6-rt6\n")):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    daemon = make_daemon(args=(f"--root={root}",)).start()
    assert caller.get(MANAGER, "Manager", "KernelRelease") == "6.6.6-rt6"
    assert caller.get(MANAGER, "Manager", "Realtime") is True
    # a machine whose name is no kernel's model, and whose files are none
    (root / "sys/kernel/realtime").unlink()
    (root / "proc/sys/kernel/osrelease").unlink()
    os.mkfifo(root / "proc/sys/kernel/osrelease")
    (root / "proc/version").write_text("Linux version 6.6.6 (me@PREEMPT_RT-builder) #1 SMP\n")
    daemon.stop()
    daemon.start()
    assert caller.get(MANAGER, "Manager", "KernelRelease") == ""
    assert caller.get(MANAGER, "Manager", "Realtime") is False


def test_captured_machine_measures_nothing(make_daemon, caller, folder):
    daemon = make_daemon()
    daemon.plan("long", PLAN % "60s")
    daemon.start()
    first, second = caller.start("long"), caller.start("long")
    caller.wait_state(first, "running")
    with sqlite3.connect(f"file:{daemon.state}/lrtbfd.db?mode=ro", uri=True) as db:
        wait_for(lambda: db.execute("SELECT count(*) FROM sessions").fetchone()[0] == 2)
    db.close()
    daemon.kill()
    root = Path(folder) / "root"
    root.mkdir()
    daemon.args.append(f"--root={root}")
    daemon.start()
    assert caller.session_get(first, "State") == "interrupted"
    time.sleep(0.5)
    assert caller.session_get(second, "State") == "queued"
    assert caller.session_get(second, "QueuePosition") == 1
    assert caller.get(MANAGER, "Manager", "ActiveSession") == "/"


@pytest.mark.memory
def test_ends_leave_no_memory_behind(make_daemon, bus):
    """valgrind finds nothing lost after a short life with a bit of everything."""
    import shutil
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    daemon = make_daemon(prefix=("valgrind", "-q", "--leak-check=full", "--error-exitcode=99",
                                 "--errors-for-leak-kinds=definite", "--child-silent-after-fork=yes"))
    daemon.plan("brief", PLAN % "200ms")
    daemon.plan("broken", "interval = 0;")
    daemon.start(wait=False)
    caller = bus.connect()
    wait_for(lambda: owned(caller), timeout=60, what="the daemon under valgrind")
    sid = caller.start("brief")
    caller.wait_state(sid, timeout=60)
    for fmt in caller.get(MANAGER, "Manager", "Formats"):
        caller.report(sid, fmt)
    caller.session(sid, "GetResult", "a{sv}", {})
    caller.session_all(sid)
    caller.manager("ListPlans", "a{sv}", {})
    caller.manager("CheckSystem", "a{sv}", {})
    caller.manager("Reload", "a{sv}", {})
    caller.manager("ListSessions", "a{sv}su", {}, "", 0)
    for bad in (lambda: caller.start("nosuch"), lambda: caller.session_get("nosuch", "State"),
                lambda: caller.manager("StartSession", "sa{sv}", "brief", {"x": ("s", "")})):
        with pytest.raises(Exception):
            bad()
    caller.manager("DeleteSession", "sa{sv}", sid, {})
    assert daemon.stop(timeout=60) == 0, daemon.log()
    caller.close()


def owned(connection):
    from jeepney import message_bus
    from jeepney.io.blocking import Proxy
    return Proxy(message_bus, connection.raw).NameHasOwner("org.lrtbf1")[0]


@pytest.mark.parametrize("version", (1, 2, 3))
def test_results_of_earlier_versions(version, make_daemon, bus, folder):
    """The start is given the time that an upgrade takes, and everything is there afterwards."""
    manager = Manager(folder)
    daemon = make_daemon(env={"NOTIFY_SOCKET": manager.path})
    daemon.state.mkdir()
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        db.executescript((FIXTURES / "store" / f"v{version}.sql").read_text())
    daemon.start()
    manager.wait("READY=1")
    heard = manager.heard
    assert any(re.fullmatch(r"EXTEND_TIMEOUT_USEC=[1-9]\d{7,}", h) for h in heard), heard
    assert heard.index("READY=1") > max(i for i, h in enumerate(heard) if h.startswith("EXTEND_"))
    caller = bus.connect()
    assert caller.session_get("s20260103T020000Z_0003", "State") == "stopped"
    report = caller.report("s20260101T020000Z_0001")
    assert [s["all"]["count"] for s in report["stages"]] == [10000, 6]
    # one that waited has no plan text in this database, and says so instead of measuring anything
    caller.wait_state("s20260102T020000Z_0002", "failed")
    with sqlite3.connect(daemon.state / f"lrtbfd.db.v{version}.bak") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
    caller.close()
