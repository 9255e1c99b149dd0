# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl irq against a service that answers as it likes: tables, selectors, refusals, gaps, hostile names."""
import json
import os
import signal
import stat
import subprocess
import time

import pytest

from client import environment, run
from fake import Refuse, refuse
from lrtbf import CTL, MANAGER, wait_for

NO_AUTO_START, INTERACTIVE = 2, 4
CONTRACT = ["irq", "tid", "name", "actions", "policy", "priority", "nice", "affinity", "rule", "drifted"]
EVIL = "\x1b[2Jx\x9by\u202ez\nw"


SIGNATURES = {str: "s", bool: "b"}
TYPES = {"nice": "i", "start_ticks": "t", "total": "t", "read_usec": "t", "after_ns": "t"}


def variant(key, value):
    if isinstance(value, dict):
        return "a{sv}", {k: ("t" if isinstance(v, int) else "s", v) for k, v in value.items()}
    if isinstance(value, list):
        return "as", value
    return TYPES.get(key) or SIGNATURES.get(type(value), "u"), value


def d(**values):
    return {k: variant(k, v) for k, v in values.items()}


def answer(*elements):
    return lambda *args: ("aa{sv}", (list(elements),))


def line(irq, actions, **values):
    return d(**{"irq": irq, "actions": list(actions), "threaded": "threaded", "affinity": "0-1",
                "effective": "0", "drifted": False, "devices": [], **values})


def thread(tid, name, irq=None, **values):
    values = {"tid": tid, "start_ticks": tid * 10, "name": name, "kind": "irq", "policy": "fifo",
              "priority": 50, "nice": 0, "affinity": "0-1", "bound": True, "drifted": False,
              "path": f"{MANAGER}/thread/{tid}_{tid * 10}", **values}
    if irq is not None:
        values["irq"] = irq
    return d(**values)


LINES = [
    line(8, ["rtc0"], threaded="no-thread", explanation="Its handler is exempt."),
    line(9, [], threaded="unused"),
    line(16, ["eth0", "parport0"], rule="port", devices=["interface=eth0", "parport=parport0", "driver=e1000e"]),
    line(17, ["gpio a"], threaded="nested", parent=16, explanation="It runs in the thread of line 16."),
    d(name="LOC", text="Local timer interrupts", total=77),
]
THREADS = [
    thread(14, "ksoftirqd/0", kind="ksoftirqd", policy="other", priority=0, affinity="0"),
    thread(90, "irq/16-eth0", 16, actions=["eth0", "parport0"], rule="net", priority=60),
    thread(91, "irq/16-parport0", 16, actions=["eth0", "parport0"], policy="rr", priority=33, nice=-5,
           drifted=True, drift="irq/16-parport0 has rr 33 instead of fifo 90 (port)."),
]


@pytest.fixture
def table(serve):
    return serve(ListIrqs=answer(*LINES), ListThreads=answer(*THREADS))


def counting(*readings):
    """ListIrqs that gives one reading after the other, half a second apart: each {irq: {cpu: count}}."""
    left = list(enumerate(readings))

    def handler(options):
        n, reading = left.pop(0) if len(left) > 1 else left[0]
        return "aa{sv}", ([line(irq, [f"dev{irq}"], threaded="no-thread", counts=counts,
                                read_usec=1_000_000 + n * 500_000) for irq, counts in reading.items()],)
    return handler


# --- exit status ---

@pytest.mark.parametrize("args, status", [
    (("irq",), 64), (("irq", "lst"), 64), (("irq", "list", "x"), 64), (("irq", "list", "--interval=x"), 64),
    (("irq", "list", "--interval=500"), 64), (("irq", "list", "--interval=2h"), 64),
    (("irq", "set"), 64), (("irq", "set", "16"), 64), (("irq", "set", "--nice=1"), 64),
    (("irq", "set", "16", "--policy=deadline", "--priority=1"), 64), (("irq", "set", "16", "--policy=fifp"), 64),
    (("irq", "set", "16", "--policy="), 64), (("irq", "set", "16", "--priority=100"), 64),
    (("irq", "set", "16", "--priority=0"), 64), (("irq", "set", "16", "--priority=-1"), 64),
    (("irq", "set", "16", "--priority=0x10"), 64), (("irq", "set", "16", "--policy=fifo", "--priority=0"), 64),
    (("irq", "set", "16", "--policy=other", "--priority=1"), 64), (("irq", "set", "16", "--nice=20"), 64),
    (("irq", "set", "16", "--nice=-21"), 64), (("irq", "set", "16", "--nice=1.5"), 64),
    (("irq", "set", "16", "--affinity=x"), 64), (("irq", "set", "16", "--affinity="), 64),
    (("irq", "set", "16", "--reset-on-fork"), 64), (("irq", "set", "16", "--nice=1", "--reset-on-fork"), 64),
    (("irq", "set", "16", "--nice=1", "--override=all"), 64), (("irq", "set", "16", "--nice=1", "--override="), 64),
    (("irq", "set", "16", "--override=rcu"), 64), (("irq", "set", "", "--nice=1"), 64),
    (("irq", "set", "intreface=eth0", "--nice=1"), 64), (("irq", "set", "pci=", "--nice=1"), 64),
    (("irq", "apply", "x"), 64), (("irq", "restore", "16", "--dry-run"), 64), (("irq", "restore", "zzz=1"), 64),
    (("irq", "watch", "x"), 64), (("irq", "capture"), 64), (("irq", "rules", "x"), 64),
    (("irq", "list"), 5), (("irq", "set", "16", "--nice=1"), 5), (("irq", "apply"), 5), (("irq", "restore"), 5),
    (("irq", "restore", "16"), 5), (("irq", "watch"), 5), (("irq", "capture", "-o", "/dev/null"), 5),
    (("irq", "rules"), 5), (("irq", "set", "--help"), 0),
])
def test_status_without_service(bus, args, status):
    result = run(bus, *args)
    assert result.returncode == status, result.stderr
    if status == 64:
        assert "lrtbfctl: " in result.stderr and "--help" in result.stderr
    if status:
        assert result.stdout == ""


