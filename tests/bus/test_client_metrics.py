# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl status --format=openmetrics: gauges for Prometheus, with and without a service."""
import json
import re
import shutil
import subprocess
import time

import pytest
from client import run
from fake import SID, refuse

PLAN = 'instrument = "timer"; policy = "other"; duration = "1s"; warm_up = "0s"; interval = "1ms";'
HOSTILE = 'a "b"\\ c\nd, {e} \u05d0'


def samples(text):
    """{name{labels}: value}; it is whole, and each series stands there once."""
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = dict(line.rsplit(" ", 1) for line in lines)
    assert len(found) == len(lines)
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")]
    assert len(set(names)) == len(names)
    assert all(line.endswith(" gauge") for line in text.splitlines() if line.startswith("# TYPE "))
    assert {re.match(r"\w+", s)[0] for s in found} == set(names)
    return found


def strict(text):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    return {s.name: s for f in parser.text_string_to_metric_families(text) for s in f.samples}


def metrics(bus, *args, status=0):
    result = run(bus, "status", "--format=openmetrics", *args)
    assert result.returncode == status, result
    strict(result.stdout)
    if shutil.which("promtool"):
        subprocess.run(["promtool", "check", "metrics"], input=result.stdout, text=True, check=True)
    return samples(result.stdout)


def session(plan, ago=60, verdict="pass", state="done", **more):
    return {"id": ("s", SID), "plan": ("s", plan), "state": ("s", state), "verdict": ("s", verdict),
            "finished_usec": ("t", int((time.time() - ago) * 1e6)), **more}


def plans(*names):
    return lambda options: ("aa{sv}", ([{"name": ("s", n), "valid": ("b", True)} for n in names],))


def test_no_service(bus):
    for args in ([], ["--plan=nightly"], ["--plan=nightly", "--max-age=1h"]):
        result = run(bus, "status", "--format=openmetrics", *args)
        assert result.returncode == 5
        assert samples(result.stdout) == {"lrtbf_up": "0"}
        assert "not running" in result.stderr


def test_no_bus(folder):
    result = run(None, f"--bus=unix:path={folder}/none", "status", "--format=openmetrics")
    assert result.returncode == 5 and samples(result.stdout) == {"lrtbf_up": "0"}


def test_each_plan(bus, serve):
    figures = {"count": ("t", 10**12), "min_ns": ("t", 2502), "avg_ns": ("d", 3460.853),
               "max_ns": ("t", 48696), "stddev_ns": ("d", 922.536), "missed": ("t", 3),
               "percentiles": ("a{sv}", {"50": ("t", 3408), "99.9": ("t", 9664)})}
    newest = {"nightly": [session("nightly", summary=("a{sv}", figures), label=("s", HOSTILE))],
              "weekly": [session("weekly", verdict="fail")], "new": []}
    serve(ListPlans=plans(*newest),
          ListSessions=lambda f, *a: ("aa{sv}s", (newest.get(f.get("plan", (0, ""))[1], []), "")))
    found = metrics(bus)
    for name, value in {
            "lrtbf_up": "1", "lrtbf_trouble": "0", "lrtbf_measuring": "0", "lrtbf_queue_length": "0",
            'lrtbf_service{version="9.9",kernel="6.1",realtime="yes"}': "1",
            'lrtbf_plan_good{plan="nightly"}': "1", 'lrtbf_plan_good{plan="weekly"}': "0",
            'lrtbf_plan_good{plan="new"}': "0",
            'lrtbf_plan_verdict{plan="nightly",verdict="pass"}': "1",
            'lrtbf_plan_verdict{plan="nightly",verdict="fail"}': "0",
            'lrtbf_plan_verdict{plan="weekly",verdict="fail"}': "1",
            'lrtbf_plan_samples{plan="nightly"}': "1000000000000",
            'lrtbf_plan_minimum_seconds{plan="nightly"}': "0.000002502",
            'lrtbf_plan_average_seconds{plan="nightly"}': "0.000003460853",
            'lrtbf_plan_maximum_seconds{plan="nightly"}': "0.000048696",
            'lrtbf_plan_deviation_seconds{plan="nightly"}': "0.000000922536",
            'lrtbf_plan_missed_periods{plan="nightly"}': "3",
            'lrtbf_plan_percentile_seconds{plan="nightly",percentile="99.9"}': "0.000009664"}.items():
        assert found[name] == value, name
    assert 59 <= float(found['lrtbf_plan_age_seconds{plan="nightly"}']) < 120
    assert not any('plan="new"' in s and "good" not in s for s in found)
    assert not any("lost" in s for s in found)  # the service said nothing of it
    label = strict(run(bus, "status", "--format=openmetrics").stdout)
    assert label["lrtbf_plan_session"].labels["plan"] in newest


