# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl with the real service, measuring for a second or two."""
import json
import os
import signal
import subprocess
import time

import pytest

from client import environment, run
from lrtbf import CTL, wait_for

PLAN = """description = "for tests";
instrument = "timer";
duration = "1s";
interval = "1ms";
policy = "other";
"""


@pytest.fixture
def service(make_daemon):
    daemon = make_daemon()
    daemon.plan("short", PLAN)
    daemon.plan("long", PLAN.replace('"1s"', '"60s"'))
    return daemon.start()


def test_from_start_to_delete(bus, service):
    assert run(bus, "session", "report").returncode == 1  # there is none yet
    result = run(bus, "session", "start", "short", "--label=a \"b\"")
    assert (result.returncode, result.stderr) == (0, "")
    sid = result.stdout.strip()
    assert run(bus, "session", "watch", sid).returncode in (0, 3)
    shown = json.loads(run(bus, "session", "show", sid, "--json").stdout)
    assert (shown["id"], shown["state"], shown["label"]) == (sid, "done", 'a "b"')
    listed = json.loads(run(bus, "session", "list", "--json", "--plan=short", "--since=1h").stdout)
    assert [s["id"] for s in listed] == [sid]
    assert listed[0]["summary"]["count"] > 0 and listed[0]["summary"]["max_ns"] > 0
    text = run(bus, "session", "list").stdout
    assert sid in text and 'a "b"' in text
    assert run(bus, "session", "list", "--state=failed").stdout == ""
    report = json.loads(run(bus, "session", "report", "last:short", "--json").stdout)
    assert report["format"] == "lrtbf-report" and report["session"]["id"] == sid
    # the list's element is the report's, but for what is only in the report
    del report["session"]["plan_text"]
    report["session"]["summary"]["blocks"] = None
    assert listed[0] == report["session"]
    refused = run(bus, "session", "delete", "last")
    assert refused.returncode == 1 and refused.stderr
    assert run(bus, "session", "delete", sid).returncode == 0
    assert run(bus, "session", "report", sid).returncode == 1
    assert json.loads(run(bus, "session", "list", "--json").stdout) == []


def test_wait_prints_the_report_only(bus, service):
    result = run(bus, "session", "start", "short", "--wait", "--json")
    assert result.returncode in (0, 3) and result.stderr == ""
    assert json.loads(result.stdout)["session"]["state"] == "done"
    result = run(bus, "session", "start", "short", "--wait")
    assert result.returncode in (0, 3) and result.stderr == ""
    assert "short" in result.stdout and "\033" not in result.stdout


def test_limits_set_the_exit_status(bus, service):
    result = run(bus, "session", "start", "short", "--limit=max <= 1h", "--limit=max <= 1ns", "--wait",
                 "--json")
    assert result.returncode == 2
    report = json.loads(result.stdout)
    assert report["session"]["verdict"] == "fail"
    assert [l["broken"] for l in report["stages"][0]["limits"]] == [False, True]
    assert run(bus, "status", "--plan=short", "--max-age=1h").returncode == 2
    assert run(bus, "session", "report").returncode == 0  # says nothing of the verdict
    time.sleep(1.1)
    assert run(bus, "status", "--plan=short", "--max-age=1s").returncode == 3
    assert run(bus, "status", "--plan=long", "--max-age=1h").returncode == 3
    assert run(bus, "status").returncode == 0


def test_formats(bus, service, folder):
    sid = run(bus, "session", "start", "short").stdout.strip()
    run(bus, "session", "watch", sid)
    for form in ("text", "json", "csv", "cyclictest", "cyclictest-json"):
        printed = run(bus, "session", "report", sid, f"--format={form}")
        assert printed.returncode == 0 and printed.stdout, form
        path = os.path.join(folder, f"report.{form}")
        assert run(bus, "session", "report", sid, f"--format={form}", "-o", path).returncode == 0
        assert open(path).read() == printed.stdout
        if form.endswith("json"):
            json.loads(printed.stdout)
    result = run(bus, "session", "report", sid, "--format=pdf")
    assert result.returncode == 1 and "pdf" in result.stderr
    both = json.loads(run(bus, "session", "report", sid, "last", "--json").stdout)
    assert [r["session"]["id"] for r in both] == [sid, sid]


@pytest.mark.parametrize("args", [
    ["nope"], ["short", "--duration=0s"], ["short", "--duration=ever"], ["short", "--interval=0"],
    ["short", "--priority=100", "--policy=fifo"], ["short", "--policy=fiffo"], ["short", "--cpus=99999"],
    ["short", "--load=nope"], ["short", "--limit=max"], ["short", "--limit="],
    ["short", "--limit=", "--limit=max <= 1h"], ["short", "--limit=max <= 1h", "--limit="], ["../quick"], [""], ["x" * 100000],
])
def test_bad_wishes_are_refused(bus, service, args):
    for wait in ([], ["--wait"]):
        result = run(bus, "session", "start", *args, *wait)
        assert (result.returncode, result.stdout) == (1, ""), args
        assert len(result.stderr) > 20
        assert ".conf" not in result.stderr  # the wish is wrong, no file is
    assert json.loads(run(bus, "session", "list", "--json").stdout) == []


@pytest.mark.parametrize("name", ["", "s1", "../../x", "s1/../s2", "last:nope", "last:", "x" * 100000, "ü", "-"])
def test_bad_ids_are_refused(bus, service, name):
    for verb in ("show", "report", "watch", "stop", "delete"):
        result = run(bus, "session", verb, "--", name)
        assert (result.returncode, result.stdout) == (1, ""), verb
        assert result.stderr.startswith("lrtbfctl: ")


