# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon lacks the right to do is refused by name, or measured otherwise and said so."""
import os
import subprocess
from pathlib import Path

import pytest
from jeepney import DBusErrorResponse

ROOT = os.getuid() == 0
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if ROOT else ()
PLAN = """
instrument = "timer"; policy = "fifo"; priority = 70; interval = "1ms"; duration = "1s"; cpus = "0";
%s
"""


def open_to_all(daemon):
    for path in (daemon.state, daemon.runtime):
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o777)
    daemon.folder.chmod(0o777)


def plans(daemon):
    daemon.plan("strict", PLAN % "")
    daemon.plan("lenient", PLAN % 'fallback_policy = "other";')
    return daemon


def refused(caller, plan, name, **options):
    with pytest.raises(DBusErrorResponse) as error:
        caller.start(plan, **options)
    assert error.value.name == f"org.lrtbf1.Error.{name}"
    return error.value.data[0]


def falls_back(caller, daemon):
    """The lenient plan measures with `other`, and the report's first line says so."""
    sid = caller.start("lenient")
    assert caller.wait_state(sid) == "done"
    report = caller.report(sid)
    assert report["stages"][0]["cpus"][0]["policy"] == "other"
    assert report["stages"][0]["all"]["count"] > 500
    first = caller.report(sid, "text").lstrip().splitlines()[0]
    assert "not permitted" in first and "other" in first
    return report


def test_ordinary_user(make_daemon, bus):
    """RLIMIT_RTPRIO 0, no capabilities."""
    daemon = plans(make_daemon(prefix=NOBODY))
    open_to_all(daemon)
    daemon.start()
    caller = bus.connect() if not ROOT else None
    if ROOT:
        caller = bus.connect()
    message = refused(caller, "strict", "NotPermitted")
    assert "CAP_SYS_NICE" in message or "RLIMIT_RTPRIO" in message
    report = falls_back(caller, daemon)
    warnings = {w["id"] for w in report["conditions"]["warnings"]}
    assert "policy-fallback" in warnings
    if ROOT:  # /dev/cpu_dma_latency is root's: a warning, not a refusal
        assert "dma-latency" in warnings or not os.path.exists("/dev/cpu_dma_latency")
    sid = caller.start("strict", policy="other")
    assert caller.wait_state(sid) == "done"
    caller.close()


@pytest.mark.root
def test_no_cap_sys_nice(make_daemon, bus):
    daemon = plans(make_daemon(prefix=("setpriv", "--bounding-set=-sys_nice")))
    daemon.start()
    caller = bus.connect()
    assert "CAP_SYS_NICE" in refused(caller, "strict", "NotPermitted")
    falls_back(caller, daemon)
    caller.close()


@pytest.mark.root
@pytest.mark.memory
def test_no_memlock(make_daemon, bus):
    daemon = make_daemon(prefix=("prlimit", "--memlock=0:0", "setpriv", "--bounding-set=-ipc_lock"))
    daemon.plan("locked", PLAN % "lock_memory = true;")
    daemon.plan("unlocked", PLAN % "lock_memory = false;")
    daemon.start()
    caller = bus.connect()
    message = refused(caller, "locked", "NotPermitted")
    assert "MEMLOCK" in message or "IPC_LOCK" in message
    sid = caller.start("unlocked")
    assert caller.wait_state(sid) == "done"
    assert "memory-unlocked" in {w["id"] for w in caller.report(sid)["conditions"]["warnings"]}
    caller.close()


GROUP = Path("/sys/fs/cgroup/cpu/lrtbf-test-%d" % os.getpid())


@pytest.fixture
def no_budget():
    """A cgroup without a real-time budget (CONFIG_RT_GROUP_SCHED)."""
    if not Path("/sys/fs/cgroup/cpu/cpu.rt_runtime_us").exists():
        pytest.skip("the kernel has no real-time group scheduling")
    GROUP.mkdir()
    assert (GROUP / "cpu.rt_runtime_us").read_text().strip() == "0"
    yield GROUP
    for pid in (GROUP / "cgroup.procs").read_text().split():
        (GROUP.parent / "cgroup.procs").write_text(pid)
    GROUP.rmdir()


@pytest.mark.root
def test_no_rt_group_budget(make_daemon, bus, no_budget):
    daemon = plans(make_daemon(
        prefix=("sh", "-c", f'echo $$ > {no_budget}/cgroup.procs; exec "$@"', "sh")))
    daemon.start()
    caller = bus.connect()
    message = refused(caller, "strict", "NotPermitted")
    assert "rt_runtime_us" in message
    falls_back(caller, daemon)
    caller.close()
    daemon.stop()


@pytest.mark.root
def test_no_dma_latency_file(make_daemon, bus):
    """A container has no /dev/cpu_dma_latency."""
    daemon = make_daemon(prefix=("unshare", "-m", "sh", "-c",
                                 'mount -t tmpfs t /dev && mount -t tmpfs t /dev/shm 2>/dev/null || '
                                 'mkdir /dev/shm; mknod /dev/null c 1 3; mknod /dev/urandom c 1 9; '
                                 'exec "$@"', "sh"))
    daemon.plan("strict", PLAN % "")
    daemon.start()
    caller = bus.connect()
    sid = caller.start("strict")
    assert caller.wait_state(sid) == "done"
    assert "dma-latency" in {w["id"] for w in caller.report(sid)["conditions"]["warnings"]}
    caller.close()


