# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl against a service that answers as it likes: errors, gaps, odd moments."""
import json
import os
import shutil
import stat
import subprocess
import time

import pytest

from client import environment, run
from fake import PATH, Refuse, SID, refuse
from lrtbf import CTL, wait_for

NO_AUTO_START, INTERACTIVE = 2, 4


# --- exit status ---

@pytest.mark.parametrize("args, status", [
    ((), 64), (("sesion",), 64), (("session",), 64), (("session", "strat"), 64),
    (("session", "start"), 64), (("session", "start", "a", "b"), 64), (("--frob", "status"), 64),
    (("session", "start", "q", "--duration"), 64), (("session", "list", "--wait"), 64),
    (("session", "list", "--since=soon"), 64), (("session", "list", "--limit=0"), 64),
    (("session", "list", "--limit=x"), 64), (("status", "--max-age=26h"), 64),
    (("status", "--plan=p", "--max-age=26"), 64), (("--json", "session", "report", "--format=csv"), 64),
    (("--system", "--user", "status"), 64), (("--help",), 0), (("--version",), 0),
    (("session", "start", "--help"), 0), (("session", "list"), 5), (("status",), 5),
    (("session", "start", "quick"), 5), (("session", "start", "quick", "--wait"), 5),
])
def test_status_without_service(bus, args, status):
    result = run(bus, *args)
    assert result.returncode == status
    if status == 64:
        assert "lrtbfctl: " in result.stderr and "--help" in result.stderr
    if status:
        assert result.stdout == ""


def test_no_bus(folder):
    for address in (f"unix:path={folder}/none", "tcp:host=127.0.0.1,port=1"):
        result = run(None, f"--bus={address}", "session", "list")
        assert result.returncode == 5
        assert "No message bus" in result.stderr or "does not answer" in result.stderr
    assert run(None, "--bus=:", "status").returncode in (5, 64)
    result = run(None, "status", env={"LRTBF_BUS": f"unix:path={folder}/none"})
    assert result.returncode == 5 and f"{folder}/none" in result.stderr


@pytest.mark.parametrize("name, status", [
    ("NotAuthorized", 4), ("org.freedesktop.DBus.Error.AccessDenied", 4),
    ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", 4), ("NotPermitted", 1),
    ("NoSuchPlan", 1), ("InvalidOption", 1), ("Busy", 1), ("QueueFull", 1), ("Failed", 1),
    ("org.freedesktop.DBus.Error.ServiceUnknown", 5),
])
@pytest.mark.parametrize("wait", [[], ["--wait"]])
def test_status_of_errors(bus, serve, name, status, wait):
    serve(StartSession=refuse(name, "The sentence."))
    result = run(bus, "session", "start", "quick", *wait)
    assert result.returncode == status
    assert result.stdout == ""
    assert "The sentence." in result.stderr


@pytest.mark.parametrize("state, verdict, status", [
    ("done", "pass", 0), ("done", "none", 0), ("done", "fail", 2), ("done", "inconclusive", 3),
    ("failed", "inconclusive", 1), ("stopped", "fail", 6), ("interrupted", "none", 6),
])
def test_status_of_sessions(bus, serve, state, verdict, status):
    fake = serve()
    fake.properties["Session"].update(State=("s", state), Verdict=("s", verdict))
    result = run(bus, "session", "watch", "s1")
    assert result.returncode == status
    assert result.stdout == "the report\n"
    assert run(bus, "session", "report", "s1").returncode == 0
    assert run(bus, "session", "show", "s1").returncode == 0


# --- what is sent ---

def test_start_sends_wishes_as_they_are(bus, serve):
    fake = serve()
    result = run(bus, "session", "start", "hell", "--duration=5s", "--interval", "250us",
                 "--priority=80", "--policy=rr", "--cpus=!0", "--load=hd", "--label=a \"b\" c",
                 "--warm-up=1s", "--break=1ms", "--dma-latency=2us", "--limit=max <= 100us",
                 "--limit=p99 <= 50us", "--no-queue")
    assert (result.returncode, result.stdout, result.stderr) == (0, SID + "\n", "")
    assert fake.called("StartSession") == ("hell", {
        "duration": ("s", "5s"), "interval": ("s", "250us"), "priority": ("s", "80"),
        "policy": ("s", "rr"), "cpus": ("s", "!0"), "load": ("s", "hd"), "label": ("s", 'a "b" c'),
        "warm_up": ("s", "1s"), "break": ("s", "1ms"), "dma_latency": ("s", "2us"),
        "limit": ("s", "max <= 100us; p99 <= 50us"), "queue": ("b", False)})


