# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of old results is kept: marks of single sessions, and the bounds of plans and of lrtbfd.conf."""
import json
import os
import sqlite3
import subprocess
import time

import pytest
from client import CTL, environment
from jeepney import DBusErrorResponse
from lrtbf import MANAGER, documented, wait_for
from others import NOBODY, Listener, Polkit, connect_as

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0"; %s
"""


def refused(name, call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert error.value.name == f"org.lrtbf1.Error.{name}", error.value
    return error.value.data[0]


def ctl(bus, *args):
    return subprocess.run([str(CTL), f"--bus={bus.address}", *args], capture_output=True, text=True,
                          env=environment(), timeout=30)


def listed(caller, **filter):
    return [{k: v[1] for k, v in s.items()} for s in
            caller.manager("ListSessions", "a{sv}su", filter, "", 1000)[0]]


def measure(caller, plan, n):
    sids = []
    for _ in range(n):
        sids.append(caller.start(plan))
        caller.wait_state(sids[-1])
    return sids


def thinned(caller):
    return {s["id"] for s in listed(caller) if "thinned_usec" in s}


def keep(caller, sid, value=True):
    caller.session(sid, "SetKeep", "ba{sv}", value, {})


@pytest.fixture
def caller(bus):
    connection = bus.connect()
    yield connection
    connection.close()


def test_mark(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", ""))
    daemon.plan("long", PLAN % ("60s", ""))
    daemon.start()
    sid = measure(caller, "brief", 1)[0]
    assert caller.session_get(sid, "Kept") is False and caller.session_get(sid, "ThinnedUSec") == 0
    keep(caller, sid)
    assert caller.session_get(sid, "Kept") is True
    assert listed(caller)[0]["kept"] is True and caller.report(sid)["session"]["kept"] is True
    assert "kept" in ctl(bus, "session", "list").stdout
    assert json.loads(ctl(bus, "session", "list", "--json").stdout)[0]["kept"] is True
    # it cannot be lost by mistake
    sentence = refused("Refused", caller.manager, "DeleteSession", "sa{sv}", sid, {})
    assert sid in sentence and "force" in sentence
    result = ctl(bus, "session", "delete", sid)
    assert result.returncode == 1 and sentence in result.stderr
    # nor by a restart
    daemon.kill()
    daemon.start()
    assert caller.session_get(sid, "Kept") is True
    refused("Refused", caller.manager, "DeleteSession", "sa{sv}", sid, {})
    assert ctl(bus, "session", "keep", "--off", "last").returncode == 0
    assert caller.session_get(sid, "Kept") is False
    assert ctl(bus, "session", "keep", sid, "last:brief").returncode == 0
    shown = json.loads(ctl(bus, "session", "show", sid, "--json").stdout)
    assert shown["kept"] is True and shown["thinned_usec"] is None
    assert set(shown) - {"figures"} <= documented(".TP\n.B session show")
    assert "Kept: yes" in ctl(bus, "session", "show", sid).stdout
    assert ctl(bus, "session", "delete", "--force", sid).returncode == 0
    refused("NoSuchSession", caller.session_get, sid, "Kept")
    assert ctl(bus, "session", "keep", sid).returncode == 1
    # one that runs and one that waits keep their mark to the end and beyond
    runs, waits = caller.start("long"), caller.start("brief")
    caller.wait_state(runs, "running")
    keep(caller, runs)
    keep(caller, waits)
    daemon.kill()
    daemon.start()
    caller.wait_state(waits)
    assert caller.session_get(runs, "State") == "interrupted"
    assert [s["kept"] for s in listed(caller)] == [True, True]


def test_mark_is_told(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", ""))
    daemon.start()
    sid = measure(caller, "brief", 1)[0]
    heard = Listener(bus)
    keep(caller, sid)

    def kept():
        return [body[1]["Kept"] for where, body, _ in heard.of("PropertiesChanged")
                if where.endswith(sid) and "Kept" in body[1]]

    assert wait_for(kept, what="the property's change") == [("b", True)]
    heard.connection.close()


@pytest.mark.root
def test_mark_of_others_needs_a_right(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", ""))
    daemon.start()
    nobody = connect_as(bus, NOBODY)
    sid = measure(caller, "brief", 1)[0]
    refused("NotAuthorized", nobody.session, sid, "SetKeep", "ba{sv}", True, {})
    polkit = Polkit(bus, **{"manage_results": "no", "measure": "yes"})
    assert "manage-results" in refused("NotAuthorized", nobody.session, sid, "SetKeep", "ba{sv}", True, {})
    own = measure(nobody, "brief", 1)[0]
    keep(nobody, own)
    assert caller.session_get(own, "Kept") is True and caller.session_get(sid, "Kept") is False
    refused("InvalidOption", caller.session, sid, "SetKeep", "ba{sv}", True, {"x": ("b", True)})
    polkit.close()
    nobody.close()


def test_bounds_of_a_plan(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", "keep = { count = 2; };"))
    daemon.plan("free", PLAN % ("100ms", ""))
    daemon.start()
    other = measure(caller, "free", 3)
    sids = measure(caller, "brief", 1)
    keep(caller, sids[0])
    sids += measure(caller, "brief", 5)
    wait_for(lambda: thinned(caller) == set(sids[1:4]), what="three summaries")
    # what a summary is, wherever it is looked at
    whole, small = caller.report(sids[5]), caller.report(sids[2])
    assert small["stages"] == [] and len(whole["stages"]) == 1
    assert small["session"]["thinned_usec"] > 0 and whole["session"]["thinned_usec"] is None
    assert small["session"]["plan_text"] == whole["session"]["plan_text"]
    assert small["session"]["summary"]["count"] > 0
    assert small["session"]["duration_ns"] >= 90_000_000
    assert list(k for k in small["conditions"] if k != "warnings") == ["kernel"]
    assert small["conditions"]["kernel"] == whole["conditions"]["kernel"]
    assert "thinned" in [w["id"] for w in small["conditions"]["warnings"]]
    assert set(small["session"]) == set(whole["session"])
    summaries = {"text", "json", "html", "markdown", "openmetrics", "junit", "tap", "lava"}
    for form in caller.get(MANAGER, "Manager", "Formats"):
        if form in summaries:
            assert caller.report(sids[2], form)
        else:
            assert "were removed" in refused("InvalidOption", caller.report, sids[2], form)
    text = caller.report(sids[2], "text")
    assert "were removed on 20" in text and "All stages and CPUs together" in text
    assert f'{small["session"]["summary"]["max_ns"] / 1000:.1f}'[:-2] in text
    assert "were removed" in refused("InvalidOption", caller.session, sids[2], "GetReport", "sa{sv}",
                                     "text", {"stage": ("s", "none")})
    assert any("were removed on 20" in w for w in caller.session_get(sids[2], "Warnings"))
    assert caller.session_get(sids[2], "ThinnedUSec") > 0
    assert caller.session_get(sids[2], "Progress") == 1.0
    assert caller.session_get(sids[2], "Figures")["count"] > 0
    text = ctl(bus, "session", "list").stdout
    assert text.count(" summary") == 3 and text.count(" kept") == 1 and text.count(" whole") == 5
    assert ctl(bus, "session", "report", sids[2]).returncode == 0
    assert ctl(bus, "session", "show", sids[2]).stdout.count("Thinned:") == 1
    assert caller.manager("GetSession", "s", "last:brief") == f"{MANAGER}/session/{sids[5]}"
    # the same after a restart, which thins no further
    assert daemon.stop() == 0
    daemon.start()
    assert thinned(caller) == set(sids[1:4])
    again = caller.report(sids[2])
    assert again == small
    log = daemon.log()
    assert all(log.count(f"details of session {s}") == 1 for s in sids[1:4]), log
    assert set(other).isdisjoint(thinned(caller))


def test_summaries_go_last(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", "keep = { count = 1; summary_count = 2; };"))
    daemon.start()
    sids = measure(caller, "brief", 4)
    wait_for(lambda: [s["id"] for s in listed(caller)] == sids[:1:-1], what="two sessions left")
    assert thinned(caller) == {sids[2]}
    refused("NoSuchSession", caller.session_get, sids[0], "State")
    objects = caller.call(MANAGER, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    assert not [o for o in objects if sids[0] in o or sids[1] in o]
    with sqlite3.connect(daemon.state / "lrtbfd.db") as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_bounds_for_all_plans(make_daemon, bus, caller):
    """At the start, for what is there; not for a plan that says otherwise, or that cannot be read."""
    daemon = make_daemon()
    for name in ("a", "b", "c", "gone"):
        daemon.plan(name, PLAN % ("100ms", ""))
    daemon.start()
    made = {name: measure(caller, name, 2) for name in ("a", "b", "c", "gone")}
    assert daemon.stop() == 0
    assert_whole = [*made["b"], *made["c"], made["a"][1], made["gone"][1]]
    (daemon.config / "lrtbfd.conf").write_text("keep = { count = 1; };\n")
    (daemon.config / "plans.d" / "gone.conf").unlink()
    daemon.plan("b", PLAN % ("100ms", "keep = { };"))
    daemon.plan("c", "interval = 0;")
    daemon.start()
    wait_for(lambda: thinned(caller) == {made["a"][0], made["gone"][0]}, what="summaries")
    time.sleep(0.3)
    assert not thinned(caller) & set(assert_whole)


def test_folder_of_plans_that_is_refused(make_daemon, bus, caller):
    """A plan in it may want everything kept: what lrtbfd.conf says is for those that are known not to be there."""
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", "keep = { };"))
    (daemon.config / "lrtbfd.conf").write_text("keep = { count = 1; };\n")
    daemon.start()
    sids = measure(caller, "brief", 3)
    assert daemon.stop() == 0
    (daemon.config / "plans.d").chmod(0o775)
    daemon.start()
    wait_for(lambda: "plans.d" in daemon.log(), what="sentence about the folder")
    time.sleep(0.5)
    assert not thinned(caller)
    assert daemon.stop() == 0
    (daemon.config / "plans.d" / "brief.conf").unlink()
    (daemon.config / "plans.d").chmod(0o755)
    daemon.start()
    wait_for(lambda: thinned(caller) == set(sids[:2]), what="summaries")


def test_room_goes_back(make_daemon, bus, caller):
    """As much as results took in months, made old by hand: the file is small after the next session."""
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", 'keep = { size = "2M"; };'))
    daemon.start()
    sid = measure(caller, "brief", 1)[0]
    assert daemon.stop() == 0
    file = daemon.state / "lrtbfd.db"
    with sqlite3.connect(file) as db:
        columns = [r[1] for r in db.execute("PRAGMA table_info(sessions)") if r[1] not in ("row", "id")]
        for i in range(120):
            row = db.execute(f"INSERT INTO sessions (id, {', '.join(columns)}) SELECT 'old{i}', "
                             f"{', '.join(columns)} FROM sessions WHERE id = ?", (sid,)).lastrowid
            db.execute("INSERT INTO papers (session, conditions) VALUES (?, ?)",
                       (row, json.dumps({"x": os.urandom(50000).hex()})))
        db.execute("UPDATE sessions SET head_bytes = 0")
        db.commit()
    assert file.stat().st_size > 10_000_000
    daemon.start()

    def small():
        return sum(p.stat().st_blocks * 512 for p in daemon.state.glob("lrtbfd.db*")) < 4_500_000

    wait_for(small, timeout=20, what="room given back")
    assert len(listed(caller)) == 121
    assert caller.report(sid)["session"]["state"] == "done"
    assert measure(caller, "brief", 1)
