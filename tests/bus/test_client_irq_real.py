# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl irq with the real service: captured machines, and this machine's own threads."""
import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from client import Terminal, environment, run
from kthreads import FakeRoot, kernel_threads, rules, stat, state
from lrtbf import CTL, ROOT, wait_for

CASES = sorted(p.parent for p in (ROOT / "tests" / "fixtures" / "irq-cases").glob("*/expect.json"))
KEYS = ("irq", "tid", "name", "actions", "policy", "priority", "nice")


def rows(bus, *args):
    result = run(bus, "--json", "irq", "list", "--interval=0", *args)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def short(result):
    return sorted((c["outcome"], c["tid"], c["attribute"], c["old"], c["new"]) for c in json.loads(result.stdout))


# --- captured machines ---

def test_there_are_cases():
    assert len(CASES) >= 8


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_list_shows_the_threads_of_a_case(bus, make_daemon, case):
    make_daemon(args=[f"--root={case}"]).start()
    expected = json.loads((case / "expect.json").read_text())["threads"]
    found = [{k: r[k] for k in KEYS} for r in rows(bus) if r["tid"] is not None]
    assert sorted(found, key=lambda r: r["tid"]) == sorted(expected, key=lambda r: r["tid"])
    text = run(bus, "irq", "list", timeout=20)
    assert (text.returncode, text.stderr) == (0, "")
    for t in expected:
        assert re.search(rf"^ *{t['irq']} +{t['tid']}  {re.escape(t['name'])}  ", text.stdout, re.M), t
    assert "captured table" in text.stdout
    with_all = [{k: r[k] for k in KEYS} for r in rows(bus, "--all") if r["kind"] == "irq"]
    assert sorted(with_all, key=lambda r: r["tid"]) == sorted(expected, key=lambda r: r["tid"])


@pytest.fixture
def made_up(make_daemon, folder):
    """A captured machine with a shared line, rules that match, wait and clash with it."""
    root = FakeRoot(folder + "/root").line(16, "eth0, parport0").line(17, "rtc0")
    root.thread(3, "ksoftirqd/0", "other").thread(90, "irq/16-eth0", "fifo", 50)
    root.thread(91, "irq/16-parport0", "fifo", 50)
    daemon = make_daemon(args=[f"--root={root.write()}"])
    rules(daemon, net='rules = (\n{ name = "port"; match = { thread = "irq/*-parport0"; };\n  policy = "rr"; '
                      'priority = 70; },\n{ match = { action = "usb*"; }; nice = 5; } );')
    return daemon.start()


def test_rules_of_a_captured_machine(bus, made_up):
    file = f"{made_up.config}/irq.d/net.conf"
    listed = json.loads(run(bus, "irq", "rules", "--json").stdout)
    assert [(r["name"], r["file"], r["line"], r["match"], r["policy"], r["priority"], r["nice"]) for r in listed] == [
        ("port", file, 2, {"thread": "irq/*-parport0"}, "rr", 70, None),
        ("net/2", file, 4, {"action": "usb*"}, None, None, 5)]
    assert f"port   {file}:2" in run(bus, "irq", "rules").stdout
    dry = run(bus, "irq", "apply", "--dry-run")
    assert (dry.returncode, dry.stderr) == (0, "")
    assert f"port ({file}:2): thread=irq/*-parport0: rr 70\n" in dry.stdout
    assert "  would     irq/16-parport0 (tid 91): policy fifo 50 -> rr 70\n" in dry.stdout
    assert f"net/2 ({file}:4): action=usb*: nice 5\n  waits     " in dry.stdout
    text = run(bus, "irq", "list").stdout
    assert f"waits net/2 ({file}:4): " in text and "1 value differs" in text


def test_nothing_is_set_on_a_captured_machine(bus, made_up):
    for args in (["set", "irq/16-eth0", "--nice=5"], ["apply"], ["restore"]):
        result = run(bus, "irq", *args)
        assert result.returncode in (0, 1)
        assert "set  " not in result.stdout and "put-back" not in result.stdout
    assert [(r["tid"], r["nice"], r["policy"]) for r in rows(bus) if r["tid"]] == [(90, 0, "fifo"), (91, 0, "fifo")]


# --- this machine ---

