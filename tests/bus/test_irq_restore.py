# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd --restore, and what the policy of interrupts does at a start, a reload and without rights: on this
machine's own interrupt threads."""
import fcntl
import os
import re
import shutil
import subprocess

import pytest

from kthreads import begin, chrt, rules, state
from lrtbf import LRTBFD, MANAGER, wait_for

RULE = 'rules = ( {{ name = "ours"; match = {{ irq = {irq}; }}; policy = "{policy}"; {more} }} );\n'


def irq_of(tid):
    with open(f"/proc/{tid}/comm") as file:
        return re.match(r"irq/(\d+)-", file.read())[1]


def rr(tid, priority=33):
    return RULE.format(irq=irq_of(tid), policy="rr", more=f"priority = {priority}; nice = 7;")


def restore(daemon, *args):
    return subprocess.run([LRTBFD, "--restore", f"--runtime-dir={daemon.runtime}", *args], capture_output=True,
                          text=True, check=False)


@pytest.fixture
def killed(irq_threads, make_daemon, caller):
    """A daemon that was killed and has left its values; the thread's state from before it."""
    before = state(irq_threads[0])
    daemon = begin(rules(make_daemon(), net=rr(irq_threads[0])), caller)
    assert state(irq_threads[0]) == ("rr", 33, 7)
    daemon.kill()
    return daemon, before


@pytest.mark.root
def test_puts_back_and_says_so(irq_threads, killed):
    daemon, before = killed
    assert state(irq_threads[0]) == ("rr", 33, 7)
    first = restore(daemon)
    assert first.returncode == 0 and not first.stderr
    assert state(irq_threads[0]) == before
    assert f"(thread {irq_threads[0]}): put back to {before[0]} {before[1]} from rr 33." in first.stdout
    assert len(first.stdout.splitlines()) == 2
    again = restore(daemon)
    assert (again.returncode, again.stdout) == (0, "There is nothing to put back.\n")


@pytest.mark.root
def test_leaves_alone_what_somebody_else_has_set(irq_threads, killed):
    daemon, before = killed
    subprocess.run(["chrt", "-f", "-p", "12", str(irq_threads[0])], check=True)
    done = restore(daemon)
    assert done.returncode == 0
    assert "fifo 12 instead of rr 33" in done.stdout
    assert state(irq_threads[0]) == ("fifo", 12, before[2])


@pytest.mark.root
def test_not_while_a_daemon_runs(irq_threads, make_daemon, caller):
    daemon = begin(rules(make_daemon(), net=rr(irq_threads[0])), caller)
    refused = restore(daemon)
    assert refused.returncode == 1
    assert "Another lrtbfd uses the folder" in refused.stderr
    assert chrt(irq_threads[0]) == ("rr", 33)


@pytest.mark.root
def test_without_the_right(irq_threads, killed, folder):
    """An ordinary user has no journal there to believe; his own folder's is empty."""
    daemon, _ = killed
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LRTBFD, "--restore",
                           f"--runtime-dir={daemon.runtime}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr
    assert chrt(irq_threads[0]) == ("rr", 33)


