# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of interrupts over the bus: this machine's against /proc, and captured ones against what is known of
them."""
import json
import os
import re
import tarfile
import tempfile
from pathlib import Path

import pytest
from jeepney import DBusErrorResponse
from kthreads import (KTHREAD, FakeRoot, kernel_threads, ps, rules, set_thread, start_ticks,
                      thread_path)
from lrtbf import MANAGER, ROOT, plain, wait_for

CASES = sorted(p.parent for p in (ROOT / "tests/fixtures/irq-cases").glob("*/expect.json"))
KEYS = ("irq", "tid", "name", "actions", "policy", "priority", "nice")
NAMABLE = re.compile(r"(irq/\d+-|ksoftirqd/\d|ktimers/\d|rcu(c|b|o[gpsb])/|"
                     r"rcu_(preempt|sched|bh|exp_)|irq_work/\d|napi/|backlog_napi/\d)")


@pytest.fixture
def memory(folder):
    """A folder for thousands of files."""
    if not os.access("/dev/shm", os.W_OK):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="lrtbf-", dir="/dev/shm") as path:
        os.chmod(path, 0o755)
        yield path


def threads(caller):
    return {t["tid"]: t for t in plain(caller.manager("ListThreads", "a{sv}", {}))}


def irqs(caller, **options):
    got = plain(caller.manager("ListIrqs", "a{sv}", {k: ("b", v) for k, v in options.items()}))
    return {i["irq"]: i for i in got if "irq" in i}, {i["name"]: i for i in got if "irq" not in i}


def at_root(make_daemon, folder, **files):
    return rules(make_daemon(args=(f"--root={folder}",)), **files).start()


def test_threads_are_those_of_proc(make_daemon, caller, irqs_at_rest):
    """Every kernel thread that rules may name, with what ps says of it; no user's process."""
    rules(make_daemon()).start()
    before = kernel_threads()
    if not before:
        assert threads(caller) == {}
        pytest.skip("kernel threads cannot be seen from here")
    listed = threads(caller)
    after = kernel_threads()
    for tid in before.keys() & after.keys():
        assert (tid in listed) == bool(NAMABLE.match(before[tid])), before[tid]
    for tid in listed.keys() & after.keys():
        thread = listed[tid]
        assert tid in before or tid in after
        assert thread["name"] == after[tid]
        assert thread["start_ticks"] == start_ticks(tid)
        assert thread["path"] == thread_path(tid)
        policy, priority, nice = ps(tid)
        assert (thread["policy"], thread["priority"]) == (policy, priority)
        assert nice is None or thread["nice"] == nice
        if thread["kind"] == "irq":
            assert thread["irq"] == int(re.match(r"irq/(\d+)-", thread["name"])[1])
            assert thread["affinity"] == \
                Path(f"/proc/irq/{thread['irq']}/smp_affinity_list").read_text().strip()
        else:
            assert "irq" not in thread and "actions" not in thread
        assert thread["drifted"] is False and "rule" not in thread


def proc_interrupts():
    """{name: (counts, rest)} of /proc/interrupts, and its CPUs."""
    lines = Path("/proc/interrupts").read_text().splitlines()
    cpus = [c.removeprefix("CPU") for c in lines[0].split()]
    rows = {}
    for line in lines[1:]:
        name, rest = line.split(":", 1)
        words = rest.split()
        counts = []
        while words and words[0].isdigit() and len(counts) < len(cpus):
            counts.append(int(words.pop(0)))
        rows[name.strip()] = counts, " ".join(words)
    return rows, cpus


