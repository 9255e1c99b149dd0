# SPDX-License-Identifier: GPL-2.0-or-later
"""Stages that are measured several times; limits against what good sessions have."""
import json
import re
import statistics
import subprocess

import pytest
from client import CTL, environment
from lrtbf import wait_for

BASE = """
instrument = "timer"; policy = "other"; interval = "1ms"; cpus = "0"; warm_up = "0ms"; settle = "0ms";
"""
THREE = BASE + """
repeat = 3; limits = [ "max <= 10s" ];
stages = ( { name = "a"; load = "none"; duration = "200ms"; },
           { name = "b"; load = "none"; duration = "300ms"; } );
"""


def ctl(bus, *args):
    return subprocess.run([str(CTL), f"--bus={bus.address}", *args], capture_output=True, text=True,
                          env=environment(), timeout=60)


@pytest.fixture
def caller(bus):
    connection = bus.connect()
    yield connection
    connection.close()


def plans(caller):
    return {p["name"][1]: {k: v[1] for k, v in p.items()} for p in caller.manager("ListPlans", "a{sv}", {})}


def measure(caller, plan, **options):
    sid = caller.start(plan, **options)
    assert caller.wait_state(sid) == "done"
    return sid, caller.report(sid)


def rounds(report):
    return " ".join(f"{s['name']}{s['repeat']}" for s in report["stages"])


