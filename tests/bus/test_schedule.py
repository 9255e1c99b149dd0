# SPDX-License-Identifier: GPL-2.0-or-later
"""Schedules: told, set, kept in a drop-in, taken over by systemd (a scripted one), and sessions that
come too late."""
import json
import os
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from jeepney import (DBusAddress, DBusErrorResponse, MessageType, new_error, new_method_call,
                     new_method_return, new_signal)

from client import run
from lrtbf import plain, wait_for
from others import NOBODY, Polkit, connect_as, several
from pid1 import MANAGER, PATH, Pid1

PLAN = 'duration = "200ms"; warm_up = "0s"; policy = "other"; cpus = "0";\n'
needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")


class Timers(Pid1):
    """Starts and stops timers, and reloads: "done", "refuse" or "hold" (no answer)."""

    def __init__(self, bus, reload="done", start="done", properties=None):
        self.reload, self.start_result = reload, start
        self.active, self.properties, self.order = set(), properties or {}, []
        self.restarted = {}  # what its restart changes of them
        super().__init__(bus)

    def job(self, message, unit, result):
        self.jobs += 1
        job = f"{PATH}/job/{self.jobs}"
        self.raw.send(new_method_return(message, "o", (job,)))
        return new_signal(MANAGER, "JobRemoved", "uoss", (self.jobs, job, unit, result))

    def on_Reload(self, message, body):
        self.order.append("Reload")
        if self.reload == "hold":
            return None
        if self.reload == "refuse":
            return new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "s", ("no",))
        return new_method_return(message)

    def on_StartUnit(self, message, body):
        self.order.append(f"start {body[0]}")
        if self.start_result == "refuse":
            return new_error(message, "org.freedesktop.systemd1.NoSuchUnit", "s", ("not loaded",))
        self.active.add(body[0])
        return self.job(message, body[0], self.start_result)

    def on_RestartUnit(self, message, body):
        self.order.append(f"restart {body[0]}")
        self.properties.update(self.restarted)
        return self.job(message, body[0], "done")

    def on_StopUnit(self, message, body):
        self.order.append(f"stop {body[0]}")
        if body[0] not in self.active:
            return new_error(message, "org.freedesktop.systemd1.NoSuchUnit", "s", ("not loaded",))
        self.active.discard(body[0])
        return self.job(message, body[0], "done")

    def on_GetAll(self, message, body):
        path = message.header.fields[1]
        unit = re.sub("_(..)", lambda m: chr(int(m[1], 16)), path.rsplit("/", 1)[1])
        state = "active" if unit in self.active else "inactive"
        properties = {"ActiveState": ("s", state), "Id": ("s", unit), **self.properties}
        return new_method_return(message, "a{sv}", (properties,))


@pytest.fixture
def systemd(bus):
    with several(Timers, bus) as make:
        yield make


@pytest.fixture
def ready(make_daemon):
    """ready(PLAN=keys...): with plans of these schedules."""
    def make(**plans):
        daemon = make_daemon()
        for name, keys in plans.items():
            daemon.plan(name, PLAN + keys)
        return daemon.start()
    return make


def schedules(caller):
    return {s["plan"]: s for s in plain(caller.manager("GetSchedule", "a{sv}", {}))}


def set_schedule(caller, plan, schedule="", **options):
    options = {k: ("b", v) if isinstance(v, bool) else ("s", v) for k, v in options.items()}
    return plain(caller.manager("SetSchedule", "ssa{sv}", plan, schedule, options))


def refused(caller, name, *args, **options):
    with pytest.raises(DBusErrorResponse) as e:
        set_schedule(caller, *args, **options)
    assert e.value.name == f"org.lrtbf1.Error.{name}", e.value
    return e.value.data[0]


def dropin(daemon, plan):
    return daemon.config / "plans.d" / f"{plan}.conf.d" / "50-schedule.conf"


# --- told ---

