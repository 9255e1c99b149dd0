# SPDX-License-Identifier: GPL-2.0-or-later
"""This machine's kernel threads changed over the bus, by hand and by rules, and put back: what chrt and ps say."""
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from jeepney import DBusAddress, DBusErrorResponse, HeaderFields, MessageType, new_method_call
from kthreads import (FakeRoot, Kept, begin, chrt, kernel_threads, resets_on_fork, restore_thread, rules, set_thread,
                      stat, state, thread_path)
from lrtbf import MANAGER, NAME, plain, wait_for
from others import Listener

pytestmark = pytest.mark.root


@pytest.fixture
def signals(bus):
    return Listener(bus)


@pytest.fixture
def ready(irq_threads, make_daemon, caller):
    return begin(rules(make_daemon()), caller)


def listed(caller, tid):
    return next(t for t in plain(caller.manager("ListThreads", "a{sv}", {})) if t["tid"] == tid)


def policy(caller, method, **options):
    return plain(caller.manager(method, "a{sv}", {k: ("b", v) for k, v in options.items()}))


def short(changes):
    return sorted((c["outcome"], c["tid"], c["attribute"], c["old"], c["new"]) for c in changes)


def rule(tid, text):
    """The text of a file with one rule for the thread's line."""
    irq = stat(tid)[0].split("-")[0].removeprefix("irq/")
    return 'rules = ( { match = { irq = "%s"; }; %s } );' % (irq, text)


def refused(call, *args, **kwargs):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args, **kwargs)
    assert error.value.data[0]
    return error.value.name.removeprefix("org.lrtbf1.Error."), error.value.data[0]


def test_other_nice_19_and_back(irq_threads, ready, caller):
    before = {tid: state(tid) for tid in irq_threads}
    tid = irq_threads[0]
    changes = plain(set_thread(caller, thread_path(tid), policy="other", nice=19))
    assert state(tid) == ("other", 0, 19)
    assert {c["attribute"] for c in changes} == {"policy", "nice"}
    assert all(c["outcome"] == "set" and c["tid"] == tid and c["name"] == stat(tid)[0] for c in changes)
    assert {c["attribute"]: c["new"] for c in changes} == {"policy": "other", "nice": "nice 19"}
    now = listed(caller, tid)
    assert (now["policy"], now["priority"], now["nice"]) == ("other", 0, 19)
    assert str(os.getuid()) in now["rule"] and now["drifted"] is False
    changes = plain(restore_thread(caller, thread_path(tid)))
    assert {c["outcome"] for c in changes} == {"put-back"}
    assert {t: state(t) for t in irq_threads} == before
    assert "rule" not in listed(caller, tid)


def test_rr_33_and_all_back(irq_threads, ready, caller):
    before = {tid: state(tid) for tid in irq_threads}
    for tid in irq_threads:
        assert short(plain(set_thread(caller, thread_path(tid), policy="rr", priority=33))) == \
            [("set", tid, "policy", "fifo 50", "rr 33")]
        assert state(tid) == ("rr", 33, before[tid][2])
    would = policy(caller, "RestoreIrqPolicy", dry_run=True)
    assert {c["tid"] for c in would} == set(irq_threads)
    assert all(state(tid)[:2] == ("rr", 33) for tid in irq_threads)
    assert caller.get(MANAGER, "Manager", "IrqPaused") is False
    done = policy(caller, "RestoreIrqPolicy")
    assert short(done) == [("put-back", tid, "policy", "rr 33", "fifo 50") for tid in irq_threads]
    assert {tid: state(tid) for tid in irq_threads} == before
    assert caller.get(MANAGER, "Manager", "IrqPaused") is True
    assert policy(caller, "RestoreIrqPolicy") == []


def test_any_subset(irq_threads, ready, caller):
    """As chrt and renice: what is not asked for stays."""
    tid, path = irq_threads[0], thread_path(irq_threads[0])
    set_thread(caller, path, priority=44)
    assert state(tid) == ("fifo", 44, 0)
    set_thread(caller, path, nice=-7)
    assert chrt(tid) == ("fifo", 44) and os.getpriority(os.PRIO_PROCESS, tid) == -7
    set_thread(caller, path, policy="rr")
    assert state(tid)[:2] == ("rr", 44)
    set_thread(caller, path, policy="batch")
    assert state(tid) == ("batch", 0, -7)
    set_thread(caller, path, policy="idle")
    assert state(tid)[0] == "idle"
    set_thread(caller, path, policy="fifo", priority=1, reset_on_fork=True)
    assert chrt(tid) == ("fifo", 1) and resets_on_fork(tid)
    set_thread(caller, path, policy="fifo", priority=1)
    assert not resets_on_fork(tid)
    assert plain(set_thread(caller, path, policy="fifo", priority=1)) == []
    restore_thread(caller, path)
    assert state(tid) == ("fifo", 50, 0)


