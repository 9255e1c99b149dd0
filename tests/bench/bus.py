#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon's answers cost, on a private bus: properties against Peer.Ping, pages of the list, the start.

First with a session that runs, then with 100,000 stored ones (or as many as the first argument says). Figures are
medians, printed beside their targets; nothing is asserted. LRTBF_BUILD names the build folder.
"""
import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bus"))
from lrtbf import BUILD, MANAGER, Bus, Daemon  # noqa: E402

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""
CALLS = BUILD / "tests" / "bench" / "bench-bus-calls"


def path(sid):
    return f"{MANAGER}/session/{sid}"


def multiply(db, count):
    """Copy the only session, with all that hangs on it, until there are @count."""
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute("PRAGMA synchronous = OFF")
    db.execute(f"""CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS
                   (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n""")
    for table, row in (("sessions", "row"), ("papers", "session"), ("stages", "session"),
                       ("figures", "session")):
        new = {row: "n.i", "id": "'s' || n.i", "created_usec": "created_usec + n.i"}
        columns = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(new.get(c, c) for c in columns)
        db.execute(f"INSERT INTO {table} SELECT {values} FROM {table}, n WHERE {row} = 1")
    db.commit()


def median_ms(call, times):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def say(what, ms, target):
    print(f"{what:<44} {ms:8.3f} ms  (target {target} ms)", flush=True)


def calls(bus, sid, old):
    subprocess.run([CALLS, bus.address, path(sid), path(old)], check=True)


def ready_ms(daemon, folder, times):
    """From exec to READY=1, as a service manager sees it."""
    name = os.path.join(folder, "notify")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(name)
    daemon.env = {"NOTIFY_SOCKET": name}
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        daemon.start(wait=False)
        while b"READY=1" not in listener.recv(4096):
            pass
        taken.append((time.perf_counter() - start) * 1000)
        daemon.stop()
        listener.setblocking(False)
        try:
            while listener.recv(4096):
                pass
        except BlockingIOError:
            pass
        listener.setblocking(True)
    daemon.env = {}
    listener.close()
    os.unlink(name)
    return statistics.median(taken)


def bench(folder, count):
    bus = Bus(os.path.join(folder, "bus.d"))
    daemon = Daemon(bus, os.path.join(folder, "d"))
    daemon.plan("brief", PLAN % "100ms")
    daemon.plan("long", PLAN % "10min")
    say("start with no session", ready_ms(daemon, folder, 9), 100)
    daemon.start()
    caller = bus.connect()
    old = caller.start("brief")
    caller.wait_state(old)
    daemon.stop()
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        multiply(db, count)
    say(f"start with {count} sessions", ready_ms(daemon, folder, 9), 100)
    daemon.start()
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    time.sleep(1.5)
    calls(bus, sid, "s2")
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    last = caller.manager("GetSession", "s", "last").rsplit("/", 1)[1]
    say("GetSession last", median_ms(lambda: caller.manager("GetSession", "s", "last"), 30), 50)
    for fmt in ("text", "json"):
        say(f"GetReport {fmt} of the last",
            median_ms(lambda: caller.session(last, "GetReport", "sa{sv}", fmt, {}), 30), 50)
    say("GetReport json of an old one",
        median_ms(lambda: caller.session("s3", "GetReport", "sa{sv}", "json", {}), 30), 50)
    daemon.stop()
    bus.stop()


def main():
    folder = tempfile.mkdtemp(prefix="lrtbf-bench-")
    os.chmod(folder, 0o755)
    try:
        bench(folder, int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    finally:
        shutil.rmtree(folder)


main()
