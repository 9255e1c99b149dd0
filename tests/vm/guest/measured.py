# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of the instruments parport and ktimer, by the command line, and what is always true of them.
The kernel modules are in the job's folder (tests/kmod/build)."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import threads
from lrtbf import ROOT

JOB = Path("/run/job")
REALTIME = Path("/sys/kernel/realtime").exists()
# with instructions for a clock nothing holds a pulse up; else the machine is emulated by a busy one
EXACT = bool(os.environ.get("LRTBF_ICOUNT"))
PERIOD_MS, TIMEOUT_US = (1, 500) if EXACT else (20, 10000)


def both(test):
    """On both kernels."""
    return pytest.mark.rt(pytest.mark.std(test))


def ctl(daemon, *words):
    """lrtbfctl WORDS; what it printed, whenever it did."""
    done = daemon.ctl(*words, timeout=3600)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def command(*words):
    subprocess.run(words, check=True, capture_output=True, timeout=600)


def loaded(module="lrtbf"):
    return Path(f"/sys/module/{module}").is_dir()


def insert(file, *parameters):
    """One of the job's modules, once; from memory, as reading the job's folder takes this machine's time."""
    path = Path("/dev/shm", f"{file}.ko")
    if not path.exists():
        path.write_bytes((JOB / path.name).read_bytes())
    if not loaded(file.replace("-", "_")):
        command("insmod", path, *parameters)


def run(daemon, caller, name, text, *words, state="done", timeout=120):
    """A session by the command line; its report."""
    daemon.plan(name, text)
    caller.manager("Reload", "a{sv}", {})
    sid = ctl(daemon, "session", "start", name, *words).strip()
    assert caller.wait_state(sid, timeout=timeout) == state, daemon.log()
    return json.loads(ctl(daemon, "session", "report", sid, "--format=json"))


def stage_of(report):
    assert len(report["stages"]) == 1
    return report["stages"][0]


def check_counts(stage):
    """What always is true of pulses."""
    port, figures = stage["port"], stage["all"]
    # one may be under way when it is stopped
    assert 0 <= port["pulses"] - port["samples"] - port["lost"] - port["discarded"] <= 1
    assert port["lost_records"] == 0
    assert sum(n for _, _, n in figures["histogram"]) == figures["count"]
    assert figures["count"] + figures["warmup"] <= port["samples"]
    assert figures["corrected"] is None or figures["corrected"]["count"] is None


def check_context(report, thread):
    """Where the handler ran, and in which thread: as the kernel has it."""
    stage = stage_of(report)
    if REALTIME:
        assert stage["port"]["context"] == report["session"]["method"]["context"] == ["thread"]
        assert [(t["tid"], t["name"]) for t in stage["port"]["threads"]] == [(threads.one(thread), thread)]
    else:
        assert stage["port"]["context"] == report["session"]["method"]["context"] == ["hardirq"]
        assert stage["port"]["threads"] == []


def shipped(name, **keys):
    """The text of a plan as it is shipped, with other values; a key that it has not is added."""
    text = (ROOT / f"conf/plans.d/{name}.conf").read_text()
    for key, value in keys.items():
        line = f"{key} = {value};"
        text, found = re.subn(f"^{key} = .*;$", line, text, flags=re.M)
        text += "" if found else line + "\n"
    return text
