# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans of these tests, and what is true of their sessions."""

TIMER = """instrument = "timer"; interval = "10ms"; policy = "fifo"; priority = 80; duration = "1h"; warm_up = "0s";
    checkpoint = "1s";
"""
BRIEF = TIMER.replace('"1h"', '"1s"')
# an emulated port on a busy machine: a wide period, a long time-out
PORT = """instrument = "parport"; role = "loopback"; interval = "20ms"; timeout = "10ms"; warm_up = "0s";
    duration = "1h"; policy = "fifo"; priority = 80; cpus = "0"; checkpoint = "1s";
    irq_rules = ( { match = { parport = "parport0"; thread = "*"; }; policy = "fifo"; priority = 80;
                    override = [ "measuring" ]; } );
"""
PORT_THREAD = "irq/7-parport0"
LOADED = TIMER + """
    irq_rules = ( { match = { thread = "irq/8-rtc0"; }; policy = "fifo"; priority = 70; } );
    stages = ( { name = "busy"; load = "proc"; duration = "1h"; } );
"""
LOADED_THREAD = "irq/8-rtc0"


def figures(machine, sid):
    """What was measured of all stages, as it is kept."""
    return [stage["all"] for stage in machine.report(sid)["stages"]]


def count(machine, sid):
    return sum(f["count"] for f in figures(machine, sid))


def grid_seconds(figures, cpus=2, interval=0.01):
    """How long was measured: each period on each CPU is a sample, or missed; nothing known is none."""
    return sum(figures.get(key) or 0 for key in ("count", "missed")) * interval / cpus


def check_store(machine):
    """The database is whole, by SQLite's own look and as lrtbfd sees it."""
    said = machine.sh("sqlite3 /var/lib/lrtbfd/lrtbfd.db 'PRAGMA integrity_check; PRAGMA foreign_key_check'")
    assert said == "ok\n"
    machine.ctl("status")  # exit status 1 were trouble


def check_gone(machine):
    """No process of a session is left, and no unit of one."""
    machine.wait("! pgrep -x 'lrtbf-measure|lrtbf-load' && "
                 "! systemctl list-units --plain --no-legend 'lrtbf-measure-*' 'lrtbf-load-*' | grep .")
