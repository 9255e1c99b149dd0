# SPDX-License-Identifier: GPL-2.0-or-later
"""Timers that the installed generator makes, as systemd reads them, and what they start."""
import os
import re
import subprocess

import pytest

PLAN = """schedule = [ "Mon..Fri 02:00 Europe/Berlin", "*:0/15:00.5" ];
persistent = true; on_boot = "90s"; randomized_delay = "1h 30min"; accuracy = "1500us"; wake_system = true;
description = "50%% of it";
"""


def generate(tree):
    """The generator's output; its units are where systemd finds them."""
    program = tree.at("lib", "systemd", "system-generators", "lrtbf-generator")
    return subprocess.run([program, f"--root={tree.root}", tree.units, tree.units, tree.units],
                          capture_output=True, text=True, check=True, timeout=30)


def plan(tree, name, text):
    path = tree.root / "etc" / "lrtbfd" / "plans.d" / f"{name}.conf"
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in path.parent, path.parent.parent:
        folder.chmod(0o755)
    path.write_text(text)
    path.chmod(0o644)


def verify(tree, unit):
    return subprocess.run(["systemd-analyze", "verify", "--man=no", f"--root={tree.root}", unit],
                          capture_output=True, text=True, check=False)


def test_shipped_plans_wait_for_somebody(tree):
    """Nothing measures by itself after an installation."""
    done = generate(tree)
    assert (done.stdout, done.stderr) == ("", "")
    assert not list(tree.units.glob("lrtbf-plan-*"))


def test_timer(tree):
    plan(tree, "night", PLAN)
    done = generate(tree)
    assert done.stderr == ""
    assert os.readlink(tree.units / "timers.target.wants" / "lrtbf-plan-night.timer") == "../lrtbf-plan-night.timer"
    done = verify(tree, "lrtbf-plan-night.timer")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    timer = tree.units / "lrtbf-plan-night.timer"
    timer.write_text(timer.read_text().replace("02:00", "02:77"))
    assert "02:77" in verify(tree, "lrtbf-plan-night.timer").stderr


def test_calendar_that_means_nothing(tree):
    """It has its timer, systemd complains of that line, and the other lines count."""
    plan(tree, "odd", 'schedule = [ "wat", "daily" ];\n')
    assert generate(tree).stderr == ""
    done = verify(tree, "lrtbf-plan-odd.timer")
    assert "wat" in done.stderr and "daily" not in done.stderr


@pytest.mark.parametrize("text", ['schedule = "daily\\nUnit=x.service";', 'schedule = "*:0/%i";',
                                  'schedule = "daily"; priority = 4711;', "schedule = [", ""])
def test_refused(tree, text):
    plan(tree, "bad", text)
    plan(tree, "good", 'schedule = "daily";')
    assert "bad.conf:" in generate(tree).stderr
    assert [p.name for p in tree.units.glob("lrtbf-plan-*")] == ["lrtbf-plan-good.timer"]


def test_usage(tree):
    program = tree.at("lib", "systemd", "system-generators", "lrtbf-generator")
    for args in ([], ["--help"], ["--root=/nowhere", "/nowhere/at/all"]):
        assert subprocess.run([program, *args], capture_output=True, timeout=30, check=False).returncode == 0


def test_what_a_timer_starts(tree, figure):
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", f"--root={tree.root}",
                           "lrtbf-session@quick.service"], capture_output=True, text=True, check=False)
    level = float(re.search(r"Overall exposure level for lrtbf-session@quick.service: ([0-9.]+)", done.stdout)[1])
    figure(f"lrtbf-session@.service: exposure {level} of 10")
    assert level <= 1.5