def test_without_systemd(ready, caller, bus):
    ready(night='schedule = [ "Mon..Fri 02:00", "Sun 03:00" ]; persistent = true; start_within = "1h";',
          off='schedule = "daily"; schedule_enabled = false;', boot='on_boot = "15min";', hand="")
    sid = caller.start("night")
    assert caller.wait_state(sid) == "done"
    verdict = caller.session_get(sid, "Verdict")  # a busy machine may have made it inconclusive
    assert schedules(caller) == {
        "night": {"plan": "night", "schedule": "Mon..Fri 02:00; Sun 03:00", "enabled": True,
                  "persistent": True, "start_within_ns": 3600 * 10**9, "timer": "lrtbf-plan-night.timer",
                  "last_session": sid, "last_state": "done", "last_verdict": verdict},
        "off": {"plan": "off", "schedule": "daily", "enabled": False, "persistent": False,
                "timer": "lrtbf-plan-off.timer"},
        "boot": {"plan": "boot", "schedule": "", "enabled": True, "persistent": False,
                 "on_boot_ns": 900 * 10**9, "timer": "lrtbf-plan-boot.timer"}}
    table = run(bus, "plan", "list").stdout.splitlines()
    assert re.search(r"SCHEDULE +NEXT +LAST +SESSION +ENDED +DESCRIPTION", table[0])
    row = next(line for line in table if line.startswith("night "))
    assert re.search(rf"Mon..Fri 02:00; Sun 03:00 +- +- +{sid} +{verdict}", row)
    row = next(line for line in table if line.startswith("off "))
    assert re.search(r"off: daily +- +- +- +-", row)
    found = {p["name"]: p["schedule"] for p in json.loads(run(bus, "plan", "list", "--json").stdout)}
    assert found["hand"] is None and found["boot"]["on_boot_ns"] == 900 * 10**9
    assert found["boot"]["next_usec"] is None
    assert "15min after boot" in run(bus, "plan", "schedule", "boot").stdout
    result = run(bus, "plan", "schedule", "hand")
    assert result.returncode == 1 and "has no schedule" in result.stderr


def test_times_of_the_timer(ready, caller, bus, systemd):
    now = int(time.time()) * 10**6
    timers = systemd(properties={"NextElapseUSecRealtime": ("t", now + 90 * 10**6),
                                 "LastTriggerUSec": ("t", now - 60 * 10**6)})
    ready(a='schedule = "daily";', b='schedule = "daily";')
    timers.active.add("lrtbf-plan-a.timer")
    found = schedules(caller)
    assert found["a"]["active"] is True and found["b"]["active"] is False
    assert found["a"]["next_usec"] == now + 90 * 10**6 and "next_usec" not in found["b"]
    assert found["a"]["last_usec"] == now - 60 * 10**6
    shown = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now // 10**6 + 90))
    assert shown in run(bus, "plan", "list").stdout


def test_never_and_monotonic(ready, caller, systemd):
    never = 2**64 - 1
    timers = systemd(properties={"NextElapseUSecRealtime": ("t", never), "LastTriggerUSec": ("t", 0)})
    ready(a='schedule = "2020-01-01";')
    timers.active.add("lrtbf-plan-a.timer")
    assert not {"next_usec", "last_usec"} & set(schedules(caller)["a"])
    boot = time.monotonic() + 600
    timers.properties["NextElapseUSecMonotonic"] = ("t", int(boot * 10**6))
    assert abs(schedules(caller)["a"]["next_usec"] / 10**6 - time.time() - 600) < 60


def test_systemd_that_does_not_answer(ready, caller, systemd):
    timers = systemd()
    timers.on_GetAll = lambda message, body: None
    ready(a='schedule = "daily";')
    assert "active" not in schedules(caller)["a"]
    assert caller.get("/org/lrtbf1", "Manager", "Version")


# --- set ---

def test_set_and_reset(ready, caller, systemd):
    timers = systemd()
    daemon = ready(a='schedule = "daily"; persistent = true;')
    packaged = (daemon.config / "plans.d" / "a.conf").read_bytes()
    set_to = set_schedule(caller, "a", "Mon 02:00;  Fri 03:00", start_within="10min")
    assert set_to["schedule"] == "Mon 02:00; Fri 03:00" and set_to["persistent"] and set_to["active"]
    assert "note" not in set_to
    assert timers.order == ["Reload", "start lrtbf-plan-a.timer"]
    path = dropin(daemon, "a")
    assert path.read_text().splitlines()[1:] == ['schedule = [ "Mon 02:00", "Fri 03:00" ];',
                                                 'start_within = "10min";']
    assert path.stat().st_mode & 0o777 == 0o644 and path.parent.stat().st_mode & 0o777 == 0o755
    assert os.listdir(path.parent) == ["50-schedule.conf"]

    timers.order.clear()
    set_to = set_schedule(caller, "a", enabled=False)
    assert (set_to["enabled"], set_to["active"]) == (False, False)
    assert set_to["schedule"] == "Mon 02:00; Fri 03:00"
    assert timers.order == ["stop lrtbf-plan-a.timer", "Reload"]  # the unit is there until it is stopped

    timers.order.clear()
    assert set_schedule(caller, "a", enabled=True)["start_within_ns"] == 600 * 10**9
    set_to = set_schedule(caller, "a")
    assert set_to["schedule"] == "daily" and set_to["enabled"] and "start_within_ns" not in set_to
    assert not path.parent.exists()
    assert (daemon.config / "plans.d" / "a.conf").read_bytes() == packaged
    assert schedules(caller)["a"]["active"]


