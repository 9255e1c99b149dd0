# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions held against one another, over the bus and by lrtbfctl."""
import fcntl
import json
import re
import sqlite3
import time

import pytest
from client import run
from jeepney import DBusAddress, DBusErrorResponse, new_method_call
from lrtbf import MANAGER, NAME, ROOT, wait_for

IMPORTS = ROOT / "tests" / "fixtures" / "imports"
PRINTED = ROOT / "tests" / "fixtures" / "lrtbf-2005-published.csv"
PLAN = """
instrument = "timer"; policy = "other"; interval = "%s"; duration = "%s"; cpus = "0";
"""
NO_SESSION = "s20200101T000000Z_0000"
F_GET_SEALS, ALL_SEALS = 1034, 0xF


def refused(name, call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert error.value.name.split(".")[-1] == name, error.value
    assert len(error.value.data[0]) < 4000
    return error.value.data[0]


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % ("1ms", "300ms"))
    daemon.plan("other", PLAN % ("1ms", "300ms") + 'stages = ( { name = "elsewhere"; load = "none"; } );')
    daemon.plan("loop", 'instrument = "cpuloop"; policy = "other"; duration = "300ms"; cpus = "0";')
    daemon.plan("long", PLAN % ("1ms", "60s"))
    return daemon.start()


def measure(caller, plan="brief", **options):
    sid = caller.start(plan, **options)
    assert caller.wait_state(sid) == "done"
    return sid


def compare(caller, *sides, fmt="json", **options):
    kinds = {bool: "b", float: "d", str: "s", int: "u"}
    text = caller.manager("Compare", "assa{sv}", list(sides), fmt,
                          {k: (kinds[type(v)], v) for k, v in options.items()}, timeout=120)
    return json.loads(text) if fmt == "json" else text


def imported(caller, name, **options):
    return caller.manager("Import", "saya{sv}", "", (IMPORTS / name).read_bytes(),
                          {k: ("s", v) for k, v in options.items()})


def words(value):
    """Every string somewhere in @value."""
    if isinstance(value, dict):
        return set().union(*map(words, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(words, value)) if value else set()
    return {value} if isinstance(value, str) else set()


def test_every_format_both_ways(ready, caller):
    a, b = measure(caller), measure(caller)
    formats = caller.get(MANAGER, "Manager", "CompareFormats")
    assert {"text", "json", "csv", "markdown"} <= set(formats)
    for fmt in formats:
        text = caller.manager("Compare", "assa{sv}", [a, b], fmt, {})
        assert text
        with caller.manager("OpenCompare", "assa{sv}", [a, b], fmt, {}).to_file("rb") as file:
            assert fcntl.fcntl(file.fileno(), F_GET_SEALS) & ALL_SEALS == ALL_SEALS
            assert file.read().decode() == text
    whole = compare(caller, a, b)
    assert whole["format"] == "lrtbf-comparison" and whole["version"] == 1
    assert {a, b} <= words(whole)
    assert compare(caller, a, b, base=b) != whole
    # the terminal's options
    assert "\x1b[" not in compare(caller, a, b, fmt="text")
    assert compare(caller, a, b, fmt="text", width=60) and compare(caller, a, b, fmt="text", unicode=True)


def test_sides_are_words(ready, caller):
    """Ids, last, last:PLAN, and labels, which are all of their sessions that measured."""
    labelled = [measure(caller, label="with kernel, new") for _ in range(3)]
    single = measure(caller, label="old")
    waiting = caller.start("long", label="with kernel, new")
    queued = caller.start("brief", label="with kernel, new")
    caller.session(queued, "Stop", "a{sv}", {})
    found = compare(caller, "old", "with kernel, new")
    assert set(labelled) <= words(found) and single in words(found)
    assert waiting not in words(found) and queued not in words(found)
    caller.session(waiting, "Stop", "a{sv}", {})
    assert single in words(compare(caller, labelled[0], "last:brief"))
    assert "has not ended" not in refused("InvalidOption", compare, caller, "last", "last")


def test_verdict_and_stage(ready, caller):
    a, b = measure(caller), measure(caller)
    assert compare(caller, a, b)["verdict"] in (None, "none", "")
    assert compare(caller, a, b, fail_above=100000.0)["verdict"] in ("pass", "inconclusive")
    other = measure(caller, "other")
    refused("NotComparable", compare, caller, a, other)
    assert compare(caller, a, b, stage="none")
    name = refused_any(compare, caller, a, b, stage="nosuch")
    assert name in ("InvalidOption", "NotComparable")


def refused_any(call, *args, **options):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args, **options)
    return error.value.name.removeprefix("org.lrtbf1.Error.")