def test_start_json(bus, serve):
    serve()
    result = run(bus, "session", "start", "quick", "--json")
    assert json.loads(result.stdout) == {"id": SID, "path": PATH}


def test_asks_for_password_unless_told_not_to(bus, serve):
    fake = serve()
    run(bus, "session", "start", "quick")
    assert fake.calls[-1][2] & INTERACTIVE
    run(bus, "session", "start", "quick", "--no-ask-password")
    assert not fake.calls[-1][2] & INTERACTIVE


def test_status_never_starts(bus, serve):
    fake = serve()
    run(bus, "status")
    run(bus, "status", "--plan=p")
    assert fake.calls and all(flags & NO_AUTO_START for _, _, flags in fake.calls)


def test_not_utf8_is_refused_here(bus, serve):
    fake = serve()
    for args in (["start", b"\xff"], ["start", "q", b"--label=\xff"], ["show", b"\xff"],
                 ["report", b"--format=\xff"], ["delete", b"\xff"], ["list", b"--plan=\xff"]):
        command = [str(CTL), f"--bus={bus.address}", "session", *args]
        result = subprocess.run(command, capture_output=True, env=environment(), timeout=20)
        assert result.returncode == 1
        assert b"UTF-8" in result.stderr
    assert "StartSession" not in [c[0] for c in fake.calls]


def test_delete_goes_on_after_one_that_cannot_be(bus, serve):
    def delete(sid, options):
        if sid == "b":
            raise Refuse("NotFinished", "It runs.")
        return "", ()

    fake = serve(DeleteSession=delete)
    result = run(bus, "session", "delete", "a", "b", "c")
    assert result.returncode == 1 and "It runs." in result.stderr
    assert [c[1][0] for c in fake.calls if c[0] == "DeleteSession"] == ["a", "b", "c"]


# --- replies with gaps ---

def test_empty_replies(bus, serve):
    fake = serve(ListSessions=lambda *a: ("aa{sv}s", ([{}], "")),
                 ListPlans=lambda o: ("aa{sv}", ([{}],)), CheckSystem=lambda o: ("aa{sv}", ([{}],)),
                 CheckPlan=lambda t, o: ("aa{sv}", ([{}],)))
    fake.properties = {"Manager": {}, "Session": {}}
    for args in (["session", "list"], ["session", "show"], ["session", "report"], ["plan", "list"],
                 ["check"], ["status"], ["status", "--plan=p"]):
        for json_option in ([], ["--json"]):
            result = run(bus, *args, *json_option)
            assert result.returncode in (0, 3, 6), (args, result.stderr)
            assert "assert" not in result.stderr.lower()
            if json_option and "report" not in args:
                json.loads(result.stdout)
    assert run(bus, "session", "stop").returncode == 1
    assert run(bus, "plan", "show", "x").returncode == 1
    assert run(bus, "plan", "check", "/dev/null").returncode == 1


@pytest.mark.parametrize("member, args, reply", [
    ("ListSessions", ["session", "list"], ("s", ("x",))),
    ("ListPlans", ["plan", "list"], ("u", (7,))),
    ("GetSession", ["session", "show", "last"], ("u", (7,))),
    ("GetSession", ["session", "report"], ("", ())),
    ("GetAll", ["session", "show", "last"], ("as", (["x"],))),
    ("GetAll", ["status"], ("", ())),
    ("CheckSystem", ["check"], ("", ())),
    ("StartSession", ["session", "start", "p"], ("", ())),
    ("StartSession", ["session", "start", "p", "--wait"], ("", ())),
    ("OpenReport", ["session", "report"], ("s", ("x",))),
])
def test_other_types_are_no_crash(bus, serve, member, args, reply):
    serve(**{member: lambda *a: reply})
    result = run(bus, *args)
    assert result.returncode in (0, 1, 6)
    assert "assert" not in result.stderr.lower()


