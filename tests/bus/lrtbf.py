# SPDX-License-Identifier: GPL-2.0-or-later
"""A private system-type message bus with an lrtbfd on it, for tests.

LRTBF_BUILD names the build folder. Everything a test makes is below its own temporary folder;
processes are ended by their pid.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from jeepney import DBusAddress, DBusErrorResponse, MatchRule, MessageType, Properties, message_bus
from jeepney import new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LRTBF_BUILD", ROOT / "build"))
LRTBFD = BUILD / "service" / "lrtbfd"
MEASURE = BUILD / "service" / "measure" / "lrtbf-measure"
LOAD = BUILD / "service" / "load" / "lrtbf-load"
CTL = BUILD / "client" / "lrtbfctl"

NAME = "org.lrtbf1"
MANAGER = "/org/lrtbf1"
ENDED = ("done", "stopped", "failed", "interrupted", "skipped")

BUS_CONF = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  {limits}
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    {rules}
  </policy>
</busconfig>
"""


def documented(after):
    """The keys of the JSON that lrtbfctl(1) has next after these words."""
    page = (ROOT / "docs" / "lrtbfctl.1").read_text().split(after, 1)[1]
    return set(re.findall(r'"(\w+)"', page.split("\n.nf\n", 1)[1].split("\n.fi\n", 1)[0]))


def die_with_parent():
    """In a child before exec: a test run that is killed leaves no daemon behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_for(condition, timeout=10, step=0.02, what="condition"):
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {timeout} s")
        time.sleep(step)


class Bus:
    """dbus-daemon, <type>system</type> with its default limits but for those that are given; @rules
    are further ones of its policy, which allows everything."""

    def __init__(self, folder, rules="", **limits):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self.socket = self.folder / "bus"
        conf = self.folder / "bus.conf"
        conf.write_text(BUS_CONF.format(socket=self.socket, rules=rules, limits="".join(
            f'<limit name="{name}">{value}</limit>' for name, value in limits.items())))
        self.log = open(self.folder / "bus.log", "wb")
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={conf}", "--nofork", "--nopidfile"],
            stdout=self.log, stderr=self.log, preexec_fn=die_with_parent)
        self.address = f"unix:path={self.socket}"
        wait_for(self.listens, what="the bus's socket")

    def listens(self):
        with socket.socket(socket.AF_UNIX) as s:
            return s.connect_ex(str(self.socket)) == 0

    def connect(self):
        return Connection(self.address)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Connection:
    """One caller on the bus."""

    def __init__(self, address):
        self.raw = open_dbus_connection(bus=address, enable_fds=True)

    def close(self):
        self.raw.close()

    @property
    def unique_name(self):
        return self.raw.unique_name

    def call(self, path, interface, method, signature="", *args, timeout=30):
        """Returns the reply's arguments: nothing, one, or a tuple. Raises DBusErrorResponse."""
        address = DBusAddress(path, bus_name=NAME, interface=interface)
        message = new_method_call(address, method, signature or None, args)
        reply = self.raw.send_and_get_reply(message, timeout=timeout)
        if reply.header.message_type == MessageType.error:
            raise DBusErrorResponse(reply)
        body = reply.body
        return body[0] if len(body) == 1 else (body or None)

    def manager(self, method, signature="", *args, **kwargs):
        return self.call(MANAGER, NAME + ".Manager", method, signature, *args, **kwargs)

    def session(self, sid, method, signature="", *args, **kwargs):
        return self.call(f"{MANAGER}/session/{sid}", NAME + ".Session", method, signature, *args,
                         **kwargs)

    def get(self, path, interface, name):
        value = self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss",
                          f"{NAME}.{interface}", name)
        return plain(value)

    def get_all(self, path, interface):
        return plain(self.call(path, "org.freedesktop.DBus.Properties", "GetAll", "s",
                               f"{NAME}.{interface}"))

    def session_get(self, sid, name):
        return self.get(f"{MANAGER}/session/{sid}", "Session", name)

    def session_all(self, sid):
        return self.get_all(f"{MANAGER}/session/{sid}", "Session")

    def start(self, plan, **options):
        """StartSession; options as strings, queue as bool. Returns the id."""
        wishes = {k: ("b", v) if isinstance(v, bool) else ("s", str(v)) for k, v in options.items()}
        return self.manager("StartSession", "sa{sv}", plan, wishes)[0]

    def wait_state(self, sid, states=ENDED, timeout=30):
        states = (states,) if isinstance(states, str) else states
        return wait_for(lambda: (s := self.session_get(sid, "State")) in states and s,
                        timeout=timeout, step=0.05, what=f"{sid} in {'/'.join(states)}")

    def report(self, sid, fmt="json"):
        text = self.session(sid, "GetReport", "sa{sv}", fmt, {})
        return json.loads(text) if fmt == "json" else text

    def subscribe(self, **rule):
        rule = MatchRule(type="signal", sender=NAME, **rule)
        Proxy(message_bus, self.raw).AddMatch(rule)
        return rule