@pytest.mark.parametrize("name, status", [
    ("NotAuthorized", 4), ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", 4), ("NotPermitted", 1),
    ("Busy", 1), ("Refused", 1), ("NoDevice", 1), ("Failed", 1), ("org.freedesktop.DBus.Error.ServiceUnknown", 5),
])
@pytest.mark.parametrize("member, args", [
    ("ListIrqs", ["list"]), ("ListThreads", ["list"]), ("Set", ["set", "irq/16-eth0", "--nice=1"]),
    ("SetAffinity", ["set", "rtc0", "--affinity=0"]), ("ApplyIrqPolicy", ["apply"]),
    ("RestoreIrqPolicy", ["restore"]), ("Restore", ["restore", "irq/16-eth0"]), ("GetAll", ["watch"]),
    ("OpenIrqCapture", ["capture", "-o", "/dev/null"]), ("ListIrqRules", ["rules"]),
])
def test_status_of_errors(bus, serve, member, args, name, status):
    serve(**{"ListIrqs": answer(*LINES), "ListThreads": answer(*THREADS), member: refuse(name, "The sentence.")})
    result = run(bus, "irq", *args)
    assert (result.returncode, result.stdout) == (status, "")
    assert result.stderr.count("The sentence.") >= 1


# --- list ---

TABLE = """\
IRQ  TID  THREAD             ACTIONS         POLICY  PRIO  NICE  AFFINITY  RULE       DRIFT  INT/S
  8    -  -  (no-thread)     rtc0            -          -     -  0-1       -          -          -
 16   90  irq/16-eth0        eth0, parport0  fifo      60     0  0-1       net, port  -          -
 16   91  irq/16-parport0    eth0, parport0  rr        33    -5  0-1       port       yes        -
 17    -  -  (nested in 16)  gpio a          -          -     -  0-1       -          -          -
"""
ALL = """\
IRQ  TID  THREAD             ACTIONS                 POLICY  PRIO  NICE  AFFINITY  RULE       DRIFT  INT/S
  8    -  -  (no-thread)     rtc0                    -          -     -  0-1       -          -          -
  9    -  -  (unused)        -                       -          -     -  0-1       -          -          -
 16   90  irq/16-eth0        eth0, parport0          fifo      60     0  0-1       net, port  -          -
 16   91  irq/16-parport0    eth0, parport0          rr        33    -5  0-1       port       yes        -
 17    -  -  (nested in 16)  gpio a                  -          -     -  0-1       -          -          -
  -   14  ksoftirqd/0        -                       other      -     0  0         -          -          -
LOC    -  -                  Local timer interrupts  -          -     -  -         -          -          -
"""
NOTES = """
Later threads are noticed by the kernel's process events.
irq/16-parport0 has rr 33 instead of fifo 90 (port).
waits usb (/etc/lrtbfd/irq.d/u.conf:3): Nothing here matches it now.
unequal irq 16 (eth0, parport0): The threads of interrupt line 16 have different priorities.
1 value differs from what the rules want; 'lrtbfctl irq apply --dry-run' shows it.
"""
DRY = [
    d(outcome="would", irq=16, tid=91, name="irq/16-parport0", attribute="policy", old="rr 33", new="fifo 90",
      by="port", file="/etc/lrtbfd/irq.d/p.conf", line=1),
    d(outcome="waits", by="usb", file="/etc/lrtbfd/irq.d/u.conf", line=3, message="Nothing here matches it now."),
    d(outcome="unequal", irq=16, name="eth0, parport0", attribute="policy",
      message="The threads of interrupt line 16 have different priorities."),
]


def test_list_is_this_text(bus, table):
    table.handlers["ApplyIrqPolicy"] = answer(*DRY)
    result = run(bus, "irq", "list")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == TABLE + NOTES
    assert run(bus, "irq", "list", "--all").stdout == ALL + NOTES
    assert table.called("ApplyIrqPolicy") == ({"dry_run": ("b", True)},)


@pytest.mark.parametrize("columns", [20, 60, 200])
def test_list_on_terminals(table, terminal, columns):
    """Rows are never cut; sentences are wrapped."""
    table.handlers["ApplyIrqPolicy"] = answer(*DRY)
    t = terminal("irq", "list", "--no-pager", columns=columns, env={"NO_COLOR": "1"})
    assert t.wait() == 0
    lines = t.output.replace("\r", "").split("\n")
    assert lines[:5] == TABLE.split("\n")[:5]
    assert " ".join(lines[6:]).split() == NOTES.split()
    if columns > 20:
        assert max(map(len, lines[5:])) <= columns
    t = terminal("irq", "list", "--no-pager", columns=columns)
    assert t.wait() == 0
    assert t.output.startswith("\033[1mIRQ") and t.output.count("\033[") == 2


@pytest.mark.parametrize("watching, says", [
    ("process-events", "by the kernel's process events"), ("poll: No right.", "every few seconds: No right."),
    ("off", "no rules"), ("captured", "captured table"), ("starting", "being found out"), ("telepathy", "telepathy"),
    ("off: /run/x/tuning is a symbolic link.", "Nothing is set, and later threads are not waited for: /run/x/tuning"),
])
def test_list_says_how_later_threads_are_noticed(bus, table, watching, says):
    table.properties["Manager"]["IrqWatching"] = ("s", watching)
    text = run(bus, "irq", "list").stdout
    assert says in text and "paused" not in text
    table.properties["Manager"]["IrqPaused"] = ("b", True)
    text = run(bus, "irq", "list").stdout
    assert "paused since 'irq restore'" in text and "there are no rules" not in text
    assert watching == "off" or says in text


def test_list_names_the_rule_that_never_counts(bus, table):
    table.handlers["ApplyIrqPolicy"] = answer(
        d(outcome="never", irq=37, by="net", file="/e/irq.d/10-net.conf", line=3, message="Interrupt 37 is so."))
    assert "never net (/e/irq.d/10-net.conf:3): Interrupt 37 is so.\n" in run(bus, "irq", "list").stdout