def test_list_json_is_complete(bus, serve):
    session = {"id": ("s", SID), "started_usec": ("t", 1796004000000000), "label": ("s", "a\"b"),
               "summary": ("a{sv}", {"count": ("t", 2**64 - 1), "avg_ns": ("d", 12.345)})}
    serve(ListSessions=lambda *a: ("aa{sv}s", ([session], "")))
    result = json.loads(run(bus, "session", "list", "--json").stdout)
    assert len(result) == 1
    for key in ("id", "plan", "label", "state", "verdict", "reason", "instrument", "method",
                "started_usec", "duration_ns", "interval_ns", "summary"):
        assert key in result[0]
    assert result[0]["plan"] is None and result[0]["label"] == 'a"b'
    assert result[0]["summary"]["avg_ns"] == 12.345
    assert result[0]["summary"]["max_ns"] is None
    assert result[0]["summary"]["count"] == 2**63 - 1


def test_list_goes_through_pages(bus, serve):
    def sessions(options, cursor, limit):
        first = int(cursor or 0)
        last = min(first + min(limit, 300), 1000)
        page = [{"id": ("s", f"s{i}"), "plan": ("s", "p")} for i in range(first, last)]
        return "aa{sv}s", (page, str(last) if last < 1000 else "")

    fake = serve(ListSessions=sessions)
    ids = lambda *args: [s["id"] for s in json.loads(run(bus, "session", "list", "--json", *args).stdout)]
    assert ids("--limit=all") == [f"s{i}" for i in range(1000)]
    assert ids() == [f"s{i}" for i in range(100)]
    assert ids("--limit=301") == [f"s{i}" for i in range(301)]
    assert len(run(bus, "session", "list", "--limit=7").stdout.splitlines()) == 8
    run(bus, "session", "list", "--plan=p", "--state=done,failed", "--label=x", "--since=@5")
    assert fake.called("ListSessions")[0] == {
        "plan": ("s", "p"), "state": ("s", "done,failed"), "label": ("s", "x"),
        "since_usec": ("t", 5000000)}


def test_list_ends_when_pages_are_empty_for_ever(bus, serve):
    serve(ListSessions=lambda *a: ("aa{sv}s", ([], "again")))
    result = run(bus, "session", "list", "--limit=all", timeout=10)
    assert result.returncode == 0


def test_foreign_text_cannot_steer_the_terminal(bus, serve):
    evil = "\x1b[2Jx\x9by\u202ez"
    session = {"id": ("s", SID), "label": ("s", evil), "reason": ("s", evil)}
    fake = serve(ListSessions=lambda *a: ("aa{sv}s", ([session], "")),
                 StartSession=refuse("Failed", evil))
    fake.properties["Session"].update(Label=("s", evil), Warnings=("as", [evil]))
    for args in (["session", "list"], ["session", "show"], ["status"], ["session", "start", "q"]):
        result = run(bus, *args)
        shown = result.stdout + result.stderr
        assert "?[2Jx?y?z" in shown
        assert not set(evil) & set("\x1b\x9b\u202e") & set(shown)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "de_DE.UTF-8", "nonsense"])
def test_locale_changes_characters_only(bus, serve, locale):
    session = {"id": ("s", SID), "label": ("s", "grün"),
               "summary": ("a{sv}", {"max_ns": ("t", 12345), "avg_ns": ("d", 1.5)})}
    fake = serve(ListSessions=lambda *a: ("aa{sv}s", ([session], "")))
    text = run(bus, "session", "list", env={"LC_ALL": locale}).stdout
    assert "12.3 us" in text
    if locale != "de_DE.UTF-8":  # perhaps not there
        assert ("grün" in text) == (locale == "C.UTF-8")
    assert '"avg_ns": 1.5' in run(bus, "session", "list", "--json", env={"LC_ALL": locale}).stdout
    run(bus, "session", "report", env={"LC_ALL": locale})
    if locale != "de_DE.UTF-8":
        assert fake.called("OpenReport")[1]["unicode"] == ("b", locale == "C.UTF-8")


# --- following ---

def test_wait_when_session_ends_before_the_answer(bus, serve):
    """All signals are out before StartSession is answered: the properties tell."""
    def start(plan, options):
        fake.changed(State=("s", "running"), Verdict=("s", ""))
        fake.finished()
        return "so", (SID, PATH)

    fake = serve(StartSession=start)
    result = run(bus, "session", "start", "quick", "--wait", timeout=15)
    assert (result.returncode, result.stdout, result.stderr) == (0, "the report\n", "")


