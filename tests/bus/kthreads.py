# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel threads for tests: what /proc, chrt and ps say of them, some that come and go on command, and made-up
machines to point --root at."""
import os
import re
import subprocess
import sys
from pathlib import Path

from lrtbf import MANAGER, NAME

KTHREAD = 0x00200000
POLICIES = {"SCHED_OTHER": "other", "SCHED_BATCH": "batch", "SCHED_IDLE": "idle", "SCHED_FIFO": "fifo",
            "SCHED_RR": "rr", "SCHED_DEADLINE": "deadline"}
CLASSES = {"TS": "other", "B": "batch", "IDL": "idle", "FF": "fifo", "RR": "rr", "DLN": "deadline"}


def stat(tid):
    """Name and the fields from the state on; None: gone."""
    try:
        data = Path(f"/proc/{tid}/stat").read_bytes()
    except OSError:
        return None
    end = data.rindex(b")")
    return data[data.index(b"(") + 1:end].decode(errors="replace"), data[end + 2:].decode().split()


def kernel_threads():
    """{tid: name} of all that can be seen."""
    found = {}
    for entry in os.listdir("/proc"):
        s = stat(entry) if entry.isdigit() else None
        if s and int(s[1][6]) & KTHREAD:
            found[int(entry)] = s[0]
    return found


def start_ticks(tid):
    return int(stat(tid)[1][19])


def chrt(tid):
    """(policy, priority) as chrt(1) prints them."""
    out = subprocess.run(["chrt", "-p", str(tid)], capture_output=True, text=True, check=True).stdout
    policy = re.search(r"policy: (\w+)", out)[1]
    return POLICIES[policy], int(re.search(r"priority: (\d+)", out)[1])


def resets_on_fork(tid):
    out = subprocess.run(["chrt", "-p", str(tid)], capture_output=True, text=True, check=True).stdout
    return "RESET_ON_FORK" in out


def ps(tid):
    """(policy, priority, nice) as ps(1) prints them; nice None where it has no meaning."""
    out = subprocess.run(["ps", "-o", "cls=,rtprio=,ni=", "-p", str(tid)], capture_output=True, text=True,
                         check=True).stdout.split()
    return CLASSES[out[0]], 0 if out[1] == "-" else int(out[1]), None if out[2] == "-" else int(out[2])


def state(tid):
    """(policy, priority, nice) of a thread, on which chrt and ps agree."""
    told = chrt(tid)
    policy, priority, nice = ps(tid)
    if chrt(tid) != told:  # somebody has changed it in between
        return state(tid)
    assert told == (policy, priority)
    return policy, priority, os.getpriority(os.PRIO_PROCESS, tid) if nice is None else nice


class Kept:
    """A thread's and its line's state, to be put back whatever a test did."""

    def __init__(self, tid):
        self.tid, self.start = tid, start_ticks(tid)
        self.policy, self.param = os.sched_getscheduler(tid), os.sched_getparam(tid)
        self.nice = os.getpriority(os.PRIO_PROCESS, tid)
        line = re.match(r"irq/(\d+)-", stat(tid)[0])
        self.line = Path(f"/proc/irq/{line[1]}/smp_affinity_list") if line else None
        self.affinity = self.line.read_text() if self.line else None

    def put_back(self):
        if not stat(self.tid) or start_ticks(self.tid) != self.start:
            return
        # an ordinary user has changed nothing, and may not set it either
        now = os.sched_getscheduler(self.tid), os.sched_getparam(self.tid).sched_priority
        if now != (self.policy, self.param.sched_priority):
            os.sched_setscheduler(self.tid, self.policy, self.param)
        if os.getpriority(os.PRIO_PROCESS, self.tid) != self.nice:
            os.setpriority(os.PRIO_PROCESS, self.tid, self.nice)
        if self.line and self.line.read_text() != self.affinity:
            self.line.write_text(self.affinity)


NAPI_CHILD = """
import fcntl, os, struct, sys
tuns = {}
for line in sys.stdin:
    word, name = line.split()
    if word == "make":
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH22x", name.encode(), 0x1002 | 0x10))
        with open(f"/sys/class/net/{name}/threaded", "w") as file:
            file.write("1")
        tuns[name] = fd
    else:
        os.close(tuns.pop(name))
    print("done", flush=True)
