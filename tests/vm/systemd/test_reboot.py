# SPDX-License-Identifier: GPL-2.0-or-later
"""Orderly down in mid-session, and up again a day later."""
import sessions


def ended(machine, plan):
    """Sessions of @plan that have come to their end."""
    return [s for s in machine.json("session", "list", f"--plan={plan}") if s["state"] == "done"]


def test_a_day_later(machine):
    """What measured is stopped with its data, who waited has his turn; a schedule of each boot, one that was
    missed while the machine was down, and one that was not, do what they say."""
    hour = (int(machine.sh("date +%H")) + 12) % 24
    machine.plan("timer", sessions.TIMER)
    machine.plan("brief", sessions.BRIEF)
    machine.plan("boot", sessions.BRIEF + f'on_boot = "1s"; persistent = true; schedule = "*-02-29 {hour}:00";')
    machine.plan("missed", sessions.BRIEF)
    machine.plan("forgone", sessions.BRIEF)
    machine.ctl("plan", "enable", "boot")
    machine.ctl("plan", "schedule", "missed", "--persistent", f"{hour}:00")
    machine.ctl("plan", "schedule", "forgone", f"{hour}:00")
    # what begins because it was just enabled
    machine.wait("! lrtbfctl status --json | grep -q '\"active\": *{'")
    before = {plan: len(ended(machine, plan)) for plan in ("boot", "missed", "forgone")}
    sid = machine.start("timer")
    waits = machine.start("brief", state="queued")
    machine.wait_count(sid, 300)
    seen, boot = machine.session(sid)["figures"]["count"], machine.boot_id

    machine.reboot(days=1)
    assert machine.boot_id != boot
    machine.wait_state(waits, "done")
    assert machine.session(sid)["state"] == "stopped"
    assert sessions.count(machine, sid) >= seen
    for plan, more in (("boot", 1), ("missed", 1), ("forgone", 0)):
        machine.wait(f"[ $(lrtbfctl --json session list --plan={plan} --state=done | grep -c '\"id\"') "
                     f"= {before[plan] + more} ]")
    sessions.check_store(machine)
    timers = machine.sh("systemctl list-timers --all")
    assert all(f"lrtbf-plan-{plan}.timer" in timers for plan in before), timers
    plans = {p["name"]: p for p in machine.json("plan", "list")}
    now = int(machine.sh("date +%s%6N"))
    for plan in ("missed", "forgone"):
        assert now < plans[plan]["schedule"]["next_usec"] <= now + 86400 * 10**6, plans[plan]
    for plan in before:
        machine.ctl("plan", "disable", plan)
    assert "lrtbf-plan-" not in machine.sh("systemctl list-timers --all")
