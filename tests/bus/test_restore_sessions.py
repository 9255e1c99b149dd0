# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd --restore: what a killed daemon's session had measured goes into the store, or stays for the next start."""
import fcntl
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from lrtbf import LRTBFD, children, wait_for

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "60s"; cpus = "0"; checkpoint = "60s";
stages = ( { load = "none"; } );
"""
NOTHING = "There is nothing to put back.\n"


def restore(daemon, *prefix):
    return subprocess.run([*prefix, LRTBFD, "--restore", f"--runtime-dir={daemon.runtime}",
                           f"--state-dir={daemon.state}"], capture_output=True, text=True, check=False)


def regions(sid):
    """Wherever they are: the test's own folder may be on a disk."""
    return [p for p in Path("/dev/shm").glob(f"lrtbf-*-{sid}-*.region")]


def left(daemon, sid):
    return [*regions(sid), *daemon.runtime.glob(f"lrtbf-*-{sid}-*.region")]


def stored_state(daemon, sid):
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return db.execute("SELECT state FROM sessions WHERE id = ?", (sid,)).fetchone()[0]


def accounted(caller, sid):
    figures = caller.report(sid)["stages"][0]["all"]
    return figures["count"] + (figures["missed"] or 0)  # none before the first


@pytest.fixture
def killed(make_daemon, bus):
    """A daemon killed in the middle of its session, with another one in the queue; (daemon, caller, id, id, points)."""
    daemon = make_daemon()
    daemon.plan("long", PLAN)
    daemon.start()
    caller = bus.connect()
    sid, waiting = caller.start("long"), caller.start("long")
    caller.wait_state(sid, "running")
    before = wait_for(lambda: (n := accounted(caller, sid)) > 300 and n, what="samples")
    everything = children(daemon.pid)
    daemon.kill()
    wait_for(lambda: not any(Path(f"/proc/{p}/cwd").exists() for p in everything), what="end of its children")
    yield daemon, caller, sid, waiting, before
    caller.close()


def assert_recovered(daemon, caller, sid, before):
    daemon.start()
    assert caller.session_get(sid, "State") == "interrupted"
    assert accounted(caller, sid) >= before


def test_into_the_store(killed):
    daemon, caller, sid, waiting, before = killed
    assert len(left(daemon, sid)) == 1
    done = restore(daemon)
    assert (done.returncode, done.stdout) == (0, "1 result region of a killed lrtbfd went into the store.\n")
    assert f"Session {sid} of plan long was interrupted" in done.stderr
    assert not left(daemon, sid)
    assert (stored_state(daemon, sid), stored_state(daemon, waiting)) == ("interrupted", "queued")
    again = restore(daemon)
    assert (again.returncode, again.stdout, again.stderr) == (0, NOTHING, "")
    assert_recovered(daemon, caller, sid, before)
    # which was not begun again, and whose turn has come
    assert caller.wait_state(waiting, "running")


def test_a_start_between(killed):
    """The next daemon was quicker, and has the folders: nothing is touched, and it is said."""
    daemon, caller, sid, waiting, before = killed
    daemon.start()
    refused = restore(daemon)
    assert refused.returncode == 1 and "Another lrtbfd uses the folder" in refused.stderr
    assert caller.session_get(sid, "State") == "interrupted"
    assert accounted(caller, sid) >= before
    assert caller.wait_state(waiting, "running")


def test_the_store_is_somebody_elses(killed):
    daemon, caller, sid, _, before = killed
    fd = os.open(daemon.state, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    refused = restore(daemon)
    os.close(fd)
    assert refused.returncode == 1
    assert "stays in memory, for the next start" in refused.stderr
    assert f"Another lrtbfd uses the folder {daemon.state}" in refused.stderr
    assert left(daemon, sid)
    assert_recovered(daemon, caller, sid, before)


def read_only(daemon):
    """A prefix for a command that sees the state folder so."""
    if os.getuid() == 0:
        return ["unshare", "--mount", "sh", "-c", f'mount --bind "{daemon.state}" "{daemon.state}" && '
                f'mount -o remount,bind,ro "{daemon.state}" && exec "$@"', "sh"]
    for file in daemon.state.iterdir():
        file.chmod(0o444)
    daemon.state.chmod(0o555)
    return []


def test_read_only_store(killed):
    daemon, caller, sid, _, before = killed
    prefix = read_only(daemon)
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace can be made here")
    refused = restore(daemon, *prefix)
    assert refused.returncode == 1
    assert "stays in memory, for the next start" in refused.stderr and str(daemon.state) in refused.stderr
    assert left(daemon, sid)
    daemon.state.chmod(0o755)
    for file in daemon.state.iterdir():
        file.chmod(0o644)
    assert_recovered(daemon, caller, sid, before)


def test_store_that_cannot_be_written_in_time(killed):
    """What is in memory stays there until the disk has it."""
    daemon, caller, sid, _, before = killed
    with sqlite3.connect(daemon.state / "lrtbfd.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = restore(daemon)
        other.execute("ROLLBACK")
    assert refused.returncode == 1
    assert "stays in memory, for the next start" in refused.stderr and "locked" in refused.stderr
    assert left(daemon, sid)
    assert stored_state(daemon, sid) == "running"
    assert_recovered(daemon, caller, sid, before)


def test_newer_store(killed):
    daemon, caller, sid, _, before = killed
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute("PRAGMA user_version = 9999")
    refused = restore(daemon)
    assert refused.returncode == 1
    assert "stays in memory, for the next start" in refused.stderr and "newer" in refused.stderr
    assert left(daemon, sid)
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        db.execute(f"PRAGMA user_version = {version}")
    assert_recovered(daemon, caller, sid, before)


def test_after_a_clean_stop(make_daemon, bus):
    """Not even the database is looked at: it may be slow, or of a newer version."""
    daemon = make_daemon()
    daemon.start()
    assert daemon.stop() == 0
    (daemon.state / "lrtbfd.db").write_bytes(b"no database")
    done = restore(daemon)
    assert (done.returncode, done.stdout, done.stderr) == (0, NOTHING, "")


def test_makes_nothing(make_daemon):
    daemon = make_daemon()
    daemon.runtime.mkdir()
    done = restore(daemon)
    assert (done.returncode, done.stdout) == (0, NOTHING)
    assert not daemon.state.exists() and not any(daemon.runtime.iterdir())
