# SPDX-License-Identifier: GPL-2.0-or-later
"""The power is cut in mid-session, at random moments.

It is cut by killing QEMU: what the guest has not yet given to its disk is lost, the file system's journal and
SQLite's log are as they were at that moment. What the guest has given to the disk is there, whether it was
flushed or not, and in its order: that a real disk keeps what it was told to flush is not tested by this.
"""
import random
import time

import sessions

CHECKPOINT_S, COMMIT_S = 2, 1  # a commit is a write on an emulated disk of a busy machine
PLAN = sessions.TIMER.replace('checkpoint = "1s"', f'checkpoint = "{CHECKPOINT_S}s"')


def pytest_generate_tests(metafunc):
    if "cut" in metafunc.fixturenames:
        metafunc.parametrize("cut", range(20 if metafunc.config.getoption("--long") else 3))


def test_power_cut(machine, seed, cut):
    """After each boot the database is whole and the session interrupted, at most a checkpoint interval short."""
    moment = random.Random(seed + cut).uniform(0.2, 3 * CHECKPOINT_S + 1)
    print(f"--seed={seed}: cut {cut} after {moment:.3f} s")
    machine.plan("cut", PLAN)
    machine.plan("brief", sessions.BRIEF)
    sid = machine.start("cut")
    end, seen = time.monotonic() + moment, {}
    waits = machine.start("brief", state="queued")
    while time.monotonic() < end:
        seen = machine.session(sid)["figures"]
        time.sleep(max(0, min(0.1, end - time.monotonic())))
    machine.off()

    machine.boot()
    sessions.check_store(machine)
    assert machine.session(sid)["state"] == "interrupted"
    kept = sum(sessions.grid_seconds(f) for f in sessions.figures(machine, sid))
    short = sessions.grid_seconds(seen) - kept
    print(f"seen {sessions.grid_seconds(seen):.2f} s, kept {kept:.2f} s")
    assert short <= CHECKPOINT_S + COMMIT_S
    machine.wait_state(waits, "done")
    sessions.check_gone(machine)