def test_no_time_to_come(ready, caller, systemd):
    timers = systemd(properties={"SubState": ("s", "elapsed")})
    ready(a="")
    assert set_schedule(caller, "a", "*-02-30")["note"].startswith("No time that is to come")
    assert "note" not in set_schedule(caller, "a", enabled=False)
    assert "note" not in set_schedule(caller, "a", enabled=True, on_boot="1min")  # it will after another boot
    timers.properties["SubState"] = ("s", "waiting")
    set_schedule(caller, "a")
    assert "note" not in set_schedule(caller, "a", "daily")


def test_timer_that_had_no_time_to_come(ready, caller, systemd):
    timers = systemd(properties={"SubState": ("s", "elapsed")})
    timers.restarted = {"SubState": ("s", "waiting")}
    timers.active.add("lrtbf-plan-a.timer")
    ready(a='schedule = "2020-01-01";')
    assert "note" not in set_schedule(caller, "a", "daily")
    assert timers.order == ["Reload", "start lrtbf-plan-a.timer", "restart lrtbf-plan-a.timer"]
    timers.order.clear()
    set_schedule(caller, "a", "weekly")  # it runs: it is not begun anew
    assert timers.order == ["Reload", "start lrtbf-plan-a.timer"]


def test_stays_over_a_restart(ready, caller):
    daemon = ready(a="")
    assert "no systemd" in set_schedule(caller, "a", "daily", accuracy="1min")["note"]
    daemon.stop()
    daemon.start()
    assert schedules(caller)["a"]["schedule"] == "daily"


@pytest.mark.parametrize("umask", ["0", "077"])
def test_umask_and_other_dropins(make_daemon, caller, umask):
    daemon = make_daemon(prefix=["sh", "-c", f'umask {umask}; exec "$@"', "sh"])
    daemon.plan("a", PLAN)
    daemon.start()
    set_schedule(caller, "a", "daily")
    made = dropin(daemon, "a")
    assert (made.stat().st_mode & 0o777, made.parent.stat().st_mode & 0o777) == (0o644, 0o755)
    other = dropin(daemon, "a").with_name("60-own.conf")
    other.write_text('schedule = "weekly";')
    other.chmod(0o644)
    assert set_schedule(caller, "a", "hourly")["schedule"] == "weekly"  # a later one counts
    set_schedule(caller, "a")
    assert os.listdir(other.parent) == ["60-own.conf"]
    assert schedules(caller)["a"]["schedule"] == "weekly"


@needs_analyze
def test_refused(ready, caller):
    daemon = ready(a="", bad="priority = 4711;")
    assert "no calendar expression" in refused(caller, "InvalidOption", "a", "wat")
    assert "'%'" in refused(caller, "InvalidOption", "a", "*:0/%n")
    refused(caller, "InvalidOption", "a", "daily\n[Service]\nExecStart=/bin/sh")
    refused(caller, "InvalidOption", "a", "daily\"; priority = 1; x = \"")
    refused(caller, "InvalidOption", "a", "daily;;weekly")
    refused(caller, "InvalidOption", "a", "x" * 5000)
    refused(caller, "InvalidOption", "a", "daily", start_within="1")
    refused(caller, "InvalidOption", "a", "daily", on_boot='1s"; priority = 1; x = "')
    refused(caller, "InvalidOption", "a", "daily", priority="1")
    refused(caller, "InvalidOption", "a", "daily", enabled="yes")
    assert "has none" in refused(caller, "InvalidOption", "a", persistent=True)
    assert "has no schedule" in refused(caller, "InvalidOption", "a", enabled=True)
    refused(caller, "NoSuchPlan", "nothing", "daily")
    refused(caller, "NoSuchPlan", "../a", "daily")
    assert "bad.conf:2:" in refused(caller, "InvalidPlan", "bad", "daily")
    assert not list((daemon.config / "plans.d").glob("*.d"))
    assert schedules(caller) == {}