def test_list_json_is_the_contract(bus, table):
    rows = json.loads(run(bus, "irq", "list", "--json").stdout)
    assert [list(r)[:10] for r in rows] == [CONTRACT] * 4
    assert [[r[k] for k in CONTRACT] for r in rows] == [
        [8, None, None, ["rtc0"], None, None, None, "0-1", None, False],
        [16, 90, "irq/16-eth0", ["eth0", "parport0"], "fifo", 60, 0, "0-1", "net", False],
        [16, 91, "irq/16-parport0", ["eth0", "parport0"], "rr", 33, -5, "0-1", "port", True],
        [17, None, None, ["gpio a"], None, None, None, "0-1", None, False]]
    assert rows[0]["explanation"] == "Its handler is exempt." and rows[0]["threaded"] == "no-thread"
    assert rows[1]["affinity_rule"] == "port" and rows[1]["start_ticks"] == 900
    assert rows[1]["kind"] == "irq" and rows[1]["effective"] == "0" and rows[3]["parent"] == 16
    assert rows[1]["per_second"] is None and rows[1]["devices"][0] == "interface=eth0"
    assert not [c for c in table.calls if c[0] == "ApplyIrqPolicy"]  # nobody would read it
    everything = json.loads(run(bus, "--json", "irq", "list", "--all").stdout)
    assert [(r["irq"], r["tid"], r["row"]) for r in everything] == [
        (8, None, None), (9, None, None), (16, 90, None), (16, 91, None), (17, None, None), (None, 14, None),
        (None, None, "LOC")]
    assert all(list(r)[:10] == CONTRACT for r in everything)
    assert everything[-1]["total"] == 77 and everything[-1]["name"] is None


def test_list_counts(bus, serve):
    top = 2**32 - 3
    before = {1: {"0": 10, "1": 0}, 2: {"0": top, "1": 7}, 3: {"0": 5}, 4: {"0": 10**9}, 5: {"0": 1, "1": 2},
              7: {"0": 0}}
    after = {1: {"0": 60, "1": 1}, 2: {"0": 2, "1": 7}, 4: {"0": 3}, 5: {"0": 2, "2": 10**6}, 6: {"0": 9},
             7: {"0": 10**6}}
    fake = serve(ListIrqs=counting(before, after))
    began = time.monotonic()
    rows = {r["irq"]: r["per_second"] for r in json.loads(run(bus, "irq", "list", "--json").stdout)}
    assert time.monotonic() - began > 0.5
    assert rows == {1: 102, 2: 10, 4: None,  # it was made anew: so many do not come in half a second
                    5: 2,  # of CPU 0: the others were not there both times
                    6: None, 7: 2_000_000}
    assert fake.called("ListIrqs") == ({"counts": ("b", True), "threads": ("b", False)},)
    fake.handlers["ListIrqs"] = counting(before, after)
    shown = {l.split()[0]: l.split()[-1] for l in run(bus, "irq", "list").stdout.split("\n")[1:7]}
    assert shown == {"1": "102", "2": "10.0", "4": "-", "5": "2.0", "6": "-", "7": "2000000"}


def test_list_does_not_count_when_told_or_of_no_use(bus, serve, table):
    fake = table  # no read_usec: captured
    run(bus, "irq", "list", "--interval=1h", timeout=20)
    assert len(fake.called_on("ListIrqs")) == 1
    fake.handlers["ListIrqs"] = counting({1: {"0": 1}}, {1: {"0": 2}})
    fake.calls.clear(), fake.paths.clear()
    for interval in ("0", "0s"):
        rows = json.loads(run(bus, "irq", "list", "--json", f"--interval={interval}").stdout)
        assert rows[0]["per_second"] is None
    assert len(fake.called_on("ListIrqs")) == 2


def test_list_without_the_counts_that_are_too_many(bus, serve):
    """Thousands of lines on hundreds of CPUs: the totals have to do."""
    totals = [5, 25]

    def lines(options):
        if options["counts"][1]:
            raise Refuse("TooLarge", "Too large.")
        usec = 1_000_000 if len(totals) == 2 else 1_500_000
        return "aa{sv}", ([line(1, ["a"], total=totals.pop(0), read_usec=usec)],)

    serve(ListIrqs=lines)
    result = run(bus, "irq", "list", "--json", "--interval=1ms")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)[0]["per_second"] == 40


def test_list_of_nothing(bus, serve):
    serve()
    result = run(bus, "irq", "list")
    assert result.returncode == 0 and result.stdout.startswith("There are no interrupt lines in use.\n")
    assert json.loads(run(bus, "irq", "list", "--json").stdout) == []


def test_list_without_its_notes(bus, serve):
    """The table is worth showing; that something is missing is said."""
    serve(ListIrqs=answer(*LINES), ListThreads=answer(*THREADS), ApplyIrqPolicy=refuse("Failed", "Not now."))
    result = run(bus, "irq", "list")
    assert result.returncode == 1 and "Not now." in result.stderr
    assert result.stdout.startswith(TABLE)


def test_threads_of_no_line_and_lines_that_lost_theirs(bus, serve):
    """Two calls, and things came and went between them."""
    serve(ListIrqs=answer(line(16, ["eth0"])), ListThreads=answer(thread(95, "irq/33-gone", 33)))
    rows = json.loads(run(bus, "irq", "list", "--json").stdout)
    assert [(r["irq"], r["tid"], r["actions"]) for r in rows] == [(16, None, ["eth0"]), (33, 95, [])]
    assert "(threaded)" not in run(bus, "irq", "list").stdout