def test_list_of_this_machine(bus, daemon):
    before = kernel_threads()
    listed = rows(bus, "--all")
    after = kernel_threads()
    same = {t: n for t, n in before.items() if after.get(t) == n and re.match(r"irq/\d+-", n)}
    found = {r["tid"]: r["name"] for r in listed if r["kind"] == "irq"}
    assert {t: n for t, n in found.items() if t in same} == same
    assert not set(found) - set(before) - set(after)
    for r in listed:
        if r["tid"] in same:
            assert (r["policy"], r["priority"], r["nice"]) == state(r["tid"])
    if os.path.exists("/proc/interrupts"):
        assert "LOC" in {r["row"] for r in listed} or not re.search(r"^ *LOC:", open("/proc/interrupts").read(), re.M)
    text = run(bus, "irq", "list")
    assert (text.returncode, text.stderr) == (0, "") and "INT/S" in text.stdout


def test_interrupts_are_counted(bus, daemon):
    counted = json.loads(run(bus, "irq", "list", "--all", "--json", "--interval=300ms").stdout)
    rates = [r["per_second"] for r in counted if r["row"] or r["irq"] is not None]
    assert all(isinstance(r, (int, float)) and r >= 0 for r in rates if r is not None)
    assert sum(r for r in rates if r is not None) > 0  # timers come always


@pytest.fixture
def ready(irq_threads, make_daemon):
    return rules(make_daemon()).start()


@pytest.mark.root
def test_set_and_restore(bus, irq_threads, ready):
    before = {tid: state(tid) for tid in irq_threads}
    tid = irq_threads[0]
    name = stat(tid)[0]
    result = run(bus, "irq", "set", name, "--policy=other", "--nice=19")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"set       {name} (tid {tid}): policy " in result.stdout and "-> other\n" in result.stdout
    assert state(tid) == ("other", 0, 19)
    result = run(bus, "irq", "set", f"thread={name}", "--policy=rr", "--priority=33", "--json")
    assert short(result) == [("set", tid, "policy", "other", "rr 33")]
    assert state(tid) == ("rr", 33, 19)
    row = next(r for r in rows(bus) if r["tid"] == tid)
    assert (row["policy"], row["priority"], row["nice"], row["rule"], row["drifted"]) == \
        ("rr", 33, 19, f"set by user {os.getuid()}", False)
    assert "It is so already" in run(bus, "irq", "set", name, "--priority=33").stdout
    result = run(bus, "irq", "restore", name)
    assert result.returncode == 0 and f"{name} (tid {tid}): policy rr 33 -> " in result.stdout
    assert {t: state(t) for t in irq_threads} == before
    assert "nothing was changed" in run(bus, "irq", "restore", name).stdout


@pytest.mark.root
def test_restore_of_all_and_drift(bus, irq_threads, ready):
    before = {tid: state(tid) for tid in irq_threads}
    tid = irq_threads[0]
    assert run(bus, "irq", "set", "irq/*", "--nice=7").returncode == 0
    assert {state(t)[2] for t in irq_threads} == {7}
    os.setpriority(os.PRIO_PROCESS, tid, 11)
    row = next(r for r in rows(bus) if r["tid"] == tid)
    assert row["drifted"] and "nice 11" in row["drift"]
    assert row["drift"] in run(bus, "irq", "list").stdout
    dry = short(run(bus, "irq", "restore", "--dry-run", "--json"))
    assert {c[:3] for c in dry} >= {("drifted", tid, "nice")}
    assert state(tid)[2] == 11
    result = run(bus, "irq", "restore")
    assert result.returncode == 0 and "drifted" in result.stdout
    assert state(tid)[2] == 11  # somebody else's
    assert {t: state(t) for t in irq_threads[1:]} == {t: before[t] for t in irq_threads[1:]}
    assert "paused since 'irq restore'" in run(bus, "irq", "list").stdout