@pytest.mark.skipif(os.cpu_count() < 2, reason="needs two CPUs")
def test_inherited_mask(make_daemon, bus):
    """`all` means the CPUs this daemon may use; another is refused by name before anything starts."""
    daemon = make_daemon(prefix=("taskset", "-c", "0"))
    daemon.plan("every", PLAN.replace('cpus = "0"', 'cpus = "all"').replace("fifo", "other")
                .replace("priority = 70;", "") % "")
    daemon.start()
    caller = bus.connect()
    message = refused(caller, "every", "InvalidOption", cpus="0,1")
    assert "1" in message
    sid = caller.start("every")
    assert caller.wait_state(sid) == "done"
    assert [c["cpu"] for c in caller.report(sid)["stages"][0]["cpus"]] == [0]
    caller.close()


@pytest.mark.root
@pytest.mark.skipif(os.cpu_count() < 2, reason="needs two CPUs")
def test_narrow_cpuset(make_daemon, bus):
    group = Path("/sys/fs/cgroup/cpuset/lrtbf-test-%d" % os.getpid())
    if not Path("/sys/fs/cgroup/cpuset/cpuset.cpus").exists():
        pytest.skip("no cpuset hierarchy of its own here")
    group.mkdir()
    try:
        (group / "cpuset.cpus").write_text("1")
        (group / "cpuset.mems").write_text("0")
        daemon = make_daemon(
            prefix=("sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh"))
        daemon.plan("every", PLAN.replace('cpus = "0"', 'cpus = "all"') % "")
        daemon.start()
        caller = bus.connect()
        assert "0" in refused(caller, "every", "InvalidOption", cpus="0")
        sid = caller.start("every")
        assert caller.wait_state(sid) == "done"
        assert [c["cpu"] for c in caller.report(sid)["stages"][0]["cpus"]] == [1]
        caller.close()
        daemon.stop()
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            (group.parent / "cgroup.procs").write_text(pid)
        group.rmdir()


def switches(pid):
    """Times that any thread of @pid was switched in by its own waiting."""
    total = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith(("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")):
                total += int(line.split()[1])
    return total


@pytest.mark.alone
def test_idle(make_daemon, bus):
    """No wake-up in 10 s and less than 8 MiB, also after a session."""
    import time
    daemon = make_daemon()
    daemon.plan("brief", PLAN.replace("fifo", "other").replace("priority = 70;", "") % "")
    daemon.start()
    caller = bus.connect()
    for _ in range(2):
        time.sleep(1)
        before = switches(daemon.pid)
        time.sleep(10)
        assert switches(daemon.pid) == before
        status = Path(f"/proc/{daemon.pid}/status").read_text()
        rss = int(next(l for l in status.splitlines() if l.startswith("VmRSS")).split()[1])
        print(f"resident: {rss} KiB")
        assert rss < 8 * 1024
        if _ == 0:
            assert caller.wait_state(caller.start("brief")) == "done"
            caller.report(caller.manager("GetSession", "s", "last").rsplit("/", 1)[1], "text")
            time.sleep(2)
    caller.close()


def test_locale_changes_no_number(make_daemon, bus, folder):
    """LC_ALL=de_DE.UTF-8 for daemon and client: the same bytes."""
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], check=False,
                   stderr=subprocess.DEVNULL)
    german = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": folder}
    shown = subprocess.run(["locale", "decimal_point"], capture_output=True, text=True,
                           env={**os.environ, **german})
    assert shown.stdout.strip() == ",", "the locale was not made"
    daemon = make_daemon(env=german)
    daemon.plan("brief", (PLAN % 'limits = ( "max <= 1.5s", "p99.9 <= 0.5s" );')
                .replace("fifo", "other").replace("priority = 70;", ""))
    daemon.start()
    caller = bus.connect()
    sid = caller.start("brief", interval="1.5ms", duration="0.75s")
    assert caller.wait_state(sid) == "done"
    assert caller.report(sid)["session"]["interval_ns"] == 1500000
    # neither 0 nor 75 s; a busy machine ends it late
    assert 700e6 < caller.report(sid)["stages"][0]["duration_ns"] < 10e9
    formats = caller.get("/org/lrtbf1", "Manager", "Formats")
    assert {"text", "json", "csv", "cyclictest", "cyclictest-json"} <= set(formats)
    under_german = {f: caller.report(sid, f) for f in formats if f != "json"}
    client = {f: daemon.ctl("session", "report", sid, f"--format={f}", env={**os.environ, **german})
              for f in formats}
    plain = {f: daemon.ctl("session", "report", sid, f"--format={f}",
                           env={**os.environ, "LC_ALL": "C.UTF-8"}) for f in formats}
    assert daemon.stop() == 0
    daemon.env = {"LC_ALL": "C.UTF-8"}
    daemon.start()
    for f in under_german:
        assert caller.report(sid, f) == under_german[f]
    for f in formats:
        assert client[f].returncode == 0
        assert client[f].stdout == plain[f].stdout
    caller.close()
