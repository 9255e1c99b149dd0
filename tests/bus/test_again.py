# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGUSR1: a new start when it disturbs nobody."""
import os
import signal
import time

import pytest
from lrtbf import wait_for

AGAIN = 133  # RestartForceExitStatus= of the unit
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "1s")
    return daemon.start()


def test_idle_daemon_ends_at_once(ready, caller):
    ready.owned(caller)
    os.kill(ready.pid, signal.SIGUSR1)
    assert ready.process.wait(10) == AGAIN


def test_session_comes_to_its_end_and_the_queue_stays(ready, caller):
    active = caller.start("brief")
    waiting = caller.start("brief")
    caller.wait_state(active, ("running",))
    os.kill(ready.pid, signal.SIGUSR1)
    wait_for(lambda: f"after session {active}" in ready.log(), what="word of it")
    os.kill(ready.pid, signal.SIGUSR1)  # once more is nothing more
    later = caller.start("brief")
    caller.wait_state(active, ("done",))
    # whoever waited for that has his report before the daemon ends
    assert caller.report(active)["stages"][0]["all"]["count"] > 100
    assert caller.session_get(waiting, "State") == caller.session_get(later, "State") == "queued"
    assert ready.process.wait(10) == AGAIN
    ready.start()
    for sid in waiting, later:
        caller.wait_state(sid, ("done",))
    assert caller.session_get(active, "State") == "done"


def test_a_stop_goes_before_it(ready, caller):
    active = caller.start("brief")
    caller.wait_state(active, ("running",))
    os.kill(ready.pid, signal.SIGUSR1)
    time.sleep(0.1)
    assert ready.stop() == 0
    ready.start()
    assert caller.session_get(active, "State") == "stopped"
