# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines: two daemons on two buses, of which neither knows the other; lrtbfctl is between them.

What is measured is a timer on either side: how two sessions go together knows nothing of ports.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from jeepney import DBusErrorResponse
from jeepney.io.common import RouterClosed
from others import NOBODY, Listener, connect_as

from client import environment, run
from lrtbf import CTL, ENDED, Bus, Daemon, children, processes, wait_for

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; cpus = "0"; warm_up = "0s"; settle = "100ms";
duration = "%s";
"""
WRITES = """
description = "writes";
command = [ "sh", "-c", "while :; do dd if=/dev/zero of=%s bs=64k count=50 conv=fsync 2>/dev/null; done" ];
scratch = "10M";
effects = ( { metric = "bytes_written"; at_least = 1; } );
"""
IDLE = """
description = "nothing";
command = [ "sleep", "%s" ];
effects = ( { metric = "bytes_written"; at_least = 1000000000; } );
"""
MARK = "4242"  # of the load's process


class Side:
    """A machine: a bus with an lrtbfd on it, and a caller."""

    def __init__(self, folder, name):
        self.bus = Bus(os.path.join(folder, name + ".d"))
        self.daemon = Daemon(self.bus, os.path.join(folder, name))
        self.daemon.load("writes", WRITES % "peerfile")
        self.daemon.load("idle", IDLE % MARK)
        for plan, duration in ("short", "1s"), ("long", "60s"), ("answer", "1h"):
            self.daemon.plan(plan, PLAN % duration)
        self.caller = None

    def start(self):
        self.daemon.start()
        self.caller = self.caller or self.bus.connect()
        return self

    def active(self):
        path = self.caller.get("/org/lrtbf1", "Manager", "ActiveSession")
        return path.rsplit("/", 1)[1] if path != "/" else None

    def sessions(self):
        found = self.caller.manager("ListSessions", "a{sv}su", {}, "", 0)[0]
        return {s["id"][1]: s["state"][1] for s in found}

    def idle(self):
        """Nothing of it measures or loads any more."""
        return not self.active() and not children(self.daemon.pid) and \
            all(state in ENDED for state in self.sessions().values())

    def stop(self):
        if self.caller:
            self.caller.close()
        if self.daemon.process:
            self.daemon.stop()
            assert not re.search("(Address|Leak)Sanitizer|runtime error:", self.daemon.log()), self.daemon.log()
        self.bus.stop()


@pytest.fixture
def here(folder):
    side = Side(folder, "a")
    yield side
    side.stop()


@pytest.fixture
def there(folder):
    side = Side(folder, "b")
    yield side
    side.stop()


@pytest.fixture
def both(here, there):
    here.daemon.plan("two", PLAN % "1s" + 'stages = ( { load = "none"; }, { load = "writes"; } );')
    here.start()
    there.start()


def start(here, there, plan, *args, where=None, env=None, **kwargs):
    return subprocess.Popen(
        [str(CTL), f"--bus={here.bus.address}", "session", "start", plan,
         f"--peer={where or there.bus.address}", "--peer-plan=answer", "--json", *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**(env or {})), **kwargs)


def end(process, status):
    out, err = process.communicate(timeout=60)
    statuses = status if isinstance(status, tuple) else (status,)
    assert process.returncode in statuses, (out[-300:], err)
    return json.loads(out) if out else err


def sound(report):
    """The report of a session without a limit, in which nothing is wrong but what others do to a
    virtual machine meanwhile."""
    assert report["session"]["state"] == "done"
    reasons = [r for s in report["stages"] for r in s["reasons"]]
    assert all("hypervisor" in r for r in reasons), reasons
    return report


def measuring(here):
    """The session here, once it has some samples."""
    def seen():
        sid = here.active()
        return sid and here.caller.session_get(sid, "Figures").get("count", 0) > 100 and sid
    return wait_for(seen, timeout=30, step=0.1, what="a session that measures")


def test_repeats(here, there):
    """Each repeat has a part of its own on the other machine."""
    here.daemon.plan("twice", PLAN % "500ms" + """repeat = 2;
        stages = ( { load = "none"; }, { load = "writes"; } );""")
    here.start()
    there.start()
    report = sound(end(start(here, there, "twice"), (0, 3)))
    assert [(s["load"], s["repeat"]) for s in report["stages"]] == \
        [("none", 1), ("writes", 1), ("writes", 2), ("none", 2)]
    parts = [s["peer"] for s in report["stages"]]
    assert [p["load"] for p in parts] == ["none", "writes", "writes", "none"]
    assert len({p["session"] for p in parts}) == 4
    assert {there.sessions()[p["session"]] for p in parts} == {"stopped"}
    assert [(r["stage"], r["n"]) for r in report["repeats"]] == [("none", 2), ("writes", 2)]


def test_two_stages(here, there, both):
    process = start(here, there, "two")
    loaded, ran_here, out = set(), set(), None
    while out is None:
        loaded |= processes("of=peerfile") & children(there.daemon.pid)
        ran_here |= processes("of=peerfile") & children(here.daemon.pid)
        try:
            out, err = process.communicate(timeout=0.05)
        except subprocess.TimeoutExpired:
            pass
    report = sound(json.loads(out))
    assert process.returncode in (0, 3) and err == ""
    assert loaded and not ran_here
    session = report["session"]
    assert session["method"]["loads"] == "peer"
    peer = session["peer"]
    assert peer["name"] == there.bus.address and peer["plan"] == "answer" and peer["version"]
    assert peer["conditions"]["kernel"]["release"] == os.uname().release
    assert "warnings" not in peer["conditions"]
    assert [s["load"] for s in report["stages"]] == ["none", "writes"]
    for stage in report["stages"]:
        part = stage["peer"]
        assert there.sessions()[part["session"]] == "stopped"
        assert (part["load"], part["plan"], part["state"]) == (stage["load"], "answer", "stopped")
        assert part["duration_ns"] >= stage["duration_ns"] > 5e8
        assert part["all"]["count"] > 100 and "histogram" not in part["all"]
    written = [s["peer"]["effect"]["bytes_written"]["mean"] for s in report["stages"]]
    assert written[1] > 0
    # what weakens the other machine is said with its name
    warnings = [w for w in report["conditions"]["warnings"] if w["id"] == "peer-warns"]
    assert warnings and all(w["text"].startswith(f"Peer {there.bus.address}: ") for w in warnings)
    assert here.idle() and wait_for(there.idle)
    assert here.caller.session_get(session["id"], "PeerName") == there.bus.address
    assert here.caller.session_get(session["id"], "PeerWanted") == {}
    # a list shows it without the conditions
    listed = json.loads(run(here.bus, "session", "list", "--json").stdout)[0]
    del peer["conditions"]
    assert listed["peer"] == peer
    text = run(here.bus, "session", "report").stdout
    assert "Load writes on the peer" in text and "\nPeer kernel " in text
    assert "What the peer did meanwhile" in text
    # and it is in the store
    here.daemon.stop()
    here.daemon.start()
    again = json.loads(run(here.bus, "session", "report", "--json").stdout)
    assert again == {**report, "session": {**session, "peer": again["session"]["peer"]}}


def test_a_load_of_this_machine_is_not_needed(here, there, both):
    """It is the other one that has it."""
    there.daemon.load("only", WRITES % "onlyfile")
    there.caller.manager("Reload", "a{sv}", {})
    report = sound(end(start(here, there, "short", "--load=only"), (0, 3)))
    assert report["stages"][0]["peer"]["load"] == "only"


def test_without_effect(here, there, both):
    report = end(start(here, there, "short", "--load=idle"), 3)
    assert report["session"]["verdict"] == "inconclusive"
    doubts = [f["text"] for f in report["stages"][0]["findings"] if f["id"] == "peer-doubt"]
    assert [d for d in doubts if d.startswith(f"Peer {there.bus.address}: Load idle promises")]
    assert wait_for(there.idle)  # nor a process of its


@pytest.mark.parametrize("args, said", [
    (["--peer-plan=nope"], "There is no plan \"nope\""),
    (["--load=nope"], "nope"),
    (["--peer-port=parport7"], "port"),
])
def test_refused_there(here, there, both, args, said):
    report = end(start(here, there, "short", *args), 1)
    session = report["session"]
    assert (session["state"], session["reason_id"]) == ("failed", "PeerFailed")
    assert session["reason"].startswith(f"Peer {there.bus.address}: Its session was not started: ")
    assert said in session["reason"]
    assert report["stages"] == [] and here.idle() and there.sessions() == {}


def test_busy_there(here, there, both):
    sid = there.caller.start("long")
    there.caller.wait_state(sid, "running")
    report = end(start(here, there, "short"), 1)
    assert sid in report["session"]["reason"]
    assert there.sessions() == {sid: "running"}


def test_nobody_there(here, there):
    """Before a session is started here."""
    here.start()
    process = start(here, there, "short")
    assert "lrtbfd does not answer there" in end(process, 5)
    assert here.sessions() == {}


def test_daemon_there_is_killed(here, there, both):
    process = start(here, there, "long")
    sid = measuring(here)
    there.daemon.kill()
    report = end(process, 1)
    session = report["session"]
    assert (session["id"], session["state"], session["reason_id"]) == (sid, "failed", "PeerFailed")
    assert session["reason"] == f"Peer {there.bus.address}: lrtbfd has gone away there."
    assert report["stages"][0]["all"]["count"] > 0
    assert f"Peer {there.bus.address}: Its part of this stage is missing." in report["stages"][0]["reasons"]
    assert here.idle()


def test_daemon_there_hangs(here, there, both):
    """Who presses Ctrl-C waits for nobody who does not answer."""
    process = start(here, there, "long")
    measuring(here)
    os.kill(there.daemon.pid, signal.SIGSTOP)
    try:
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        report = end(process, 6)
        assert time.monotonic() - began < 10
    finally:
        os.kill(there.daemon.pid, signal.SIGCONT)
    assert report["session"]["state"] == "stopped"
    assert any("Its part of this stage is missing" in reason for reason in report["stages"][0]["reasons"])
    assert here.idle() and wait_for(there.idle)


def test_session_there_is_stopped(here, there, both):
    process = start(here, there, "long")
    measuring(here)
    there.caller.session(there.active(), "Stop", "a{sv}", {})
    report = end(process, 1)
    assert "ended too early (stopped): Stopped by user" in report["session"]["reason"]
    assert here.idle() and there.idle()


def test_daemon_here_is_killed(here, there, both):
    process = start(here, there, "long")
    sid = measuring(here)
    here.daemon.kill()
    assert sid in end(process, 5)
    assert wait_for(there.idle)
    assert list(there.sessions().values()) == ["stopped"]
    here.daemon.start()
    assert here.sessions() == {sid: "interrupted"}
    stage = here.caller.report(sid)["stages"][0]
    assert stage["peer"]["session"] in there.sessions() and stage["all"]["count"] > 0


def test_client_is_killed(here, there, both):
    process = start(here, there, "long", "--load=idle")
    sid = measuring(here)
    assert processes(f"sleep\0{MARK}") & children(there.daemon.pid)
    process.kill()
    process.communicate()
    assert here.caller.wait_state(sid) == "failed"
    assert here.caller.session_get(sid, "Reason") == \
        f"Peer {there.bus.address}: Who held the connection to it has gone."
    assert wait_for(there.idle)  # nor a process of its
    assert list(there.sessions().values()) == ["stopped"]
    assert here.idle()


def test_interrupt(here, there, both):
    """Both end, and the result has both parts."""
    process = start(here, there, "long")
    measuring(here)
    process.send_signal(signal.SIGINT)
    report = end(process, 6)
    assert report["session"]["state"] == "stopped"
    assert report["stages"][0]["peer"]["duration_ns"] >= report["stages"][0]["duration_ns"]
    assert report["session"]["peer"]["conditions"]
    assert here.idle() and there.idle()


def test_stopped_by_another(here, there, both):
    """Not by who holds the connection."""
    process = start(here, there, "long")
    measuring(here)
    assert run(here.bus, "session", "stop").returncode == 0
    report = end(process, 6)
    assert report["stages"][0]["peer"]["plan"] == "answer"
    assert wait_for(there.idle)


# --- by ssh ---

@pytest.fixture
def ssh(folder, there):
    """An ssh that goes to the other bus on this machine."""
    if not shutil.which("systemd-stdio-bridge"):
        pytest.skip("systemd-stdio-bridge, which ssh starts on the other side, is not installed")
    path = os.path.join(folder, "bin")
    os.mkdir(path)
    with open(os.path.join(path, "ssh"), "w") as file:
        file.write(f"""#!/bin/sh
