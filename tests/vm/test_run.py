# SPDX-License-Identifier: GPL-2.0-or-later
"""What `run` promises, seen from this machine."""
import os
import signal
import subprocess
import time
from pathlib import Path

RUN = Path(__file__).with_name("run")
TURN_S = 1800  # others may have to end first


def run(*words):
    return subprocess.run([RUN, "-n1", *words], capture_output=True, text=True, timeout=TURN_S)


def test_command(tmp_path):
    """Its arguments, output, status, folder and root; and what it does elsewhere is gone."""
    (tmp_path / "in").write_text("from here")
    script = f"""cat in; echo " $1"; echo out >out; rm {__file__}; [ ! -e {__file__} ] || exit 1
        ls {RUN.parent}/init; id -u; exit 7"""
    done = run("rt", tmp_path, "sh", "-c", script, "sh", "a 'quoted' word")
    assert done.returncode == 7, done.stderr
    assert done.stdout == f"from here a 'quoted' word\n{RUN.parent}/init\n0\n"
    assert (tmp_path / "out").read_text() == "out\n"
    assert Path(__file__).exists()
    assert (tmp_path / "console.log").exists()


def test_guest_that_dies(tmp_path):
    done = run("rt", tmp_path, "sh", "-c", "echo last; echo c >/proc/sysrq-trigger")
    assert (done.returncode, done.stdout) == (126, "last\n")
    assert "console.log" in done.stderr
    assert "sysrq" in (tmp_path / "console.log").read_text()


def test_out_of_time(tmp_path):
    begin = time.monotonic()
    done = run("-t", "2", "rt", tmp_path, "sleep", "10000")
    assert done.returncode == 124
    assert "out of time after 2 s" in done.stderr
    assert time.monotonic() - begin < TURN_S


def machines(folder):
    """Pids of virtual machines whose job is @folder."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                line = Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                continue
            if line.startswith(b"qemu-") and os.fsencode(folder) in line:
                found.append(int(entry))
    return found


def test_killed(tmp_path):
    """The machine ends with who asked for it."""
    asked = subprocess.Popen([RUN, "-n1", "rt", tmp_path, "sleep", "10000"])
    end = time.monotonic() + TURN_S
    while not machines(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert machines(tmp_path)
    asked.send_signal(signal.SIGKILL)
    asked.wait()
    end = time.monotonic() + 60
    while machines(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert not machines(tmp_path)
