# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for every session, seen from outside: sums that are exact in every output, files that
are refused alone, loads that prove nothing."""
import csv
import io
import os
import re
import time

import pytest
from jeepney import DBusErrorResponse

from lrtbf import ENDED, NAME, assert_grid

MS = 1_000_000
PLAN = """instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s";
stages = ( { load = "%s"; } ); limits = ( "max <= 1h" );
"""


def unpack(problems):
    return [{k: v[1] for k, v in p.items()} for p in problems]


def adds_up(figures):
    assert sum(n for _, _, n in figures["histogram"]) == figures["count"]
    if figures["corrected"] is None:  # no thread has begun yet
        assert figures["count"] == 0
    else:
        assert figures["count"] + figures["missed"] == figures["corrected"]["count"]


def everything(report):
    for stage in report["stages"]:
        yield from [stage["all"], *stage["cpus"]]


def test_sums_in_every_output(make_daemon, caller):
    """While it runs and afterwards: buckets sum to the count, and every grid point is accounted for."""
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("2s", "none"))
    daemon.start()
    sid = caller.start("brief")
    live = 0
    while caller.session_get(sid, "State") not in ENDED:
        for figures in everything(caller.report(sid)):
            adds_up(figures)
            live += figures["count"] > 0
        time.sleep(0.05)
    assert live > 2
    report = caller.report(sid)
    stage = report["stages"][0]
    for figures in everything(report):
        adds_up(figures)
        low, high = figures["histogram"][0], figures["histogram"][-1]
        assert low[0] <= figures["min_ns"] < low[1] and high[0] <= figures["max_ns"] < high[1]
        assert max(m for m in figures["blocks"]["maxima"] if m is not None) == figures["max_ns"]
    seen = [c["count"] + c["missed"] + c["migrated"] for c in stage["cpus"]]
    assert max(seen) * MS == stage["duration_ns"]
    for figures in stage["cpus"]:
        assert_grid(figures, 2000)
    counts = [c["count"] for c in stage["cpus"]]
    rows = list(csv.DictReader(io.StringIO(caller.report(sid, "csv"))))
    assert [int(r["count"]) for r in rows if r["cpu"] != "all"] == counts
    text = caller.report(sid, "cyclictest")
    bins = [list(map(int, l.split()[1:])) for l in text.splitlines() if re.match(r"\d{6} ", l)]
    bins.append(list(map(int, re.search("# Histogram Overflows:(.*)", text)[1].split())))
    assert [sum(column) for column in zip(*bins)] == counts


def test_a_long_warm_up_is_no_progress(make_daemon, caller):
    """1000 passes of cpuloop's work, however long they take: the time that was measured begins then."""
    daemon = make_daemon()
    daemon.plan("passes", 'instrument = "cpuloop"; policy = "other"; work = "4ms"; duration = "2s"; cpus = "0";\n'
                'stages = ( { load = "none"; } );\n')
    daemon.start()
    sid = caller.start("passes")
    caller.wait_state(sid, "running")
    time.sleep(2.2)
    assert caller.report(sid)["stages"][0]["duration_ns"] in (None, 0)
    assert caller.session_get(sid, "Progress") == 0
    caller.wait_state(sid)
    assert caller.report(sid)["stages"][0]["duration_ns"] >= 2000 * MS


BAD_PLANS = {
    "unknown_key": ("duration = \"1s\";\nnosuch = 1;", 2), "wrong_type": ("interval = [ 1 ];", 1),
    "zero": ("interval = 0;", 1), "zero_seconds": ('interval = "0s";', 1),
    "wraps": ("\npriority = 3000000000;", 2), "wraps64": ("priority = 99999999999999999999;", 1),
    "wraps_hex": ("priority = 0x10000000A;", 1), "text_wraps": ('interval = "18446744073709551617ns";', 1),
    "twice": ('stages = ( { load = "none"; },\n{ load = "none"; } );', 2),
    "no_load": ('stages = (\n{ load = "nope"; } );', 2), "no_instrument": ('instrument = "nope";', 1),
    "same_key": ("priority = 80;\npriority = 81;", 2), "include": ('@include "/etc/passwd"', 1),
    "own_part": ('stages = ( { load = "own_part"; } );', 1), "empty": ("", 0), "blank": ("\n# nothing\n", 0),
}


def test_bad_files_are_refused_alone(make_daemon, caller):
    daemon = make_daemon()
    for name, (text, _) in BAD_PLANS.items():
        daemon.plan(name, text)
    plans, loads = daemon.config / "plans.d", daemon.config / "loads.d"
    daemon.plan("binary", "").write_bytes(bytes(range(256)) * 10)
    (plans / "folder.conf").mkdir()
    (plans / "link.conf").symlink_to("/dev/zero")
    daemon.plan("writable", PLAN % ("300ms", "none")).chmod(0o646)
    daemon.plan("good", PLAN % ("300ms", "none"))
    daemon.load("own_part", 'parts = [ "own_part" ];')
    daemon.load("no_list", '\ncommand = "true";')
    for folder in (plans, loads):
        os.mkfifo(folder / "fifo.conf")
    daemon.start()
    found = {p["name"]: p for p in unpack(caller.manager("ListPlans", "a{sv}", {}))}
    others = {name: ("", 0) for name in ("folder", "fifo", "link", "writable")}
    for name, (_, line) in {**BAD_PLANS, **others, "binary": ("", 1)}.items():
        assert found[name]["valid"] is False, name
        problem = unpack(found[name]["problems"])[0]
        assert problem["file"] == str(plans / f"{name}.conf") and problem["line"] == line, problem
        assert len(problem["text"]) > 10
        with pytest.raises(DBusErrorResponse) as error:
            caller.start(name)
        assert error.value.name == f"{NAME}.Error.InvalidPlan"
        assert f"{name}.conf" in error.value.data[0]
    at = {(os.path.basename(p["file"]), p["line"]) for p in unpack(caller.manager("Reload", "a{sv}", {}))}
    assert {("no_list.conf", 2), ("fifo.conf", 0)} <= at
    assert found["good"]["valid"] and found["hell"]["valid"]
    assert caller.wait_state(caller.start("good")) == "done"


@pytest.mark.parametrize("load, word", [
    ('command = [ "true" ];', "status 0"),
    ('command = [ "lrtbf-no-such-program" ];', "not there"),
    ('command = [ "dd", "if=/dev/zero", "of=/dev/null", "bs=1m" ]; repeat = true;', "invalid number"),
    ('command = [ "sleep", "60" ]; effects = ( { metric = "forks"; at_least = 1000000000; } );', "forks"),
    ('command = [ "sleep", "60" ]; scratch = "1000000G";', "free"),
])
def test_loads_that_prove_nothing(make_daemon, caller, load, word):
    """The limit is kept, and still it is no pass."""
    daemon = make_daemon()
    daemon.load("bad", load)
    daemon.plan("brief", PLAN % ("2s", "bad"))
    daemon.start()
    sid = caller.start("brief")
    assert caller.wait_state(sid) == "done"
    stage = caller.report(sid)["stages"][0]
    assert stage["limits"][0]["broken"] is False
    assert stage["verdict"] == "inconclusive" and caller.session_get(sid, "Verdict") == "inconclusive"
    assert any(word in reason for reason in stage["reasons"]), stage["reasons"]
    # the session tells the first of them
    assert caller.session_get(sid, "Reason") == f"Stage bad: {stage['reasons'][0]}"