def test_somebody_elses_file(ready, caller):
    daemon = ready(a="")
    path = dropin(daemon, "a")
    path.parent.mkdir(mode=0o755)
    path.write_text('schedule = "daily";\n')
    path.chmod(0o644)
    for schedule in "weekly", "":
        assert "somebody else's" in refused(caller, "Refused", "a", schedule)
    assert path.read_text() == 'schedule = "daily";\n'


def test_disk_that_fills_up(make_daemon, caller):
    """In the middle of the new file: the old one stays."""
    daemon = make_daemon(args=["--log-level=err"])
    daemon.plan("a", PLAN)
    daemon.start()
    set_schedule(caller, "a", "daily")
    before = dropin(daemon, "a").read_text()
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
    assert "50-schedule.conf cannot be written" in refused(caller, "Failed", "a", "weekly")
    assert dropin(daemon, "a").read_text() == before
    assert os.listdir(dropin(daemon, "a").parent) == ["50-schedule.conf"]
    assert schedules(caller)["a"]["schedule"] == "daily"
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert set_schedule(caller, "a", "weekly")["schedule"] == "weekly"


def test_dropin_that_others_may_write(ready, caller):
    daemon = ready(a="")
    set_schedule(caller, "a", "daily")
    dropin(daemon, "a").chmod(0o666)
    assert "chmod go-w" in refused(caller, "InvalidPlan", "a", "weekly")


@pytest.mark.parametrize("how, note", [({"reload": "refuse"}, "systemd did not take it over"),
                                       ({"start": "refuse"}, "The timer was not started"),
                                       ({"start": "failed"}, "The timer was not started")])
def test_systemd_refuses(ready, caller, systemd, how, note):
    systemd(**how)
    daemon = ready(a="")
    assert set_schedule(caller, "a", "daily")["note"].startswith(note)
    assert dropin(daemon, "a").exists()


def test_one_at_a_time(ready, caller, systemd, bus):
    timers = systemd(reload="hold")
    ready(a="", b="")
    second = bus.connect()
    call = new_method_call(DBusAddress("/org/lrtbf1", "org.lrtbf1", "org.lrtbf1.Manager"), "SetSchedule",
                           "ssa{sv}", ("a", "daily", {}))
    second.raw.send(call)
    wait_for(lambda: "Reload" in timers.order, what="a reload")
    refused(caller, "Busy", "b", "daily")
    assert schedules(caller)["a"]["schedule"] == "daily"
    second.close()


def test_who_may(ready, bus, caller):
    if os.geteuid() != 0:
        pytest.skip("root alone has callers of other users")
    daemon = ready(a="")
    polkit = Polkit(bus, measure="yes", configure="no")
    nobody = connect_as(bus, NOBODY)
    assert "org.lrtbf1.configure" in refused(nobody, "NotAuthorized", "a", "daily")
    assert not dropin(daemon, "a").exists()
    assert schedules(nobody) == {}
    polkit.answers["org.lrtbf1.configure"] = "yes"
    assert set_schedule(nobody, "a", "daily")["schedule"] == "daily"
    nobody.close()
    polkit.close()


# --- checked ---

@needs_analyze
def test_checked_with_its_line(ready, caller, bus, folder):
    daemon = ready(good='schedule = "Mon..Fri 02:00";\n', bad='\nschedule = [ "daily",\n"wat", "daily" ];\n')
    result = run(bus, "plan", "check")
    path = daemon.config / "plans.d" / "bad.conf"
    assert result.returncode == 1
    assert result.stdout.startswith(f'{path}:4: "wat" is no calendar expression')
    assert len(result.stdout.splitlines()) == 1
    assert run(bus, "plan", "check", "good").returncode == 0
    file = Path(folder) / "x.conf"
    file.write_text('duration = "1s";\n\nschedule = "Mon..Fry 02:00";\n')
    result = run(bus, "plan", "check", file)
    assert (result.returncode, result.stdout.startswith(f"{file}:3: ")) == (1, True)
    file.write_text('duration = "1s";\nschedule = "Mon..Fri 02:00";\n')
    assert run(bus, "plan", "check", file).returncode == 0
    assert [p["line"] for p in plain(caller.manager("Reload", "a{sv}", {}))] == [4]
    # it can be measured by hand all the same
    assert caller.wait_state(caller.start("bad")) == "done"


def answer_to(caller):
    while True:
        message = caller.raw.receive(timeout=60)
        if message.header.message_type != MessageType.signal:
            return message