def test_numbers(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("three", THREE)
    daemon.plan("once", BASE + 'duration = "1s"; baseline = "night_6";')
    daemon.start()
    there = plans(caller)
    three, once = there["three"], there["once"]
    assert (three["repeat"], three["duration_ns"], len(three["stages"])) == (3, 1_500_000_000, 2)
    assert (once["repeat"], once["duration_ns"]) == (1, 1_000_000_000)
    assert (three["baseline"], once["baseline"]) == ("three", "night_6")
    row = next(r for r in ctl(bus, "plan", "list").stdout.splitlines() if r.startswith("three"))
    assert row.split()[2:4] == ["6", "1500ms"] or row.split()[2:4] == ["6", "1.5s"], row
    problems = caller.manager("CheckPlan", "sa{sv}", THREE.replace("repeat = 3", "repeat = 33"), {})
    assert "66" in problems[0]["text"][1] and "64" in problems[0]["text"][1]


def test_order_and_report(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("three", THREE)
    daemon.start()
    sid = caller.start("three")
    shown = []

    def over():
        shown.append(caller.session_get(sid, "Progress"))
        return caller.session_get(sid, "State") == "done"
    wait_for(over, timeout=60, step=0.1)
    assert shown == sorted(shown) and shown[-1] == 1
    assert any(0.2 < p < 0.95 for p in shown)  # of all repeats, not of the first ones
    report = caller.report(sid)
    assert rounds(report) == "a1 b1 b2 a2 a3 b3"
    assert report["session"]["planned_ns"] == 1_500_000_000
    assert all(len(s["limits"]) == 1 and s["analysis"] for s in report["stages"])
    assert [(r["stage"], r["n"]) for r in report["repeats"]] == [("a", 3), ("b", 3)]
    for common in report["repeats"]:
        stages = [s["all"] for s in report["stages"] if s["name"] == common["stage"]]
        maxima, means = [s["max_ns"] for s in stages], [s["avg_ns"] for s in stages]
        assert common["max_ns"] == max(maxima)
        assert common["maxima_ns"] == {"n": 3, "median": statistics.median(maxima), "min": min(maxima),
                                       "max": max(maxima)}
        assert common["avg_ns"]["median"] == pytest.approx(statistics.median(means), abs=0.001)
        assert (common["avg_ns"]["min"], common["avg_ns"]["max"]) == (min(means), max(means))
        assert common["percentiles"]["50"]["n"] == 3 and common["percentiles"]["99.9999"] is None


def test_text(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("three", THREE)
    daemon.start()
    sid, report = measure(caller, "three")
    text = ctl(bus, "session", "report", sid).stdout
    assert len(re.findall(r"Stage \d of 6: ", text)) == 2  # of each the worst, and not all six
    for common in report["repeats"]:
        worst = max((s for s in report["stages"] if s["name"] == common["stage"]),
                    key=lambda s: s["all"]["max_ns"])
        again = f", repeat {worst['repeat']}" if worst["repeat"] > 1 else ""
        assert f"of 6: {common['stage']}{again} " in text
    assert text.count(" median ") == 2 and text.count("lowest") == 2
    one = ctl(bus, "session", "report", sid, "--stage=b").stdout
    assert len(re.findall(r"Stage \d of 3: b", one)) == 3 and ": a" not in one
    assert one.count(" median ") == 1
    only = json.loads(ctl(bus, "session", "report", sid, "--stage=b", "--format=json").stdout)
    assert rounds(only) == "b1 b2 b3" and only["session"]["planned_ns"] == 900_000_000
    refused = ctl(bus, "session", "report", sid, "--stage=c").stderr
    assert refused.count(" a") == 1 and refused.count(" b") == 1  # each name once
    # one stage and no repeats, as a wish
    sid, report = measure(caller, "three", load="none")
    assert rounds(report) == "none1" and report["repeats"] == []


def test_interrupted(make_daemon, bus, caller):
    """What of them was measured is there after a kill, each under its name."""
    daemon = make_daemon()
    daemon.plan("two", BASE + """repeat = 2; stages = ( { name = "a"; load = "none"; duration = "300ms"; },
        { name = "b"; load = "none"; duration = "5s"; } );""")
    daemon.start()
    sid = caller.start("two")
    wait_for(lambda: [s["name"] for s in caller.report(sid)["stages"]] == ["a", "b", "b"], timeout=60)
    wait_for(lambda: caller.report(sid)["stages"][2]["all"]["count"] > 500, timeout=60)
    daemon.kill()
    daemon.start()
    report = caller.report(sid)
    assert report["session"]["state"] == "interrupted"
    assert rounds(report) == "a1 b1 b2"
    assert report["stages"][0]["analysis"] is None or report["stages"][0]["analysis"]
    assert report["stages"][2]["all"]["count"] > 500
    assert [(r["stage"], r["n"]) for r in report["repeats"]] == [("b", 2)]


def limit_of(report, stage=0):
    assert len(report["stages"][stage]["limits"]) == 1
    return report["stages"][stage]["limits"][0]


def doubts(report, stage=0):
    return [f["text"] for f in report["stages"][stage]["findings"] if f["id"] == "no-baseline"]


def put_into(caller, sid, name):
    caller.session(sid, "SetKeep", "ba{sv}", True, {"baseline": ("s", name)})


def test_baseline(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("night", BASE + 'duration = "300ms"; limits = [ "avg <= baseline + 1000%" ];')
    daemon.start()
    sid, report = measure(caller, "night")
    limit = limit_of(report)
    assert (limit["bound"], limit["value"], limit["broken"]) == (None, None, None)
    assert report["session"]["verdict"] == "inconclusive"
    assert "baseline night" in doubts(report)[0] and doubts(report)[0] in report["stages"][0]["reasons"]
    # that one is good: the next is held against it
    put_into(caller, sid, "night")
    first = report["stages"][0]["all"]["avg_ns"]
    sid, report = measure(caller, "night")
    limit = limit_of(report)
    assert limit["text"] == "avg <= baseline + 1000%" and not doubts(report)
    assert limit["bound"] == pytest.approx(11 * first, abs=1.01)
    assert limit["broken"] is (report["stages"][0]["all"]["avg_ns"] > limit["bound"])
    assert "avg <= baseline + 1000% (" in ctl(bus, "session", "report", sid).stdout
    # what it came to does not change with the baseline afterwards, nor with a restart
    put_into(caller, sid, "night")
    daemon.stop()
    daemon.start()
    assert limit_of(caller.report(sid)) == limit
    # another way to measure
    sid, report = measure(caller, "night", interval="2ms")
    assert limit_of(report)["bound"] is None and "another way" in doubts(report)[0]


def test_baseline_wishes(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("night", BASE + 'duration = "300ms"; baseline = "good";')
    daemon.start()
    for _ in range(2):
        put_into(caller, measure(caller, "night")[0], "good")
    run = ctl(bus, "session", "start", "night", "--wait", "--json", "--limit=min <= baseline - 99.9999%")
    assert run.returncode == 2, run  # nothing is as fast as that
    report = json.loads(run.stdout)
    assert limit_of(report)["broken"] is True and report["session"]["verdict"] == "fail"
    assert "min <= baseline - 99.9999% is broken" in report["session"]["reason"]
    run = ctl(bus, "session", "start", "night", "--wait", "--json", "--limit=max <= baseline + 10%")
    assert run.returncode == 3
    assert "2 comparable sessions" in doubts(json.loads(run.stdout))[0]
    for wrong in "missed <= baseline", "p97 <= baseline", "max <= baseline * 2", "max <= baseline - 100%":
        run = ctl(bus, "session", "start", "night", f"--limit={wrong}")
        assert run.returncode == 1 and "baseline" in run.stderr, wrong