def test_lines_are_those_of_proc(make_daemon, caller):
    rules(make_daemon()).start()
    before, cpus = proc_interrupts()
    lines, rows = irqs(caller)
    after, _ = proc_interrupts()
    assert {str(i) for i in lines} >= {n for n in before.keys() & after.keys() if n.isdigit()}
    assert set(rows) == {n for n in before if not n.isdigit()}
    for name in before.keys() & after.keys():
        line = lines[int(name)] if name.isdigit() else rows[name]
        if len(cpus) > 1 and len(before[name][0]) == 1:
            assert "counts" not in line
        else:
            assert list(line["counts"]) == cpus[:len(before[name][0])]
            for low, got, high in zip(before[name][0], line["counts"].values(), after[name][0]):
                assert low <= got <= high
            assert line["total"] == sum(line["counts"].values())
        assert sum(before[name][0]) <= line["total"] <= sum(after[name][0])
        assert line["read_usec"] > 0
        if name.isdigit():
            assert all(before[name][1].count(a) for a in line["actions"])
            assert line["affinity"] == Path(f"/proc/irq/{name}/smp_affinity_list").read_text().strip()
            assert ("explanation" in line) == (line["threaded"] != "threaded")
            assert line["drifted"] is False and "rule" not in line


def test_lines_have_their_threads(make_daemon, caller):
    rules(make_daemon()).start()
    lines, _ = irqs(caller)
    listed = threads(caller)
    for number, line in lines.items():
        mine = [t for t in listed.values() if t.get("irq") == number]
        assert sorted(t["tid"] for t in line["threads"]) == sorted(t["tid"] for t in mine)
        assert (line["threaded"] == "threaded") == bool(mine)
        assert all(t["actions"] == line["actions"] for t in mine)


def test_less_can_be_asked_for(make_daemon, caller):
    rules(make_daemon()).start()
    lines, rows = irqs(caller, counts=False, threads=False)
    assert lines
    for line in (*lines.values(), *rows.values()):
        assert "counts" not in line and "threads" not in line and "read_usec" in line
    counted = {int(n) for n in proc_interrupts()[0] if n.isdigit()}
    assert {n for n, line in lines.items() if "total" in line} >= counted & set(lines)


def test_there_are_cases():
    assert len(CASES) >= 8


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_captured(make_daemon, caller, case):
    """Just the interrupt threads that are known to be in it."""
    expected = json.loads((case / "expect.json").read_text())["threads"]
    at_root(make_daemon, case)
    listed = threads(caller)
    got = [{k: t[k] for k in KEYS} for t in listed.values() if t["kind"] == "irq"]
    assert sorted(got, key=lambda t: t["tid"]) == sorted(expected, key=lambda t: t["tid"])
    lines, _ = irqs(caller)
    below = [t["tid"] for line in lines.values() for t in line["threads"]]
    assert sorted(below) == sorted(t["tid"] for t in got)
    assert not any("read_usec" in line for line in lines.values())
    assert caller.get(MANAGER, "Manager", "IrqWatching").startswith("captured: ")


def test_captured_changes_are_only_said(make_daemon, caller, folder):
    root = FakeRoot(folder + "/root").line(24, "eth0").thread(os.getpid(), "irq/24-eth0", "fifo", 50).write()
    at_root(make_daemon, root, net='rules = ( { match = { action = "eth0"; }; policy = "fifo"; priority = 60; } );')
    mine = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
    for options in ({"dry_run": ("b", True)}, {}):
        change = plain(caller.manager("ApplyIrqPolicy", "a{sv}", options))
        assert [(c["outcome"], c["tid"], c["attribute"], c["old"], c["new"]) for c in change] == \
            [("would", os.getpid(), "policy", "fifo 50", "fifo 60")]
        assert change[0]["by"] == "net/1" and change[0]["file"].endswith("net.conf") and change[0]["line"] == 1
    path = threads(caller)[os.getpid()]["path"]
    try:
        assert all(c["outcome"] == "would" for c in plain(set_thread(caller, path, priority=70)))
    except DBusErrorResponse as error:
        assert error.name.startswith("org.lrtbf1.Error.") and error.data[0]
    assert (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority) == mine
    assert threads(caller)[os.getpid()]["priority"] == 50