def plain(value):
    """A D-Bus value without its variants' signatures."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return plain(value[1])
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


class Daemon:
    """An lrtbfd with folders of its own. start() may be called again after stop() or kill()."""

    def __init__(self, bus, folder, args=(), env=None, prefix=()):
        self.bus, self.args, self.env, self.prefix = bus, list(args), env or {}, list(prefix)
        self.folder = Path(folder)
        self.config, self.state = self.folder / "config", self.folder / "state"
        self.runtime, self.log_path = self.folder / "runtime", self.folder / "lrtbfd.log"
        self.lock = self.folder / "lock"
        shutil.copytree(ROOT / "conf", self.config,
                        ignore=shutil.ignore_patterns("meson.build"))
        for path in [self.config, *self.config.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        self.process = None

    def plan(self, name, text):
        path = self.config / "plans.d" / f"{name}.conf"
        path.write_text(text)
        path.chmod(0o644)
        return path

    def load(self, name, text):
        path = self.config / "loads.d" / f"{name}.conf"
        path.write_text(text)
        path.chmod(0o644)
        return path

    def command(self):
        return [*self.prefix, str(LRTBFD), f"--bus={self.bus.address}",
                f"--config-dir={self.config}", f"--state-dir={self.state}",
                f"--runtime-dir={self.runtime}", f"--lock-file={self.lock}",
                f"--measure={MEASURE}", f"--load={LOAD}", *self.args]

    def start(self, wait=True):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log,
                                            env={**os.environ, **self.env},
                                            preexec_fn=die_with_parent)
        if wait:
            connection = self.bus.connect()
            try:
                wait_for(lambda: self.owned(connection), what="org.lrtbf1 on the bus")
            finally:
                connection.close()
        return self

    def owned(self, connection):
        if self.process.poll() is not None:
            raise AssertionError(f"lrtbfd ended with {self.process.returncode}:\n{self.log()}")
        return Proxy(message_bus, connection.raw).NameHasOwner(NAME)[0]

    def log(self):
        return self.log_path.read_text(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def stop(self, timeout=20):
        """SIGTERM; returns the exit status."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout) if self.process else None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ctl(self, *args, timeout=60, **kwargs):
        """lrtbfctl ARGS; returns the finished process with text output."""
        return subprocess.run([str(CTL), f"--bus={self.bus.address}", *map(str, args)],
                              capture_output=True, text=True, timeout=timeout, **kwargs)


def assert_grid(figures, points, dithered=0, interval_ns=1_000_000, warmup_ns=100_000_000):
    """Every grid point of a measurement is accounted for: exactly @points on one CPU, and beyond
    its end exactly those that a wake-up later than it passed over."""
    end_ns = warmup_ns + points * interval_ns
    worst = figures["worst"]
    least = most = 0
    late = [w for w in worst if w["at_ns"] >= end_ns]
    for w in late:  # one at most, which ended the loop
        over = (w["at_ns"] - end_ns) // interval_ns
        least, most = over, min(over + 1, w["latency_ns"] // interval_ns)
    if not late and len(worst) == 32:  # it may be no worst one
        most = worst[-1]["latency_ns"] // interval_ns
    if not worst and figures["warmup"]:  # held up from the warm-up until after the end
        most = figures["warmup_max_ns"] // interval_ns
    if figures["pending_ns"]:
        most += figures["pending_ns"] // interval_ns + 1
    seen = figures["count"] + figures["missed"] + figures["migrated"]
    assert least - dithered <= seen - points <= most + dithered, (seen, points, worst[:3], late)


def children(pid):
    """Pids of all descendants of @pid that live, by /proc."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            fields = stat[stat.rindex(")") + 2:].split()
            if fields[0] not in "ZX":
                parents[int(entry)] = int(fields[1])
    found, grew = {pid}, True
    while grew:
        new = {p for p, parent in parents.items() if parent in found} - found
        grew = bool(new)
        found |= new
    return found - {pid}


def processes(marker):
    """Pids of living processes with @marker in their command line."""
    found = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            if marker.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                found.add(int(entry))
        except OSError:
            continue
    return found