echo "$@" >{path}/args
[ "$3" = root@target ] || {{ echo "ssh: no such host $3" >&2; exit 255; }}
exec systemd-stdio-bridge --bus-path={there.bus.address}
""")
    os.chmod(file.name, 0o755)
    return {"PATH": f"{path}:{os.environ['PATH']}"}, os.path.join(path, "args")


def bridge(there):
    return processes(f"--bus-path={there.bus.address}")


def test_ssh(here, there, both, ssh):
    env, args = ssh
    report = sound(end(start(here, there, "short", where="root@target", env=env), (0, 3)))
    assert report["session"]["peer"]["name"] == "root@target"
    assert open(args).read().split() == ["-xT", "--", "root@target", "systemd-stdio-bridge"]
    wait_for(lambda: not bridge(there))


def test_ssh_and_control_c(here, there, both, ssh):
    """The terminal sends it to ssh as well."""
    process = start(here, there, "long", where="root@target", env=ssh[0], start_new_session=True)
    measuring(here)
    os.killpg(process.pid, signal.SIGINT)
    report = end(process, 6)
    assert report["session"]["state"] == "stopped"
    assert report["stages"][0]["peer"]["plan"] == "answer"
    assert wait_for(there.idle)


def test_ssh_breaks(here, there, both, ssh):
    process = start(here, there, "long", where="root@target", env=ssh[0])
    measuring(here)
    for pid in bridge(there):
        os.kill(pid, signal.SIGKILL)
    report = end(process, 1)
    assert report["session"]["reason"] == "Peer root@target: The connection to it broke."
    assert here.idle() and wait_for(there.idle)


def test_ssh_refuses(here, there, both, ssh):
    assert "no such host nowhere" in end(start(here, there, "short", where="nowhere", env=ssh[0]), 5)
    assert here.sessions() == {}


# --- by hand ---

def refused(call, *args, name="InvalidOption"):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert error.value.name == f"org.lrtbf1.Error.{name}", error.value
    return error.value.data[0]


def wanted(caller, sid, what, index=0):
    def seen():
        want = caller.session_get(sid, "PeerWanted")
        return want.get("what") == what and want["index"] == index and want
    return wait_for(seen, what=f"{what} of stage {index}")


OTHER = "s20261130T020000Z_4f2a"


def report_of(load="none", sid=OTHER, duration_ns=3600 * 10**9, **stage):
    return {"format": "lrtbf-report", "version": 1,
            "session": {"id": sid, "plan": "x", "state": "stopped", "reason": ""},
            "conditions": {"kernel": {"release": "9.9"}, "warnings": []},
            "stages": [{"load": load, "duration_ns": duration_ns, "findings": [], **stage}]}


def say_ready(caller, sid, index=0, other=OTHER):
    caller.session(sid, "PeerReady", "usa{sv}", index, other, {})


def say_result(caller, sid, report, index=0):
    text = report if isinstance(report, str) else json.dumps(report)
    caller.session(sid, "PeerResult", "usa{sv}", index, text, {})


def test_by_hand(here):
    here.daemon.plan("two", PLAN % "1s" + 'stages = ( { load = "none"; }, { load = "writes"; duration = "2s"; } );')
    here.start()
    caller = here.caller
    listener = Listener(here.bus)
    sid = caller.start("two", peer="board")
    assert caller.session_get(sid, "PeerName") == "board"
    want = wanted(caller, sid, "begin")
    assert want == {"what": "begin", "index": 0, "stage": "none", "load": "none", "duration_ns": 10**9,
                    "time_ns": want["time_ns"]} and want["time_ns"] > 10**9
    assert caller.session_get(sid, "State") == "preparing"
    refused(say_result, caller, sid, report_of())
    refused(say_ready, caller, sid, 1)
    refused(say_ready, caller, sid, 0, "../x")
    assert wanted(caller, sid, "begin")
    say_ready(caller, sid)
    refused(say_ready, caller, sid)
    wanted(caller, sid, "end")
    say_result(caller, sid, report_of())
    want = wanted(caller, sid, "begin", 1)
    assert (want["stage"], want["load"], want["duration_ns"]) == ("writes", "writes", 2 * 10**9)
    refused(say_ready, caller, sid, 0)
    say_ready(caller, sid, 1)
    wanted(caller, sid, "end", 1)
    say_result(caller, sid, report_of("writes", duration_ns=10**9), 1)
    assert caller.wait_state(sid) == "done"
    report = caller.report(sid)
    assert report["session"]["verdict"] == "inconclusive"
    assert [r for r in report["stages"][1]["reasons"] if "Peer board: It took part for 1s of the" in r]
    assert report["session"]["peer"]["conditions"] == {"kernel": {"release": "9.9"}}
    refused(say_ready, caller, sid, 1)
    refused(caller.session, sid, "PeerFailed", "sa{sv}", "Too late.", {})
    # each question was told by a signal
    asked = [body[1]["PeerWanted"][1].get("what", ("s", ""))[1]
             for _, member, body, _ in listener.read(0.2)
             if member.endswith("PropertiesChanged") and "PeerWanted" in body[1]]
    assert [w for i, w in enumerate(asked) if w and (not i or asked[i - 1] != w)] == \
        ["begin", "end", "begin", "end"]
    listener.connection.close()


def test_other_load(here):
    here.start()
    sid = here.caller.start("short", peer="board", load="writes")
    wanted(here.caller, sid, "begin")
    say_ready(here.caller, sid)
    wanted(here.caller, sid, "end")
    say_result(here.caller, sid, report_of("none"))
    here.caller.wait_state(sid)
    assert 'Peer board: It was under load "none" and not "writes".' in here.caller.report(sid)["stages"][0]["reasons"]


def test_failed_there(here):
    here.start()
    sid = here.caller.start("short", peer="board")
    wanted(here.caller, sid, "begin")
    say_ready(here.caller, sid)
    wanted(here.caller, sid, "end")
    report = report_of()
    report["session"].update(state="failed", reason="The cable is out.")
    say_result(here.caller, sid, report)
    assert here.caller.wait_state(sid) == "failed"
    assert here.caller.session_get(sid, "Reason") == f"Peer board: Its session {OTHER} failed: The cable is out."


def test_garbage(here):
    here.start()
    caller = here.caller
    sid = caller.start("short", peer="board")
    wanted(caller, sid, "begin")
    say_ready(caller, sid)
    wanted(caller, sid, "end")
    for text in ("", "garbage", "{}", "[]", "[" * 100000, '"' + "x" * 1000000 + '"',
                 report_of(sid="s20261130T020000Z_0000"), {**report_of(), "stages": []},
                 {**report_of(), "stages": [{}, {}]}, {**report_of(), "version": 2},
                 {**report_of(), "conditions": None}):
        refused(say_result, caller, sid, text)
    refused(say_result, caller, sid, " " * (8 * 1024 * 1024 + 1), name="TooLarge")
    refused(say_result, caller, sid, report_of(port={"x": "y" * 2000000}), name="TooLarge")
    huge = here.bus.connect()
    with pytest.raises((RouterClosed, ConnectionError, EOFError)):  # the bus takes no such message
        say_result(huge, sid, "x" * 100_000_000)
    assert wanted(caller, sid, "end")
    odd = report_of(findings=[1, {"id": [], "text": 7, "inconclusive": True}, {"text": "\u001b[31m", "id": "x"}],
                    effect={"a": 1, "b": {"seconds": -1, "mean": "x"}}, port=[1], all={"histogram": 1})
    say_result(caller, sid, odd)
    assert caller.wait_state(sid) == "done"
    assert "\033" not in caller.report(sid, "text")


@pytest.mark.root
def test_uninvited(here):
    here.start()
    stranger = connect_as(here.bus, NOBODY)
    sid = here.caller.start("short", peer="board")
    wanted(here.caller, sid, "begin")
    refused(say_ready, stranger, sid, name="NotAuthorized")
    refused(say_result, stranger, sid, report_of(), name="NotAuthorized")
    refused(stranger.session, sid, "PeerFailed", "sa{sv}", "Ha.", {}, name="NotAuthorized")
    assert wanted(here.caller, sid, "begin")
    refused(stranger.start, "short", name="NotAuthorized")
    stranger.close()
    assert here.caller.session_get(sid, "State") == "preparing"


def test_without_a_peer(here):
    here.start()
    sid = here.caller.start("long")
    here.caller.wait_state(sid, "running")
    for call in (say_ready, here.caller, sid), (say_result, here.caller, sid, report_of()):
        assert "has no peer" in refused(*call)
    assert "has no peer" in refused(here.caller.session, sid, "PeerFailed", "sa{sv}", "x", {})
    report = here.caller.report(sid)
    assert report["session"]["peer"] is None and report["stages"][0]["peer"] is None
    assert here.caller.session_get(sid, "PeerName") == ""


@pytest.mark.parametrize("options", [
    {"peer": ""}, {"peer": "x" * 256}, {"peer": "a\nb"}, {"peer": True}, {"peer_wait": "10s"},
    {"peer": "board", "peer_wait": "0s"}, {"peer": "board", "peer_wait": "2h"},
    {"peer": "board", "peer_wait": "soon"}, {"peer": "board", "tied": "yes"},
])
def test_wrong_options(here, options):
    here.start()
    assert len(refused(lambda: here.caller.start("short", **options))) > 20
    assert here.sessions() == {}


@pytest.mark.parametrize("args", [["--peer-plan=x"], ["--peer-port=x"], ["--peer-wait=5s"],
                                  ["--peer=a", "--no-wait"], ["--peer="], ["--peer=-x"], ["--peer=a b"]])
def test_wrong_command_line(here, args):
    here.start()
    assert run(here.bus, "session", "start", "short", *args).returncode == 64
    assert here.sessions() == {}


def test_too_slow_to_begin(here):
    here.start()
    sid = here.caller.start("short", peer="board", peer_wait="1s")
    assert here.caller.wait_state(sid) == "failed"
    shown = here.caller.session_all(sid)
    assert shown["ReasonId"] == "PeerFailed"
    assert shown["Reason"] == "Peer board: Its part of stage none did not begin within 1s."
    assert here.idle()


def test_too_slow_to_end(here):
    here.start()
    sid = here.caller.start("short", peer="board", peer_wait="1s")
    wanted(here.caller, sid, "begin")
    say_ready(here.caller, sid)
    assert here.caller.wait_state(sid) == "failed"
    report = here.caller.report(sid)
    assert report["session"]["reason"] == \
        "Peer board: The result of its part of stage none did not come within 1s."
    assert report["stages"][0]["all"]["count"] > 100
    assert report["stages"][0]["peer"] == {"session": OTHER}
    assert "session s20261130T020000Z_4f2a; its report is missing" in here.caller.report(sid, "text")


def begun(here, when):
    """A session that waits for its peer's begin, that measures, or that waits for its peer's result."""
    caller = here.start().caller
    sid = caller.start("short" if when == "end" else "long", peer="board")
    wanted(caller, sid, "begin")
    if when != "begin":
        say_ready(caller, sid)
        caller.wait_state(sid, ("running", "finishing"))
    if when == "end":
        wanted(caller, sid, "end")
    return sid


at_any_time = pytest.mark.parametrize("when", ["begin", "measure", "end"])


@at_any_time
def test_stop_at_any_time(here, when):
    sid, caller = begun(here, when), here.caller
    caller.session(sid, "Stop", "a{sv}", {})
    if when == "measure":
        wanted(caller, sid, "end")
        say_result(caller, sid, report_of())
    # at the end it had measured everything: it is done, without the peer's part, which is not waited for long
    assert caller.wait_state(sid, timeout=4.5) == ("done" if when == "end" else "stopped")
    assert here.idle()


@at_any_time
def test_failure_at_any_time(here, when):
    sid, caller = begun(here, when), here.caller
    refused(caller.session, sid, "PeerFailed", "sa{sv}", "x" * 1001, {})
    refused(caller.session, sid, "PeerFailed", "sa{sv}", "", {})
    caller.session(sid, "PeerFailed", "sa{sv}", "It burns.", {})
    assert caller.wait_state(sid) == "failed"
    assert caller.session_get(sid, "Reason") == "Peer board: It burns."
    assert here.idle()


@at_any_time
def test_service_stops_at_any_time(here, when):
    sid = begun(here, when)
    began = time.monotonic()
    assert here.daemon.stop() == 0
    assert time.monotonic() - began < 10
    assert "did not end in time" not in here.daemon.log()
    here.daemon.start()
    assert here.sessions()[sid] in ("stopped", "done")


def test_caller_leaves_the_queue(here):
    here.start()
    first = here.caller.start("long")
    here.caller.wait_state(first, "running")
    other = here.bus.connect()
    waiting, tied = other.start("short", peer="board"), other.start("short", tied=True)
    untied = other.start("short")
    other.close()
    assert here.caller.wait_state(waiting) == "failed"
    assert here.caller.wait_state(tied) == "stopped"
    assert here.caller.session_get(untied, "State") == "queued"
    assert here.caller.session_get(first, "State") == "running"


def test_tied_while_it_measures(here):
    here.start()
    other = here.bus.connect()
    sid = other.start("long", tied=True, load="idle")
    here.caller.wait_state(sid, "running")
    other.close()
    assert here.caller.wait_state(sid) == "stopped"
    assert wait_for(here.idle)


def test_restart_with_one_in_the_queue(here):
    """Nobody holds the connection any more, whoever is on the bus."""
    here.start()
    first = here.caller.start("long")
    here.caller.wait_state(first, "running")
    sid = here.caller.start("short", peer="board")
    time.sleep(1)  # until it is on the disk
    here.daemon.kill()
    here.daemon.start()
    assert here.caller.wait_state(sid) == "failed"
    assert "nobody holds the connection" in here.caller.session_get(sid, "Reason")