def test_what_is_refused_changes_nothing(irq_threads, ready, caller):
    tid, path = irq_threads[0], thread_path(irq_threads[0])
    before = state(tid)
    for attributes in ({"policy": "fifo", "priority": 0}, {"policy": "other", "priority": 1},
                       {"priority": 0}, {"priority": 100}, {"priority": 2**32 - 1}, {"nice": 20}, {"nice": -21},
                       {"nice": 2**31 - 1}, {"policy": "deadline"}, {"policy": "fifoo"}, {"policy": ""},
                       {"affinity": "0"}, {"nice": 19, "affinity": "0"}, {"nice": 19, "priority": 100}, {},
                       {"reset_on_fork": True}, {"nice": 5, "reset_on_fork": True}):
        name, _ = refused(set_thread, caller, path, **attributes)
        assert name == "InvalidOption", attributes
        assert state(tid) == before, attributes
    for override in ("soft", "softirq,", "softirq;rcu", ",", "x" * 4096):
        assert refused(set_thread, caller, path, override=override, priority=40)[0] == "InvalidOption"
    # it needs a priority, and there is none to keep
    set_thread(caller, path, policy="other")
    assert refused(set_thread, caller, path, policy="fifo")[0] == "InvalidOption"
    assert state(tid)[0] == "other"
    restore_thread(caller, path)
    assert state(tid) == before


def test_somebody_elses_change_is_left_alone(irq_threads, ready, caller):
    tid, path = irq_threads[0], thread_path(irq_threads[0])
    set_thread(caller, path, policy="rr", priority=33)
    subprocess.run(["chrt", "-f", "-p", "70", str(tid)], check=True)
    now = listed(caller, tid)
    assert now["drifted"] is True and "33" in now["drift"] and "70" in now["drift"]
    done = policy(caller, "RestoreIrqPolicy")
    assert [c["outcome"] for c in done] == ["drifted"] and state(tid)[:2] == ("fifo", 70)


def test_a_clean_stop_puts_back(irq_threads, make_daemon, caller):
    before = {tid: state(tid) for tid in irq_threads}
    first, second = irq_threads[0], irq_threads[-1]
    daemon = begin(rules(make_daemon(), net=rule(first, 'policy = "rr"; priority = 33;')), caller)
    assert state(first)[:2] == ("rr", 33)
    if second != first:
        set_thread(caller, thread_path(second), policy="other", nice=19)
    assert daemon.stop() == 0
    assert {tid: state(tid) for tid in irq_threads} == before


def test_killed_and_started_again(irq_threads, make_daemon, caller):
    """What a killed daemon left is put back at the next start, where no rule wants it."""
    before = {tid: state(tid) for tid in irq_threads}
    first, second = irq_threads[0], irq_threads[-1]
    daemon = begin(rules(make_daemon(), net=rule(first, 'policy = "other"; nice = 19;')), caller)
    if second != first:
        set_thread(caller, thread_path(second), policy="rr", priority=33)
    daemon.kill()
    assert state(first) == ("other", 0, 19)
    assert second == first or state(second)[:2] == ("rr", 33)
    begin(rules(daemon), caller)
    assert {tid: state(tid) for tid in irq_threads} == before


def test_killed_with_a_rule_that_stays(irq_threads, make_daemon, caller):
    """The value from before the first life is the one that comes back at the end of the second."""
    tid = irq_threads[0]
    before = state(tid)
    daemon = begin(rules(make_daemon(), net=rule(tid, 'policy = "fifo"; priority = 61;')), caller)
    daemon.kill()
    begin(daemon, caller)
    assert state(tid)[:2] == ("fifo", 61) and listed(caller, tid)["rule"] == "net/1"
    assert daemon.stop() == 0
    assert state(tid) == before