def test_one_plan(bus, serve):
    asked = []

    def newest(options, *rest):
        asked.append(options.get("plan", (0, None))[1])
        return "aa{sv}s", ([session(asked[-1] or "other", ago=7200)], "")
    serve(ListPlans=plans("other", "nightly"), ListSessions=newest)
    found = metrics(bus, "--plan=nightly")
    assert {p for p in asked if p} == {"nightly"}
    assert not any('plan="other"' in s for s in found) and found['lrtbf_plan_good{plan="nightly"}'] == "1"
    found = metrics(bus, "--plan=nightly", "--max-age=1h", status=3)
    assert found['lrtbf_plan_good{plan="nightly"}'] == "0"
    assert found['lrtbf_plan_verdict{plan="nightly",verdict="pass"}'] == "1"


@pytest.mark.parametrize("state, verdict, status", (
    ("done", "fail", 2), ("done", "inconclusive", 3), ("failed", "inconclusive", 1),
    ("interrupted", "none", 6), ("done", "none", 0)))
def test_status_is_that_of_the_other_forms(bus, serve, state, verdict, status):
    serve(ListSessions=lambda *a: ("aa{sv}s", ([session("p", state=state, verdict=verdict)], "")))
    found = metrics(bus, "--plan=p", status=status)
    assert found['lrtbf_plan_good{plan="p"}'] == str(int(status == 0))
    assert run(bus, "status", "--plan=p").returncode == status


def test_labels_are_escaped(bus, serve):
    serve(ListPlans=plans("p"), ListSessions=lambda *a: ("aa{sv}s", (
        [session("p", label=("s", HOSTILE + "\r\x01"))], "")))
    got = strict(run(bus, "status", "--format=openmetrics").stdout)["lrtbf_plan_session"].labels
    assert got["label"] == HOSTILE + "\ufffd\ufffd"


def test_trouble(bus, serve):
    fake = serve()
    fake.properties["Manager"]["Trouble"] = ("s", "The disk is full.")
    assert metrics(bus, status=1)["lrtbf_trouble"] == "1"


def test_a_service_that_refuses_is_not_up(bus, serve):
    serve(ListPlans=refuse("org.lrtbf1.Error.NotPermitted"))
    result = run(bus, "status", "--format=openmetrics")
    assert result.returncode != 0 and samples(result.stdout) == {"lrtbf_up": "0"} and result.stderr


def test_formats(bus, serve):
    serve()
    assert json.loads(run(bus, "status", "--format=json").stdout)["version"] == "9.9"
    assert run(bus, "status", "--format=text").stdout == run(bus, "status").stdout
    assert run(bus, "status", "--format=help").stdout.split() == ["text", "json", "openmetrics"]
    for args in (["--format=yaml"], ["--format=openmetrics", "--json"]):
        result = run(bus, "status", *args)
        assert result.returncode == 64 and result.stdout == "" and result.stderr


def test_of_a_real_service(bus, make_daemon):
    daemon = make_daemon()
    daemon.plan("short", PLAN)
    daemon.plan("long", PLAN.replace('"1s"', '"60s"'))
    daemon.start()
    run(bus, "session", "start", "short", "--wait", "--label=one")
    shown = json.loads(run(bus, "session", "list", "--json").stdout)[0]
    found = metrics(bus)
    assert found["lrtbf_up"] == "1"
    assert found['lrtbf_plan_samples{plan="short"}'] == str(shown["summary"]["count"])
    for metric, key in (("minimum", "min_ns"), ("average", "avg_ns"), ("maximum", "max_ns")):
        value = float(found[f'lrtbf_plan_{metric}_seconds{{plan="short"}}'])
        assert abs(value * 1e9 - shown["summary"][key]) < 0.001
    assert found[f'lrtbf_plan_verdict{{plan="short",verdict="{shown["verdict"]}"}}'] == "1"
    active = run(bus, "session", "start", "long").stdout.strip()
    end = time.monotonic() + 20
    while metrics(bus)["lrtbf_measuring"] != "1" and time.monotonic() < end:
        time.sleep(0.2)
    found = metrics(bus)
    assert found["lrtbf_measuring"] == "1"
    assert 0 <= float(found['lrtbf_measuring_progress_ratio{plan="long"}']) <= 1
    run(bus, "session", "stop", active)
