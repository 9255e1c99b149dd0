# SPDX-License-Identifier: GPL-2.0-or-later
"""The buckets of a made session, all stages together: a line "largest value, count" for each."""
import collections
import json
import os
import subprocess
import sys


def values(report):
    buckets = collections.Counter()
    for stage in report["stages"]:
        for _, high, count in stage["all"]["histogram"]:
            buckets[high - 1] += count
    return sorted(buckets.items())


if __name__ == "__main__":
    render = os.path.join(os.environ["LRTBF_BUILD"], "tests", "formats", "render-sample")
    report = subprocess.run([render, sys.argv[1], "json"], check=True, capture_output=True).stdout
    for value, count in values(json.loads(report)):
        print(value, count)
