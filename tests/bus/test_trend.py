# SPDX-License-Identifier: GPL-2.0-or-later
"""A figure over all sessions of a plan, over the bus and by lrtbfctl."""
import fcntl
import json
import os
import random
import shutil
import sqlite3
import time

import pytest
from client import run
from jeepney import DBusErrorResponse
from lrtbf import MANAGER, ROOT, documented

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0"; %s
"""
HISTORY = 60
SHIFT = 40  # and with it another kernel
F_GET_SEALS, ALL_SEALS = 1034, 0xF


def refused(name, call, *args, **options):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args, **options)
    assert error.value.name.split(".")[-1] == name, error.value
    assert len(error.value.data[0]) < 2000
    return error.value.data[0]


def trend(caller, plan, fmt="json", **options):
    kinds = {bool: "b", str: "s", int: "u"}
    typed = {k: ("t" if k.endswith("usec") else kinds[type(v)], v) for k, v in options.items()}
    text = caller.manager("Trend", "ssa{sv}", plan, fmt, typed)
    return json.loads(text) if fmt == "json" else text


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("100ms", ""))
    daemon.plan("twice", PLAN % ("100ms", 'repeat = 3; stages = ( { load = "none"; }, { name = "b"; load = "none"; } );'))
    return daemon.start()


@pytest.fixture
def history(ready, caller):
    """Sixty sessions that another program measured; from the 41st on they are worse by half. Their ids and maxima."""
    dice = random.Random(5)
    made = []
    for i in range(HISTORY):
        base = 40 if i < SHIFT else 60
        top = base + dice.randrange(8)
        text = (f"# /dev/cpu_dma_latency set to 0us\n"
                f"T: 0 ( 1001) P:80 I:1000 C: 100000 Min:      2 Act:    5 Avg:    {base // 10} Max:      {top}\n")
        sid, = caller.manager("Import", "saya{sv}", "cyclictest", text.encode(), {
            "kernel": ("s", "6.1.0-17" if i < SHIFT else "6.1.0-18"), "load": ("s", "hell")})
        made.append((sid, top))
    return made


def test_shift_is_found(history, bus, caller):
    found = trend(caller, "import_cyclictest")
    assert [(p["session"], p["value"]) for p in found["points"]] == [(sid, top * 1000) for sid, top in history]
    shift, = found["shifts"]
    assert abs([sid for sid, _ in history].index(shift["session"]) - SHIFT) <= 2
    assert shift["p"] < 0.01 and 30 < shift["percent"] < 70
    assert [c for c in shift["changed"] if c["before"] == "6.1.0-17" and c["after"] == "6.1.0-18"]
    text = trend(caller, "import_cyclictest", "text")
    assert shift["session"] in text and "6.1.0-18" in text
    by = trend(caller, "import_cyclictest", by="kernel")
    assert {"6.1.0-17", "6.1.0-18"} == {k["kernel"] for k in by["kernels"]}


def test_every_format_both_ways(history, bus, caller):
    formats = caller.get(MANAGER, "Manager", "TrendFormats")
    assert {"text", "json", "csv"} <= set(formats)
    for fmt in formats:
        text = trend(caller, "import_cyclictest", fmt)
        assert text
        with caller.manager("OpenTrend", "ssa{sv}", "import_cyclictest", fmt, {}).to_file("rb") as file:
            assert fcntl.fcntl(file.fileno(), F_GET_SEALS) & ALL_SEALS == ALL_SEALS
            whole = file.read().decode()
        assert (json.loads(whole) if fmt == "json" else whole) == text
    assert "\x1b[" not in trend(caller, "import_cyclictest", "text")
    assert trend(caller, "import_cyclictest", "text", width=60, unicode=True)


def test_options(history, ready, bus, caller):
    newest = trend(caller, "import_cyclictest", limit=12)
    assert [p["session"] for p in newest["points"]] == [sid for sid, _ in history[-12:]]
    average = trend(caller, "import_cyclictest", figure="avg")
    assert {p["value"] for p in average["points"]} == {4000, 6000}
    since = caller.session_get(history[30][0], "StartedUSec")
    later = trend(caller, "import_cyclictest", since_usec=since)
    assert {p["session"] for p in later["points"]} == {
        sid for sid, _ in history if caller.session_get(sid, "StartedUSec") >= since}
    # what the source does not have is no point with a value, and not 0
    assert {p["value"] for p in trend(caller, "import_cyclictest", figure="p99")["points"]} == {None}
    assert ready.stop() == 0
    ready.start()
    assert trend(caller, "import_cyclictest", limit=12) == newest


def test_repeats_are_one_point(ready, caller):
    sid = caller.start("twice")
    assert caller.wait_state(sid) == "done"
    again = caller.start("twice")
    assert caller.wait_state(again) == "done"
    stages = [s for s in caller.report(sid)["stages"] if s["name"] == "none"]
    assert len(stages) == 3
    point = trend(caller, "twice")["points"][0]
    assert point["session"] == sid and point["value"] == max(s["all"]["max_ns"] for s in stages)
    averages = sorted(s["all"]["avg_ns"] for s in stages)
    assert trend(caller, "twice", figure="avg")["points"][0]["value"] == pytest.approx(averages[1], abs=0.01)
    assert len(trend(caller, "twice", stage="b")["points"]) == 2
    # as it is after retention, too
    assert "no such" not in refused("NoSuchSession", trend, caller, "twice", stage="c").lower()


@pytest.mark.parametrize("plan, options, name", [
    ("nosuch", {}, "NoSuchSession"), ("No Plan", {}, "NoSuchPlan"), ("x" * 5000, {}, "NoSuchPlan"),
    ("", {}, "NoSuchPlan"), ("../x", {}, "NoSuchPlan"),
    ("brief", {"figure": "maximum"}, "InvalidOption"), ("brief", {"figure": "p99.95"}, "InvalidOption"),
    ("brief", {"figure": ""}, "InvalidOption"), ("brief", {"figure": "p" * 4000}, "InvalidOption"),
    ("brief", {"by": "day"}, "InvalidOption"), ("brief", {"fmt": "pdf"}, "InvalidOption"),
    ("brief", {"fmt": ""}, "InvalidOption"), ("brief", {"width": 10 ** 6}, "InvalidOption"),
    ("brief", {"limits": 5}, "InvalidOption"), ("brief", {"stage": "nosuch"}, "NoSuchSession"),
    ("brief", {"since_usec": 1 << 62}, "NoSuchSession"), ("brief", {"since_usec": (1 << 64) - 1}, "InvalidOption"),
])
def test_hostile(ready, caller, plan, options, name):
    sid = caller.start("brief")
    caller.wait_state(sid)
    refused(name, trend, caller, plan, **options)
    assert len(trend(caller, "brief")["points"]) == 1


def test_client(history, bus, caller, folder):
    result = run(bus, "trend", "import_cyclictest")
    assert (result.returncode, result.stderr) == (0, "") and "6.1.0-18" in result.stdout
    whole = json.loads(run(bus, "--json", "trend", "import_cyclictest").stdout)
    assert whole == trend(caller, "import_cyclictest")
    assert {*whole, *whole["shifts"][0]} <= documented(".TP\n.B trend")
    path = f"{folder}/out"
    result = run(bus, "trend", "import_cyclictest", "--format=csv", "-o", path, "--figure=avg")
    assert result.stdout == "" and open(path).read() == trend(caller, "import_cyclictest", "csv", figure="avg")
    assert json.loads(run(bus, "trend", "import_cyclictest", "--json", "--limit=12", "--by=kernel", "--stage=hell",
                          "--since=yesterday").stdout)["points"][-1]["session"] == history[-1][0]
    assert run(bus, "trend", "--format=help").stdout.split() == caller.get(MANAGER, "Manager", "TrendFormats")
    assert run(bus, "trend", "nosuch").returncode == 1
    for bad in (["--limit=0"], ["--limit=x"], ["--since=x"], ["--json", "--format=csv"]):
        assert run(bus, "trend", "import_cyclictest", *bad).returncode == 64, bad
    assert run(bus, "trend").returncode == 64


def test_bus_is_not_kept_waiting(history, ready, bus, caller):
    """A plan of many thousands of sessions."""
    assert ready.stop() == 0
    with sqlite3.connect(ready.state / "lrtbfd.db") as db:
        copy_history(db, history[0][0], 20_000)
    ready.start()
    began = time.monotonic()
    assert len(trend(caller, "import_cyclictest", "csv").splitlines()) > 20_000
    print(f"a trend over 20,000 sessions took {time.monotonic() - began:.2f} s")
    assert caller.get(MANAGER, "Manager", "QueueLength") == 0


def copy_history(db, sid, n):
    (row,) = db.execute("SELECT row FROM sessions WHERE id = ?", (sid,)).fetchone()
    for table, key in (("sessions", "row"), ("points", "session")):
        columns = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
        names = ", ".join(f'"{c}"' for c in columns)
        values = ", ".join({"row": "n.i", "session": "n.i", "id": "'s20200101T000000Z_' || n.i"}.get(c, f't."{c}"')
                           for c in columns)
        db.execute(f"""WITH RECURSIVE n(i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
                       INSERT INTO {table} ({names}) SELECT {values} FROM {table} t, n WHERE t.{key} = ?""",
                   (1000 + n, row))
    db.commit()


def test_over_ssh(history, bus, caller, folder):
    """No descriptors travel there: import, comparison and trend come in the reply."""
    if not shutil.which("systemd-stdio-bridge"):
        pytest.skip("systemd-stdio-bridge, which ssh starts on the other side, is not installed")
    with open(f"{folder}/ssh", "w") as script:
        # its ends are one socket that does not block; cat wants to
        script.write("#!/bin/sh\n/usr/bin/python3 -c 'import os; os.set_blocking(0, True)'\n"
                     f"cat | systemd-stdio-bridge --bus-path='{bus.address}' | cat\n")
    os.chmod(script.name, 0o755)

    def far(*args):
        result = run(None, "-H", "user@there", *args, env={"PATH": f"{folder}:{os.environ['PATH']}"})
        assert (result.returncode, result.stderr) == (0, ""), args
        return result.stdout
    first, last = history[0][0], history[-1][0]
    assert far("trend", "import_cyclictest") == trend(caller, "import_cyclictest", "text", unicode=True)
    assert json.loads(far("compare", first, last, "--json"))["sides"][1]["sessions"][0]["id"] == last
    sid, = far("session", "import", ROOT / "tests/fixtures/imports/cyclictest-rt.json").split()
    assert caller.session_get(sid, "Plan") == "import_cyclictest_json"
    far("session", "keep", sid, "--baseline=far")
    assert sid in far("session", "list", "--baseline=far")
