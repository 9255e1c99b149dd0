#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency and CPU time per sample beside cyclictest, in alternating pairs, with their spread.

    latency.py LRTBF-MEASURE

Same CPU, interval, priority, timer slack, locked memory and dma latency. Two runs of one program
differ by some per cent: what is shown is the spread of the pairs, and nothing is asserted.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

PAIRS = 7
INTERVAL_US = 500
SHORT, LONG = 200, 4000  # samples
PRIORITY = "80"
CPU = str(max(os.sched_getaffinity(0)))


def run(*argv):
    """Output and CPU time, in ns."""
    p = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode != 0:
        raise subprocess.CalledProcessError(p.returncode, argv)
    return out, (usage.ru_utime + usage.ru_stime) * 1e9


def ours(program, n):
    out, cpu_ns = run(program, "timer", "--policy=fifo", f"--priority={PRIORITY}", "--warm-up=0s",
                      f"--cpus={CPU}", f"--interval={INTERVAL_US}us",
                      f"--duration={n * INTERVAL_US}us", "--json")
    f = json.loads(out)["all"]
    return {"n": f["count"], "cpu": cpu_ns, "average": f["avg_ns"] / 1000,
            "median": (f["percentiles"]["50"] or 0) / 1000, "99 %": (f["percentiles"]["99"] or 0) / 1000}


def cyclictest(n):
    out, cpu_ns = run("cyclictest", "-q", "-m", "-t1", f"-a{CPU}", "--policy=fifo", "-p", PRIORITY,
                      "-i", str(INTERVAL_US), "-l", str(n), "-h", "5000")
    counts = [(int(us), int(k)) for us, k in re.findall(r"^(\d{6}) (\d{6})$", out, re.M)]
    total = sum(k for _, k in counts)
    result = {"n": n, "cpu": cpu_ns, "average": sum((us + 0.5) * k for us, k in counts) / total}
    for name, share in (("median", 0.5), ("99 %", 0.99)):
        seen = 0
        for us, k in counts:
            seen += k
            if seen >= share * total:
                result[name] = us + 0.5
                break
    return result


def one(short, long):
    long["cpu"] = (long["cpu"] - short["cpu"]) / (long["n"] - short["n"]) / 1000
    return long


def main():
    program = sys.argv[1]
    if not shutil.which("cyclictest"):
        print("cyclictest is not installed")
        return 77
    try:
        pairs = [(one(ours(program, SHORT), ours(program, LONG)),
                  one(cyclictest(SHORT), cyclictest(LONG))) for _ in range(PAIRS)]
    except subprocess.CalledProcessError as e:
        print(f"not possible here: {e}")
        return 77
    print(f"{PAIRS} alternating pairs, {LONG} samples at {INTERVAL_US} us, fifo {PRIORITY}, CPU {CPU}")
    print(f"{'us':10} {'lrtbf-measure':>14} {'cyclictest':>11}   ratio: median (smallest .. largest)")
    for key, name in (("average", "average"), ("median", "median"), ("99 %", "99 %"),
                      ("cpu", "CPU time")):
        ratios = sorted(a[key] / b[key] for a, b in pairs)
        print(f"{name:10} {statistics.median(a[key] for a, _ in pairs):14.2f} "
              f"{statistics.median(b[key] for _, b in pairs):11.2f}   "
              f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} .. {ratios[-1]:.2f})")
    return 0


sys.exit(main())
