# SPDX-License-Identifier: GPL-2.0-or-later
"""Logger and target on two machines with crossed parallel ports (tests/vm/pair): two lrtbfd, and lrtbfctl
between them by ssh. Time is this machine's, and both are emulated: a virtual CPU may stand still for longer
than the time-out, which is a loss and no fault."""
import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

import threads
from client import environment
from jeepney import message_bus
from jeepney.io.blocking import Proxy
from lrtbf import CTL, ENDED, LOAD, LRTBFD, MEASURE, NAME, ROOT, Bus, Connection, Daemon, wait_for

pytestmark = pytest.mark.pair

JOB = Path("/run/job")
NODE = Path("/dev/lrtbf-parport0")
REALTIME = Path("/sys/kernel/realtime").exists()
THREAD = "irq/7-parport0"
WHERE = "root@peer"
PERIOD_MS, PULSES = 10, 1000
# of a stage: half of the pulses, and the periods that losses and waiting for quiet after them cost
STAGE_MS = PULSES * PERIOD_MS // 2 + 3000
RULE = """irq_rules = ( { match = { parport = "*"; thread = "*"; }; policy = "fifo"; priority = 80;
                          override = [ "measuring" ]; } );
"""
LOGGER = f"""instrument = "parport"; role = "logger"; receive = "irq"; virtual = true; warm_up = "0s";
    interval = "{PERIOD_MS}ms"; timeout = "{PERIOD_MS // 2}ms"; policy = "fifo"; priority = 80; settle = "100ms"; {RULE}"""
TARGET = f"""instrument = "parport"; role = "target"; answer = "handler"; virtual = true; warm_up = "0s";
    duration = "1h"; policy = "fifo"; priority = 80; {RULE}"""
FORKS = """description = "forks"; effects = ( { metric = "forks"; at_least = 1; } );
    command = [ "sh", "-c", "while :; do sleep 0.1; done" ];
"""