def test_gate(ready, bus, caller):
    """What was measured in different ways is refused with the reason, by lrtbfctl with status 3; force shows it."""
    a, b = measure(caller), measure(caller, "loop")
    sentence = refused("NotComparable", compare, caller, a, b)
    assert len(sentence.split()) > 5
    result = run(bus, "compare", a, b)
    assert result.returncode == 3 and result.stdout == "" and sentence in result.stderr.replace("\n", " ")
    forced = compare(caller, a, b, force=True)
    assert {a, b} <= words(forced)
    result = run(bus, "compare", a, b, "--force")
    assert result.returncode == 0 and result.stdout
    assert run(bus, "compare", a, b, "--force", "--fail-above=10%").returncode == 3
    # noise and latency are never one table
    noise = imported(caller, "rtla-osnoise-hist.txt")[0]
    refused("NotComparable", compare, caller, a, noise)


def test_imported(ready, bus, caller):
    """Imported sessions among each other, and the tables of 2005 by their labels."""
    same = imported(caller, "cyclictest-rt-hist.txt", label="x")[0], imported(caller, "cyclictest-rt-hist.txt")[0]
    assert set(same) <= words(compare(caller, *same))
    assert caller.manager("Import", "saya{sv}", "", PRINTED.read_bytes(), {})
    labels = {s["label"][1] for s in caller.manager("ListSessions", "a{sv}su", {"plan": ("s", "import_lrtbf_2005")},
                                                    "", 1000)[0]}
    vanilla = next(x for x in labels if x.startswith("Vanilla") and x.endswith("(part 1)"))
    others = sorted(x for x in labels if x != vanilla and x.endswith("(part 1)"))
    assert others
    result = run(bus, "compare", vanilla, *others)
    assert result.returncode == 0, result.stderr
    assert all(name.split()[0] in result.stdout for name in (vanilla, *others))


def test_after_a_restart(ready, caller):
    a, b = measure(caller), measure(caller)
    before = compare(caller, a, b)
    assert ready.stop() == 0
    ready.start()
    assert compare(caller, a, b) == before


@pytest.mark.parametrize("sides, name", [
    ([], "InvalidOption"), (["last"], "InvalidOption"),
    (["last", NO_SESSION], "NoSuchSession"), (["last", "nobody has this label"], "NoSuchSession"),
    (["last", ""], "NoSuchSession"), (["last", "last:nosuchplan"], "NoSuchSession"),
    (["last", "x" * 10_000], "NoSuchSession"), (["last", "last"], "InvalidOption"),
    (["last", "last:"], "NoSuchSession"), (["last", "\x01"], "NoSuchSession"),
    ([f"label {i}" for i in range(65)], "InvalidOption"), ([f"label {i}" for i in range(10_000)], "InvalidOption"),
])
def test_hostile_sides(ready, caller, sides, name):
    measure(caller)
    refused(name, compare, caller, *sides)


@pytest.mark.parametrize("options", [
    {"base": "nobody"}, {"base": ""}, {"fail_above": 0.0}, {"fail_above": -1.0}, {"fail_above": float("nan")},
    {"fail_above": float("inf")}, {"fail_above": 1e9}, {"width": 100_000}, {"fail_above": "10"}, {"bass": "last"},
    {"stage": "x" * 5000},
])
def test_hostile_options(ready, caller, options):
    a, b = measure(caller), measure(caller)
    refused("InvalidOption", lambda: compare(caller, a, b, **options))


def test_unknown_format(ready, caller):
    a, b = measure(caller), measure(caller)
    for fmt in ("pdf", "", "x" * 5000, "TEXT"):
        assert "markdown" in refused("InvalidOption", lambda: compare(caller, a, b, fmt=fmt))


def test_not_ended(ready, caller):
    a, b = measure(caller), caller.start("long")
    caller.wait_state(b, "running")
    assert b in refused("NotFinished", compare, caller, a, b)
    caller.session(b, "Stop", "a{sv}", {})