def test_killed_and_changed_by_somebody(irq_threads, make_daemon, caller):
    tid = irq_threads[0]
    daemon = begin(rules(make_daemon(), net=rule(tid, 'policy = "rr"; priority = 33;')), caller)
    daemon.kill()
    subprocess.run(["chrt", "-f", "-p", "70", str(tid)], check=True)
    begin(rules(daemon), caller)
    assert state(tid)[:2] == ("fifo", 70)
    assert stat(tid)[0] in daemon.log()


def test_rules_dry_and_real(irq_threads, make_daemon, caller, signals):
    tid = irq_threads[0]
    before = {t: state(t) for t in irq_threads}
    daemon = begin(rules(make_daemon()), caller)
    assert policy(caller, "ApplyIrqPolicy") == []
    policy(caller, "RestoreIrqPolicy")
    assert caller.get(MANAGER, "Manager", "IrqPaused") is True
    rules(daemon, net=rule(tid, 'policy = "rr"; priority = 33;'))
    assert plain(caller.manager("Reload", "a{sv}", {})) == []
    assert state(tid)[:2] == ("rr", 33) and caller.get(MANAGER, "Manager", "IrqPaused") is False
    assert listed(caller, tid)["rule"] == "net/1"
    event = plain(signals.wait("IrqEvent")[0][1][0])
    assert (event["outcome"], event["tid"], event["by"], event["new"]) == ("set", tid, "net/1", "rr 33")
    # somebody else's value is overruled by an explicit call only
    subprocess.run(["chrt", "-f", "-p", "70", str(tid)], check=True)
    would = policy(caller, "ApplyIrqPolicy", dry_run=True)
    assert short(would) == [("would", tid, "policy", "fifo 70", "rr 33")]
    assert would[0]["by"] == "net/1" and would[0]["file"].endswith("net.conf") and would[0]["line"] == 1
    assert state(tid)[:2] == ("fifo", 70)
    assert short(policy(caller, "ApplyIrqPolicy")) == [("set", tid, "policy", "fifo 70", "rr 33")]
    assert state(tid)[:2] == ("rr", 33)
    assert policy(caller, "ApplyIrqPolicy") == []
    # what the rules no longer want is put back
    rules(daemon)
    plain(caller.manager("Reload", "a{sv}", {}))
    assert {t: state(t) for t in irq_threads} == before
    wait_for(lambda: signals.read(0.05) and
             any(plain(b[0])["outcome"] == "put-back" for _, b, _ in signals.of("IrqEvent")),
             what="the event of what was put back")
    told = [plain(b[1]) for _, b, _ in signals.of("PropertiesChanged", MANAGER)]
    assert [t["IrqPaused"] for t in told if "IrqPaused" in t] == [True, False]


def test_check_of_edited_files(irq_threads, make_daemon, caller):
    """What a reload would do, with the files as they are now, and nothing of it done."""
    tid = irq_threads[0]
    before = state(tid)
    daemon = begin(rules(make_daemon(), net=rule(tid, 'policy = "rr"; priority = 33;')), caller)
    policy(caller, "RestoreIrqPolicy")
    rules(daemon, net=rule(tid, 'policy = "rr"; priority = 34;'),
          bad='rules = ( { match = { irq = "1"; }; policy = "fifoo"; priority = 3; } );')
    problems, changes = map(plain, caller.manager("CheckIrqRules", "a{sv}", {}))
    assert [p["line"] for p in problems] == [1] and "fifoo" in problems[0]["text"]
    assert short(changes) == [("would", tid, "policy", "fifo 50", "rr 34")]
    assert state(tid) == before and caller.get(MANAGER, "Manager", "IrqPaused") is True
    assert [r["priority"] for r in plain(caller.manager("ListIrqRules", "a{sv}", {}))] == [33]
    assert daemon.stop() == 0 and state(tid) == before


def test_by_hand_is_before_the_rules(irq_threads, make_daemon, caller):
    tid, path = irq_threads[0], thread_path(irq_threads[0])
    daemon = begin(rules(make_daemon(), net=rule(tid, 'policy = "rr"; priority = 33;')), caller)
    set_thread(caller, path, policy="fifo", priority=66)
    assert policy(caller, "ApplyIrqPolicy") == [] and state(tid)[:2] == ("fifo", 66)
    caller.manager("Reload", "a{sv}", {})
    assert state(tid)[:2] == ("fifo", 66)
    restore_thread(caller, path)
    assert state(tid)[:2] == ("rr", 33) and listed(caller, tid)["rule"] == "net/1"
    assert daemon.stop() == 0 and state(tid)[:2] == ("fifo", 50)


