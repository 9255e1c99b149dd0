# SPDX-License-Identifier: GPL-2.0-or-later
"""One container of the lab: a real systemd as PID 1, on this machine's kernel, in about a second.

Its root is base.py's, with a layer over it that is the container's own and survives its reboots. Commands are not
told to an agent inside: they enter its namespaces from here (nsenter), so that they also run when its bus does not.

What it has not: udev, kernel modules, interrupt threads (its PID namespace has no kernel threads), a network. Limits
cannot be raised where this machine gives no CAP_SYS_RESOURCE.
"""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vm"))

from machine import end_with_parent

PATH = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
BOOT_S, STOP_S, COMMAND_S = 60, 60, 60


class ContainerError(Exception):
    """A sentence for people."""


def wait_for(condition, timeout=20, step=0.05, what="condition"):
    """The first true value of @condition, which may be slow itself."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"no {what} within {timeout} s")
        time.sleep(step)


class Container:
    """boot(), sh() as often as needed, and stop(); @folder is all that is written."""

    def __init__(self, base, folder):
        self.base, self.folder = Path(base), Path(folder)
        self.root = self.folder / "root"  # only in the mount namespace of a container that runs
        self.job = self.folder / "job"    # /run/job in it
        self.upper = self.folder / "upper"
        self.process = None
        for path in (self.root, self.job, self.upper, self.folder / "work"):
            path.mkdir(parents=True, exist_ok=True)

    # --- life ---

    def command(self):
        layers = f"lowerdir={self.base},upperdir={self.upper},workdir={self.folder}/work"
        nspawn = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--capability=all",
                  "--private-network", "--link-journal=no", "--resolv-conf=off", "--timezone=off",
                  f"--machine=lrtbf-{os.getpid()}", f"--directory={self.root}", f"--bind={self.job}:/run/job"]
        script = f"mount -t overlay -o {shlex.quote(layers)} lrtbf {shlex.quote(str(self.root))} && " \
                 f"exec {shlex.join(nspawn)}"
        return ["unshare", "--mount", "--propagation=private", "sh", "-c", script]

    def boot(self):
        """Returns when it is up, or as up as it gets."""
        with open(self.folder / "console.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=end_with_parent)
        try:
            # PID 1 is there before its bus is
            wait_for(lambda: self.leader() and self.sh("systemctl is-system-running --wait").stdout.strip()
                     in ("running", "degraded"), BOOT_S, what="system that is up")
        except AssertionError as e:
            self.stop()
            raise ContainerError(f"{e}: {self.console()[-2000:]}") from e
        return self

    def console(self):
        return (self.folder / "console.log").read_text(errors="replace")

    def leader(self):
        """Its PID 1, as this machine calls it; None: not yet."""
        pid = self.process.pid
        if self.process.poll() is not None:
            raise ContainerError(f"it ended with {self.process.returncode}: {self.console()[-2000:]}")
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() != "systemd-nspawn":
                return None
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            comms = {c: Path(f"/proc/{c}/comm").read_text().strip() for c in children}
        except FileNotFoundError:
            return None
        return next((int(c) for c, comm in comms.items() if comm == "systemd"), None)

    def stop(self):
        """As if the power were cut, but for what the kernel still writes."""
        if not self.process:
            return
        leader = self.leader() if self.process.poll() is None else None
        # all of it goes with its PID 1; nspawn then ends by itself, having cleaned up
        if leader:
            os.kill(leader, signal.SIGKILL)
        elif self.process.poll() is None:
            self.process.terminate()
        self.end()

    def power_off(self):
        """In order, as an administrator does it."""
        self.sh("systemctl poweroff --no-block")
        self.end()

    def end(self):
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- what is done in it ---

    def popen(self, command, user=None, **kwargs):
        """@command: a shell's text, or words."""
        words = ["sh", "-c", command] if isinstance(command, str) else [str(w) for w in command]
        if user:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--", *words]
        return subprocess.Popen(["nsenter", "-t", str(self.leader()), "-m", "-u", "-i", "-n", "-p", "-C", "--",
                                 "env", "-i", PATH, "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                                 "TZ=UTC", *words],
                                stdin=subprocess.DEVNULL, text=True, cwd="/", preexec_fn=end_with_parent, **kwargs)

    def sh(self, command, user=None, timeout=COMMAND_S):
        """The finished process, with its output."""
        process = self.popen(command, user, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def ok(self, command, user=None, timeout=COMMAND_S):
        """Its output; it must succeed."""
        done = self.sh(command, user, timeout)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def write(self, path, text):
        """A file in it, as root and for all to read."""
        path = Path(path)
        self.ok(["mkdir", "-p", path.parent])
        (self.job / "file").write_text(text)
        self.ok(["install", "-m", "644", "/run/job/file", path])

    # --- what tests ask of systemd ---

    def show(self, unit, name):
        """A property of a unit."""
        return self.ok(["systemctl", "show", "-P", name, unit]).strip()

    def active(self, unit):
        return self.sh(["systemctl", "is-active", unit]).stdout.strip()

    def journal(self, *words):
        return self.ok(["journalctl", "--no-pager", "-o", "cat", *words])