"""


class Napi:
    """napi/NAME-N threads of tun interfaces in a network namespace of their own: made and ended on command."""

    def __init__(self):
        self.count = 0
        self.child = subprocess.Popen(
            ["unshare", "-n", "-m", "sh", "-c", 'mount -t sysfs sysfs /sys && exec "$0" -c "$1"', sys.executable,
             NAPI_CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def order(self, word, name):
        self.child.stdin.write(f"{word} {name}\n")
        self.child.stdin.flush()
        return self.child.stdout.readline() == "done\n"

    def make(self):
        """(interface, tid); None when this machine has no such threads."""
        self.count += 1
        name = f"lrt{os.getpid() % 100000}x{self.count}"
        try:
            if not self.order("make", name):
                return None
        except BrokenPipeError:
            return None
        tids = [t for t, comm in kernel_threads().items() if comm.startswith(f"napi/{name}-")]
        return (name, tids[0]) if tids else None

    def end(self, name):
        assert self.order("end", name)

    def close(self):
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()


class FakeRoot:
    """A made-up machine below a folder. Lines and threads are bytes or text as the kernel would print them."""

    def __init__(self, folder, cpus=2):
        self.folder, self.cpus, self.rows = Path(folder), cpus, []
        self.thread(2, "kthreadd", "other", ppid=0, start=1)
        (self.folder / "sys").mkdir()
        (self.folder / "proc/version").write_text("Linux version 6.1.0 (x) #1 SMP PREEMPT_RT x\n")

    def line(self, irq, actions, counts=None):
        row = f"{irq:>3}:".encode() + b"".join(b" %10d" % c for c in counts or range(self.cpus))
        actions = actions if isinstance(actions, bytes) else actions.encode()
        self.rows.append(row + b"   IO-APIC   %d-edge      " % irq + actions)
        return self

    def thread(self, tid, comm, policy="fifo", priority=0, nice=0, start=100, ppid=2):
        number = {"other": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5}[policy]
        shown = -priority - 1 if priority else 20 + nice
        comm = comm if isinstance(comm, bytes) else comm.encode()
        text = b"%d (%s) S %d 0 0 0 -1 %d 0 0 0 0 0 0 0 0 %d %d 1 0 %d" % (
            tid, comm, ppid, 0x208040, shown, nice, start)
        text += b" 0" * 16 + b" 0 %d %d" % (priority, number) + b" 0" * 11 + b"\n"
        folder = self.folder / "proc" / str(tid)
        folder.mkdir(parents=True)
        (folder / "stat").write_bytes(text)
        (folder / "comm").write_bytes(comm + b"\n")
        return self

    def write(self):
        head = b"    " + b"".join(b" %10s" % f"CPU{c}".encode() for c in range(self.cpus))
        (self.folder / "proc/interrupts").write_bytes(b"\n".join([head, *self.rows, b""]))
        return str(self.folder)


def thread_path(tid):
    return f"/org/lrtbf1/thread/{tid}_{start_ticks(tid)}"


VARIANTS = {"policy": "s", "priority": "u", "nice": "i", "affinity": "s", "reset_on_fork": "b"}


def set_thread(caller, path, override=None, **attributes):
    """Set of a thread's object; values without their signatures."""
    return caller.call(path, f"{NAME}.Thread", "Set", "a{sv}a{sv}",
                       {k: (VARIANTS[k], v) for k, v in attributes.items()},
                       {"override": ("s", override)} if override else {})


def restore_thread(caller, path):
    return caller.call(path, f"{NAME}.Thread", "Restore", "a{sv}", {})


def begin(daemon, caller):
    """Start it and wait until it answers: it owns its name before it has applied its rules."""
    daemon.start()
    caller.get(MANAGER, "Manager", "Version")
    return daemon


def rules(daemon, **files):
    """irq.d of @daemon's configuration: just these files, NAME to text."""
    folder = daemon.config / "irq.d"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.unlink()
    for name, text in files.items():
        path = folder / f"{name.replace('_', '-')}.conf"
        path.write_text(text)
        path.chmod(0o644)
    return daemon
