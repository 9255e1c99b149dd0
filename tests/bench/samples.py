#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""User-space instructions per sample: lrtbf-measure timer, cyclictest with its histogram, a bare loop.

    samples.py LRTBF-MEASURE BARE

Counted by callgrind, as the difference of a long and a short run, so that start and output drop out.
No priority is needed: instructions do not depend on it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

INTERVAL_US = 500
SHORT, LONG = 2000, 12000
CPU = str(min(os.sched_getaffinity(0)))


def callgrind(folder, *argv):
    out = os.path.join(folder, "out")
    p = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *argv],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    with open(out) as f:
        total = int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M).group(1))
    return total, p.stdout


def measure(folder, program, n):
    total, text = callgrind(folder, program, "timer", "--policy=other", "--warm-up=0s",
                            f"--cpus={CPU}", f"--interval={INTERVAL_US}us",
                            f"--duration={n * INTERVAL_US}us")
    row = text.splitlines()[-1].split()
    return total, int(row[1])


def cyclictest(folder, n):
    total, _ = callgrind(folder, "cyclictest", "-q", "-t1", f"-a{CPU}", "--policy=other", "-i",
                         str(INTERVAL_US), "-l", str(n), "-h", "1000")
    return total, n


def bare(folder, program, n):
    total, _ = callgrind(folder, program, str(n), str(INTERVAL_US))
    return total, n


def per_sample(run):
    (a, n), (b, m) = run(SHORT), run(LONG)
    return (b - a) / (m - n)


def main():
    program, loop = sys.argv[1:]
    for tool in ("valgrind", "cyclictest"):
        if not shutil.which(tool):
            print(f"{tool} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        ours = per_sample(lambda n: measure(folder, program, n))
        theirs = per_sample(lambda n: cyclictest(folder, n))
        least = per_sample(lambda n: bare(folder, loop, n))
    print("user-space instructions per sample")
    print(f"lrtbf-measure timer   {ours:7.1f}   {ours / theirs:.2f} of cyclictest (target: at most 0.70)")
    print(f"cyclictest -h         {theirs:7.1f}")
    print(f"bare loop             {least:7.1f}   {least / theirs:.2f} of cyclictest")
    return 0


sys.exit(main())