def test_mistakes_leave_out_one_rule(irq_threads, make_daemon, caller):
    tid = irq_threads[0]
    daemon = begin(rules(make_daemon(), good=rule(tid, 'policy = "rr"; priority = 33;')), caller)
    rules(daemon, good=rule(tid, 'policy = "rr"; priority = 34;'),
          bad='rules = (\n { match = { irq = "1"; }; policy = "fifoo"; priority = 3; },\n'
              ' { match = { kthread = "napi/none"; }; nice = 3; },\n'
              ' { match = { irq = "1"; }; policy = "fifo"; priority = 100; }\n);')
    problems = plain(caller.manager("Reload", "a{sv}", {}))
    assert sorted(p["line"] for p in problems) == [2, 4]
    assert all(p["file"].endswith("bad.conf") for p in problems)
    assert any("fifoo" in p["text"] for p in problems)
    assert state(tid)[:2] == ("rr", 34)
    assert [r["name"] for r in plain(caller.manager("ListIrqRules", "a{sv}", {}))] == ["bad/2", "good/1"]
    assert "bad.conf:2:" in daemon.log() and "bad.conf:4:" in daemon.log()


def test_affinity_of_a_line(irq_threads, ready, caller):
    """Refused or set, and read back as it is in /proc; put back."""
    if os.cpu_count() < 2:
        pytest.skip("one CPU: there is nowhere to move a line to")
    done = 0
    for tid in irq_threads:
        irq = stat(tid)[0].split("-")[0].removeprefix("irq/")
        file = Path(f"/proc/irq/{irq}/smp_affinity_list")
        before = file.read_text().strip()
        wanted = "1" if before != "1" else "0"
        path = f"{MANAGER}/irq/{irq}"
        try:
            changes = plain(caller.call(path, NAME + ".Irq", "SetAffinity", "sa{sv}", wanted, {}))
        except DBusErrorResponse as error:
            assert error.name.split(".")[-1] in ("Refused", "NotPermitted", "Failed") and error.data[0]
            assert file.read_text().strip() == before
            continue
        done += 1
        assert file.read_text().strip() == wanted
        assert [(c["outcome"], c["irq"], c["attribute"], c["old"], c["new"]) for c in changes] == \
            [("set", int(irq), "affinity", before, wanted)]
        assert "tid" not in changes[0]
        changes = plain(caller.call(path, NAME + ".Irq", "Restore", "a{sv}", {}))
        assert [c["outcome"] for c in changes] == ["put-back"]
        assert file.read_text().strip() == before
    if not done:
        pytest.skip("the kernel moves none of this machine's threaded lines")


def test_bad_affinities(irq_threads, ready, caller):
    irq = stat(irq_threads[0])[0].split("-")[0].removeprefix("irq/")
    file = Path(f"/proc/irq/{irq}/smp_affinity_list")
    before = file.read_text()
    for cpus in ("", "x", "0-", "9999999", "1023", "-1", "0,,1", "!0-1023", "0" * 5000, "0\n1", "\U0001f600"):
        name, _ = refused(caller.call, f"{MANAGER}/irq/{irq}", NAME + ".Irq", "SetAffinity", "sa{sv}", cpus, {})
        assert name == "InvalidOption", cpus
        assert file.read_text() == before
    name, text = refused(caller.call, f"{MANAGER}/irq/{irq}", NAME + ".Irq", "SetAffinity", "sa{sv}", "0",
                         {"forcce": ("b", True)})
    assert name == "InvalidOption" and "forcce" in text
    assert caller.get(f"{MANAGER}/irq/{irq}", "Irq", "Irq") == int(irq)


# Guards, and sessions

def test_guards(make_daemon, caller, folder):
    """A change that would harm the machine names its guard and the word that sets it aside."""
    root = FakeRoot(folder + "/root").line(24, "eth0").thread(301, "irq/24-eth0", "fifo", 50)
    root.thread(14, "ksoftirqd/0", "fifo", 1).thread(15, "rcuc/0", "fifo", 1).thread(16, "irq_work/0", "fifo", 1)
    root = root.write()
    for name, tid, word in (("ksoftirqd", 14, "softirq"), ("rcuc", 15, "rcu")):
        for override in (None, word, "measuring"):
            text = 'rules = ( { match = { kthread = "%s/*"; }; policy = "fifo"; priority = 2; %s } );' % (
                name, f'override = [ "{override}" ];' if override else "")
            daemon = rules(make_daemon(name=f"{name}-{override}", args=(f"--root={root}",)), net=text)
            begin(daemon, caller)
            change = policy(caller, "ApplyIrqPolicy", dry_run=True)
            assert [c["tid"] for c in change] == [tid]
            assert change[0]["outcome"] == ("would" if override == word else "refused")
            if override != word:
                assert f'"{word}"' in change[0]["message"] and name in change[0]["message"]
            assert daemon.stop() == 0


