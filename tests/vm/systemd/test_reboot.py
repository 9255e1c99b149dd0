# SPDX-License-Identifier: GPL-2.0-or-later
"""Orderly down in mid-session, and up again a day later."""
import sessions
from guestmachine import until

PLANS = {
    "boot": 'on_boot = "1s";',
    "both": 'on_boot = "1s"; persistent = true; schedule = "*-02-29";',
    "missed": "",
    "forgone": "",
}


def ended(machine, plan):
    """How many sessions of @plan have come to their end."""
    return len(machine.json("session", "list", f"--plan={plan}", "--state=done"))


def test_a_day_later(machine):
    """What measured is stopped with its data, who waited has his turn; a schedule of each boot, one that was
    missed while the machine was down, and one that was not, do what they say."""
    hour = (int(machine.sh("date +%H")) + 12) % 24
    machine.plan("timer", sessions.TIMER)
    machine.plan("brief", sessions.BRIEF)
    for plan, schedule in PLANS.items():
        machine.plan(plan, sessions.BRIEF + schedule)
    for plan in ("boot", "both"):
        machine.ctl("plan", "enable", plan)
    machine.ctl("plan", "schedule", "missed", "--persistent", f"{hour}:00")
    machine.ctl("plan", "schedule", "forgone", f"{hour}:00")
    # each boot was a while ago
    for plan in ("boot", "both"):
        until(lambda: ended(machine, plan) > 0)
    before = {plan: ended(machine, plan) for plan in PLANS}
    sid = machine.start("timer")
    waits = machine.start("brief", state="queued")
    machine.wait_count(sid, 300)
    seen, boot = machine.session(sid)["figures"]["count"], machine.boot_id

    machine.reboot(days=1)
    assert machine.boot_id != boot
    machine.wait_state(waits, "done")
    assert machine.session(sid)["state"] == "stopped"
    assert sessions.count(machine, sid) >= seen
    more = {"boot": 1, "both": 1, "missed": 1, "forgone": 0}
    until(lambda: all(ended(machine, plan) >= before[plan] + more[plan] for plan in PLANS))
    assert {plan: ended(machine, plan) - before[plan] for plan in PLANS} == more
    sessions.check_store(machine)
    timers = machine.sh("systemctl list-timers --all")
    assert all(f"lrtbf-plan-{plan}.timer" in timers for plan in PLANS), timers
    plans = {p["name"]: p for p in machine.json("plan", "list")}
    now = int(machine.sh("date +%s%6N"))
    for plan in ("missed", "forgone"):
        assert now < plans[plan]["schedule"]["next_usec"] <= now + 86400 * 10**6, plans[plan]
    for plan in PLANS:
        machine.ctl("plan", "disable", plan)
    assert "lrtbf-plan-" not in machine.sh("systemctl list-timers --all")
