# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that belong to a baseline, and what a plan's time can show."""
import json
import math

import pytest
from client import run
from jeepney import DBusErrorResponse
from lrtbf import documented, wait_for
from others import NOBODY, Listener, connect_as

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0"; %s
"""
NO_LOAD = "s20200101T000000Z_0000"


def refused(name, call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert error.value.name.split(".")[-1] == name, error.value
    return error.value.data[0]


def keep(caller, sid, baseline=None, value=True):
    options = {} if baseline is None else {"baseline": ("s", baseline)}
    caller.session(sid, "SetKeep", "ba{sv}", value, options)


def listed(caller, **filter):
    return [s["id"][1] for s in caller.manager("ListSessions", "a{sv}su", filter, "", 1000)[0]]


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", ""))
    daemon.plan("long", PLAN % ("60s", ""))
    return daemon.start()


def measure(caller, n=1, plan="brief"):
    sids = [caller.start(plan) for _ in range(n)]
    for sid in sids:
        assert caller.wait_state(sid) == "done"
    return sids


def test_belonging(ready, bus, caller):
    a, b, c = measure(caller, 3)
    heard = Listener(bus)
    keep(caller, a, "good")
    assert (caller.session_get(a, "Baseline"), caller.session_get(a, "Kept")) == ("good", True)
    told = wait_for(lambda: [body[1] for where, body, _ in heard.of("PropertiesChanged")
                             if where.endswith(a) and "Baseline" in body[1]], what="the change")
    assert told[0]["Baseline"] == ("s", "good") and told[0]["Kept"] == ("b", True)
    heard.connection.close()
    keep(caller, b, "good")
    keep(caller, c, "other_1")
    assert listed(caller, baseline=("s", "good")) == [b, a] and listed(caller, baseline=("s", "x")) == []
    assert caller.report(a)["session"]["baseline"] == "good"
    refused("Refused", caller.manager, "DeleteSession", "sa{sv}", a, {})
    # another one, none, and not kept any more
    keep(caller, b, "other_1")
    keep(caller, a, "")
    assert (caller.session_get(a, "Baseline"), caller.session_get(a, "Kept")) == ("", True)
    keep(caller, c, value=False)
    assert (caller.session_get(c, "Baseline"), caller.session_get(c, "Kept")) == ("", False)
    assert listed(caller, baseline=("s", "other_1")) == [b]
    # the mark alone leaves it
    keep(caller, b)
    assert caller.session_get(b, "Baseline") == "other_1"
    ready.kill()
    ready.start()
    assert listed(caller, baseline=("s", "other_1")) == [b]
    assert [caller.session_get(s, "Baseline") for s in (a, b, c)] == ["", "other_1", ""]
    assert [caller.session_get(s, "Kept") for s in (a, b, c)] == [True, True, False]


@pytest.mark.parametrize("name", ["Good", "a b", "a-b", "../x", "x" * 65, "ä", "a\n", "'"])
def test_names(ready, caller, name):
    sid, = measure(caller)
    assert "baseline" in refused("InvalidOption", keep, caller, sid, name)
    assert (caller.session_get(sid, "Baseline"), caller.session_get(sid, "Kept")) == ("", False)


def test_only_what_measured(ready, caller):
    runs = caller.start("long")
    caller.wait_state(runs, "running")
    waits = caller.start("brief")
    assert runs in refused("NotFinished", keep, caller, runs, "good")
    refused("NotFinished", keep, caller, waits, "good")
    caller.session(waits, "Stop", "a{sv}", {})
    assert "measured nothing" in refused("InvalidOption", keep, caller, waits, "good")
    caller.session(runs, "Stop", "a{sv}", {})
    caller.wait_state(runs)
    keep(caller, runs, "good")
    refused("InvalidOption", keep, caller, runs, "good", False)
    refused("InvalidOption", caller.session, runs, "SetKeep", "ba{sv}", True, {"baseline": ("u", 1)})
    refused("NoSuchSession", keep, caller, NO_LOAD, "good")


@pytest.mark.root
def test_others_need_a_right(ready, bus, caller):
    sid, = measure(caller)
    nobody = connect_as(bus, NOBODY)
    refused("NotAuthorized", keep, nobody, sid, "good")
    assert caller.session_get(sid, "Baseline") == ""
    nobody.close()


def test_client(ready, bus, caller):
    a, b = measure(caller, 2)
    assert run(bus, "session", "keep", a, "--baseline=good").returncode == 0
    assert a in (text := run(bus, "session", "list", "--baseline=good").stdout) and b not in text
    assert "baseline good" in text
    assert [s["baseline"] for s in json.loads(run(bus, "session", "list", "--json").stdout)] == [None, "good"]
    shown = json.loads(run(bus, "session", "show", a, "--json").stdout)
    assert shown["baseline"] == "good" and set(shown) - {"figures"} <= documented(".TP\n.B session show")
    assert "Baseline: good" in run(bus, "session", "show", a).stdout
    assert run(bus, "session", "keep", a, "--baseline=Bad").returncode == 1
    assert run(bus, "session", "keep", a, "--off", "--baseline=x").returncode == 64
    assert run(bus, "session", "keep", a, "--baseline=").returncode == 0
    assert caller.session_get(a, "Baseline") == "" and caller.session_get(a, "Kept")
    assert run(bus, "session", "keep", a, b, "--baseline=x").returncode == 0
    assert run(bus, "session", "keep", a, "--off").returncode == 0
    assert listed(caller, baseline=("s", "x")) == [b]


def test_plots(ready, bus, caller):
    sid, = measure(caller)
    whole = caller.report(sid, "svg")
    one = caller.session(sid, "GetReport", "sa{sv}", "svg", {"plot": ("s", "histogram")})
    assert "<svg" in one and len(one) < len(whole)
    assert "histogram" in refused("InvalidOption", caller.session, sid, "GetReport", "sa{sv}", "svg",
                                  {"plot": ("s", "pie")})
    assert run(bus, "session", "report", sid, "--format=svg", "--plot=histogram").stdout == one
    assert run(bus, "session", "report", sid, "--plot=histogram").returncode == 64
    assert run(bus, "session", "report", "--format=help").stdout.split()[0] == "text"


def test_power(make_daemon, bus, caller):
    """Stages with their repeats; the chances are those of a Poisson process."""
    daemon = make_daemon()
    daemon.plan("several", PLAN % ("10s", """repeat = 4;
        stages = ( { load = "none"; }, { name = "longer"; load = "none"; duration = "30min"; } );"""))
    daemon.plan("broken", "interval = 0;")
    daemon.start()
    plan = json.loads(run(bus, "plan", "show", "several", "--power", "--json").stdout)
    first, second = plan["power"]["stages"]
    assert (first["name"], second["name"]) == ("none", "longer")
    assert (first["time_ns"], second["time_ns"]) == (40e9, 7200e9)
    for stage in (first, second):
        seconds = stage["time_ns"] / 1e9
        assert math.isclose(stage["rate_hz"], 3 / seconds, rel_tol=0.01)
        for name, period in (("1/min", 60), ("1/h", 3600), ("1/day", 86400), ("1/week", 604800)):
            assert math.isclose(stage["chances"][name], 1 - math.exp(-seconds / period), rel_tol=1e-9)
            assert math.isclose(plan["power"]["needed"][name], -math.log(0.05) * period * 1e9, rel_tol=1e-6)
    text = run(bus, "plan", "show", "several", "--power").stdout
    rows = [line.split() for line in text.splitlines()]
    assert rows[0][0] == "STAGE" and rows[1][:2] == ["none", "40"] and "49 %" in text and ">99.9 %" not in rows[1]
    assert "power" not in json.loads(run(bus, "plan", "show", "several", "--json").stdout)
    result = run(bus, "plan", "show", "broken", "--power")
    assert result.returncode == 1 and "cannot be used" in result.stderr
    assert max(map(len, text.splitlines())) <= 80