def test_wait_when_session_ends_right_after_the_answer(bus, serve):
    """Between the answer and the reading of the properties."""
    def properties(interface):
        values = dict(fake.properties["Session"])
        fake.finished(verdict="fail")
        return "a{sv}", (values,)

    fake = serve(GetAll=properties)
    fake.properties["Session"].update(State=("s", "running"), Verdict=("s", ""))
    result = run(bus, "session", "start", "quick", "--wait", timeout=15)
    assert (result.returncode, result.stdout) == (2, "the report\n")


def test_wait_without_finished_signal(bus, serve):
    """A state that says it has ended is believed after a while."""
    fake = serve()
    fake.properties["Session"].update(State=("s", "stopped"), Verdict=("s", ""))
    result = run(bus, "session", "watch", "s1", timeout=15)
    assert (result.returncode, result.stdout) == (6, "the report\n")


def test_wait_ignores_other_sessions(bus, serve):
    fake = serve()
    fake.properties["Session"].update(State=("s", "running"), Verdict=("s", ""))
    process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "session", "start", "q", "--wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    wait_for(lambda: any(c[0] == "GetAll" for c in fake.calls))
    fake.signal("/org/lrtbf1", "org.lrtbf1.Manager", "SessionFinished", "soss", "s2",
                "/org/lrtbf1/session/s2", "failed", "none")
    fake.signal("/org/lrtbf1/session/s2", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                "sa{sv}as", "org.lrtbf1.Session", {"State": ("s", "failed"), "Verdict": ("s", "none")}, [])
    fake.signal(PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", "s", "nonsense")
    time.sleep(0.3)
    assert process.poll() is None
    fake.finished()
    out, err = process.communicate(timeout=15)
    assert (process.returncode, out, err) == (0, b"the report\n", b"")


def test_service_goes_away(bus, serve):
    fake = serve()
    fake.properties["Session"].update(State=("s", "running"), Verdict=("s", ""))
    process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "session", "start", "q", "--wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    wait_for(lambda: any(c[0] == "GetAll" for c in fake.calls))
    time.sleep(0.2)
    fake.stop()
    out, err = process.communicate(timeout=15)
    assert process.returncode == 5
    assert b"gone away" in err and SID.encode() in err


def test_bus_goes_away(bus, serve):
    fake = serve()
    fake.properties["Session"].update(State=("s", "running"), Verdict=("s", ""))
    process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "session", "start", "q", "--wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    wait_for(lambda: any(c[0] == "GetAll" for c in fake.calls))
    time.sleep(0.2)
    bus.process.kill()
    out, err = process.communicate(timeout=15)
    assert process.returncode == 5
    assert err.count(b"lrtbfctl:") == 1


def test_stop_refused(bus, serve):
    fake = serve(Stop=refuse("NotAuthorized", "Not yours."))
    fake.properties["Session"].update(State=("s", "running"), Verdict=("s", ""))
    fake.properties["Manager"].update(ActiveSession=("o", PATH))
    result = run(bus, "session", "stop", timeout=15)
    assert result.returncode == 4 and "Not yours." in result.stderr


# --- on a terminal ---

def running(fake, count, maximum=5000):
    cpus = [{"cpu": ("i", n), "count": ("t", count), "min_ns": ("t", 1000), "last_ns": ("t", 2000),
             "avg_ns": ("t", 3000), "max_ns": ("t", maximum)} for n in (0, 3)]
    fake.changed(State=("s", "running"), Verdict=("s", ""), Stage=("s", "none"),
                 Progress=("d", 0.5), Figures=("a{sv}", {"cpus": ("aa{sv}", cpus)}))


def test_live_lines_are_redrawn_in_place(serve, terminal):
    fake = serve()
    fake.properties["Session"].update(State=("s", "queued"), Verdict=("s", ""), QueuePosition=("u", 1))
    t = terminal("session", "start", "quick", "--wait")
    t.until("position 1")
    for n in range(1, 6):
        running(fake, n * 1000, 5000 * n)
        t.until(rf"\b{n}000 ")
    lines = t.screen()
    assert lines[0] == f"{SID}  quick  running, stage none  50 %"
    assert lines[2].split() == ["0", "5000", "1.0", "2.0", "3.0", "25.0"]
    assert lines[3].split()[0] == "3"
    assert lines[4:] == [""]
    t.resize(24, 30)
    t.until(r"min \r\n")
    fake.finished()
    assert t.wait() == 0
    assert "the report" in t.screen()
    assert not any("CPU" in line for line in t.screen())
    options = fake.called("OpenReport")[1]
    assert options == {"unicode": ("b", True), "colour": ("b", True), "width": ("u", 30)}


def test_interrupt_stops_and_reports(serve, terminal):
    def stop(options):
        fake.finished("stopped", "none")
        return "", ()

    fake = serve(Stop=stop)
    running(fake, 1)
    t = terminal("session", "start", "quick", "--wait")
    t.until("CPU")
    t.press("\x03")
    assert t.wait() == 6
    assert "the report" in t.output


def test_second_interrupt_leaves_at_once(serve, terminal):
    fake = serve()
    running(fake, 1)
    t = terminal("session", "start", "quick", "--wait")
    t.until("CPU")
    t.press("\x03")
    wait_for(lambda: any(c[0] == "Stop" for c in fake.calls))
    assert t.status is None
    t.press("\x03")
    assert t.wait(5) == 6
    assert "the report" not in t.output


def test_interrupt_before_the_answer(serve, terminal):
    """Ctrl-C while StartSession is being answered stops the session that comes of it."""
    def start(plan, options):
        t.press("\x03")
        time.sleep(0.3)
        return "so", (SID, PATH)

    def stop(options):
        fake.finished("stopped", "none")
        return "", ()

    fake = serve(StartSession=start, Stop=stop)
    running(fake, 1)
    t = terminal("session", "start", "quick", "--wait")
    assert t.wait() == 6
    assert any(c[0] == "Stop" for c in fake.calls)


def test_watch_interrupt_leaves_the_session(serve, terminal):
    fake = serve()
    running(fake, 1)
    t = terminal("session", "watch", "s1")
    t.until("CPU")
    t.press("\x03")
    assert t.wait(5) == 6
    assert not any(c[0] == "Stop" for c in fake.calls)


def test_closed_terminal_ends_nothing(serve, terminal):
    fake = serve()
    running(fake, 1)
    t = terminal("session", "start", "quick", "--wait")
    t.until("CPU")
    t.close()
    t.wait(5)
    assert not any(c[0] == "Stop" for c in fake.calls)


def test_dumb_terminal_gets_no_escapes(serve, terminal):
    fake = serve()
    running(fake, 1)
    t = terminal("session", "start", "quick", "--wait", env={"TERM": "dumb"})
    wait_for(lambda: any(c[0] == "GetAll" for c in fake.calls))
    fake.finished()
    assert t.wait() == 0
    assert "\033" not in t.output
    assert fake.called("OpenReport")[1]["colour"] == ("b", False)


def test_pager_is_used_and_may_be_left_early(serve, terminal):
    fake = serve()
    fake.report = "line\n" * 100000
    t = terminal("session", "report", "s1", env={"PAGER": "head -n 2; echo paged"})
    assert t.wait(10) == 0
    assert t.output.count("line") == 2 and "paged" in t.output
    t = terminal("session", "report", "s1", "--no-pager", env={"PAGER": "echo paged"})
    assert t.wait(10) == 0
    assert "paged" not in t.output
    t = terminal("session", "report", "s1", env={"PAGER": "/nonexistent/pager"})
    assert t.wait(10) == 0
    assert t.output.count("line") == 100000


@pytest.mark.root
def test_password_agent_is_there_while_something_changes(serve, terminal, folder, bus):
    if os.geteuid():
        pytest.skip("needs root to become another user")
    log = os.path.join(folder, "agent.log")
    open(log, "w").close()
    os.chmod(log, 0o666)
    agent = os.path.join(folder, "pkttyagent")
    with open(agent, "w") as script:
        # ready after a while; says so before StartSession is called
        script.write(f"""#!/bin/bash
trap 'echo ended >>{log}; exit' TERM
fd=${{1#--notify-fd=}}
sleep 0.3
echo "ready $2" >>{log}
exec {{fd}}>&-
sleep 60 & wait
""")
    os.chmod(agent, 0o755)

    def start(plan, options):
        with open(log, "a") as out:
            out.write("called\n")
        return "so", (SID, PATH)

    serve(StartSession=start)
    # where that user can reach it, wherever the build is
    other = {"env": {"PATH": f"{folder}:{os.environ['PATH']}",
                     "DBUS_SYSTEM_BUS_ADDRESS": bus.address},
             "uid": 65534, "program": shutil.copy(CTL, folder), "where": "--system"}
    assert terminal("session", "start", "quick", **other).wait() == 0
    assert open(log).read().split("\n")[:3] == ["ready --fallback", "called", "ended"]
    open(log, "w").close()
    assert terminal("session", "list", **other).wait() == 0
    assert terminal("session", "start", "quick", "--no-ask-password", **other).wait() == 0
    other["where"] = None  # a private bus has no agent
    assert terminal("session", "start", "quick", **other).wait() == 0
    other.update(where="--system", uid=0)  # root is not asked
    assert terminal("session", "start", "quick", **other).wait() == 0
    assert open(log).read() == "called\n" * 3


# --- reports ---

def test_report_to_file(bus, serve, folder):
    fake = serve()
    path = os.path.join(folder, "report.txt")
    assert run(bus, "session", "report", "s1", "-o", path).returncode == 0
    assert open(path).read() == "the report\n"
    os.chmod(path, 0o640)
    link = os.path.join(folder, "link")
    os.symlink(path, link)
    fake.report = "another\n"
    assert run(bus, "session", "report", "s1", f"--output={link}").returncode == 0
    assert open(path).read() == "another\n" and os.path.islink(link)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    assert sorted(os.listdir(folder)) == ["bus.d", "link", "report.txt"]
    assert "width" not in fake.called("OpenReport")[1]


def test_report_that_fails_leaves_the_file(bus, serve, folder):
    serve(OpenReport=refuse("Failed", "Not to be had."))
    path = os.path.join(folder, "report.txt")
    open(path, "w").write("old")
    assert run(bus, "session", "report", "s1", "-o", path).returncode == 1
    assert open(path).read() == "old"
    result = run(bus, "session", "report", "s1", "-o", os.path.join(folder, "no", "file"))
    assert result.returncode == 1
    assert sorted(os.listdir(folder)) == ["bus.d", "report.txt"]


def test_report_to_devices(bus, serve, folder):
    serve()
    assert run(bus, "session", "report", "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for args in (["-o", "/dev/full"], ["-o", folder], ["-o", ""]):
        result = run(bus, "session", "report", *args)
        assert result.returncode == 1 and "Cannot write" in result.stderr
    assert run(bus, "session", "report", "-o", "-").stdout == "the report\n"


@pytest.mark.root
def test_report_over_the_link_of_another(bus, serve, folder):
    """As the kernel has it for /tmp: a link that another user left there is not followed."""
    serve()
    shared = os.path.join(folder, "shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    target, link = os.path.join(folder, "target"), os.path.join(shared, "r")
    with open(target, "w") as file:
        file.write("precious")
    os.symlink(target, link)
    assert run(bus, "session", "report", "-o", link).returncode == 0
    assert os.path.islink(link) and open(target).read() == "the report\n"
    if os.geteuid():
        pytest.skip("needs root to give a link to another user")
    with open(target, "w") as file:
        file.write("precious")
    os.chown(link, 65534, 65534, follow_symlinks=False)
    result = run(bus, "session", "report", "-o", link)
    assert result.returncode == 1 and "Permission denied" in result.stderr
    assert open(target).read() == "precious" and os.listdir(shared) == ["r"]


@pytest.mark.root
def test_report_to_full_disk(bus, serve, folder):
    if os.geteuid():
        pytest.skip("needs root for a small file system")
    fake = serve()
    fake.report = "x" * 3000000
    small = os.path.join(folder, "small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small]).returncode:
        pytest.skip("mount is not permitted here")
    try:
        result = run(bus, "session", "report", "-o", os.path.join(small, "r"))
        assert result.returncode == 1 and "No space left" in result.stderr
        assert os.listdir(small) == []
    finally:
        subprocess.run(["umount", small], check=True)


def test_output_is_lost(bus, serve):
    serve()
    for args in (["session", "report"], ["session", "list", "--json"], ["--help"],
                 ["session", "start", "quick", "--wait"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run([str(CTL), f"--bus={bus.address}", *args], stdout=full,
                                    stderr=subprocess.PIPE, env=environment(), timeout=20)
        assert result.returncode == 1 and b"No space left" in result.stderr


def test_reader_has_seen_enough(bus, serve):
    fake = serve()
    fake.report = "line\n" * 1000000
    result = subprocess.run(f"{CTL} --bus={bus.address} session report | head -n 1", shell=True,
                            capture_output=True, env=environment(), timeout=20)
    assert (result.stdout, result.stderr) == (b"line\n", b"")


def test_several_reports(bus, serve):
    fake = serve()
    assert run(bus, "session", "report", "a", "b").stdout == "the report\n\nthe report\n"
    fake.report = '{"x": 1}\n'
    assert json.loads(run(bus, "session", "report", "a", "b", "--json").stdout) == [{"x": 1}] * 2
    assert fake.called("OpenReport") == ("json", {})
    assert json.loads(run(bus, "session", "report", "a", "--json").stdout) == {"x": 1}


def test_large_report(bus, serve):
    fake = serve()
    fake.report = "0123456789\n" * 3000000
    result = run(bus, "session", "report")
    assert result.stdout == fake.report


def test_over_ssh(bus, serve, folder):
    """No descriptors travel: the report comes in the reply."""
    fake = serve()
    ssh = os.path.join(folder, "ssh")
    with open(ssh, "w") as script:
        # Its ends are one socket that does not block; cat wants to.
        script.write("#!/bin/sh\n/usr/bin/python3 -c 'import os; os.set_blocking(0, True)'\n"
                     f"cat | systemd-stdio-bridge --bus-path='{bus.address}' | cat\n")
    os.chmod(ssh, 0o755)
    result = subprocess.run([str(CTL), "-H", "user@there", "session", "report"],
                            capture_output=True, text=True, timeout=20,
                            env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    assert (result.returncode, result.stdout, result.stderr) == (0, "the report\n", "")
    assert not any(c[0] == "OpenReport" for c in fake.calls)


# --- plans, checks, status ---

def test_plan_check_of_files(bus, serve, folder):
    def check(text, options):
        problems = [{"file": ("s", ""), "line": ("u", 3), "text": ("s", "Wrong.")}] if "bad" in text else []
        return "aa{sv}", (problems,)

    fake = serve(CheckPlan=check)
    write = lambda name, data: open(os.path.join(folder, name), "wb").write(data) and os.path.join(folder, name)
    good, bad = write("good", b"good"), write("bad.conf", b"bad")
    result = run(bus, "plan", "check", good)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    result = run(bus, "plan", "check", good, bad)
    assert (result.returncode, result.stdout) == (1, f"{bad}:3: Wrong.\n")
    assert json.loads(run(bus, "plan", "check", bad, "--json").stdout) == [
        {"file": bad, "line": 3, "text": "Wrong."}]
    result = run(bus, "plan", "check", "-", input="bad")
    assert (result.returncode, result.stdout) == (1, "<stdin>:3: Wrong.\n")
    fake.calls.clear()
    for data, text in ((b"a\nb\xff", ":2: Not UTF-8."), (b"a\n\n\0", ":3: A zero byte"),
                       (b"x" * 1048577, ": Larger than 1 MiB")):
        result = run(bus, "plan", "check", write("odd", data))
        assert result.returncode == 1 and text in result.stdout
    for path in (folder, folder + "/none"):
        result = run(bus, "plan", "check", path)
        assert result.returncode == 1 and "Cannot read" in result.stderr
    assert run(bus, "plan", "check", "/dev/zero").returncode == 1
    assert not fake.calls  # nothing of this went over the bus


def test_plan_check_of_names(bus, serve):
    problem = {"file": ("s", "/etc/b.conf"), "line": ("u", 2), "text": ("s", "Unknown key.")}
    plans = [{"name": ("s", "a"), "valid": ("b", True), "text": ("s", "instrument = \"timer\";")},
             {"name": ("s", "broken"), "path": ("s", "/etc/b.conf"), "valid": ("b", False),
              "problems": ("aa{sv}", [problem])}]
    serve(ListPlans=lambda o: ("aa{sv}", (plans,)))
    assert run(bus, "plan", "check", "a").returncode == 0
    for args in (["broken"], []):
        result = run(bus, "plan", "check", *args)
        assert (result.returncode, result.stdout) == (1, "/etc/b.conf:2: Unknown key.\n")
    result = run(bus, "plan", "check", "brokn", "broken")
    assert result.returncode == 1
    assert "Did you mean 'broken'" in result.stderr and "Unknown key" in result.stdout
    assert run(bus, "plan", "show", "a").stdout == 'instrument = "timer";\n'
    result = run(bus, "plan", "show", "broken")
    assert result.returncode == 1 and "Unknown key." in result.stderr


def test_check(bus, serve):
    findings = [{"id": ("s", "virtual-machine"), "text": ("s", "Word " * 30), "mend": ("s", "Mend it."),
                 "inconclusive": ("b", False)}]
    serve(CheckSystem=lambda o: ("aa{sv}", (findings,)))
    result = run(bus, "check")
    assert result.returncode == 0 and "virtual-machine" in result.stdout and "Mend it." in result.stdout
    findings.append({**findings[0], "id": ("s", "steal"), "inconclusive": ("b", True)})
    result = run(bus, "check", "--json")
    assert result.returncode == 3
    assert [f["id"] for f in json.loads(result.stdout)] == ["virtual-machine", "steal"]
    findings.clear()
    assert run(bus, "check").returncode == 0


@pytest.mark.parametrize("session, result, status", [
    (None, "missing", 3),
    ({"state": "done", "verdict": "pass", "ago": 3600}, "pass", 0),
    ({"state": "done", "verdict": "none", "ago": 3600}, "none", 0),
    ({"state": "done", "verdict": "fail", "ago": 3600}, "fail", 2),
    ({"state": "done", "verdict": "inconclusive", "ago": 3600}, "inconclusive", 3),
    ({"state": "failed", "verdict": "inconclusive", "ago": 3600}, "failed", 1),
    ({"state": "interrupted", "verdict": "none", "ago": 3600}, "interrupted", 6),
    ({"state": "done", "verdict": "pass", "ago": 7300}, "stale", 3),
    ({"state": "done", "verdict": "fail", "ago": 7300}, "stale", 3),
    ({"state": "done", "verdict": "pass", "ago": -3600}, "pass", 0),  # the clock was set back
    ({"state": "done", "verdict": "pass", "ago": None}, "stale", 3),  # no time: not to be trusted
])
def test_status_for_monitoring(bus, serve, session, result, status):
    found = []
    if session:
        found = [{"id": ("s", SID), "state": ("s", session["state"]), "verdict": ("s", session["verdict"])}]
        if session["ago"] is not None:
            # a minute of measuring, ended so long ago
            started = int((time.time() - session["ago"] - 60) * 1e6)
            found[0].update(started_usec=("t", started), duration_ns=("t", 60 * 10**9))
    fake = serve(ListSessions=lambda *a: ("aa{sv}s", (found, "")))
    reply = run(bus, "status", "--plan=nightly", "--max-age=2h", "--json")
    assert reply.returncode == status
    assert json.loads(reply.stdout)["result"] == result
    assert fake.called("ListSessions")[0]["plan"] == ("s", "nightly")
    assert "skipped" not in fake.called("ListSessions")[0]["state"][1]
    reply = run(bus, "status", "--plan=nightly", "--max-age=2h")
    assert reply.returncode == status and f"nightly: {result}" in reply.stdout
    if result == "stale" and session["ago"]:
        assert run(bus, "status", "--plan=nightly").returncode != 3


def test_status_tells_trouble(bus, serve):
    fake = serve()
    reply = run(bus, "status")
    assert reply.returncode == 0 and "9.9" in reply.stdout and "PREEMPT_RT" in reply.stdout
    fake.properties["Manager"].update(Trouble=("s", "The disk is full."), ActiveSession=("o", PATH))
    fake.properties["Session"].update(State=("s", "running"), Progress=("d", 0.5), Stage=("s", "hd"))
    reply = run(bus, "status")
    assert reply.returncode == 1
    assert "The disk is full." in reply.stdout and "running, stage hd, 50 %" in reply.stdout
    shape = json.loads(run(bus, "status", "--json").stdout)
    assert shape["active"]["progress"] == 0.5 and shape["last"] is None


def test_reload_says_what_is_wrong_and_where(bus, serve):
    fake = serve(Reload=lambda options: ("aa{sv}", ([],)))
    result = run(bus, "reload")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    wrong = {"file": ("s", "/e/irq.d/10-net.conf"), "line": ("u", 3), "text": ("s", "No \x1b such policy.")}
    fake.handlers["Reload"] = lambda options: ("aa{sv}", ([wrong],))
    result = run(bus, "reload")
    assert result.returncode == 1 and result.stdout.startswith("/e/irq.d/10-net.conf:3: No ")
    assert "\x1b" not in result.stdout
    result = run(bus, "reload", "--json")
    assert result.returncode == 1
    assert [(p["file"], p["line"]) for p in json.loads(result.stdout)] == [("/e/irq.d/10-net.conf", 3)]
