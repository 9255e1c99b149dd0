# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of interrupt threads ask of an lrtbfd."""
import json
import re
import time

import threads
from lrtbf import plain


def rules(daemon, text, name="50-lab"):
    """irq.d/NAME.conf has these rules; for a daemon that runs, see apply_rules()."""
    folder = daemon.config / "irq.d"
    folder.mkdir(mode=0o755, exist_ok=True)
    path = folder / f"{name}.conf"
    path.write_text(f"rules = (\n{text}\n);\n")
    path.chmod(0o644)


def apply_rules(daemon, caller, text, name="50-lab"):
    rules(daemon, text, name)
    problems = plain(caller.manager("Reload", "a{sv}", {}))
    assert problems == [], problems


def ctl(daemon, *words, status=0):
    """lrtbfctl WORDS; what it printed."""
    done = daemon.ctl(*words)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def listed(daemon, *words):
    return json.loads(ctl(daemon, "--json", "irq", "list", *words))


def row(daemon, tid):
    return next(r for r in listed(daemon, "--all") if r["tid"] == tid)


def changes(reply):
    """{(name, attribute): outcome} of a list of changes."""
    return {(c.get("name"), c.get("attribute")): c["outcome"] for c in plain(reply)}


def thread_set(caller, tid, attributes, **options):
    """org.lrtbf1.Thread's Set."""
    start = threads.stat(tid)[1][19]
    types = {"policy": "s", "priority": "u", "nice": "i"}
    return caller.call(f"/org/lrtbf1/thread/{tid}_{start}", "org.lrtbf1.Thread", "Set", "a{sv}a{sv}",
                       {k: (types[k], v) for k, v in attributes.items()},
                       {k: ("s", v) for k, v in options.items()})


def wait_for_standing(pattern, wanted, timeout=20):
    """The one thread of that name, once it is there and stands so; fails with how it stands."""
    end = time.monotonic() + timeout
    while True:
        tids = threads.named(pattern)
        if len(tids) == 1 and threads.standing(tids[0]) == wanted:
            return tids[0]
        if time.monotonic() > end:
            raise AssertionError(f"{pattern}: {[(t, threads.standing(t)) for t in tids]}")
        time.sleep(0.02)


def irq_of_thread(tid):
    return int(re.match(r"irq/(\d+)-", threads.stat(tid)[0])[1])
