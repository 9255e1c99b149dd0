# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd as a service: started, called for, stopped; who may do what; reached from outside of its machine."""
import os
import subprocess

import pytest

from container import PATH, wait_for
from lrtbfd import UNIT

# of lrtbfctl
NOT_AUTHORISED, NO_DAEMON = 4, 5
MEASURED = (0, 3)  # or inconclusive, as a busy machine may well be


@pytest.fixture(scope="module")
def users(machine):
    """engineer is in the group, visitor is not."""
    machine.ok("useradd -G lrtbf engineer; useradd visitor")
    return machine


def test_measures(machine):
    machine.ok(["systemctl", "start", UNIT])
    done = machine.sh(["lrtbfctl", "session", "start", "quick", "--duration=3s", "--wait"])
    assert done.returncode in MEASURED, done.stderr
    session = machine.sessions("quick")[0]
    assert f"Session     {session['id']}" in done.stdout
    assert session["state"] == "done"
    assert machine.count(session["id"]) > 2000


def test_units_of_a_session(machine):
    """While it measures all that it started is in units of its own, and gone afterwards."""
    machine.load("stubborn")
    machine.plan("loaded", "4s", 'stages = ( { load = "stubborn"; } );')
    machine.reload()
    sid = machine.start("loaded")
    machine.wait_running(sid)
    units = machine.ok("systemctl list-units --plain --no-legend 'lrtbf-measure-*' 'lrtbf-load-*'")
    names = {line.split()[0] for line in units.splitlines()}
    assert names == {f"lrtbf-measure-{sid}-0.scope", f"lrtbf-load-{sid}-0-stubborn.service"}
    load = f"lrtbf-load-{sid}-0-stubborn.service"
    assert machine.c.show(load, "User") == "lrtbf-load"
    assert machine.c.show(load, "Slice") == "lrtbf-load.slice"
    for unit in names:
        assert machine.c.show(unit, "BindsTo") == UNIT
    assert machine.processes("sleep 1073")
    assert machine.wait_state(sid) == "done"
    assert "outside-unit" not in str(machine.report(sid)["conditions"])
    machine.wait_units_gone()
    assert machine.processes("sleep 1073") == []


def test_activation(machine):
    """A call starts it; status only looks."""
    machine.ok(["systemctl", "stop", UNIT])
    done = machine.sh(["lrtbfctl", "status"])
    assert done.returncode == NO_DAEMON
    assert machine.c.active(UNIT) == "inactive"
    assert machine.sessions() != []
    assert machine.c.active(UNIT) == "active"


def test_started_at_boot(machine):
    machine.c.power_off()
    machine.c.boot()
    assert machine.c.active(UNIT) == "active"
    assert machine.sessions("quick")[0]["state"] == "done"


def test_member_of_the_group_measures(users):
    done = users.sh(["lrtbfctl", "--no-ask-password", "session", "start", "quick", "--policy=other",
                     "--duration=300ms", "--wait"], user="engineer")
    assert done.returncode in MEASURED, done.stderr
    session = users.sessions("quick")[0]
    assert session["state"] == "done"


@pytest.mark.parametrize("user, words, action", [
    ("visitor", ["session", "start", "quick", "--policy=other"], "org.lrtbf1.measure"),
    ("engineer", ["plan", "schedule", "quick", "02:00"], "org.lrtbf1.configure"),
    ("engineer", ["session", "delete", "ROOTS"], "org.lrtbf1.manage-results"),
])
def test_refused_by_name(users, user, words, action):
    roots = users.start("quick", "--policy=other", "--duration=100ms")
    users.wait_state(roots)
    before = users.ok("lrtbfctl session list --json; lrtbfctl plan show quick")
    done = users.sh(["lrtbfctl", "--no-ask-password", *[roots if w == "ROOTS" else w for w in words]], user=user)
    assert done.returncode == NOT_AUTHORISED, done
    assert action in done.stderr
    assert users.ok("lrtbfctl session list --json; lrtbfctl plan show quick") == before


def test_everyone_may_look(users):
    assert users.ok(["lrtbfctl", "session", "list", "--json"], user="visitor").startswith("[")


def test_reload(machine):
    """Ends when it is done, fails when a file is wrong, and says which."""
    machine.plan("fresh")
    machine.reload()
    assert "fresh" in machine.ok(["lrtbfctl", "plan", "list"])
    machine.c.write("/etc/lrtbfd/plans.d/wrong.conf", "duration = 3;\n")
    try:
        assert machine.sh(["systemctl", "reload", UNIT]).returncode != 0
        assert "wrong.conf" in machine.c.journal("-u", UNIT)
    finally:
        machine.ok(["rm", "/etc/lrtbfd/plans.d/wrong.conf"])
    machine.reload()


def test_from_outside(machine, tmp_path):
    """lrtbfctl -M. The host's list of machines is a file for each, which systemd-machined keeps; here this test does,
    in a mount namespace of its own, so that none needs to run."""
    leader = machine.c.leader()
    (tmp_path / "lab").write_text(f"NAME=lab\nCLASS=container\nLEADER={leader}\n")
    machine.ok(["cp", "/usr/bin/lrtbfctl", "/run/job/"])
    client = machine.c.job / "lrtbfctl"
    os.makedirs("/run/systemd/machines", exist_ok=True)
    done = subprocess.run(
        ["unshare", "--mount", "--propagation=private", "sh", "-c",
         f"mount --bind {tmp_path} /run/systemd/machines && exec env -i {PATH} {client} -M lab session list --json"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert machine.sessions("quick")[0]["id"] in done.stdout


def test_stops_within_its_time(machine):
    sid = machine.start("quick", "--duration=60s", "--policy=other")
    machine.wait_running(sid)
    machine.ok(["systemctl", "stop", UNIT], timeout=20)
    assert (machine.c.active(UNIT), machine.c.show(UNIT, "Result")) == ("inactive", "success")
    assert wait_for(lambda: machine.stored(sid), what="state") == "stopped"
    assert machine.count(sid) > 500