def test_thousands_of_rows(bus, serve):
    lines = [line(n, [f"dev{n}-{q}" for q in range(2)], read_usec=5, counts={str(c): n for c in range(8)})
             for n in range(4000)]
    threads = [thread(1000 + n, f"irq/{n // 2}-dev{n // 2}-{n % 2}", n // 2) for n in range(8000)]
    serve(ListIrqs=answer(*lines), ListThreads=answer(*threads))
    result = run(bus, "irq", "list", "--json", "--interval=0", timeout=60)
    rows = json.loads(result.stdout)
    assert len(rows) == 8000 and [r["tid"] for r in rows] == list(range(1000, 9000))
    assert len(run(bus, "irq", "list", "--interval=0").stdout.split("\n")) > 8000


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_foreign_names_cannot_steer_the_terminal(bus, serve, locale):
    lines = [line(5, [EVIL, "grün"], chip=EVIL, drifted=True, drift=EVIL, explanation=EVIL, devices=[EVIL])]
    threads = [thread(50, EVIL, 5, rule=EVIL, policy=EVIL, affinity=EVIL)]
    change = d(outcome="set", tid=50, name=EVIL, attribute=EVIL, old=EVIL, new=EVIL, by=EVIL, file=EVIL, line=1)
    refused = d(outcome="refused", tid=50, name=EVIL, message=EVIL)
    rule = d(name=EVIL, file=EVIL, line=1, match={EVIL: EVIL}, affinity=EVIL, override=EVIL, outcome=EVIL,
             message=EVIL)
    fake = serve(ListIrqs=answer(*lines), ListThreads=answer(*threads), ApplyIrqPolicy=answer(change, refused),
                 RestoreIrqPolicy=answer(change), Set=answer(change, refused), ListIrqRules=answer(rule),
                 SetAffinity=refuse("Refused", EVIL))
    fake.properties["Manager"]["IrqWatching"] = ("s", EVIL)
    for args in (["list", "--all"], ["apply"], ["restore"], ["rules"], ["set", "5", "--nice=1", "--affinity=0"]):
        result = run(bus, "irq", *args, env={"LC_ALL": locale})
        shown = result.stdout + result.stderr
        assert "?[2Jx?y?z?w" in shown, args
        assert not set("\x1b\x9b\u202e") & set(shown)
        assert ("ü" in shown) == (locale == "C.UTF-8") or args[0] != "list"
    rows = json.loads(run(bus, "irq", "list", "--json").stdout)
    assert rows[0]["name"] == EVIL and rows[0]["actions"] == [EVIL, "grün"]


def test_very_long_names(bus, serve):
    long = "x" * 50000
    serve(ListIrqs=answer(line(5, [long] * 3)), ListThreads=answer(thread(50, long, 5)),
          Set=answer(d(outcome="set", tid=50, name=long, attribute="nice", old="nice 0", new="nice 1")))
    assert long in run(bus, "irq", "list").stdout
    assert run(bus, "irq", "set", long, "--nice=1").returncode == 0
    result = run(bus, "irq", "set", "nosuch", "--nice=1")
    assert result.returncode == 1 and "nosuch" in result.stderr


# --- replies with gaps ---

def test_empty_dictionaries(bus, serve):
    fake = serve(**{m: answer({}, {}) for m in ("ListIrqs", "ListThreads", "ListIrqRules", "ApplyIrqPolicy",
                                                 "RestoreIrqPolicy", "Set", "SetAffinity", "Restore")})
    fake.properties = {"Manager": {}}
    for args in (["list"], ["list", "--all"], ["rules"], ["apply"], ["restore"]):
        for json_option in ([], ["--json"]):
            result = run(bus, "irq", *args, *json_option)
            assert (result.returncode, result.stderr) == (0, ""), args
            if json_option:
                json.loads(result.stdout)
    assert all(list(r)[:10] == CONTRACT for r in json.loads(run(bus, "irq", "list", "--all", "--json").stdout))


@pytest.mark.parametrize("member, args, reply", [
    ("ListIrqs", ["list"], ("s", ("x",))), ("ListIrqs", ["list"], ("", ())),
    ("ListIrqs", ["list", "--all"], ("as", (["x", "y"],))), ("ListThreads", ["list"], ("u", (7,))),
    ("ListThreads", ["list", "--all"], ("as", (["x", "y"],))), ("GetAll", ["list"], ("s", ("x",))),
    ("ApplyIrqPolicy", ["list"], ("s", ("x",))), ("ApplyIrqPolicy", ["apply"], ("as", (["x"],))),
    ("ApplyIrqPolicy", ["apply"], ("", ())), ("RestoreIrqPolicy", ["restore"], ("a{sv}", ({},))),
    ("ListIrqRules", ["rules"], ("as", (["x"],))), ("ListIrqRules", ["rules"], ("", ())),
    ("Set", ["set", "eth0", "--nice=1"], ("", ())), ("Set", ["set", "eth0", "--nice=1"], ("as", (["x"],))),
    ("OpenIrqCapture", ["capture", "-o", "/dev/null"], ("s", ("x",))),
    ("OpenIrqCapture", ["capture", "-o", "/dev/null"], ("", ())),
])
def test_other_types_are_no_crash(bus, table, member, args, reply):
    table.handlers[member] = lambda *a: reply
    for json_option in ([], ["--json"]):
        result = run(bus, "irq", *args, *json_option)
        assert result.returncode in (0, 1), result
        assert "assert" not in result.stderr.lower()


def test_values_of_other_types(bus, serve):
    odd = {k: ("s", "x") for k in ("irq", "tid", "priority", "nice", "start_ticks", "drifted", "read_usec", "counts",
                                   "actions", "devices", "bound", "parent", "total")}
    odd.update({k: ("u", 7) for k in ("name", "policy", "affinity", "rule", "drift", "threaded", "path", "kind")})
    serve(ListIrqs=answer(odd, {"irq": ("t", 2**64 - 1)}, {"irq": ("i", -5)}), ListThreads=answer(odd),
          ApplyIrqPolicy=answer(odd), ListIrqRules=answer({**odd, "match": ("s", "x")}))
    for args in (["list", "--all", "--interval=1ms"], ["apply"], ["rules"], ["set", "7", "--nice=1"]):
        for json_option in ([], ["--json"]):
            result = run(bus, "irq", *args, *json_option)
            assert result.returncode in (0, 1) and "assert" not in result.stderr.lower(), result


# --- set ---

def changed(tid, name, attribute, old, new, **more):
    return d(outcome="set", tid=tid, name=name, attribute=attribute, old=old, new=new, by="set by user 0", **more)


def test_set_sends_the_wish(bus, table):
    table.handlers["Set"] = answer(changed(90, "irq/16-eth0", "policy", "fifo 60", "rr 33", irq=16))
    result = run(bus, "irq", "set", "irq/16-eth0", "--policy=rr", "--priority=33", "--nice", "-7", "--reset-on-fork",
                 "--override=softirq,rcu")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "set       irq/16-eth0 (tid 90): policy fifo 60 -> rr 33\n"
    assert table.called_on("Set") == [("thread/90_900", (
        {"policy": ("s", "rr"), "priority": ("u", 33), "reset_on_fork": ("b", True), "nice": ("i", -7)},
        {"override": ("s", "softirq,rcu")}))]
    assert table.calls[-1][2] & INTERACTIVE
    run(bus, "irq", "set", "90", "irq/16-eth0", "--nice=1", "--no-ask-password")
    assert len(table.called_on("Set")) == 1  # there is no line 90: nothing at all is set
    run(bus, "irq", "set", "16", "irq/16-eth0", "--nice=1", "--no-ask-password")
    assert [c[0] for c in table.called_on("Set")[1:]] == ["thread/90_900", "thread/91_910"]  # each once
    assert not table.calls[-1][2] & INTERACTIVE


def test_set_affinity_is_the_lines(bus, table):
    table.handlers["SetAffinity"] = answer(d(outcome="set", irq=16, name="eth0, parport0", attribute="affinity",
                                             old="0-1", new="1", by="set by user 0"))
    result = run(bus, "irq", "set", "irq/16-*", "ksoftirqd/0", "--affinity=1")
    assert result.returncode == 0
    assert result.stdout == ("set       irq 16 (eth0, parport0): affinity 0-1 -> 1\n"
                             "Affinity takes effect at the line's next interrupt.\n")
    assert table.called_on("SetAffinity") == [("irq/16", ("1", {}))]
    assert table.called_on("Set") == [("thread/14_140", ({"affinity": ("s", "1")}, {}))]
    run(bus, "irq", "set", "rtc0", "--affinity=!0")  # a line without a thread has an affinity too
    assert table.called_on("SetAffinity")[-1] == ("irq/8", ("!0", {}))


@pytest.mark.parametrize("selector, paths", [
    ("16", ["thread/90_900", "thread/91_910"]), ("parport0", ["thread/90_900", "thread/91_910"]),
    ("irq/*eth0*", ["thread/90_900"]), ("interface=eth*", ["thread/90_900", "thread/91_910"]),
    ("thread=irq/16-p*", ["thread/91_910"]), ("kthread=*", ["thread/14_140"]), ("ksoftirqd/?", ["thread/14_140"]),
    ("irq=10-20", ["thread/90_900", "thread/91_910"]), ("driver=e1000e", ["thread/90_900", "thread/91_910"]),
])
def test_selectors(bus, table, selector, paths):
    run(bus, "irq", "set", selector, "--nice=1")
    assert [c[0] for c in table.called_on("Set")] == paths
    run(bus, "irq", "restore", selector)
    lines = [] if paths == ["thread/14_140"] else ["irq/16"]
    assert [c[0] for c in table.called_on("Restore") if c[0].startswith("thread")] == paths
    assert {c[0] for c in table.called_on("Restore") if c[0].startswith("irq/1")} >= set(lines)


@pytest.mark.parametrize("selector, says", [
    ("eht0", "Did you mean 'eth0'?"), ("irq/16-eht0", "Did you mean 'irq/16-eth0'?"),
    ("99", "There are: 8, 9, 16, 17."), ("interface=wlan0", "There are: eth0."), ("pci=0000:00:1f.2", "irq list"),
    ("\x1b[2J", "'?[2J' is no"),
])
def test_nothing_matches(bus, table, selector, says):
    for verb in (["set", selector, "rtc0", "--nice=1"], ["restore", selector]):
        result = run(bus, "irq", *verb)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.count(says) == 1
    assert not table.called_on("Set") and not table.called_on("Restore")


def test_not_utf8_is_no_crash(bus, table):
    for args in ([b"\xff"], [b"action=\xff"], [b"16", b"--override=\xff"], [b"16", b"--affinity=\xff"],
                 [b"16", b"--policy=\xff"]):
        result = subprocess.run([str(CTL), f"--bus={bus.address}", "irq", "set", "--nice=1", *args],
                                capture_output=True, env=environment(), timeout=20)
        assert result.returncode in (1, 64) and result.stderr.decode()
    assert not table.called_on("Set")


def test_set_what_chrt_would_refuse_of_a_thread(bus, table):
    """Before any call for that thread; the others go on."""
    result = run(bus, "irq", "set", "ksoftirqd/0", "irq/16-eth0", "--priority=70", "--json")
    assert result.returncode == 1
    assert "'other', which has no priority" in result.stderr and "--policy=fifo" in result.stderr
    assert [c[0] for c in table.called_on("Set")] == ["thread/90_900"]
    assert [(c["outcome"], c["tid"]) for c in json.loads(result.stdout)] == [("refused", 14)]
    result = run(bus, "irq", "set", "ksoftirqd/0", "irq/16-eth0", "--policy=fifo")
    assert result.returncode == 1 and "ksoftirqd/0 has no priority that it could keep" in result.stderr
    assert table.called_on("Set")[-1] == ("thread/90_900", ({"policy": ("s", "fifo")}, {}))


def test_set_on_a_line_without_a_thread(bus, table):
    result = run(bus, "irq", "set", "rtc0", "irq/16-eth0", "--nice=3")
    assert result.returncode == 1
    assert "irq 8 (rtc0): It has no thread" in result.stderr and "Its handler is exempt." in result.stderr
    assert len(table.called_on("Set")) == 1


def test_refusals_are_said_and_the_others_go_on(bus, table):
    def set_(attributes, options):
        if table.paths[-1].endswith("/90_900"):
            raise Refuse("Refused", "irq/16-eth0 would be above a measuring thread.")
        return "aa{sv}", ([changed(91, "irq/16-parport0", "nice", "nice -5", "nice 1", irq=16),
                           d(outcome="refused", tid=91, name="irq/16-parport0", attribute="policy",
                             message="The kernel says no.")],)

    table.handlers["Set"] = set_
    result = run(bus, "irq", "set", "16", "--nice=1")
    assert result.returncode == 1
    assert result.stdout == "set       irq/16-parport0 (tid 91): nice -5 -> nice 1\n"
    assert result.stderr.count("would be above") == 1 and "The kernel says no." in result.stderr
    changes = json.loads(run(bus, "irq", "set", "16", "--nice=1", "--json").stdout)
    assert [(c["outcome"], c["tid"], c["attribute"], c["message"]) for c in changes] == [
        ("refused", 90, None, "irq/16-eth0 would be above a measuring thread."),
        ("set", 91, "nice", None), ("refused", 91, "policy", "The kernel says no.")]
    assert all(set(c) == {"outcome", "irq", "tid", "name", "attribute", "old", "new", "by", "file", "line", "message",
                          "after_ns"} for c in changes)


@pytest.mark.parametrize("name, status", [("NotAuthorized", 4), ("org.freedesktop.DBus.Error.ServiceUnknown", 5)])
def test_what_nothing_can_change_is_said_once(bus, table, name, status):
    table.handlers["Set"] = refuse(name, "No.")
    result = run(bus, "irq", "set", "16", "--nice=1", "--affinity=0")
    assert result.returncode == status and result.stderr.count("No.") == 1
    assert len(table.called_on("Set")) == 1 and not table.called_on("SetAffinity")


def test_set_that_changes_nothing(bus, table):
    result = run(bus, "irq", "set", "16", "--nice=0")
    assert (result.returncode, result.stdout) == (0, "It is so already: nothing was changed.\n")
    assert run(bus, "irq", "set", "16", "--nice=0", "--json").stdout == "[]\n"


def test_thread_whose_object_is_not_said(bus, serve):
    bare = thread(90, "irq/16-eth0", 16)
    del bare["path"]
    fake = serve(ListIrqs=answer(line(16, ["eth0"])), ListThreads=answer(bare))
    run(bus, "irq", "set", "eth0", "--nice=1")
    assert fake.called_on("Set")[0][0] == "thread/90_900"
    del bare["start_ticks"]
    result = run(bus, "irq", "set", "eth0", "--nice=1")
    assert result.returncode == 1 and "which thread" in result.stderr
    bare["path"] = ("s", "/org/freedesktop/systemd1")
    assert run(bus, "irq", "set", "eth0", "--nice=1").returncode == 1
    assert len(fake.called_on("Set")) == 1


# --- apply, restore, rules ---

RULES = [d(name="net", file="/e/irq.d/10-net.conf", line=3, match={"interface": "eth*", "driver": "e1000e"},
           policy="fifo", priority=60, reset_on_fork=True, override="rcu"),
         d(name="usb", file="/e/irq.d/20-usb.conf", line=1, match={"action": "xhci*"}, nice=5, affinity="!0",
           outcome="waits", message="Nothing here matches it now.")]
CHANGES = [
    d(outcome="would", irq=16, tid=90, name="irq/16-eth0", attribute="policy", old="fifo 50", new="fifo 60", by="net",
      file="/e/irq.d/10-net.conf", line=3),
    d(outcome="waits", by="usb", file="/e/irq.d/20-usb.conf", line=1, message="Nothing here matches it now."),
    d(outcome="would", irq=16, name="eth0, parport0", attribute="affinity", old="0-1", new="1", by="net",
      file="/e/irq.d/10-net.conf", line=3),
    d(outcome="would", tid=14, name="ksoftirqd/0", attribute="nice", old="nice 0", new="nice 3", by="set by user 7"),
]


def test_apply_is_shown_rule_by_rule(bus, serve):
    fake = serve(ApplyIrqPolicy=answer(*CHANGES), ListIrqRules=answer(*RULES))
    result = run(bus, "irq", "apply", "--dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == """\
net (/e/irq.d/10-net.conf:3): interface=eth* driver=e1000e: fifo 60, reset-on-fork, override rcu
  would     irq/16-eth0 (tid 90): policy fifo 50 -> fifo 60
  would     irq 16 (eth0, parport0): affinity 0-1 -> 1
usb (/e/irq.d/20-usb.conf:1): action=xhci*: nice 5, affinity !0
  waits     Nothing here matches it now.
set by user 7
  would     ksoftirqd/0 (tid 14): nice 0 -> nice 3
"""
    assert fake.called("ApplyIrqPolicy") == ({"dry_run": ("b", True)},)
    assert run(bus, "irq", "apply").returncode == 0
    assert fake.called("ApplyIrqPolicy") == ({"dry_run": ("b", False)},)
    changes = json.loads(run(bus, "irq", "apply", "--dry-run", "--json").stdout)
    assert [c["new"] for c in changes] == ["fifo 60", None, "1", "nice 3"] and changes[0]["line"] == 3
    fake.handlers["ListIrqRules"] = refuse("Failed", "No rules.")
    result = run(bus, "irq", "apply")
    assert result.returncode == 1 and "would     irq/16-eth0" in result.stdout and "No rules." in result.stderr


def test_check_says_what_is_wrong_and_what_a_reload_would_change(bus, serve):
    wrong = {"file": ("s", "/e/irq.d/20-usb.conf"), "line": ("u", 4), "text": ("s", "No such policy.")}
    fake = serve(CheckIrqRules=lambda options: ("aa{sv}aa{sv}", ([wrong], CHANGES[:1])))
    result = run(bus, "irq", "check")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == """\
/e/irq.d/20-usb.conf:4: No such policy.
net (/e/irq.d/10-net.conf:3)
  would     irq/16-eth0 (tid 90): policy fifo 50 -> fifo 60
"""
    told = json.loads(run(bus, "irq", "check", "--json").stdout)
    assert [p["line"] for p in told["problems"]] == [4] and [c["new"] for c in told["changes"]] == ["fifo 60"]
    assert told["changes"][0]["message"] is None
    fake.handlers["CheckIrqRules"] = lambda options: ("aa{sv}aa{sv}", ([], CHANGES[:1]))
    assert run(bus, "irq", "check").returncode == 0
    refused = {**CHANGES[0], "outcome": ("s", "refused"), "message": ("s", "A guard.")}
    fake.handlers["CheckIrqRules"] = lambda options: ("aa{sv}aa{sv}", ([], [refused]))
    assert run(bus, "irq", "check").returncode == 1
    for odd in (("", ()), ("as", (["x"],))):
        fake.handlers["CheckIrqRules"] = lambda options, odd=odd: odd
        assert run(bus, "irq", "check").returncode in (0, 1)


def test_apply_where_nothing_differs(bus, serve):
    fake = serve()
    result = run(bus, "irq", "apply")
    assert (result.returncode, result.stdout) == (0, "Nothing differs from what the rules want.\n")
    fake.handlers["ApplyIrqPolicy"] = answer(CHANGES[1])
    result = run(bus, "irq", "apply", "--dry-run")
    assert result.returncode == 0 and "waits" in result.stdout and "Nothing differs" in result.stdout
    assert run(bus, "irq", "apply", "--json").stdout.count("waits") == 1


def test_apply_with_a_refusal(bus, serve):
    refused = {**CHANGES[0], "outcome": ("s", "refused"), "message": ("s", "irq/16-eth0 is managed.")}
    moved = {**CHANGES[2], "outcome": ("s", "set")}
    serve(ApplyIrqPolicy=answer(refused, moved))
    result = run(bus, "irq", "apply")
    assert result.returncode == 1
    assert "refused   irq/16-eth0 (tid 90): policy fifo 50 -> fifo 60: irq/16-eth0 is managed." in result.stderr
    assert "set       irq 16" in result.stdout and "next interrupt" in result.stdout
    assert run(bus, "irq", "apply", "--json").returncode == 1


def test_restore_all(bus, table):
    back = {**CHANGES[0], "outcome": ("s", "put-back"), "by": ("s", "before")}
    drifted = d(outcome="drifted", tid=14, name="ksoftirqd/0", attribute="nice", old="nice 9", new="nice 0",
                message="ksoftirqd/0 has nice 9 instead of nice 3 (net): somebody else has set it since.")
    table.handlers["RestoreIrqPolicy"] = answer(back, drifted)
    result = run(bus, "irq", "restore")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == ("put-back  irq/16-eth0 (tid 90): policy fifo 50 -> fifo 60\n"
                             "drifted   ksoftirqd/0 has nice 9 instead of nice 3 (net): somebody else has set it "
                             "since.\n")
    assert table.called("RestoreIrqPolicy") == ({"dry_run": ("b", False)},)
    run(bus, "irq", "restore", "--dry-run")
    assert table.called("RestoreIrqPolicy") == ({"dry_run": ("b", True)},)
    assert not table.called_on("Restore")
    table.handlers["RestoreIrqPolicy"] = answer()
    assert "nothing was changed" in run(bus, "irq", "restore").stdout
    table.handlers["RestoreIrqPolicy"] = refuse("Busy", "Session s1 measures with rules of its own.")
    result = run(bus, "irq", "restore")
    assert (result.returncode, result.stdout) == (1, "") and "s1 measures" in result.stderr


def test_restore_of_some(bus, table):
    result = run(bus, "irq", "restore", "16", "rtc0")
    assert (result.returncode, result.stdout) == (0, "Nothing of ours is in force there: nothing was changed.\n")
    assert sorted(table.called_on("Restore")) == [(p, ({},)) for p in ("irq/16", "irq/8", "thread/90_900",
                                                                     "thread/91_910")]
    assert not table.called_on("RestoreIrqPolicy")
    table.handlers["Restore"] = refuse("NoDevice", "The thread has ended.")
    result = run(bus, "irq", "restore", "irq/16-eth0")
    assert result.returncode == 1 and "irq/16-eth0 (tid 90): The thread has ended." in result.stderr


def test_rules(bus, serve):
    fake = serve(ListIrqRules=answer(*RULES))
    assert run(bus, "irq", "rules").stdout == """\
RULE  FILE                    MATCH                         SETS                                  NOW
net   /e/irq.d/10-net.conf:3  interface=eth* driver=e1000e  fifo 60, reset-on-fork, override rcu  -
usb   /e/irq.d/20-usb.conf:1  action=xhci*                  nice 5, affinity !0                   \
waits: Nothing here matches it now.
"""
    rules = json.loads(run(bus, "irq", "rules", "--json").stdout)
    assert [r["name"] for r in rules] == ["net", "usb"]
    assert rules[0]["match"] == {"interface": "eth*", "driver": "e1000e"} and rules[0]["nice"] is None
    assert rules[1]["policy"] is None and rules[1]["message"] == "Nothing here matches it now."
    fake.handlers["ListIrqRules"] = answer()
    result = run(bus, "irq", "rules")
    assert (result.returncode, result.stdout) == (0, "") and "no rules" in result.stderr


# --- watch ---

class Watch:
    def __init__(self, bus, fake, *args):
        self.process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "irq", "watch", *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        wait_for(lambda: any(c[0] == "GetAll" for c in fake.calls))

    def line(self):
        return self.process.stdout.readline()

    def end(self, timeout=15):
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, err


@pytest.fixture
def watch(bus, serve):
    made = []

    def make(*args):
        fake = serve()
        made.append(Watch(bus, fake, *args))
        return fake, made[-1]

    yield make
    for w in made:
        if w.process.poll() is None:
            w.process.kill()
            w.process.communicate()


EVENT = d(outcome="set", irq=16, tid=90, name="irq/16-eth0", attribute="policy", old="fifo 50", new="fifo 60",
          by="net", file="/e/10-net.conf", line=3, after_ns=3_100_000)


def test_watch(watch):
    fake, w = watch()
    fake.irq_event(**EVENT)
    line = w.line()
    assert line[10] == " " and line[19] == "."
    assert line[23:] == ("  set       irq/16-eth0 (tid 90): policy fifo 50 -> fifo 60, by net (/e/10-net.conf:3), "
                         "after 3.10 ms\n")
    fake.irq_event(**d(outcome="waits", by="usb", message=EVIL))
    assert "?[2Jx?y?z?w" in w.line()
    fake.irq_event()
    assert w.line()[23:].strip() == ""
    w.process.send_signal(signal.SIGINT)
    assert w.end() == (0, "", "")


def test_watch_json_is_one_object_a_line(watch):
    fake, w = watch("--json")
    for n in range(3):
        fake.irq_event(**{**EVENT, "tid": ("u", n)})
    for n in range(3):
        event = json.loads(w.line())
        assert (event["tid"], event["after_ns"], event["message"]) == (n, 3_100_000, None)
        assert abs(event["at_usec"] / 1e6 - time.time()) < 60
    w.process.send_signal(signal.SIGINT)
    assert w.end() == (0, "", "")


def test_watch_ignores_what_is_no_event(bus, watch):
    fake, w = watch()
    fake.signal(MANAGER, "org.lrtbf1.Manager", "IrqEvent", "s", "x")
    fake.signal(MANAGER + "/x", "org.lrtbf1.Manager", "IrqEvent", "a{sv}", EVENT)
    fake.signal(MANAGER, "org.lrtbf1.Manager", "SessionNew", "so", "s1", MANAGER)
    fake.irq_event(**{**EVENT, "name": ("s", "irq/1-last")})
    assert "irq/1-last" in w.line()
    w.process.send_signal(signal.SIGINT)
    assert w.end() == (0, "", "")


def test_watch_when_the_service_goes_away(watch):
    fake, w = watch()
    fake.stop()
    status, out, err = w.end()
    assert (status, out) == (5, "") and "gone away" in err


def test_watch_when_the_bus_goes_away(bus, watch):
    fake, w = watch("--json")
    bus.process.kill()
    status, out, err = w.end()
    assert (status, out) == (5, "") and err.count("lrtbfctl:") == 1


def test_watch_whose_reader_has_left(bus, watch):
    fake, w = watch()
    w.process.stdout.close()
    fake.irq_event(**EVENT)
    assert w.process.wait(15) != 0


def test_watch_on_a_terminal(serve, terminal):
    fake = serve()
    t = terminal("irq", "watch")
    t.until("Ctrl-C ends it")
    fake.irq_event(**EVENT)
    t.until("after 3.10 ms")
    t.press("\x03")
    assert t.wait(10) == 0


# --- capture ---

def test_capture(bus, serve, folder):
    fake = serve()
    fake.archive = bytes(range(256)) * 5000
    path = os.path.join(folder, "case.tar")
    result = run(bus, "irq", "capture", "-o", path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert open(path, "rb").read() == fake.archive
    fake.archive = b"another"
    assert run(bus, "irq", "capture", f"--output={path}").returncode == 0
    assert open(path, "rb").read() == b"another"
    assert sorted(os.listdir(folder)) == ["bus.d", "case.tar"]
    result = subprocess.run([str(CTL), f"--bus={bus.address}", "irq", "capture", "-o-"], capture_output=True,
                            env=environment(), timeout=20)
    assert (result.returncode, result.stdout) == (0, b"another")


def test_capture_that_fails_leaves_the_file(bus, serve, folder):
    serve(OpenIrqCapture=refuse("Failed", "Not to be had."))
    path = os.path.join(folder, "case.tar")
    with open(path, "w") as file:
        file.write("old")
    assert run(bus, "irq", "capture", "-o", path).returncode == 1
    assert open(path).read() == "old" and sorted(os.listdir(folder)) == ["bus.d", "case.tar"]


def test_capture_to_places_that_are_no_files(bus, serve, folder, terminal):
    serve()
    assert run(bus, "irq", "capture", "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for place in ("/dev/full", folder, "", os.path.join(folder, "no", "file")):
        result = run(bus, "irq", "capture", "-o", place)
        assert result.returncode == 1 and "Cannot write" in result.stderr
    t = terminal("irq", "capture", "-o", "-")
    assert t.wait() == 64 and "the archive" not in t.output
    with open("/dev/full", "w") as full:
        result = subprocess.run([str(CTL), f"--bus={bus.address}", "irq", "capture", "-o-"], stdout=full,
                                stderr=subprocess.PIPE, env=environment(), timeout=20)
    assert result.returncode == 1 and b"No space left" in result.stderr


def test_over_ssh(bus, serve, folder):
    """No descriptors travel, and the archive comes as one: that is said. The table comes as always."""
    fake = serve(ListIrqs=answer(*LINES), ListThreads=answer(*THREADS))
    ssh = os.path.join(folder, "ssh")
    with open(ssh, "w") as script:
        # Its ends are one socket that does not block; cat wants to.
        script.write("#!/bin/sh\n/usr/bin/python3 -c 'import os; os.set_blocking(0, True)'\n"
                     f"cat | systemd-stdio-bridge --bus-path='{bus.address}' | cat\n")
    os.chmod(ssh, 0o755)
    remote = lambda *args: subprocess.run([str(CTL), "-H", "user@there", *args], capture_output=True, text=True,
                                          timeout=20, env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    path = os.path.join(folder, "case.tar")
    result = remote("irq", "capture", "-o", path)
    assert result.returncode == 1 and "on that machine" in result.stderr
    assert not os.path.exists(path) and not fake.called_on("OpenIrqCapture")
    assert remote("irq", "list").stdout.startswith(TABLE)


def test_output_is_lost(bus, table):
    for args in (["list"], ["list", "--json"], ["apply"], ["restore"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run([str(CTL), f"--bus={bus.address}", "irq", *args], stdout=full,
                                    stderr=subprocess.PIPE, env=environment(), timeout=20)
        assert result.returncode == 1 and b"No space left" in result.stderr
