# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel threads and interrupt lines as others than lrtbfd see them: chrt, ps, /proc, system calls."""
import os
import re
import subprocess
import time
from pathlib import Path

POLICIES = {os.SCHED_OTHER: "other", os.SCHED_FIFO: "fifo", os.SCHED_RR: "rr",
            os.SCHED_BATCH: "batch", os.SCHED_IDLE: "idle"}
CLASSES = {"TS": "other", "FF": "fifo", "RR": "rr", "B": "batch", "IDL": "idle"}
PF_KTHREAD = 0x00200000
PF_WQ_WORKER = 0x00000020


def stat(tid):
    """Fields of /proc/TID/stat from the state on, and the name before them; None: gone."""
    try:
        text = Path(f"/proc/{tid}/stat").read_text()
    except OSError:
        return None
    name = text[text.index("(") + 1:text.rindex(")")]
    return name, text[text.rindex(")") + 2:].split()


def kernel_threads():
    """[(tid, start, name)]"""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (seen := stat(entry)) and int(seen[1][6]) & PF_KTHREAD:
            found.append((int(entry), int(seen[1][19]), Path(f"/proc/{entry}/comm").read_text().strip()))
    return sorted(found)


def is_worker(tid):
    seen = stat(tid)
    return bool(seen and int(seen[1][6]) & PF_WQ_WORKER)


def named(pattern):
    """Tids of the kernel threads whose whole name is @pattern."""
    return [tid for tid, _, name in kernel_threads() if re.fullmatch(pattern, name)]


def one(pattern):
    tids = named(pattern)
    assert len(tids) == 1, f"{pattern}: {tids}"
    return tids[0]


def standing(tid):
    """(policy, priority, nice) by system calls."""
    return (POLICIES[os.sched_getscheduler(tid)], os.sched_getparam(tid).sched_priority,
            os.getpriority(os.PRIO_PROCESS, tid))


def said_by_chrt(tid):
    """(policy, priority)"""
    text = subprocess.run(["chrt", "-p", str(tid)], capture_output=True, text=True, check=True).stdout
    policy, priority = re.findall(r": (\S+)$", text, re.M)
    return policy.removeprefix("SCHED_").lower(), int(priority)


def said_by_ps(tid):
    """(policy, priority, nice); nice is None for real-time ones, where ps shows none."""
    text = subprocess.run(["ps", "-o", "cls=,rtprio=,ni=", "-p", str(tid)],
                          capture_output=True, text=True, check=True).stdout
    policy, priority, nice = text.split()
    return (CLASSES[policy], 0 if priority == "-" else int(priority),
            None if nice == "-" else int(nice))


def assert_is(tid, policy, priority, nice):
    """All three say so."""
    assert standing(tid) == (policy, priority, nice)
    assert said_by_chrt(tid) == (policy, priority)
    assert said_by_ps(tid) == (policy, priority, None if policy in ("fifo", "rr") else nice)


def set_policy(tid, policy, priority):
    """As somebody else would."""
    subprocess.run(["chrt", f"--{policy}", "-p", str(priority), str(tid)], check=True)


def affinity(irq):
    return Path(f"/proc/irq/{irq}/smp_affinity_list").read_text().strip()


def everything():
    """Of every kernel thread and line that is there: what an lrtbfd could have changed."""
    threads = {}
    for tid, start, name in kernel_threads():
        try:
            # workers take the name and the nice value of what they work on
            if not name.startswith("kworker/"):
                # an interrupt's thread follows its line, from one interrupt to the next, and a work queue's
                # rescuer goes where no worker can be made
                follows = name.startswith("irq/") or is_worker(tid)
                cpus = None if follows else os.sched_getaffinity(tid)
                threads[tid, start] = (name, standing(tid), cpus)
        except ProcessLookupError:
            continue
    lines = {e: affinity(e) for e in os.listdir("/proc/irq") if e.isdigit()}
    return threads, lines


def assert_unchanged(before):
    """What was there then and is there still is as it was."""
    for was, now, least in zip(before, everything(), (30, 10)):
        common = was.keys() & now.keys()
        assert len(common) > least
        changed = {k: (was[k], now[k]) for k in common if was[k] != now[k]}
        assert not changed, f"(before, after): {changed}"


def put_back(before):
    """As it was; what is gone or the kernel keeps is left alone."""
    threads, lines = everything()
    for key in before[0].keys() & threads.keys():
        name, (policy, priority, nice), _ = before[0][key]
        if threads[key][1] != (policy, priority, nice):
            number = next(n for n, p in POLICIES.items() if p == policy)
            os.sched_setscheduler(key[0], number, os.sched_param(priority))
            os.setpriority(os.PRIO_PROCESS, key[0], nice)
    for irq in before[1].keys() & lines.keys():
        if lines[irq] != before[1][irq]:
            Path(f"/proc/irq/{irq}/smp_affinity_list").write_text(before[1][irq])


def irq_of(action):
    """The line's number by /proc/interrupts."""
    for row in Path("/proc/interrupts").read_text().splitlines():
        number, _, rest = row.partition(":")
        if number.strip().isdigit() and rest.split()[-1] == action:
            return int(number)
    raise AssertionError(f"no line of {action}")


def unbind(driver, bus="pnp"):
    """Take @driver's device from it, whose name is returned for bind()."""
    base = Path(f"/sys/bus/{bus}/drivers/{driver}")
    device = next(p.name for p in base.iterdir() if ":" in p.name)
    (base / "unbind").write_text(device)
    return device


def bind(driver, device, bus="pnp"):
    Path(f"/sys/bus/{bus}/drivers/{driver}/bind").write_text(device)


def seconds_until(condition, timeout=10):
    """How long it took; looks all the time."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > timeout:
            raise AssertionError(f"did not come true within {timeout} s")
        time.sleep(0.002)
    return time.monotonic() - begin
