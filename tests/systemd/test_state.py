# SPDX-License-Identifier: GPL-2.0-or-later
"""A state folder that lrtbfd cannot work with: it says so, and leaves it as it is."""
import pytest

from container import wait_for
from lrtbfd import DATABASE, UNIT


@pytest.fixture
def stopped(machine):
    """With a session that must not get lost."""
    machine.kept = machine.start("quick", "--policy=other", "--duration=200ms")
    assert machine.wait_state(machine.kept) == "done"
    machine.ok(["systemctl", "stop", UNIT])
    yield machine
    machine.sh("umount /var/lib/lrtbfd; rm -rf /run/systemd/system/lrtbfd.service.d; systemctl daemon-reload")
    machine.restore()
    assert machine.session(machine.kept)["state"] == "done"


def assert_refused(machine, *words):
    """It does not start, says why, is not tried for ever."""
    assert machine.sh(["systemctl", "start", UNIT]).returncode != 0
    wait_for(lambda: machine.c.active(UNIT) == "failed", 30, 0.2, what="end of trying")
    journal = machine.c.journal("-u", UNIT)
    for word in words:
        assert word in journal
    assert machine.sh(["lrtbfctl", "status"]).returncode == 5


def digest(machine):
    return machine.ok(f"sha256sum {DATABASE}")


def test_from_a_newer_version(stopped):
    before = stopped.ok(["sqlite3", DATABASE, "pragma user_version"]).strip()
    stopped.ok(["sqlite3", DATABASE, "pragma user_version = 1000"])
    content = digest(stopped)
    assert_refused(stopped, "was written by a newer lrtbfd (version 1000")
    assert digest(stopped) == content
    stopped.ok(["sqlite3", DATABASE, f"pragma user_version = {before}"])


def test_read_only(stopped):
    stopped.ok("mount --bind /var/lib/lrtbfd /var/lib/lrtbfd && mount -o remount,bind,ro /var/lib/lrtbfd")
    content = digest(stopped)
    assert_refused(stopped, "/var/lib/lrtbfd")
    assert digest(stopped) == content


@pytest.mark.parametrize("file, text", [
    ("plans.d/theirs.conf", 'instrument = "timer";\n'),
    ("loads.d/theirs.conf", 'description = "Nothing"; command = [ "true" ];\n'),
])
def test_files_that_others_may_write(machine, file, text):
    """A plan or a load that is not root's alone counts for nothing."""
    path = f"/etc/lrtbfd/{file}"
    machine.c.write(path, text)
    machine.reload()
    machine.ok(["chmod", "o+w", path])
    try:
        assert machine.sh(["systemctl", "reload", UNIT]).returncode != 0
        assert f"{path}" in machine.c.journal("-u", UNIT)
        if file.startswith("plans.d"):
            assert machine.sh("lrtbfctl session start theirs").returncode == 1
    finally:
        machine.ok(["rm", path])
        machine.reload()