def test_large_sides_keep_nobody_waiting(ready, bus, caller):
    """64 sides of 64 sessions each: others are answered meanwhile, a caller has four at most, and who leaves
    leaves nothing running."""
    a, b = measure(caller, label="side 0"), measure(caller, label="side 1")
    assert ready.stop() == 0
    with sqlite3.connect(ready.state / "lrtbfd.db") as db:
        copy_sessions(db, a, 64)
    ready.start()
    sides = [f"side {i}" for i in range(64)]
    greedy = bus.connect()
    address = DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager")

    def send():
        greedy.raw.send(new_method_call(address, "Compare", "assa{sv}", (sides, "json", {})))
    for _ in range(4):
        send()
    refused("LimitsExceeded", compare, greedy, "side 0", "side 1")
    longest = 0.0
    for _ in range(50):
        began = time.monotonic()
        caller.get(MANAGER, "Manager", "QueueLength")
        longest = max(longest, time.monotonic() - began)
    assert longest < 5
    assert compare(caller, "side 0", "side 1")
    greedy.close()
    # at rest again
    wait_for(lambda: cpu_share(ready.pid) < 0.2, timeout=20, what="a daemon at rest")
    assert caller.get(MANAGER, "Manager", "QueueLength") == 0


def cpu_share(pid):
    def ticks():
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    before = ticks()
    time.sleep(0.5)
    return (ticks() - before) / 100 / 0.5


def copy_sessions(db, sid, sides):
    """Of the session @sid 63 more of its label, and 64 of each label up to @sides."""
    (row,) = db.execute("SELECT row FROM sessions WHERE id = ?", (sid,)).fetchone()
    tables = {}
    for table, key in (("sessions", "row"), ("papers", "session"), ("stages", "session"), ("figures", "session")):
        tables[table] = key, [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
    n = 1000
    for side in range(sides):
        for i in range(64 if side > 1 else 63):
            n += 1
            change = {"row": n, "session": n, "id": f"s20200101T{side:02}{i:02}00Z_0000", "label": f"side {side}"}
            for table, (key, columns) in tables.items():
                names = ", ".join(f'"{c}"' for c in columns)
                values = [change.get(c) if c in change and (table == "sessions" or c == "session") else None
                          for c in columns]
                select = ", ".join("?" if v is not None else f'"{c}"' for c, v in zip(columns, values))
                db.execute(f"INSERT INTO {table} ({names}) SELECT {select} FROM {table} WHERE {key} = ?",
                           (*[v for v in values if v is not None], row))
    db.commit()


def test_client(ready, bus, caller, folder):
    a, b = measure(caller, label="base"), measure(caller)
    result = run(bus, "compare", a, b)
    assert (result.returncode, result.stderr) == (0, "") and result.stdout
    assert set(json.loads(run(bus, "compare", "base", "last", "--json").stdout)) == set(compare(caller, a, b))
    whole = json.loads(run(bus, "--json", "compare", a, b).stdout)
    assert whole == compare(caller, a, b)
    assert run(bus, "compare", a, b, "--fail-above=100000%").returncode in (0, 3)
    path = f"{folder}/out"
    result = run(bus, "compare", a, b, "--format=csv", "-o", path)
    assert result.stdout == "" and open(path).read() == compare(caller, a, b, fmt="csv")
    assert run(bus, "compare", "--format=help").stdout.split() == caller.get(MANAGER, "Manager", "CompareFormats")
    result = run(bus, "compare", a, b, "--format=pdf")
    assert result.returncode == 1 and "markdown" in result.stderr
    for bad in (["--fail-above=x"], ["--fail-above=0"], ["--fail-above=-1"], ["--base=c"], ["--fail-above=10%%"],
                ["--json", "--format=csv"]):
        assert run(bus, "compare", a, b, *bad).returncode == 64, bad
    assert run(bus, "compare", a).returncode == 64
    assert run(bus, "compare", a, "nobody").returncode == 1
    assert run(bus, "compare", a, a).returncode == 1


def test_grown_figure_is_2(ready, bus, caller):
    """The same run twice, the second time with every latency ten times as large."""
    text = (IMPORTS / "cyclictest-rt.json").read_text()
    quick, = imported(caller, "cyclictest-rt.json")
    text = re.sub(r'"(\d+)"(\s*:\s*\d+)', lambda m: f'"{int(m[1]) * 10}"{m[2]}', text)
    text = re.sub(r'"(min|max)"(\s*:\s*)(\d+)', lambda m: f'"{m[1]}"{m[2]}{int(m[3]) * 10}', text)
    text = re.sub(r'"avg"(\s*:\s*)([\d.]+)', lambda m: f'"avg"{m[1]}{float(m[2]) * 10:.2f}', text)
    slow, = caller.manager("Import", "saya{sv}", "", text.encode(), {})
    result = run(bus, "compare", quick, slow, "--fail-above=10%")
    assert result.returncode == 2 and result.stdout, result.stderr
    assert run(bus, "compare", slow, quick, "--fail-above=10%").returncode in (0, 3)
    assert run(bus, "compare", quick, slow).returncode == 0
