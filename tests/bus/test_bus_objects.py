# SPDX-License-Identifier: GPL-2.0-or-later
"""What ObjectManager lists, which signals tell of what, and old sessions by their path."""
import time

import pytest
from jeepney import DBusErrorResponse
from lrtbf import ENDED, MANAGER, NAME, plain, wait_for
from others import Listener

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""
SESSION = NAME + ".Session"
OBJECTS = "org.freedesktop.DBus.ObjectManager"


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "100ms")
    daemon.plan("second", PLAN % "3s")
    daemon.plan("long", PLAN % "60s")
    return daemon.start()


@pytest.fixture
def signals(ready, bus):
    listener = Listener(bus)
    yield listener
    listener.connection.close()


def managed(caller):
    objects = caller.call(MANAGER, OBJECTS, "GetManagedObjects")
    return {p.rsplit("/", 1)[1]: plain(i[SESSION]) for p, i in objects.items() if SESSION in i}


def path(sid):
    return f"{MANAGER}/session/{sid}"


def test_life_of_a_session_in_signals(ready, caller, signals):
    sid = caller.start("second", label="mine")
    finished = signals.wait("SessionFinished")
    verdict = caller.session_get(sid, "Verdict")
    assert verdict in ("none", "inconclusive")  # no limit; steal and the like on a busy machine
    assert finished == [(MANAGER, (sid, path(sid), "done", verdict), finished[0][2])]
    assert [b for _, b, _ in signals.of("SessionNew")] == [(sid, path(sid))]
    order = [(m.rsplit(".", 1)[1], p) for p, m, _, _ in signals.read()]
    assert order.index(("InterfacesAdded", MANAGER)) < order.index(("SessionNew", MANAGER))
    added = signals.of("InterfacesAdded")[0][1]
    assert added[0] == path(sid) and plain(added[1][SESSION])["Label"] == "mine"

    states, figures, progress = [], [], []
    for _, (interface, changed, invalidated), at in signals.of("PropertiesChanged", path(sid)):
        assert interface == SESSION and invalidated == []
        changed = plain(changed)
        if "State" in changed and changed["State"] not in states[-1:]:
            states.append(changed["State"])
        progress.append(changed.get("Progress", 0))
        if changed.get("Figures"):
            figures.append((changed["Figures"], at, "State" in changed))
    assert states[-1] == "done" and "running" in states
    known = ["queued", "preparing", "running", "finishing", "done"]
    assert [s for s in known if s in states] == states
    assert progress == sorted(progress) and progress[-1] == 1.0
    assert figures[-1][0]["count"] + figures[-1][0]["missed"] >= 2000
    # what only tells of progress comes at most once a second, and when the stage ends
    ticks = [at for _, at, state_too in figures if not state_too][:-1]
    assert len(ticks) >= 2 and all(b - a > 0.7 for a, b in zip(ticks, ticks[1:])), ticks


def test_manager_properties_follow(ready, caller, signals):
    first, second = caller.start("long"), caller.start("long")
    caller.wait_state(first, "running")
    assert caller.get(MANAGER, "Manager", "ActiveSession") == path(first)
    assert caller.get(MANAGER, "Manager", "QueueLength") == 1
    assert caller.session_get(second, "QueuePosition") == 1
    assert caller.session_get(first, "QueuePosition") == 0
    caller.session(first, "Stop", "a{sv}", {})
    caller.wait_state(second, "running")
    caller.session(second, "Stop", "a{sv}", {})
    caller.wait_state(second)
    wait_for(lambda: caller.get(MANAGER, "Manager", "ActiveSession") == "/", what="nothing active")
    signals.read(0.2)
    active, lengths = [], []
    for _, (_, changed, _), _ in signals.of("PropertiesChanged", MANAGER):
        changed = plain(changed)
        if changed.get("ActiveSession") not in (None, *active[-1:]):
            active.append(changed["ActiveSession"])
        if changed.get("QueueLength") not in (None, *lengths[-1:]):
            lengths.append(changed["QueueLength"])
    assert [a for a in active if a != "/"] == [path(first), path(second)] and active[-1] == "/"
    assert 1 in lengths and lengths[-1] == 0