class Peer:
    """The other machine: its commands and its bus, both through one ssh, and its lrtbfd."""

    MASTER, BUS = "/run/peer-master", "/run/peer-bus"

    def __init__(self):
        subprocess.run(["ssh", "-fNM", "-S", self.MASTER, "-L", f"{self.BUS}:/run/dbus/system_bus_socket", "peer"],
                       check=True, timeout=60, stderr=subprocess.DEVNULL)
        self.run(f"""mkdir -p /run/dbus && cp {ROOT}/dbus/org.lrtbf1.conf /etc/dbus-1/system.d/ &&
            dbus-daemon --system && insmod /run/job/lrtbf.ko && cp -r {ROOT}/conf /run/lrtbf-conf &&
            chmod -R u=rwX,go=rX /run/lrtbf-conf && udevadm settle && [ -e {NODE} ]""")
        self.put("/run/lrtbf-conf/plans.d/answer.conf", TARGET)
        self.put("/run/lrtbf-conf/loads.d/forks.conf", FORKS)
        self.caller = Connection(f"unix:path={self.BUS}")
        self.pid = None

    def run(self, script, timeout=60):
        done = subprocess.run(["ssh", "-S", self.MASTER, "peer", script], capture_output=True, text=True,
                              timeout=timeout)
        assert done.returncode == 0, (script, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def put(self, path, text):
        subprocess.run(["ssh", "-S", self.MASTER, "peer", f"cat >{path} && chmod 644 {path}"], input=text, text=True,
                       check=True, timeout=60)

    def start(self):
        options = f"--config-dir=/run/lrtbf-conf --state-dir=/run/lrtbf-state --measure={MEASURE} --load={LOAD}"
        self.pid = int(self.run(f"setsid {LRTBFD} {options} </dev/null >>/run/lrtbfd.log 2>&1 & echo $!"))
        wait_for(self.owned, timeout=60, what="org.lrtbf1 on the other machine")

    def owned(self):
        return Proxy(message_bus, self.caller.raw).NameHasOwner(NAME)[0]

    def kill(self):
        self.run(f"kill -KILL {self.pid}")
        wait_for(lambda: not self.owned(), timeout=30)

    def active(self):
        path = self.caller.get("/org/lrtbf1", "Manager", "ActiveSession")
        return path.rsplit("/", 1)[1] if path != "/" else None

    def sessions(self):
        found = self.caller.manager("ListSessions", "a{sv}su", {}, "", 0)[0]
        return {s["id"][1]: s["state"][1] for s in found}

    def standing(self):
        """The policy and priority of the port's interrupt thread there, by chrt; None: there is none."""
        said = self.run(f"for pid in $(pgrep -x {THREAD}); do chrt -p $pid; done").split()
        return (said[5], int(said[-1])) if said else None


@pytest.fixture(scope="module")
def other():
    return Peer()


@pytest.fixture
def there(other):
    """With an lrtbfd that runs, and does nothing afterwards."""
    if not other.owned():
        other.start()
    yield other
    if other.owned():
        wait_for(lambda: not other.active(), timeout=60, what="the end of the session there")


@pytest.fixture(scope="module")
def own():
    """This machine's lrtbfd; it takes a while to start, so one does for all tests."""
    with tempfile.TemporaryDirectory(prefix="lrtbf-") as folder:
        bus = Bus(f"{folder}/bus.d")
        daemon = Daemon(bus, f"{folder}/d")
        daemon.load("forks", FORKS)
        daemon.plan("long", LOGGER + 'duration = "1h";')
        daemon.plan("two", LOGGER + f"""duration = "{STAGE_MS}ms";
            stages = ( {{ load = "none"; }}, {{ load = "forks"; }} );""")
        subprocess.run(["insmod", JOB / "lrtbf.ko"], check=True)
        threads.seconds_until(NODE.exists, timeout=60)
        yield daemon
        assert daemon.stop() == 0, daemon.log()
        subprocess.run(["rmmod", "lrtbf"], check=True)
        bus.stop()


@pytest.fixture
def here(own):
    if not own.process or own.process.poll() is not None:
        own.start()
    return own


@pytest.fixture
def caller(own):
    connection = own.bus.connect()
    yield connection
    connection.close()


def start(here, plan):
    return subprocess.Popen([str(CTL), f"--bus={here.bus.address}", "session", "start", plan, f"--peer={WHERE}",
                             "--peer-plan=answer", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=environment())


def end(process, *status, timeout=120):
    out, err = process.communicate(timeout=timeout)
    report = json.loads(out)
    told = [report["session"]["reason"], *(reason for stage in report["stages"] for reason in stage["reasons"])]
    assert process.returncode in status, (process.returncode, told, err)
    return report


def measuring(process, caller):
    """The session here, once it has some samples."""
    def seen():
        assert process.poll() is None, process.communicate()
        path = caller.get("/org/lrtbf1", "Manager", "ActiveSession")
        sid = path.rsplit("/", 1)[1] if path != "/" else None
        return sid and caller.session_get(sid, "Figures").get("count", 0) > 20 and sid
    return wait_for(seen, timeout=60, step=0.2, what="a session that measures")


def ended(there, sid):
    """What became of a session there."""
    return wait_for(lambda: (state := there.sessions().get(sid)) in ENDED and state, timeout=60)


def theirs(there):
    return wait_for(there.active, timeout=60, what="a session there")


def failed(report):
    """The sentence with which a session ended, of which what was measured is there."""
    session = report["session"]
    assert (session["state"], session["reason_id"]) == ("failed", "PeerFailed")
    (stage,) = report["stages"]
    assert stage["all"]["count"] > 0
    return session["reason"]


def check_stage(stage, load):
    """Of one stage, with the part that the other machine has in it."""
    port, peer = stage["port"], stage["peer"]
    assert (stage["load"], peer["load"], peer["state"]) == (load, load, "stopped")
    assert (port["role"], port["receive"], peer["port"]["role"], peer["port"]["answer"]) == \
        ("logger", "irq", "target", "handler")
    lost = port["pulses"] - port["samples"]
    # one may be under way at the end
    assert 0 <= lost - port["lost"] - port["discarded"] <= 1
    assert lost <= PULSES // 10
    # of a lost pulse the interrupt or the answer may be what has come to nothing
    assert port["samples"] <= peer["port"]["answers"] <= port["pulses"] + PULSES // 100
    assert stage["all"]["min_ns"] > peer["all"]["min_ns"] > 0
    for side in (port, peer["port"]):
        assert side["context"] == (["thread"] if REALTIME else ["hardirq"])
        assert [(t["name"], t["policy"], t["priority"]) for t in side["threads"]] == \
            ([(THREAD, "fifo", 80)] if REALTIME else [])


def test_a_thousand_pulses(here, there, caller, figure):
    """Sent here and answered there, without a load there and with one, in one result."""
    printed = JOB / "port.out"
    before = printed.stat().st_size
    process = start(here, "two")
    measuring(process, caller)
    if REALTIME:
        assert there.standing() == ("SCHED_FIFO", 80)
    report = end(process, 0, 3)
    session, stages = report["session"], report["stages"]
    assert session["state"] == "done"
    for stage, load in zip(stages, ("none", "forks"), strict=True):
        check_stage(stage, load)
    answered = sum(s["port"]["samples"] for s in stages)
    assert answered >= PULSES
    # QEMU heard each of them, once; but for an interrupt that comes in the middle of one
    assert 0 <= printed.stat().st_size - before - sum(s["port"]["pulses"] for s in stages) <= PULSES // 100
    assert stages[1]["peer"]["effect"]["forks"]["mean"] > 0
    assert {there.sessions()[s["peer"]["session"]] for s in stages} == {"stopped"}
    peer = session["peer"]
    assert (peer["name"], peer["plan"], session["method"]["loads"]) == (WHERE, "answer", "peer")
    for conditions in (report["conditions"], peer["conditions"]):
        assert conditions["kernel"]["release"] == os.uname().release
        (line,) = [line for line in conditions["interrupts"]["lines"] if "parport0" in line["actions"]]
        assert [t["priority"] for t in line["threads"]] == ([80] if REALTIME else [])
    assert report["conditions"]["taken_ns"] != peer["conditions"]["taken_ns"]
    if REALTIME:
        threads.assert_is(threads.one(THREAD), "fifo", 50, 0)
        assert there.standing() == ("SCHED_FIFO", 50)
    figure(f"two machines: {answered} answers, {session['summary']['lost']} lost, "
           f"{stages[0]['all']['min_ns']}..{stages[0]['all']['max_ns']} ns without a load")


def test_stopped_there(here, there, caller):
    process = start(here, "long")
    measuring(process, caller)
    sid = theirs(there)
    there.run(f"{CTL} session stop {sid}")
    assert "ended too early (stopped): Stopped by user" in failed(end(process, 1))


def test_port_there_removed(here, there, caller):
    """The target has failed, and so has the whole."""
    process = start(here, "long")
    measuring(process, caller)
    sid = theirs(there)
    driver = "/sys/bus/pnp/drivers/parport_pc"
    device = there.run(f"basename $(echo {driver}/*:*)").strip()
    there.run(f"echo {device} >{driver}/unbind")
    try:
        reason = failed(end(process, 1))
        assert reason.startswith(f"Peer {WHERE}: Its session {sid} ") and "removed" in reason
    finally:
        there.run(f"echo {device} >{driver}/bind && udevadm settle && [ -e {NODE} ]")
    assert ended(there, sid) == "failed"


def test_daemon_there_is_killed(here, there, caller):
    process = start(here, "long")
    measuring(process, caller)
    there.kill()
    assert failed(end(process, 1)) == f"Peer {WHERE}: lrtbfd has gone away there."
    there.start()
    if REALTIME:
        assert there.standing() == ("SCHED_FIFO", 50)


def test_daemon_here_is_killed(here, there, caller):
    process = start(here, "long")
    measuring(process, caller)
    sid = theirs(there)
    here.kill()
    assert process.wait(60) == 5
    assert ended(there, sid) == "stopped"


def test_interrupt(here, there, caller):
    """Ctrl-C: both end, and the result has both parts."""
    process = start(here, "long")
    measuring(process, caller)
    sid = theirs(there)
    process.send_signal(signal.SIGINT)
    report = end(process, 6)
    assert report["session"]["state"] == "stopped"
    assert report["stages"][0]["peer"]["session"] == sid
    assert ended(there, sid) == "stopped"


def test_connection_breaks(here, there, caller):
    """The ssh of lrtbfctl, not that of these tests."""
    process = start(here, "long")
    measuring(process, caller)
    sid = theirs(there)
    subprocess.run(["pkill", "-KILL", "-P", str(process.pid), "-x", "ssh"], check=True)
    assert failed(end(process, 1)) == f"Peer {WHERE}: The connection to it broke."
    assert ended(there, sid) == "stopped"
