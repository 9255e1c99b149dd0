# SPDX-License-Identifier: GPL-2.0-or-later
import os
import time

# where time goes by instructions it leaps while everybody waits for a disk
SECONDS = 1200 if os.environ.get("LRTBF_ICOUNT") else 60


def wait_until(condition, what, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)