@pytest.mark.root
def test_apply_brings_a_rule_into_force(bus, irq_threads, make_daemon):
    tid = irq_threads[0]
    irq = re.match(r"irq/(\d+)-", stat(tid)[0])[1]
    before = state(tid)
    daemon = rules(make_daemon(), net='rules = ( { match = { irq = "%s"; }; policy = "fifo"; priority = 41; } );' % irq)
    daemon.start()
    wait_for(lambda: os.sched_getparam(tid).sched_priority == 41, what="the rule's priority")
    assert state(tid) == ("fifo", 41, before[2])
    assert "Nothing differs" in run(bus, "irq", "apply").stdout
    os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(44))
    assert "1 value differs" in run(bus, "irq", "list").stdout
    dry = run(bus, "irq", "apply", "--dry-run")
    assert f"irq={irq}: fifo 41\n  would     {stat(tid)[0]} (tid {tid}): policy fifo 44 -> fifo 41" in dry.stdout
    assert state(tid)[1] == 44
    assert run(bus, "irq", "apply").returncode == 0
    assert state(tid) == ("fifo", 41, before[2])
    assert run(bus, "irq", "restore").returncode == 0
    assert state(tid) == before


@pytest.mark.root
def test_an_ordinary_user_may_look_and_not_set(bus, irq_threads, ready, folder):
    before = {tid: state(tid) for tid in irq_threads}
    ctl = shutil.copy(CTL, folder)  # where that user can reach it
    other = lambda *args: subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ctl, f"--bus={bus.address}", "irq", *args],
        capture_output=True, text=True, timeout=30, env=environment())
    for args in (["set", "irq/*", "--nice=3", "--affinity=0"], ["apply"], ["restore"], ["restore", "irq/*"]):
        result = other(*args)
        assert (result.returncode, result.stdout) == (4, ""), args
        assert result.stderr.count("Not authorised") == 1
    assert {tid: state(tid) for tid in irq_threads} == before
    for args in (["list"], ["apply", "--dry-run"], ["restore", "--dry-run"], ["rules"]):
        assert other(*args).returncode == 0, args


@pytest.mark.root
def test_guards_refuse(bus, irq_threads, ready):
    before = kernel_threads()
    soft = [t for t, n in before.items() if re.fullmatch(r"ksoftirqd/\d+", n)]
    was = {t: state(t) for t in soft}
    try:
        result = run(bus, "irq", "set", "ksoftirqd/*", "--policy=fifo", "--priority=98")
        assert result.returncode == 1 and "softirq" in result.stderr
        assert {t: state(t) for t in soft} == was
        result = run(bus, "irq", "set", "migration/0", "--nice=1")
        assert result.returncode == 1 and "migration/0" in result.stderr
    finally:
        for t in soft:
            os.sched_setscheduler(t, getattr(os, f"SCHED_{was[t][0].upper()}"), os.sched_param(was[t][1]))


@pytest.mark.root
def test_watch_tells_of_a_new_thread(bus, napi, make_daemon):
    daemon = rules(make_daemon(), n='rules = ( { name = "later"; match = { kthread = "napi/lrt*"; }; nice = -3; } );')
    daemon.start()
    wait_for(lambda: "being found out" not in run(bus, "irq", "list", "--interval=0").stdout, what="a way to notice")
    watch = Terminal(bus, "irq", "watch", columns=200)
    try:
        watch.until("Ctrl-C ends it")
        interface, tid = napi.make()
        watch.until(rf"set +napi/{interface}-\d+ \(tid {tid}\): nice 0 -> nice -3, by later \(.*/n.conf:1\)")
        assert state(tid)[2] == -3
        if "process events" in run(bus, "irq", "list", "--interval=0").stdout:
            watch.until(r"n.conf:1\), after [\d.]+ (us|ms|s)")
        watch.press("\x03")
        assert watch.wait(10) == 0
    finally:
        watch.done()


def test_capture_of_this_machine(bus, make_daemon, folder):
    first = make_daemon().start()
    here = rows(bus)
    path = os.path.join(folder, "case.tar")
    result = run(bus, "irq", "capture", "-o", path)
    assert (result.returncode, result.stderr) == (0, "")
    first.stop()
    with tarfile.open(path) as tar:
        tar.extractall(folder + "/case")
    make_daemon(name="captured", args=[f"--root={folder}/case"]).start()
    there = rows(bus)
    assert [(r["irq"], r["tid"], r["name"], r["actions"]) for r in there if r["tid"]] == \
        [(r["irq"], r["tid"], r["name"], r["actions"]) for r in here if r["tid"]]