def test_new_maximum(ready, caller, signals):
    sid = caller.start("second")
    signals.wait("SessionFinished")
    maxima = signals.of("NewMaximum", path(sid))
    assert maxima
    values = [body[0] for _, body, _ in maxima]
    assert values == sorted(values) and len(set(values)) == len(values)
    assert all(body[1] == 0 and body[2] for _, body, _ in maxima)
    times = [at for _, _, at in maxima][:-1]
    assert all(b - a > 0.7 for a, b in zip(times, times[1:])), times
    assert values[-1] <= caller.report(sid)["stages"][0]["all"]["max_ns"]


def test_figures_of_a_running_session(ready, caller):
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    figures = wait_for(lambda: "max_ns" in (f := caller.session_get(sid, "Figures")) and f,
                       what="figures")
    assert set(figures) == {"count", "missed", "min_ns", "avg_ns", "max_ns", "cpus"}
    cpu = figures["cpus"][0]
    assert cpu["cpu"] == 0 and cpu["count"] == figures["count"] > 0
    assert cpu["min_ns"] <= cpu["avg_ns"] <= cpu["max_ns"]
    assert cpu["min_ns"] <= cpu["last_ns"] <= cpu["max_ns"]
    assert caller.session_get(sid, "Stage")
    assert 0 < caller.session_get(sid, "Progress") < 1
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    assert caller.session_get(sid, "Stage") == ""
    assert caller.session_get(sid, "Figures")["count"] >= figures["count"]
    assert "cpus" not in caller.session_get(sid, "Figures")


def test_object_manager_keeps_the_last_twenty(ready, caller, signals):
    sids = []
    for _ in range(23):
        sids.append(caller.start("brief"))
        caller.wait_state(sids[-1])
    assert sorted(managed(caller)) == sorted(sids[-20:])
    removed = [body for _, body, _ in signals.wait("InterfacesRemoved", count=3)]
    assert [p for p, _ in removed] == [path(s) for s in sids[:3]]
    assert all(SESSION in interfaces for _, interfaces in removed)
    # the others answer by path, with the same properties
    old = caller.session_all(sids[0])
    new = caller.session_all(sids[-1])
    assert set(old) == set(new)
    assert old["Id"] == sids[0] and old["State"] == "done" and old["Progress"] == 1.0
    count = caller.report(sids[0])["stages"][0]["all"]["count"]
    assert old["Figures"]["count"] == count and old["StartedUSec"] <= old["FinishedUSec"]
    assert caller.report(sids[0])["session"]["id"] == sids[0]
    caller.session(sids[0], "Stop", "a{sv}", {})
    assert caller.session_get(sids[0], "State") == "done"
    assert caller.manager("GetSession", "s", sids[0]) == path(sids[0])
    # interleaved reads of two old ones and a listed one are not mixed up
    for sid in (sids[1], sids[0], sids[-1], sids[1], sids[2]):
        assert caller.session_get(sid, "Id") == sid


def test_objects_survive_a_restart(ready, caller):
    done = caller.start("brief", label="kept")
    caller.wait_state(done)
    stopped = caller.start("second")
    wait_for(lambda: caller.session_get(stopped, "Progress") > 0, what="progress")
    caller.session(stopped, "Stop", "a{sv}", {})
    caller.wait_state(stopped)
    before = [caller.session_all(sid) for sid in (done, stopped)]
    assert 0 < before[1]["Progress"] < 1 and before[1]["State"] == "stopped"
    assert ready.stop() == 0
    ready.start()
    for old, sid in zip(before, (done, stopped)):
        new = caller.session_all(sid)
        assert abs(new.pop("Progress") - old.pop("Progress")) < 0.05
        assert new == old
    assert set(managed(caller)) == {done, stopped}
    assert caller.manager("GetSession", "s", "last") == path(stopped)
    assert caller.manager("GetSession", "s", "last:brief") == path(done)