def test_unequal_priorities_of_a_line(make_daemon, caller, folder):
    root = FakeRoot(folder + "/root").line(16, "ehci_hcd:usb1, eth0").line(17, "ahci")
    root.thread(301, "irq/16-ehci_hcd", "fifo", 50).thread(302, "irq/16-eth0", "fifo", 60)
    root.thread(303, "irq/17-ahci", "fifo", 50)
    at_root(make_daemon, root.write())
    lines, _ = irqs(caller)
    assert "16" in lines[16]["unequal"] and "unequal" not in lines[17]


def test_rules_are_listed_in_their_order(make_daemon, caller, folder):
    root = FakeRoot(folder + "/root").line(24, "eth0").thread(301, "irq/24-eth0", "fifo", 50).write()
    at_root(make_daemon, root,
            b='rules = ( { match = { kthread = "napi/none*"; }; policy = "other"; nice = -5; } );',
            a='rules = (\n{ name = "first"; match = { action = "eth*"; }; policy = "rr"; priority = 70;\n'
              'affinity = "0"; override = [ "measuring" ]; },\n{ match = { irq = "24"; }; nice = 3; } );')
    got = plain(caller.manager("ListIrqRules", "a{sv}", {}))
    assert [r["name"] for r in got] == ["first", "a/2", "b/1"]
    first = got[0]
    assert first["file"].endswith("a.conf") and first["line"] == 2
    assert (first["policy"], first["priority"], first["affinity"], first["override"], first["match"]) == \
        ("rr", 70, "0", "measuring", {"action": "eth*"})
    assert "nice" not in first and "reset_on_fork" not in first and "outcome" not in first
    assert got[1]["nice"] == 3 and "policy" not in got[1] and got[1]["match"] == {"irq": "24"}
    assert (got[2]["nice"], got[2]["outcome"]) == (-5, "waits")


def test_bytes_that_are_no_utf8(make_daemon, caller, folder):
    """Sent on as they are, they would make the bus disconnect the daemon."""
    root = FakeRoot(folder + "/root").line(24, b"caf\xe9, b\xff\xfe").line(25, b"\x01\x1b[31m")
    root.thread(301, b"irq/24-caf\xe9", "fifo", 50).thread(302, b"irq/25-\xc3\x28\x1b[3", "fifo", 50)
    daemon = at_root(make_daemon, root.write(),
                     net='rules = ( { match = { irq = "24-25"; }; policy = "fifo"; priority = 60; } );')
    listed = threads(caller)
    assert listed.keys() == {301, 302}
    assert listed[301]["name"].startswith("irq/24-caf")
    lines, _ = irqs(caller)
    assert len(lines[24]["actions"]) == 2
    assert len(plain(caller.manager("ApplyIrqPolicy", "a{sv}", {"dry_run": ("b", True)}))) == 2
    assert caller.get(listed[301]["path"], "Thread", "Name") == listed[301]["name"]
    assert daemon.process.poll() is None


def test_tables_that_are_too_large_for_a_message(make_daemon, caller, folder):
    """512 CPUs, 4096 lines: the counts are refused with a way out, the rest is complete."""
    root = FakeRoot(folder + "/root", cpus=512)
    for irq in range(4096):
        root.line(irq, f"device-{irq}")
    at_root(make_daemon, root.write())
    with pytest.raises(DBusErrorResponse) as error:
        irqs(caller)
    assert error.value.name == "org.lrtbf1.Error.TooLarge"
    assert "counts" in error.value.data[0] and "OpenIrqCapture" in error.value.data[0]
    lines, _ = irqs(caller, counts=False)
    assert len(lines) == 4096
    assert all(line["total"] == sum(range(512)) for line in lines.values())