@pytest.mark.root
def test_rights_taken_away(irq_threads, killed):
    """Its journal is read, and nothing of it can be put back: said, status 1, and kept for the next time."""
    daemon, before = killed
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed here")
    done = subprocess.run(["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", LRTBFD, "--restore",
                           f"--runtime-dir={daemon.runtime}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "CAP_SYS_NICE" in done.stdout
    assert chrt(irq_threads[0]) == ("rr", 33)
    assert restore(daemon).returncode == 0
    assert state(irq_threads[0]) == before


def test_nothing_there(make_daemon, folder):
    done = restore(make_daemon("never-started"))
    assert (done.returncode, done.stdout) == (0, "There is nothing to put back.\n")


@pytest.mark.parametrize("what", ["link", "link to nowhere", "fifo", "folder", "somebody's", "too big"])
def test_no_journal_in_its_place(make_daemon, what):
    """Said, and never taken for nothing to put back."""
    daemon = make_daemon()
    daemon.runtime.mkdir(parents=True)
    journal = daemon.runtime / "tuning"
    if what == "link":
        (daemon.folder / "other").touch()
    if what.startswith("link"):
        journal.symlink_to(daemon.folder / "other")
    elif what == "fifo":
        os.mkfifo(journal)
    elif what == "folder":
        journal.mkdir()
    else:
        journal.touch(0o600)
        os.truncate(journal, 1 << 40 if what == "too big" else 0)
        journal.chmod(0o666 if what == "somebody's" else 0o600)
    done = restore(daemon)
    assert done.returncode == 1
    assert str(journal) in done.stderr + done.stdout


@pytest.mark.root
def test_journal_of_another_boot(irq_threads, killed, make_daemon, caller):
    daemon, _ = killed
    journal = daemon.runtime / "tuning"
    with open("/proc/sys/kernel/random/boot_id") as file:
        text = journal.read_text().replace(file.read().strip(), "00000000-0000-4000-8000-000000000000")
    journal.write_text(text)
    done = restore(daemon)
    assert chrt(irq_threads[0]) == ("rr", 33)
    # a boot id that was edited is damage, and damage is said
    assert "journal" in done.stdout


@pytest.mark.root
def test_reload_by_signal(irq_threads, make_daemon, caller):
    tid = irq_threads[0]
    before = state(tid)
    daemon = begin(rules(make_daemon(), net=rr(tid)), caller)
    rules(daemon, net=rr(tid, 34))
    daemon.process.send_signal(1)
    wait_for(lambda: chrt(tid) == ("rr", 34), what="the new rule")
    rules(daemon)
    daemon.process.send_signal(1)
    wait_for(lambda: state(tid) == before, what="what was before")
    assert caller.get(MANAGER, "Manager", "IrqWatching") == "off"


def calls_that_set(trace):
    return [line for line in trace.splitlines()
            if re.search(r"sched_setattr|sched_setscheduler|setpriority|sched_setaffinity|sched_setparam", line)]


@pytest.mark.root
def test_a_second_apply_sets_nothing(irq_threads, make_daemon, caller, folder):
    if not shutil.which("strace"):
        pytest.skip("strace is not installed here")
    daemon = begin(rules(make_daemon(), net=rr(irq_threads[0])), caller)
    log = f"{folder}/strace"
    tracer = subprocess.Popen(["strace", "-qq", "-o", log, "-p", str(daemon.process.pid)])
    try:
        wait_for(lambda: "TracerPid:\t0" not in open(f"/proc/{daemon.process.pid}/status").read(), what="strace")
        changes = caller.manager("ApplyIrqPolicy", "a{sv}", {})
        subprocess.run(["chrt", "-f", "-p", "12", str(irq_threads[0])], check=True)
        drifted = caller.manager("ApplyIrqPolicy", "a{sv}", {})
    finally:
        tracer.terminate()
        tracer.wait()
    assert [c for c in changes if c["outcome"][1] in ("set", "put-back")] == []
    assert [c["attribute"][1] for c in drifted if c["outcome"][1] == "set"] == ["policy"]
    with open(log) as file:
        assert len(calls_that_set(file.read())) == 1  # of the second


def test_refused_once_in_the_log(irq_threads, make_daemon, caller):
    """Without CAP_SYS_NICE: a sentence at the start, not one at every look."""
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed here")
    before = state(irq_threads[0])
    daemon = rules(make_daemon(prefix=("setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice")),
                   net=rr(irq_threads[0]))
    begin(daemon, caller)
    lines = [line for line in daemon.log().splitlines() if "CAP_SYS_NICE" in line]
    assert len(lines) == 2  # policy and nice
    changes = caller.manager("ApplyIrqPolicy", "a{sv}", {})
    assert [c["outcome"][1] for c in changes if c.get("attribute")] == ["refused", "refused"]
    assert len([line for line in daemon.log().splitlines() if "CAP_SYS_NICE" in line]) == 2
    assert state(irq_threads[0]) == before


def test_never_in_force_is_said(make_daemon, caller):
    daemon = rules(make_daemon(),
                   a='rules = ( { name = "never"; match = { kthread = "migration/*"; }; policy = "other"; } );\n')
    begin(daemon, caller)
    assert "migration, cpuhp and watchdog threads are never touched" in daemon.log()


def take_place_of(journal, what):
    """Something else where the journal has to be; a function that takes it away."""
    if what == "link":
        journal.symlink_to(journal.parent / "elsewhere")
        return journal.unlink
    file = open(journal, "w")  # closed by the one who mends
    os.fchmod(file.fileno(), 0o600)
    fcntl.lockf(file, fcntl.LOCK_EX)
    return file.close


@pytest.mark.root
@pytest.mark.parametrize("what, says", [("link", "is a symbolic link"), ("lock", "Another process has the journal")])
def test_starts_without_its_journal(irq_threads, make_daemon, caller, what, says):
    """It measures and answers, says loudly why nothing is set, and sets it once that is mended."""
    tid = irq_threads[0]
    before = state(tid)
    daemon = rules(make_daemon(), net=rr(tid))
    daemon.runtime.mkdir()
    mend = take_place_of(daemon.runtime / "tuning", what)
    begin(daemon, caller)
    assert len([line for line in daemon.log().splitlines() if says in line]) == 1
    assert caller.get(MANAGER, "Manager", "IrqWatching").startswith("off: ")
    changes = caller.manager("ApplyIrqPolicy", "a{sv}", {})
    assert {c["outcome"][1] for c in changes if c.get("tid", (0, 0))[1] == tid} == {"would"}
    assert [says in c["message"][1] for c in changes if c["outcome"][1] == "refused"] == [True]
    assert state(tid) == before
    assert not (daemon.runtime / "elsewhere").exists()
    mend()
    caller.manager("Reload", "a{sv}", {})
    assert chrt(tid) == ("rr", 33)
    assert daemon.stop() == 0
    assert state(tid) == before
