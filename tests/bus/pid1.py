# SPDX-License-Identifier: GPL-2.0-or-later
"""A scripted PID 1: makes the units that lrtbfd asks for, as far as lrtbfd can tell. Services are
processes of the test's, as its own user; scopes are only noted."""
import os
import signal
import subprocess
import threading

from jeepney import DBusAddress, new_error, new_method_return, new_signal

from others import Service

PATH = "/org/freedesktop/systemd1"
MANAGER = DBusAddress(PATH, interface="org.freedesktop.systemd1.Manager")


class Pid1(Service):
    """@scope and @service say what becomes of such a unit: "done" or another result of its job; "refuse";
    "nonsense"; "hold" (no answer at all). @left: names of units that are there from the beginning. @busy: it
    is never done with a unit whose processes have ended."""
    name = "org.freedesktop.systemd1"

    def __init__(self, bus, scope="done", service="done", left=(), listing="done", busy=False):
        self.how = {"scope": scope, "service": service}
        self.left, self.listing = left, listing
        self.idle = threading.Event()
        if not busy:
            self.idle.set()
        self.asked = {}  # name: {property: value}
        self.processes = {}
        self.jobs = 0
        super().__init__(bus)

    def answer(self, message, member, body):
        handler = getattr(self, "on_" + member, None)
        return handler(message, body) if handler else new_method_return(message)

    def on_StartTransientUnit(self, message, body):
        unit, _, properties, _ = body
        kind = unit.rsplit(".", 1)[1]
        self.asked[unit] = {k: v[1] for k, v in properties}
        how = self.how[kind]
        if how == "hold":
            return None
        if how == "nonsense":
            return new_method_return(message, "u", (7,))
        if how == "refuse":
            return new_error(message, "org.freedesktop.systemd1.Refused", "s", ("not today",))
        if kind == "service" and how == "done":
            self.start(unit)
        self.jobs += 1
        job = f"{PATH}/job/{self.jobs}"
        self.tell_of_another_job()
        self.raw.send(new_method_return(message, "o", (job,)))
        self.tell_of_another_job()
        return new_signal(MANAGER, "JobRemoved", "uoss", (self.jobs, job, unit, how))

    def tell_of_another_job(self):
        """PID 1 tells the whole bus of every job."""
        self.raw.send(new_signal(MANAGER, "JobRemoved", "uoss", (4711, f"{PATH}/job/4711", "x.service", "failed")))

    def on_KillUnit(self, message, body):
        unit, _, signo = body
        process = self.processes.get(unit)
        if process and process.poll() is None:
            process.send_signal(signo)

    def on_ListUnitsByPatterns(self, message, body):
        if self.listing == "hold":
            return None
        units = [(name, "", "loaded", "active", "running", "", f"{PATH}/unit/x", 0, "", "/")
                 for name in self.left]
        return new_method_return(message, "a(ssssssouso)", (units,))

    def start(self, unit):
        """PID 1 keeps the descriptors until nothing of the unit is left."""
        asked = self.asked[unit]
        fds = [asked[f"Standard{name}FileDescriptor"].to_raw_fd() if f"Standard{name}FileDescriptor" in asked
               else os.open("/dev/null", os.O_RDWR) for name in ("Input", "Output", "Error")]
        process = self.run_command(asked["ExecStart"], fds)
        self.processes[unit] = process

        def end():
            process.wait()
            self.idle.wait()
            if "ExecStopPost" in asked:
                self.run_command(asked["ExecStopPost"], fds).wait()
            for fd in fds:
                os.close(fd)
        threading.Thread(target=end, daemon=True).start()

    def run_command(self, commands, fds):
        (path, argv, _), = commands
        return subprocess.Popen(argv, executable=path, stdin=fds[0], stdout=fds[1], stderr=fds[2])

    def living(self):
        return [unit for unit, process in self.processes.items() if process.poll() is None]

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
        self.idle.set()
        super().close()
