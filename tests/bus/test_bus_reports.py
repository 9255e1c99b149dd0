# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports over the bus: as a string, as a dictionary, as a sealed file."""
import fcntl
import json
import os

import pytest
from jeepney import DBusErrorResponse
from lrtbf import MANAGER, documented, plain, wait_for

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
limits = ( "max <= 10s", "p99 <= 10s" );
"""
STAGES = 2000  # over 8 MiB, however few buckets a busy machine fills
F_GET_SEALS, ALL_SEALS = 1034, 0xF


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "300ms")
    daemon.plan("long", PLAN % "60s")
    return daemon.start()


@pytest.fixture
def sid(ready, caller):
    """A session with samples: on a machine that others keep busy the first may end without any."""
    for _ in range(5):
        sid = caller.start("brief")
        assert caller.wait_state(sid) == "done"
        if caller.report(sid)["stages"][0]["all"]["count"]:
            break
    return sid


def open_report(caller, sid, fmt, options=None):
    with caller.session(sid, "OpenReport", "sa{sv}", fmt, options or {}).to_file("rb") as file:
        seals = fcntl.fcntl(file.fileno(), F_GET_SEALS)
        assert seals & ALL_SEALS == ALL_SEALS
        with pytest.raises(OSError):
            os.write(file.fileno(), b"x")
        return file.read()


def test_every_format_both_ways(caller, sid):
    for fmt in caller.get(MANAGER, "Manager", "Formats"):
        text = caller.report(sid, fmt) if fmt != "json" else \
            caller.session(sid, "GetReport", "sa{sv}", "json", {})
        assert text and open_report(caller, sid, fmt).decode() == text


def test_man_page_has_the_keys(caller, sid):
    report = caller.report(sid)
    assert {"format", "version", "session", "conditions", "stages", "repeats"} == {*report} == documented("The JSON report:")
    stage = report["stages"][0]
    assert {*stage, *stage["limits"][0]} <= documented("Each stage is")


def test_one_stage(ready, caller):
    """Formats that know no stages add them up, or are of the one that was asked for."""
    ready.plan("two", (PLAN % "300ms") + """
        stages = ( { load = "none"; }, { name = "again"; load = "none"; duration = "500ms"; } );""")
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("two")
    assert caller.wait_state(sid) == "done"
    counts = [s["all"]["count"] for s in caller.report(sid)["stages"]]

    def cycles(options):
        text = caller.session(sid, "GetReport", "sa{sv}", "cyclictest-json", options)
        return json.loads(text)["thread"]["0"]["cycles"]
    assert cycles({}) == sum(counts)
    assert cycles({"stage": ("s", "again")}) == counts[1]
    shown = ready.ctl("session", "report", sid, "--format=csv", "--stage=none")
    assert shown.returncode == 0 and "again" not in shown.stdout and ",none," in shown.stdout
    shown = ready.ctl("session", "report", sid, "--stage=nosuch")
    assert shown.returncode == 1
    assert "nosuch" in shown.stderr and "again" in shown.stderr  # it lists those that there are


def test_text_options(caller, sid):
    def text(**options):
        return caller.session(sid, "GetReport", "sa{sv}", "text", options)
    assert text(colour=("b", True)) != text()
    assert "\x1b[" in text(colour=("b", True)) and "\x1b[" not in text()
    assert max(map(len, text(width=("u", 60)).splitlines())) \
        < max(map(len, text(width=("u", 200)).splitlines()))
    assert text().isascii() and not text(unicode=("b", True)).isascii()


def without(value):
    """The JSON report as the dictionary shows it."""
    if isinstance(value, dict):
        return {k: without(v) for k, v in value.items() if v is not None and k != "histogram"}
    if isinstance(value, list):
        return [without(v) for v in value if v is not None]
    return value


def differences(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in {**a, **b}:
            yield from differences(a.get(key), b.get(key), f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{where}[{i}]")
    elif isinstance(a, float) and isinstance(b, float):
        if abs(a - b) > 1e-12 * max(abs(a), abs(b)):  # text has 15 digits
            yield where, a, b
    elif a != b:
        yield where, a, b


def test_result_is_the_json_report(caller, sid):
    result = caller.session(sid, "GetResult", "a{sv}", {})
    assert list(differences(plain(result), without(caller.report(sid)))) == []
    session = dict(result["session"][1])
    assert session["started_usec"][0] == "t" and session["id"][0] == "s"
    figures = dict(result["stages"][1][0]["all"][1])
    assert result["stages"][0] == "aa{sv}"
    assert figures["count"][0] == "t" and figures["max_ns"][0] == "t"
    assert figures["avg_ns"][0] == "d"


def test_report_of_a_running_session(ready, caller):
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    first = wait_for(lambda: caller.report(sid)["stages"][0]["all"]["count"], what="samples")
    report = wait_for(lambda: (r := caller.report(sid))["stages"][0]["all"]["count"] > first and r,
                      what="more samples")
    assert report["session"]["state"] == "running"
    assert not report["session"]["verdict"]
    figures = report["stages"][0]["all"]
    assert sum(n for _, _, n in figures["histogram"]) == figures["count"]
    assert caller.report(sid, "text")
    caller.session(sid, "Stop", "a{sv}", {})


def test_report_of_a_queued_session(ready, caller):
    first, queued = caller.start("long"), caller.start("long")
    report = caller.report(queued)
    assert report["session"]["state"] == "queued"
    assert caller.report(queued, "text")
    caller.session(queued, "Stop", "a{sv}", {})
    assert caller.report(queued)["session"]["state"] == "stopped"
    caller.session(first, "Stop", "a{sv}", {})


def test_large_reports(ready, caller, sid):
    """Over 8 MiB: refused as a string, readable as a file; the daemon stays on the bus."""
    import sqlite3
    assert ready.stop() == 0
    with sqlite3.connect(ready.state / "lrtbfd.db") as db:
        multiply_stages(db, sid, STAGES)
    ready.start()
    for method, args in (("GetReport", ("sa{sv}", "json", {})), ("GetResult", ("a{sv}", {}))):
        with pytest.raises(DBusErrorResponse) as error:
            caller.session(sid, method, *args)
        assert error.value.name == "org.lrtbf1.Error.TooLarge"
        assert "OpenReport" in error.value.data[0]
    data = open_report(caller, sid, "json")
    assert len(data) > 8 * 1024 * 1024
    assert len(json.loads(data)["stages"]) == STAGES
    assert caller.session_get(sid, "State") == "done"


def multiply_stages(db, sid, count):
    """Copy the session's only stage, with its figures, until there are @count."""
    (row,) = db.execute("SELECT row FROM sessions WHERE id = ?", (sid,)).fetchone()
    for table, index in (("stages", "idx"), ("figures", "stage")):
        columns = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
        columns = [f'"{c}"' for c in columns]  # one is a word of SQL
        values = ", ".join("n.i" if c == f'"{index}"' else c for c in columns)
        db.execute(f"""WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
                       INSERT INTO {table} SELECT {values} FROM {table}, n
                       WHERE session = ? AND {index} = 0""", (count, row))