@needs_analyze
def test_checks_are_bounded(ready, bus):
    """Many callers with ever new expressions: each is answered, and the service lives."""
    daemon = ready(a="")
    callers = [bus.connect() for _ in range(40)]
    for i, one in enumerate(callers):
        call = new_method_call(DBusAddress("/org/lrtbf1", "org.lrtbf1", "org.lrtbf1.Manager"), "CheckPlan",
                               "sa{sv}", (f'schedule = [ "2031-01-{i % 28 + 1:02} 01:{i:02}", "no{i}" ];', {}))
        one.raw.send(call)
    replies = [answer_to(one) for one in callers]
    refusals = [r for r in replies if r.header.message_type == MessageType.error]
    answers = [r for r in replies if r not in refusals]
    assert len(answers) >= 16
    assert all("Too many" in r.body[0] for r in refusals)
    assert all(len(r.body[0]) == 1 for r in answers)
    for one in callers:
        one.close()
    assert daemon.process.poll() is None


ANALYZE = """#!/bin/sh
# refuses many at once, and is silent about one
while [ "$1" != -- ]; do shift; done
[ $# -gt 2 ] && exit 1
exec sleep 600
"""


@needs_analyze
def test_analyze_that_is_silent(make_daemon, caller, folder):
    """It is waited for once and not for every expression."""
    own = ["unshare", "--mount", "--propagation=private"]
    if os.geteuid() != 0 or subprocess.run([*own, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no mount namespace can be made here")
    fake = Path(folder) / "analyze"
    fake.write_text(ANALYZE)
    fake.chmod(0o755)
    daemon = make_daemon(prefix=[*own, "sh", "-c", 'mount --bind "$0" "$1"; shift; exec "$@"',
                                 fake, shutil.which("systemd-analyze")])
    daemon.start()
    begin = time.monotonic()
    assert caller.manager("CheckPlan", "sa{sv}", 'schedule = [ "daily", "weekly", "monthly", "yearly", "wat" ];', {},
                          timeout=100) in ([], None)
    assert 8 < time.monotonic() - begin < 40


# --- too late ---

@needs_analyze
def test_too_late(ready, caller, bus):
    far = time.strftime("%H:%M", time.localtime(time.time() - 6 * 3600))
    boot_s = max(1, int(time.monotonic()) - 60)
    ready(late=f'schedule = "*-*-* {far}"; start_within = "1h"; limits = [ "max <= 1s" ];',
          fine=f'schedule = "*-*-* {far}"; start_within = "7h";',
          always='schedule = [ "2020-01-01", "*:*:*" ]; start_within = "1s";',
          put_off=f'schedule = "*-*-* {far}"; start_within = "1h"; randomized_delay = "6h";',
          boot=f'schedule = "*-*-* {far}"; start_within = "1h"; on_boot = "{boot_s}s";',
          whenever=f'schedule = "*-*-* {far}";')
    result = run(bus, "session", "start", "late", "--scheduled")
    sid = result.stdout.strip()
    assert result.returncode == 0
    seen = caller.session_all(sid)
    assert (seen["State"], seen["Verdict"]) == ("skipped", "none")
    assert "start_within = 1h" in seen["Reason"] and far in seen["Reason"]
    assert seen["StartedUSec"] == 0 and seen["FinishedUSec"] > 0
    for plan in "fine", "always", "put_off", "boot", "whenever":
        assert caller.wait_state(caller.start(plan, scheduled=True)) == "done"
    # by hand nothing is late
    assert caller.wait_state(caller.start("late")) == "done"
    assert "skipped" in run(bus, "session", "list", "--state=skipped").stdout


@needs_analyze
def test_report_of_a_skipped_one(ready, caller, bus):
    ready(late='schedule = "2020-01-01"; start_within = "1h";')
    sid = caller.start("late", scheduled=True)
    assert caller.session_get(sid, "State") == "skipped"
    for fmt in caller.get("/org/lrtbf1", "Manager", "Formats"):
        result = run(bus, "session", "report", sid, f"--format={fmt}")
        assert result.returncode == 0 or "has measured " in result.stderr, (fmt, result.stderr)
    text = run(bus, "session", "report", sid).stdout
    assert "late, by its schedule" in text and "nothing was measured" in text
    session = caller.report(sid)["session"]
    assert (session["state"], session["verdict"], session["started_usec"]) == ("skipped", "none", None)
    assert session["method"]["scheduled"] is True and session["overrides"] == {}
    # it measured nothing: the plan has no result
    assert run(bus, "status", "--plan=late", "--max-age=1h").returncode == 3
    assert run(bus, "session", "show", "last:late").returncode == 1
    assert run(bus, "session", "start", "late", "--scheduled", "--wait").returncode == 6
    assert schedules(caller)["late"]["last_state"] == "skipped"


def test_waited_too_long(ready, caller, make_daemon):
    daemon = ready(long='duration = "30s";', night='schedule = "*:*:*"; start_within = "1s";')
    daemon.plan("long", PLAN.replace("200ms", "30s"))
    caller.manager("Reload", "a{sv}", {})
    first = caller.start("long")
    caller.wait_state(first, "running")
    late = caller.start("night", scheduled=True)
    by_hand = caller.start("night")
    assert [caller.session_get(s, "QueuePosition") for s in (late, by_hand)] == [1, 2]
    time.sleep(1.1)
    caller.session(first, "Stop", "a{sv}", {})
    assert caller.wait_state(late) == "skipped"
    assert "waited for others longer than start_within = 1s" in caller.session_get(late, "Reason")
    assert caller.wait_state(by_hand) == "done"


def test_waited_over_a_restart(ready, caller):
    """What is in the queue is still the schedule's when lrtbfd is started again."""
    daemon = ready(night='schedule = "*:*:*"; start_within = "1s";', soon='schedule = "*:*:*"; start_within = "1h";')
    daemon.plan("long", PLAN.replace("200ms", "30s"))
    caller.manager("Reload", "a{sv}", {})
    caller.wait_state(caller.start("long"), "running")
    late, soon = caller.start("night", scheduled=True), caller.start("soon", scheduled=True)
    time.sleep(1.1)
    daemon.kill()
    daemon.start()
    assert caller.wait_state(late) == "skipped"
    assert caller.wait_state(soon) == "done"


def test_plan_that_only_systemd_knows(ready, caller):
    """Its file came after our last look, and systemd was told of it."""
    daemon = ready(a="")
    assert schedules(caller) == {}  # it has looked
    daemon.plan("new", PLAN + 'schedule = "daily";')
    with pytest.raises(DBusErrorResponse):
        caller.start("new")
    assert caller.wait_state(caller.start("new", scheduled=True)) == "done"


def test_scheduled_goes_alone(ready, caller):
    ready(a='schedule = "daily";')
    for options in {"tied": True}, {"peer": "x"}:
        with pytest.raises(DBusErrorResponse) as e:
            caller.start("a", scheduled=True, **options)
        assert e.value.name == "org.lrtbf1.Error.InvalidOption"


# --- the command line ---

def test_commands(ready, bus, systemd, caller):
    timers = systemd()
    daemon = ready(a='schedule = "daily";')
    result = run(bus, "plan", "schedule", "a", "Mon 02:00", "Fri 03:00", "--persistent", "--on-boot=5min",
                 "--start-within=2h")
    assert result.returncode == 0, result.stderr
    assert "Mon 02:00; Fri 03:00; 5min after boot" in result.stdout
    assert schedules(caller)["a"]["persistent"]
    assert run(bus, "plan", "schedule", "a", "--no-persistent").returncode == 0
    assert not schedules(caller)["a"]["persistent"]
    result = run(bus, "plan", "disable", "a", "--json")
    assert json.loads(result.stdout)["enabled"] is False and not timers.active
    assert run(bus, "plan", "enable", "a").returncode == 0 and timers.active
    run(bus, "plan", "disable", "a")
    assert run(bus, "plan", "schedule", "a", "hourly").returncode == 0 and timers.active
    for reset in (["--reset"], [""]):
        run(bus, "plan", "schedule", "a", "weekly")
        assert run(bus, "plan", "schedule", "a", *reset).returncode == 0
        assert not dropin(daemon, "a").exists()
    for wrong in (["--reset", "daily"], ["", "--persistent"], ["--reset", "--accuracy=1s"]):
        assert run(bus, "plan", "schedule", "a", *wrong).returncode == 64
    result = run(bus, "plan", "schedule", "nothing")
    assert result.returncode == 1 and "There is no plan" in result.stderr


def test_note_is_told(ready, bus):
    ready(a="")
    result = run(bus, "plan", "schedule", "a", "daily")
    assert result.returncode == 0 and "no systemd" in result.stderr
    assert "no systemd" in json.loads(run(bus, "plan", "disable", "a", "--json").stdout)["note"]