def test_stop_and_queue(bus, service):
    assert run(bus, "session", "stop").returncode == 1
    assert run(bus, "session", "watch").returncode == 1
    first = run(bus, "session", "start", "long").stdout.strip()
    second = run(bus, "session", "start", "long").stdout.strip()
    result = run(bus, "session", "start", "long", "--no-queue")
    assert result.returncode == 1 and first in result.stderr
    assert "position 1" in run(bus, "session", "show", second).stdout
    status = json.loads(run(bus, "status", "--json").stdout)
    assert (status["active"]["id"], status["queue_length"]) == (first, 1)
    assert run(bus, "session", "stop", second).returncode == 0
    assert json.loads(run(bus, "session", "show", second, "--json").stdout)["state"] == "stopped"
    assert run(bus, "session", "report", first).returncode == 0  # while it runs
    assert run(bus, "session", "delete", first).returncode == 1
    assert run(bus, "session", "stop").returncode == 0
    assert json.loads(run(bus, "session", "show", first, "--json").stdout)["state"] == "stopped"
    assert run(bus, "session", "stop", first).returncode == 0  # a second time is harmless
    assert run(bus, "session", "watch", first).returncode == 6


def test_live_line(bus, service, terminal):
    t = terminal("session", "start", "short", "--duration=3s", "--wait")
    t.until(r"CPU +count +min +act +avg +max")
    t.until(r"\n +0 +[1-9]\d* +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d\r")
    assert t.wait() in (0, 3)
    assert "running, stage" not in "\n".join(t.screen())
    assert "short" in "\n".join(t.screen())


def test_interrupt(bus, service, terminal):
    t = terminal("session", "start", "long", "--wait")
    t.until("CPU")
    began = time.monotonic()
    t.press("\x03")
    assert t.wait() == 6
    assert time.monotonic() - began < 10
    assert "stopped" in "\n".join(t.screen())
    assert json.loads(run(bus, "session", "show", "last", "--json").stdout)["state"] == "stopped"


def test_interrupt_with_pipes(bus, service):
    """As in a script: SIGINT, the report on stdout."""
    process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "session", "start", "long", "--wait",
                                "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment())
    active = lambda: json.loads(run(bus, "status", "--json").stdout)["active"]
    wait_for(lambda: (active() or {}).get("state") == "running")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 6
    assert json.loads(out)["session"]["state"] == "stopped"


def test_closed_terminal_ends_nothing(bus, service, terminal):
    t = terminal("session", "start", "long", "--wait")
    t.until("CPU")
    t.close()
    t.wait()
    time.sleep(0.5)
    assert json.loads(run(bus, "status", "--json").stdout)["active"]["state"] == "running"
    assert run(bus, "session", "stop").returncode == 0


def test_killed_service(bus, service):
    process = subprocess.Popen([str(CTL), f"--bus={bus.address}", "session", "start", "long", "--wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment())
    active = lambda: json.loads(run(bus, "status", "--json").stdout)["active"]
    sid = wait_for(lambda: (active() or {}).get("state") == "running" and active()["id"])
    time.sleep(1)
    service.kill()
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (5, "")
    assert sid in err
    assert run(bus, "status").returncode == 5
    service.start()
    assert run(bus, "session", "watch", sid).returncode == 6
    report = json.loads(run(bus, "session", "report", sid, "--json").stdout)
    assert report["session"]["state"] == "interrupted"
    assert report["stages"][0]["all"]["count"] > 0
    assert run(bus, "status", "--plan=long", "--max-age=1h").returncode == 6


def test_plans(bus, service, folder):
    plans = json.loads(run(bus, "plan", "list", "--json").stdout)
    assert {"quick", "timer", "cpuloop", "hell", "soak", "netnice", "ktimer", "kernels", "parport_loopback",
            "parport_logger", "parport_target", "short"} <= {p["name"] for p in plans}
    assert all(p["valid"] for p in plans), [p["problems"] for p in plans if not p["valid"]]
    assert run(bus, "plan", "check").returncode == 0
    assert run(bus, "plan", "show", "short").stdout == PLAN
    result = run(bus, "plan", "show", "shrot")
    assert result.returncode == 1 and "'short'" in result.stderr
    text = run(bus, "plan", "list").stdout
    assert "1s" in text and "1ms" in text
    bad = os.path.join(folder, "bad.conf")
    open(bad, "w").write(PLAN + 'intervall = "1ms";\n')
    result = run(bus, "plan", "check", bad, "quick")
    assert result.returncode == 1 and result.stdout.startswith(f"{bad}:6: ")
    assert "intervall" in result.stdout
    good = os.path.join(folder, "good.conf")
    open(good, "w").write(PLAN)
    assert run(bus, "plan", "check", good).returncode == 0
    assert run(bus, "plan", "check", "-", input="}").returncode == 1


def test_check(bus, service):
    result = run(bus, "check", "--json")
    findings = json.loads(result.stdout)
    assert result.returncode == (3 if any(f["inconclusive"] for f in findings) else 0)
    for finding in findings:
        assert finding["id"] and finding["text"] and finding["mend"]
        assert finding["id"] in run(bus, "check").stdout


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "de_DE.UTF-8"])
def test_numbers_in_any_locale(bus, service, locale):
    env = {"LC_ALL": locale}
    result = run(bus, "session", "start", "short", "--duration=0.5s", "--wait", "--json", env=env)
    assert result.returncode in (0, 3)
    assert json.loads(result.stdout)["session"]["duration_ns"] < 2 * 10**9
    text = run(bus, "session", "report", env=env).stdout
    if locale == "C":
        assert text.isascii()
