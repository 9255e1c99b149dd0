# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd in a container, as its users know it."""
import json

from container import wait_for

UNIT = "lrtbfd.service"
DATABASE = "/var/lib/lrtbfd/lrtbfd.db"
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; cpus = "0"; duration = "%s";
"""
# It writes its name where all can see it, and does what it can not to be ended.
LOAD = """
description = "Sleeps";
command = [ "sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1073; done" ];
"""
ENDED = ("done", "stopped", "failed", "interrupted", "skipped")


class Installed:
    def __init__(self, container):
        self.c = container
        self.sh, self.ok = container.sh, container.ok

    def install(self, name, *words):
        """A package of the job's folder, by apt. Its output."""
        return self.ok(["apt-get", "install", "-y", "-q", "--allow-downgrades", *words, f"/run/job/{name}"])

    def plan(self, name, duration="200ms", more=""):
        self.c.write(f"/etc/lrtbfd/plans.d/{name}.conf", PLAN % duration + more)

    def load(self, name, text=LOAD):
        self.c.write(f"/etc/lrtbfd/loads.d/{name}.conf", text)

    def reload(self):
        self.ok(["systemctl", "reload", UNIT])

    # --- sessions ---

    def start(self, plan, *words, user=None):
        """The session's id."""
        return self.ok(["lrtbfctl", "session", "start", plan, *words], user).strip()

    def sessions(self, plan=None):
        found = json.loads(self.ok(["lrtbfctl", "session", "list", "--json"]))
        return [s for s in found if plan in (None, s["plan"])]

    def session(self, sid):
        return next(s for s in self.sessions() if s["id"] == sid)

    def report(self, sid):
        return json.loads(self.ok(["lrtbfctl", "session", "report", sid, "--format=json"]))

    def count(self, sid):
        """Samples of all its stages."""
        return sum(stage["all"]["count"] for stage in self.report(sid)["stages"])

    def wait_state(self, sid, *states, timeout=30):
        states = states or ENDED
        return wait_for(lambda: (s := self.session(sid))["state"] in states and s, timeout, 0.2,
                        f"session {sid} in one of {states}")["state"]

    def wait_running(self, sid, seconds=1):
        """Until it has measured for a moment."""
        self.wait_state(sid, "running")
        self.c.sh(["sleep", str(seconds)])

    def stored(self, sid):
        """Its state in the database, without asking the daemon."""
        return self.ok(["sqlite3", DATABASE, f"select state from sessions where id = '{sid}'"]).strip()

    # --- the service ---

    def pid(self):
        return int(self.c.show(UNIT, "MainPID"))

    def wait_active(self, other_than=0):
        """Its main process, once it is one."""
        return wait_for(lambda: self.c.active(UNIT) == "active" and (p := self.pid()) not in (0, other_than) and p,
                        what="lrtbfd that runs")

    def wait_units_gone(self, pattern="lrtbf-load-*"):
        def none():
            return not self.ok(f"systemctl list-units --plain --no-legend '{pattern}' 'lrtbf-measure-*'").strip()
        wait_for(none, 10, what="end of the units of sessions")

    def processes(self, words):
        return self.sh(["pgrep", "-f", "--", words]).stdout.split()

    def drop_in(self, text, unit=UNIT):
        """Settings of the unit, on top of each other's; undone by restore()."""
        self.c.write(f"/run/systemd/system/{unit}.d/50-test.conf", text)
        self.ok(["systemctl", "daemon-reload"])

    def restore(self):
        """The unit as it is packaged, running."""
        self.sh("rm -rf /run/systemd/system/lrtbfd.service.d; systemctl daemon-reload; "
                "systemctl reset-failed lrtbfd.service")
        self.ok(["systemctl", "restart", UNIT])
