# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl run by tests: with pipes, and on a terminal of its own."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from lrtbf import CTL


def environment(**more):
    """The test's, without what would change the client's mind."""
    unset = ("LRTBF_BUS", "LRTBF_PAGER", "PAGER", "LESS", "NO_COLOR", "LC_ALL", "LANG", "LC_CTYPE")
    env = {k: v for k, v in os.environ.items() if k not in unset}
    return {**env, "LC_ALL": "C.UTF-8", "TZ": "UTC", **more}


def run(bus, *args, env=None, timeout=60, **kwargs):
    """lrtbfctl --bus=... ARGS with pipes; the finished process, text."""
    where = [f"--bus={bus.address}"] if bus else []
    return subprocess.run([str(CTL), *where, *map(str, args)], capture_output=True, text=True,
                          timeout=timeout, env=environment(**(env or {})), **kwargs)


class Terminal:
    """lrtbfctl on a pseudo terminal, as leader of a session there."""

    def __init__(self, bus, *args, rows=24, columns=80, env=None, uid=None,
                 program=CTL, where=None):
        command = [str(program), where or f"--bus={bus.address}", *map(str, args)]
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if uid is not None:
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            os.execve(command[0], command, environment(**{"TERM": "xterm", "PAGER": "", **(env or {})}))
        self.output, self.status = "", None

    def read(self, timeout):
        """What comes within @timeout; "" when nothing did or nobody is left."""
        ready, _, _ = select.select([self.master], [], [], timeout)
        if not ready:
            return ""
        try:
            data = os.read(self.master, 65536).decode(errors="replace")
        except OSError:
            return ""
        self.output += data
        return data

    def until(self, pattern, timeout=20):
        """Read until @pattern (a regular expression) is there."""
        end = time.monotonic() + timeout
        while not re.search(pattern, self.output):
            if time.monotonic() > end:
                raise AssertionError(f"no {pattern!r} in {self.output!r}")
            self.read(0.1)

    def press(self, text):
        os.write(self.master, text.encode())

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self):
        """The terminal goes away."""
        os.close(self.master)
        self.master = -1

    def wait(self, timeout=30):
        """Its exit status (negative: killed by that signal); reads what is left."""
        end = time.monotonic() + timeout
        while self.status is None:
            if self.master >= 0:
                self.read(0.05)
            else:
                time.sleep(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"lrtbfctl did not end: {self.output!r}")
        while self.master >= 0 and self.read(0.05):
            pass
        return self.status

    def screen(self):
        """The lines a terminal would show at the end (only what the live display uses)."""
        lines, row = [""], 0
        for part in re.split(r"(\r\n|\n|\r|\033\[\d+A|\033\[J|\033\[[0-9;]*m)", self.output):
            up = re.fullmatch(r"\033\[(\d+)A", part)
            if part in ("\r\n", "\n"):
                row += 1
                if row == len(lines):
                    lines.append("")
            elif up:
                row = max(0, row - int(up[1]))
            elif part == "\033[J":
                del lines[row:]
                lines.append("")
            elif part and part != "\r" and not part.startswith("\033"):
                lines[row] += part
        return lines

    def done(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.master >= 0:
            os.close(self.master)
