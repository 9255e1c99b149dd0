# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit tests that look at the machine they run on, on PREEMPT_RT too."""
import os
import subprocess

import pytest

from lrtbf import BUILD, ROOT

PROGRAMS = ("policy", "threadwatch", "newcomers", "irqtable", "tuning", "tuning-refused", "tuning-threads",
            "irqpolicy", "irqpolicy-guards", "irqpolicy-journal", "irqpolicy-later", "irqpolicy-session")


@pytest.mark.rt
@pytest.mark.parametrize("name", PROGRAMS)
def test_unit(name):
    program = BUILD / "tests" / "unit" / f"test-{name}"
    done = subprocess.run([program, "--tap"], capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL,
                          env={**os.environ, "FIXTURES": str(ROOT / "tests/fixtures"), "CONF": str(ROOT / "conf")})
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    assert "not ok" not in done.stdout
    assert "\nok " in "\n" + done.stdout