def test_a_guard_over_the_bus(make_daemon, caller):
    """ksoftirqd above rcu: machines die of it."""
    tid = next((t for t, n in kernel_threads().items() if n == "ksoftirqd/0"), None)
    rcu = [t for t, n in kernel_threads().items() if n.startswith("rcu_preempt")]
    if not tid or not rcu or chrt(rcu[0])[1] > 1:
        pytest.skip("no ksoftirqd and rcu_preempt to be seen")
    kept, before = Kept(tid), state(tid)
    begin(rules(make_daemon()), caller)
    try:
        for override in (None, "rcu", "measuring", "rcu,measuring"):
            name, text = refused(set_thread, caller, thread_path(tid), override=override, policy="fifo", priority=2)
            assert name == "Refused" and '"softirq"' in text
            assert state(tid) == before
    finally:
        kept.put_back()


PLAN = """
instrument = "timer"; policy = "fifo"; priority = 40; interval = "10ms"; duration = "60s"; cpus = "0";
%s
"""


def test_while_a_session_measures(irq_threads, make_daemon, caller):
    tid, path = irq_threads[0], thread_path(irq_threads[0])
    daemon = rules(make_daemon())
    daemon.plan("fast", PLAN % "")
    begin(daemon, caller)
    sid = caller.start("fast", policy="fifo")
    caller.wait_state(sid, "running")
    # it was above already, and down is no harm
    set_thread(caller, path, policy="rr", priority=39)
    for priority in (40, 51):
        name, text = refused(set_thread, caller, path, priority=priority)
        assert name == "Refused" and '"measuring"' in text and state(tid)[:2] == ("rr", 39)
    set_thread(caller, path, override="measuring", priority=45)
    assert state(tid)[:2] == ("rr", 45)
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    set_thread(caller, path, priority=51)
    policy(caller, "RestoreIrqPolicy")
    assert state(tid) == ("fifo", 50, 0)