def test_delete(ready, caller, signals):
    sid = caller.start("brief")
    caller.wait_state(sid)
    assert sid in managed(caller)
    caller.manager("DeleteSession", "sa{sv}", sid, {})
    assert sid not in managed(caller)
    assert [b[0] for _, b, _ in signals.wait("InterfacesRemoved")] == [path(sid)]
    for call in (lambda: caller.session_get(sid, "State"), lambda: caller.report(sid),
                 lambda: caller.manager("GetSession", "s", sid),
                 lambda: caller.manager("DeleteSession", "sa{sv}", sid, {})):
        with pytest.raises(DBusErrorResponse) as error:
            call()
        assert error.value.name == "org.lrtbf1.Error.NoSuchSession"
    assert ready.stop() == 0
    ready.start()
    assert caller.manager("ListSessions", "a{sv}su", {}, "", 0) == ([], "")


def test_delete_an_old_one_that_was_just_read(ready, caller):
    sid = caller.start("brief")
    caller.wait_state(sid)
    assert ready.stop() == 0
    ready.start()
    assert caller.session_get(sid, "State") == "done"
    caller.manager("DeleteSession", "sa{sv}", sid, {})
    with pytest.raises(DBusErrorResponse) as error:
        caller.session_get(sid, "State")
    assert error.value.name == "org.lrtbf1.Error.NoSuchSession"


def test_delete_one_that_runs(ready, caller):
    first, second = caller.start("long"), caller.start("long")
    caller.wait_state(first, "running")
    for sid in (first, second):
        with pytest.raises(DBusErrorResponse) as error:
            caller.manager("DeleteSession", "sa{sv}", sid, {})
        assert error.value.name == "org.lrtbf1.Error.NotFinished"
    caller.session(second, "Stop", "a{sv}", {})
    assert caller.session_get(second, "State") == "stopped"
    assert caller.session_get(first, "State") == "running"


def test_stop_at_any_moment(ready, caller):
    """Also while the measuring threads are being made: the session was stopped, it did not fail."""
    for delay in (0, 0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16):
        sid = caller.start("long")
        time.sleep(delay)
        caller.session(sid, "Stop", "a{sv}", {})
        assert caller.wait_state(sid) == "stopped", caller.session_get(sid, "Reason")
        assert caller.session_get(sid, "ReasonId") == ""


def test_list_in_pages(ready, caller):
    sids = []
    for i in range(7):
        sids.append(caller.start("brief", duration="20ms", label=f"n{i % 2}"))
        caller.wait_state(sids[-1])
    got, cursor = [], ""
    while True:
        page, cursor = caller.manager("ListSessions", "a{sv}su", {}, cursor, 3)
        assert len(page) <= 3
        got += [s["id"][1] for s in page]
        if not cursor:
            break
    assert got == sids[::-1]

    def ids(**filters):
        return [s["id"][1] for s in caller.manager("ListSessions", "a{sv}su", filters, "", 0)[0]]
    assert ids(label=("s", "n1")) == [sids[5], sids[3], sids[1]]
    assert ids(plan=("s", "brief"), state=("s", "done,failed")) == sids[::-1]
    assert ids(plan=("s", "long")) == [] and ids(state=("s", "failed")) == []
    created = caller.session_get(sids[3], "CreatedUSec")
    assert ids(since_usec=("t", created)) == sids[:2:-1]
    import os
    assert ids(owner=("u", os.getuid())) == sids[::-1] and ids(owner=("u", 4242)) == []


def test_list_says_what_the_report_says(ready, caller):
    sid = caller.start("brief", label="x")
    caller.wait_state(sid)
    listed = plain(caller.manager("ListSessions", "a{sv}su", {}, "", 1)[0][0])
    reported = caller.report(sid)["session"]

    def without_null(value):
        if isinstance(value, dict):
            return {k: without_null(v) for k, v in value.items() if v is not None}
        return [without_null(v) for v in value] if isinstance(value, list) else value
    reported = without_null(reported)
    del reported["plan_text"], reported["summary"]["blocks"]
    assert listed["summary"] == reported["summary"]
    assert listed == reported


def test_busy_without_queue(ready, caller):
    sid = caller.start("long")
    with pytest.raises(DBusErrorResponse) as error:
        caller.start("brief", queue=False)
    assert error.value.name == "org.lrtbf1.Error.Busy" and sid in error.value.data[0]
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid, ENDED)
