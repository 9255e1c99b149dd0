# SPDX-License-Identifier: GPL-2.0-or-later
"""The package's life: installed, upgraded, removed, purged, and again. In the order of the file: each
goes on from what the one before left."""
import shutil
import subprocess

import pytest

from container import wait_for
from debs import LATER, version
from lrtbfd import DATABASE, UNIT

NAME = "org.lrtbf1"
MINE = """
instrument = "timer"; policy = "other"; cpus = "0"; duration = "4s";
stages = ( { load = "none"; }, { load = "sleeper"; } );
"""


@pytest.fixture(scope="module")
def first(machine, deb, later_deb):
    """Both versions are there, the former is installed, and there is something that must not get lost."""
    shutil.copy(later_deb, machine.c.job / "later.deb")
    machine.c.write("/etc/lrtbfd/plans.d/mine.conf", MINE)
    machine.load("sleeper")
    machine.reload()
    machine.version = version(deb)
    machine.kept = machine.start("quick", "--duration=500ms", "--policy=other")
    assert machine.wait_state(machine.kept) == "done"
    return machine


def running_version(machine):
    """None: it does not run."""
    lines = machine.sh("lrtbfctl status").stdout.splitlines()
    return next((line.split()[-1] for line in lines if "lrtbfd:" in line), None)


def test_installed(first):
    c = first.c
    assert first.ok(["dpkg-query", "-W", "-f=${db:Status-Status}", "lrtbfd"]) == "installed"
    assert first.ok(["dpkg", "--verify", "lrtbfd"]) == ""
    assert (c.active(UNIT), first.ok(["systemctl", "is-enabled", UNIT]).strip()) == ("active", "enabled")
    assert running_version(first) == first.version
    for words in (["getent", "group", "lrtbf"], ["getent", "passwd", "lrtbf-load"],
                  ["pkaction", "--action-id", "org.lrtbf1.measure"]):
        assert first.ok(words)
    assert "Session @LRTBF_SESSION@ has begun" in first.ok(
        ["journalctl", "--dump-catalog", "b61492bd2901435da49a34879555fc3b"])
    # no plan that is shipped begins by itself
    assert first.ok("systemctl list-timers --all --plain --no-legend 'lrtbf*'") == ""
    assert first.sh("systemctl --failed --plain --no-legend").stdout == ""


def test_nobody_else_may_write(first):
    """To what is installed, what it made since, and where it writes."""
    found = first.ok("""{ dpkg -L lrtbfd; find /etc/lrtbfd /var/lib/lrtbfd /run/lrtbfd /run/lock/lrtbfd; } |
        sort -u | while read -r path; do [ -L "$path" ] || stat -c '%U %a %n' "$path"; done""").splitlines()
    paths = {line.split(" ", 2)[2] for line in found}
    assert {"/usr/sbin/lrtbfd", "/usr/lib/lrtbfd/plans.d/quick.conf", DATABASE, "/run/lock/lrtbfd"} <= paths
    wrong = [line for line in found if line.split()[0] != "root" or int(line.split()[1], 8) & 0o022]
    # what polkit makes of the folder of its rules
    wrong = [line for line in wrong if not line.endswith(" /usr/share/polkit-1/rules.d")]
    assert wrong == []


def test_upgrade_of_an_idle_one(first):
    before = first.pid()
    first.install("later.deb")
    assert first.wait_active(before) != before
    assert running_version(first) == LATER
    assert first.session(first.kept)["state"] == "done"
    # neither a crash nor its consequences
    assert first.c.show(UNIT, "Result") == "success"


