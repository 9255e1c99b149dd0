#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A session's figures while 200 clients call everything at random, beside a quiet run's.

Quiet and attacked sessions take turns in one daemon, and the attack is the one of tests/bus, with the same seed.
The clients and the bus want the same CPUs as the measurement: with `other` they delay it as every program does,
with `fifo` what is left is theirs and ours. Printed are medians and their ratio; nothing is asserted.
LRTBF_BUILD names the build folder.
"""
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bus"))
from enemy import Enemy, storm  # noqa: E402
from kthreads import rules  # noqa: E402
from lrtbf import ENDED, MANAGER, Bus, Daemon  # noqa: E402

PAIRS, SEED, CALLS, CLIENTS = 5, 20261130, 1000, 200
CPU = max(os.sched_getaffinity(0))
PLAN = """
instrument = "timer"; policy = "%s"; interval = "500us"; duration = "4s"; cpus = "%d";
"""
FIGURES = ("min", "average", "median", "99 %", "99.9 %", "max")


def running(caller, sid):
    return caller.session_get(sid, "State") not in ENDED


def attack(caller, bus, sid):
    """Until it ends. How many calls were answered a second."""
    path, calls, begin = f"{MANAGER}/session/{sid}", 0, time.monotonic()
    with Enemy(caller, SEED, [MANAGER, path, caller.manager("GetSession", "s", "last")], path) as enemy:
        while running(caller, sid):
            storm(enemy, bus, CALLS, CLIENTS)
            calls += CALLS
    return calls / (time.monotonic() - begin)


def end_others(caller):
    """What the attack has begun."""
    waiting = {"state": ("s", "queued,preparing,running")}
    for sid in [s["id"][1] for s in caller.manager("ListSessions", "a{sv}su", waiting, "", 0)[0]]:
        caller.session(sid, "Stop", "a{sv}", {})
        caller.wait_state(sid)


def session(caller, bus, plan, attacked):
    """Its figures in us and counts, and the rate of the calls. None when it cannot be measured here."""
    sid = caller.start(plan)
    caller.wait_state(sid, ("running", *ENDED))
    rate = attack(caller, bus, sid) if attacked else 0
    caller.wait_state(sid)
    end_others(caller)
    if caller.session_get(sid, "State") != "done":
        print(f"{plan}: {caller.session_get(sid, 'Reason')}")
        return None
    figures = caller.report(sid)["stages"][0]["all"]
    p = figures["percentiles"]
    ns = (figures["min_ns"], figures["avg_ns"], p["50"], p["99"], p["99.9"], figures["max_ns"])
    return {**{name: (value or 0) / 1000 for name, value in zip(FIGURES, ns)}, "samples": figures["count"],
            "missed": figures["missed"], "rate": rate}


def compare(caller, bus, plan):
    pairs = []
    for _ in range(PAIRS):
        pairs.append([session(caller, bus, plan, attacked) for attacked in (False, True)])
        if None in pairs[-1]:
            return
    rate = statistics.median(b["rate"] for _, b in pairs)
    print(f"{plan}: {PAIRS} alternating pairs of 4 s at 500 us on CPU {CPU}; {rate:.0f} calls/s")
    print(f"{'us':10} {'quiet':>10} {'attacked':>10}   ratio: median (smallest .. largest)")
    for key in (*FIGURES, "samples", "missed"):
        ratios = sorted(b[key] / a[key] for a, b in pairs if a[key])
        shown = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} .. {ratios[-1]:.2f})" if ratios else "-"
        print(f"{key:10} {statistics.median(a[key] for a, _ in pairs):10.2f} "
              f"{statistics.median(b[key] for _, b in pairs):10.2f}   {shown}", flush=True)


def main():
    folder = tempfile.mkdtemp(prefix="lrtbf-bench-")
    os.chmod(folder, 0o755)
    bus = Bus(os.path.join(folder, "bus.d"), max_outgoing_unix_fds=4096)
    daemon = Daemon(bus, os.path.join(folder, "d"))
    try:
        for policy in ("other", "fifo"):
            daemon.plan(policy, PLAN % (policy, CPU))
        daemon.plan("brief", PLAN.replace("4s", "100ms") % ("other", CPU))
        rules(daemon).start()
        caller = bus.connect()
        caller.wait_state(caller.start("brief"))
        for policy in ("other", "fifo"):
            compare(caller, bus, policy)
    finally:
        daemon.stop()
        bus.stop()
        shutil.rmtree(folder)


main()