def test_a_plans_rules_are_not_put_back_while_it_measures(irq_threads, make_daemon, caller):
    tid = irq_threads[0]
    irq = stat(tid)[0].split("-")[0].removeprefix("irq/")
    daemon = rules(make_daemon())
    daemon.plan("ruled", PLAN % ('irq_rules = ( { match = { irq = "%s"; }; policy = "other"; nice = 19; } );' % irq))
    begin(daemon, caller)
    sid = caller.start("ruled")
    caller.wait_state(sid, "running")
    assert state(tid) == ("other", 0, 19)
    name, text = refused(policy, caller, "RestoreIrqPolicy")
    assert name == "Busy" and "session" in text
    assert state(tid) == ("other", 0, 19)
    caller.session(sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    wait_for(lambda: state(tid) == ("fifo", 50, 0), what="the value from before the session")


# Threads that come and go

def outcome(connection):
    """Of the next reply: an error's name, or nothing."""
    while True:
        message = connection.raw.receive(timeout=60)
        if message.header.message_type in (MessageType.method_return, MessageType.error):
            return message.header.fields.get(HeaderFields.error_name, "")


def made(napi):
    name, tid = napi.make()
    return name, tid, thread_path(tid)


def test_a_thread_that_comes_later(make_daemon, caller, napi, signals):
    begin(rules(make_daemon(), net='rules = ( { match = { kthread = "napi/lrt*"; }; policy = "other"; nice = 19; } );'
          ), caller)
    wait_for(lambda: caller.get(MANAGER, "Manager", "IrqWatching") != "starting", what="watching")
    name, tid, _ = made(napi)
    wait_for(lambda: state(tid) == ("other", 0, 19), timeout=20, what="the rule's value on a new thread")
    events = [plain(b[0]) for _, b, _ in signals.wait("IrqEvent")]
    mine = [e for e in events if e.get("tid") == tid]
    assert mine and mine[0]["outcome"] == "set" and mine[0]["by"] == "net/1" and mine[0]["attribute"] == "nice"
    if caller.get(MANAGER, "Manager", "IrqWatching") == "process-events":
        assert 0 < mine[0]["after_ns"] < 20e9
    assert listed(caller, tid)["rule"] == "net/1"
    napi.end(name)


def test_drift_is_told(irq_threads, make_daemon, caller, napi, signals):
    """Somebody else's value is left alone, and told of once, when the daemon next looks."""
    tid = irq_threads[0]
    daemon = begin(rules(make_daemon(), net=rule(tid, 'policy = "rr"; priority = 33;')), caller)
    wait_for(lambda: caller.get(MANAGER, "Manager", "IrqWatching") != "starting", what="watching")
    time.sleep(1.5)  # a thread that has just got its value may have been set by the kernel's own start of it
    subprocess.run(["chrt", "-f", "-p", "70", str(tid)], check=True)
    for _ in range(2):  # each is a reason to look
        name, _, _ = made(napi)
        wait_for(lambda: signals.read(0.05) and signals.of("IrqEvent"), what="an event")
        napi.end(name)
    events = [plain(b[0]) for _, b, _ in signals.of("IrqEvent")]
    drifted = [e for e in events if e.get("tid") == tid and e["outcome"] == "drifted"]
    assert len(drifted) == 1 and "70" in drifted[0]["message"] and stat(tid)[0] in drifted[0]["message"]
    assert state(tid)[:2] == ("fifo", 70)
    assert daemon.log().count(drifted[0]["message"]) == 1


def test_affinity_of_a_thread_that_has_its_own(make_daemon, caller, napi):
    if os.cpu_count() < 2:
        pytest.skip("one CPU")
    begin(rules(make_daemon()), caller)
    name, tid, path = made(napi)
    before = os.sched_getaffinity(tid)
    set_thread(caller, path, affinity="1")
    assert os.sched_getaffinity(tid) == {1} and listed(caller, tid)["affinity"] == "1"
    restore_thread(caller, path)
    assert os.sched_getaffinity(tid) == before
    napi.end(name)


def test_a_thread_that_has_ended(make_daemon, caller, napi):
    begin(rules(make_daemon()), caller)
    name, tid, path = made(napi)
    set_thread(caller, path, policy="rr", priority=33)
    assert state(tid)[:2] == ("rr", 33)
    napi.end(name)
    wait_for(lambda: not stat(tid), what="the thread's end")
    for call in (lambda: set_thread(caller, path, priority=34), lambda: restore_thread(caller, path),
                 lambda: caller.get(path, "Thread", "Name")):
        assert refused(call)[0] == "NoDevice"
    assert policy(caller, "RestoreIrqPolicy") == []


def test_set_while_the_thread_ends(make_daemon, caller, napi):
    """Whatever comes first: it is set, or there is no such device; and the daemon goes on."""
    daemon = begin(rules(make_daemon()), caller)
    outcomes = set()
    for turn in range(10):
        name, _, path = made(napi)
        address = DBusAddress(path, bus_name=NAME, interface=NAME + ".Thread")
        for i in range(20):
            caller.raw.send(new_method_call(address, "Set", "a{sv}a{sv}",
                                            ({"policy": ("s", "rr"), "priority": ("u", 1 + i)}, {})))
        early = turn % 5  # as many are answered before it ends
        outcomes |= {outcome(caller) for _ in range(early)}
        napi.end(name)
        outcomes |= {outcome(caller) for _ in range(20 - early)}
    assert outcomes <= {"", "org.lrtbf1.Error.NoDevice"} and "" in outcomes
    assert daemon.process.poll() is None
    assert policy(caller, "RestoreIrqPolicy") == []


def test_stopped_while_it_changes(irq_threads, make_daemon, bus, caller):
    """A stop between calls leaves nothing behind."""
    before = {tid: state(tid) for tid in irq_threads}
    daemon = begin(rules(make_daemon()), caller)
    connection = bus.connect()
    address = DBusAddress(thread_path(irq_threads[0]), bus_name=NAME, interface=NAME + ".Thread")
    for i in range(40):
        connection.raw.send(new_method_call(address, "Set", "a{sv}a{sv}",
                                            ({"policy": ("s", "rr"), "priority": ("u", 1 + i)}, {})))
    time.sleep(0.05)
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.stop() == 0
    connection.close()
    assert {tid: state(tid) for tid in irq_threads} == before
