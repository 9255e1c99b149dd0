# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes to the journal: a socket in its place, in a mount namespace of the daemon's own. Whatever the catalog
says of an event, the entry has the fields that it names."""
import os
import re
import socket
import sqlite3
import subprocess

import pytest

from kthreads import begin, chrt, rules
from lrtbf import LRTBFD, ROOT, wait_for
from ports import Bed, available, ports, state
from test_irq_restore import rr

pytestmark = pytest.mark.root

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
limits = ( "max <= 1ns", "missed <= 1000000" );
stages = ( { name = "still"; load = "none"; } );
"""
INTO = """
set -e
mount -t tmpfs journal /run
mkdir -p /run/systemd/journal
mount --bind "$1" /run/systemd/journal
shift
exec "$@"
"""


def read_catalog():
    """{id: (subject, the fields that subject and text name)}."""
    entries = re.findall(r"^-- ([0-9a-f]{32})\nSubject: (.*)\n((?:.*\n)*?)(?=-- |\Z)",
                         (ROOT / "units" / "lrtbfd.catalog").read_text(), re.M)
    return {name: (subject, set(re.findall("@([A-Z_]+)@", subject + text))) for name, subject, text in entries}


def read_documented():
    """The fields that the manual has."""
    return set(re.findall(r"^\.B (LRTBF_[A-Z_]+)$", (ROOT / "docs" / "lrtbfd.8").read_text(), re.M))


class Journal:
    def __init__(self, folder):
        self.catalog = read_catalog()
        self.folder = f"{folder}/journal"
        os.mkdir(self.folder)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(f"{self.folder}/socket")
        self.socket.setblocking(False)
        self.entries = []

    def prefix(self):
        return ["unshare", "--mount", "sh", "-c", INTO, "sh", self.folder]

    @staticmethod
    def env(log):
        """Of a process whose standard error is the file @log."""
        with open(log, "ab") as file:
            st = os.fstat(file.fileno())
        return {"JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"}

    def read(self):
        while True:
            try:
                data = self.socket.recv(65536)
            except BlockingIOError:
                return self.entries
            self.entries.append(dict(line.split("=", 1) for line in data.decode().splitlines()))

    def events(self, subject):
        """Entries of the kind whose subject in the catalog has @subject in it."""
        name, = [n for n, (s, _) in self.catalog.items() if subject in s]
        found = [e for e in self.read() if e.get("MESSAGE_ID") == name]
        for e in found:
            assert self.catalog[name][1] <= set(e), e
        return found

    def event(self, subject):
        return wait_for(lambda: self.events(subject), what=f"the event \"{subject}\"")[0]

    def close(self):
        entries = self.read()
        self.socket.close()
        known = read_documented() | {"MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER"}
        for e in entries:  # whatever it was about
            assert set(e) <= known, e
            assert "MESSAGE_ID" not in e or e["MESSAGE_ID"] in self.catalog, e