def test_upgrade_while_a_session_measures(first):
    """It goes on to its end; whoever waits for it has the report; then the new version takes up the queue."""
    first.install("lrtbfd.deb")
    wait_for(lambda: running_version(first) == first.version, what="former version")
    before = first.wait_active()
    waiter = first.c.popen("lrtbfctl session start mine --wait", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sid = wait_for(lambda: next((s["id"] for s in first.sessions("mine") if s["state"] == "running"), None),
                   what="session that measures")
    waiting = first.start("quick", "--duration=500ms", "--policy=other")
    first.install("later.deb")
    assert first.session(sid)["state"] == "running"
    assert first.pid() == before
    assert running_version(first) == first.version
    assert "Starts again after it" in first.c.show(UNIT, "StatusText")
    # the second stage measures with the program of the daemon that asks it to, which has no name any more
    wait_for(lambda: first.c.active(f"lrtbf-measure-{sid}-1.scope") == "active", what="second stage")
    measure = first.ok("pgrep -x lrtbf-measure").split()
    assert [first.ok(["readlink", f"/proc/{pid}/exe"]).strip().endswith(" (deleted)") for pid in measure] == [True]
    out = waiter.communicate(timeout=40)[0]
    assert waiter.returncode in (0, 3), out  # a busy machine may be inconclusive
    assert f"Session     {sid}" in out
    first.wait_active(before)
    assert running_version(first) == LATER
    assert first.session(sid)["state"] == "done"
    assert first.count(sid) > 3000
    assert first.wait_state(waiting) == "done"
    assert first.c.show(UNIT, "Result") == "success"


def test_remove(first):
    """Nothing of it runs or answers; results and what an administrator wrote stay."""
    first.ok(["lrtbfctl", "plan", "schedule", "mine", "Mon 04:00"])
    assert "lrtbf-plan-mine.timer" in first.ok("systemctl list-timers --plain --no-legend 'lrtbf*'")
    first.ok("apt-get remove -y -q lrtbfd")
    assert first.sh(["pgrep", "-f", "lrtbf"]).stdout == ""
    assert first.ok("systemctl list-units --all --plain --no-legend --state=active,activating,failed "
                    "'lrtbf*.service' 'lrtbf*.timer' 'lrtbf*.scope'") == ""
    assert NAME not in first.ok("busctl list --activatable --no-legend")
    assert first.sh(["test", "-e", "/lib/systemd/system/lrtbfd.service"]).returncode != 0
    first.ok(["test", "-s", DATABASE, "-a", "-e", "/etc/lrtbfd/plans.d/mine.conf"])
    assert first.sh("systemctl --failed --plain --no-legend").stdout == ""


def test_reinstall(first):
    """All as it was, schedules too, and at once."""
    first.install("later.deb")
    first.wait_active()
    assert first.session(first.kept)["state"] == "done"
    assert "lrtbf-plan-mine.timer" in first.ok("systemctl list-timers --plain --no-legend 'lrtbf*'")
    first.install("later.deb", "--reinstall")
    first.wait_active()
    assert first.sh("systemctl --failed --plain --no-legend").stdout == ""


def test_purge_keeps_results(first):
    done = first.sh("apt-get purge -y -q lrtbfd")
    assert done.returncode == 0, done.stderr
    assert "results in /var/lib/lrtbfd stay. To delete them: rm -r /var/lib/lrtbfd" in done.stdout + done.stderr
    assert first.sh(["dpkg-query", "-W", "lrtbfd"]).returncode != 0
    first.ok(["test", "-s", DATABASE])
    # its own files are gone, the administrator's are not
    assert first.ok("find /etc/lrtbfd -type f | sort").split() == ["/etc/lrtbfd/loads.d/sleeper.conf",
                                                                   "/etc/lrtbfd/plans.d/mine.conf"]
    left = first.ok("find /etc/systemd /lib/systemd /usr/lib/systemd /run/systemd/system /run/systemd/generator "
                    "/usr/share /usr/lib /usr/libexec /run/lrtbfd -path '*lrtbf*' 2>/dev/null || true").split()
    assert left == []


def test_install_after_purge(first):
    first.install("lrtbfd.deb")
    first.wait_active()
    # of a later lrtbfd, and of the same form
    assert first.session(first.kept)["state"] == "done"


def test_purge_deletes_results_when_told(first):
    first.ok("echo lrtbfd lrtbfd/delete-results boolean true | debconf-set-selections")
    first.ok("apt-get purge -y -q lrtbfd")
    assert first.sh("ls -d /var/lib/lrtbfd").returncode != 0