def test_lists_that_are_too_large_because_of_one_name(make_daemon, caller, folder):
    """A name as long as a table may have it stands in each rule's note and in each change: refused, alive."""
    long, root = "A" * 60000, FakeRoot(folder + "/root")
    root.line(1, long).thread(101, "irq/1-AAAAAAAAA", "fifo", 50)
    root.rows.append(f"  2:          0          0   {long}  2 Edge      child".encode())
    for irq in range(3, 300):
        root.line(irq, long)
    rule = 'match = { irq = 2; }; policy = "fifo"; priority = 60;'
    at_root(make_daemon, root.write(), lines='rules = ( { match = { irq = "3-299"; }; affinity = "0"; } );',
            never="rules = ( " + ", ".join("{ %s }" % rule for _ in range(600)) + " );")
    for method, options in ("ListIrqRules", {}), ("ApplyIrqPolicy", {"dry_run": ("b", True)}):
        with pytest.raises(DBusErrorResponse) as error:
            caller.manager(method, "a{sv}", options)
        assert error.value.name == "org.lrtbf1.Error.TooLarge", method
        assert "done" not in error.value.data[0]
    assert threads(caller).keys() == {101}


def test_tables_with_4096_threads(make_daemon, caller, memory):
    root = FakeRoot(memory + "/root")
    for irq in range(4096):
        root.line(irq, f"mlx5_comp{irq}@pci:0000:3b:00.0")
        root.thread(10000 + irq, f"irq/{irq}-mlx5_comp{irq}@pci:0000:3b:00.0", "fifo", 50)
    at_root(make_daemon, root.write())
    assert len(threads(caller)) == 4096
    lines, _ = irqs(caller, counts=False)
    assert len(lines) == 4096 and all(len(line["threads"]) == 1 for line in lines.values())


def capture(caller, folder):
    fd = caller.manager("OpenIrqCapture", "a{sv}", {})
    with open(fd.to_raw_fd() if hasattr(fd, "to_raw_fd") else fd, "rb") as file, \
            tarfile.open(fileobj=file) as archive:
        for member in archive.getmembers():
            assert not member.name.startswith("/") and ".." not in member.name
        archive.extractall(folder)
    return folder


def test_capture_can_be_read_again(make_daemon, bus, caller, folder):
    """A captured machine shows what it showed; nothing of user processes is in the archive."""
    first = rules(make_daemon()).start()
    captured = Path(capture(caller, folder + "/captured"))
    listed, (lines, rows) = threads(caller), irqs(caller)
    for path in captured.glob("**/proc/[0-9]*/stat"):
        text = path.read_bytes()
        assert int(text[text.rindex(b")") + 2:].split()[6]) & KTHREAD, text
    assert not list(captured.glob("**/proc/*/cmdline")) and not list(captured.glob("**/environ"))
    first.stop()
    root = next(captured.glob("**/proc/interrupts")).parents[1]
    rules(make_daemon(name="again", args=(f"--root={root}",))).start()
    again, (again_lines, again_rows) = threads(caller), irqs(caller)
    steady = [t for t in listed if t in again and listed[t]["kind"] != "napi"]
    assert steady or not listed
    for tid in steady:
        assert again[tid] == listed[tid]
    assert set(again_lines) == set(lines) and set(again_rows) == set(rows)
    for irq, line in lines.items():
        moving = ("counts", "total", "read_usec", "effective", "threads")
        assert {k: v for k, v in line.items() if k not in moving} == \
            {k: v for k, v in again_lines[irq].items() if k not in moving}


def test_properties(make_daemon, caller):
    rules(make_daemon()).start()
    assert caller.get(MANAGER, "Manager", "IrqPaused") is False
    watching = wait_for(lambda: (w := caller.get(MANAGER, "Manager", "IrqWatching")) != "starting" and w,
                        what="how later threads are noticed")
    assert watching == "off"  # no rules: nobody waits for anything


def test_watching_with_rules(make_daemon, caller):
    rules(make_daemon(), net='rules = ( { match = { kthread = "napi/none*"; }; policy = "other"; } );').start()
    watching = wait_for(lambda: (w := caller.get(MANAGER, "Manager", "IrqWatching")) != "starting" and w,
                        what="how later threads are noticed")
    assert watching == "process-events" or re.fullmatch(r"poll: .+", watching), watching