@pytest.fixture
def journal(folder):
    journal = Journal(folder)
    if subprocess.run([*journal.prefix(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace can be made here")
    yield journal
    journal.close()


@pytest.fixture
def make(make_daemon, journal):
    """make(env={}): an lrtbfd with that journal, not started."""
    def make(env=None):
        daemon = make_daemon(prefix=journal.prefix(), env={})
        daemon.env.update({**(env or {}), **journal.env(daemon.log_path)})
        return daemon
    return make


def restore(daemon):
    with open(daemon.log_path, "ab") as log:
        return subprocess.run([*daemon.prefix, LRTBFD, "--restore", f"--runtime-dir={daemon.runtime}",
                               f"--state-dir={daemon.state}"], env={**os.environ, **daemon.env},
                              stdout=subprocess.PIPE, stderr=log, text=True, check=False)


def test_session(make, journal, caller):
    daemon = make()
    daemon.plan("brief", PLAN % "300ms")
    daemon.start()
    sid = caller.start("brief")
    caller.wait_state(sid)
    ended = journal.event("has ended")
    began, broken = journal.events("has begun"), journal.events("was broken")
    assert len(began) == len(broken) == 1
    assert {e["LRTBF_SESSION"] for e in (ended, *began, *broken)} == {sid}
    assert {e["LRTBF_PLAN"] for e in (ended, *began, *broken)} == {"brief"}
    assert (ended["LRTBF_STATE"], ended["LRTBF_VERDICT"], ended["PRIORITY"]) == ("done", "fail", "6")
    assert "LRTBF_REASON_ID" not in ended
    assert (broken[0]["LRTBF_STAGE"], broken[0]["LRTBF_LIMIT"], broken[0]["PRIORITY"]) == ("still", "max <= 1ns", "4")
    assert broken[0]["LRTBF_CPU"] == "0"
    assert sid in broken[0]["MESSAGE"] and "max <= 1ns is broken" in broken[0]["MESSAGE"]
    assert daemon.log() == ""  # nothing is said twice


def test_session_that_fails(make, journal, caller):
    daemon = make()
    daemon.plan("loaded", PLAN.replace('"none"', '"gone"') % "1s")
    daemon.load("gone", 'command = ( "/bin/false" );\n')
    daemon.start()
    sid = caller.start("loaded")
    caller.wait_state(sid)
    ended = journal.event("has ended")
    assert ended["LRTBF_STATE"] == caller.session_get(sid, "State")
    assert ended.get("LRTBF_REASON_ID", "") == caller.session_get(sid, "ReasonId")


def test_killed(make, journal, caller):
    daemon = make()
    daemon.plan("long", PLAN % "60s")
    daemon.start()
    sid = caller.start("long")
    caller.wait_state(sid, "running")
    wait_for(lambda: caller.report(sid)["stages"][0]["all"]["count"], what="samples")
    daemon.kill()
    done = restore(daemon)
    assert (done.returncode, done.stdout) == (0, "")
    recovered = journal.event("was interrupted")
    assert (recovered["LRTBF_SESSION"], recovered["LRTBF_PLAN"], recovered["LRTBF_STATE"], recovered["PRIORITY"]) == (
        sid, "long", "interrupted", "5")
    assert daemon.log() == ""
    daemon.start()
    assert len(journal.events("was interrupted")) == 1  # not again by the next start


def test_tuning(irq_threads, make, journal, caller):
    tid = irq_threads[0]
    before = chrt(tid)
    daemon = begin(rules(make(), net=rr(tid)), caller)
    subprocess.run(["chrt", "-f", "-p", "12", str(tid)], check=True)
    caller.manager("Reload", "a{sv}", {})
    drift = journal.event("Somebody else has changed")
    assert (drift["LRTBF_TID"], drift["LRTBF_RULE"], drift["PRIORITY"]) == (str(tid), "ours", "5")
    assert drift["LRTBF_NAME"].startswith(f"irq/{drift['LRTBF_IRQ']}-")
    caller.manager("ApplyIrqPolicy", "a{sv}", {})
    daemon.kill()
    assert (restore(daemon).stdout, chrt(tid)) == ("", before)
    restored = journal.event("After a crash")
    assert (restored["LRTBF_TID"], restored["LRTBF_OLD"], restored["PRIORITY"]) == (str(tid), "rr 33", "5")
    assert restored["LRTBF_NEW"] == f"{before[0]} {before[1]}"
    assert "put back" in restored["MESSAGE"]


def test_tuning_put_back_by_the_next_start(irq_threads, make, journal, caller):
    tid = irq_threads[0]
    before = chrt(tid)
    daemon = begin(rules(make(), net=rr(tid)), caller)
    daemon.kill()
    begin(rules(daemon), caller)
    assert chrt(tid) == before
    assert journal.event("After a crash")["LRTBF_TID"] == str(tid)
    assert daemon.stop() == 0
    assert len(journal.events("After a crash")) == 2  # policy and nice
    begin(rules(daemon, net=rr(tid)), caller)
    assert chrt(tid) != before
    assert daemon.stop() == 0
    assert chrt(tid) == before
    assert len(journal.events("After a crash")) == 2  # a clean stop is no crash


@pytest.mark.skipif(not available(), reason="umockdev is not installed")
def test_port(make, journal, caller):
    bed = Bed()
    make(env=bed.env()).start()
    assert ports(caller) == {}
    bed.event("add", *bed.plug())
    wait_for(lambda: state(caller) == "present")
    bed.pull()
    wait_for(lambda: ports(caller) == {})
    lost = journal.event("is gone")
    assert (lost["LRTBF_PORT"], lost["PRIORITY"]) == ("parport0", "6")
    bed.close()


def test_store(make, journal, caller):
    daemon = make()
    daemon.plan("brief", PLAN % "300ms")
    daemon.start()
    with sqlite3.connect(daemon.state / "lrtbfd.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        caller.start("brief")
        trouble = journal.event("cannot be written")
        assert "locked" in trouble["MESSAGE"] and trouble["PRIORITY"] == "3"
        other.execute("ROLLBACK")
    wait_for(lambda: [e for e in journal.read() if e["MESSAGE"] == "Results are written again."], what="the end of it")
