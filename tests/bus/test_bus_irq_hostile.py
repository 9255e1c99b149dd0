# SPDX-License-Identifier: GPL-2.0-or-later
"""Callers who may not, paths that are nobody's, processes that look like interrupt threads: nothing changes."""
import os
import subprocess
import sys

import pytest
from jeepney import DBusAddress, DBusErrorResponse, HeaderFields, MessageType, new_method_call
from kthreads import (FakeRoot, begin, kernel_threads, restore_thread, rules, set_thread, start_ticks, stat, state,
                      thread_path)
from lrtbf import MANAGER, NAME, plain, wait_for
from others import NOBODY, Polkit, connect_as

ROOT_ONLY = pytest.mark.root
ACTION = "org.lrtbf1.set-irq-priority"


@pytest.fixture
def nobody(bus):
    connection = connect_as(bus, NOBODY)
    yield connection
    connection.close()


def refused(call, *args, **kwargs):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args, **kwargs)
    assert error.value.data[0] and len(error.value.data[0]) < 2000
    return error.value.name.removeprefix("org.lrtbf1.Error."), error.value.data[0]


def answer(connection, timeout=60):
    """The next reply, of whichever call."""
    while True:
        message = connection.raw.receive(timeout=timeout)
        if message.header.message_type in (MessageType.method_return, MessageType.error):
            return message


def changing_calls(connection, tid):
    """Each thing that would change something, as a call."""
    irq = stat(tid)[0].split("-")[0].removeprefix("irq/")
    path = thread_path(tid)
    line = f"{MANAGER}/irq/{irq}"
    return [lambda: set_thread(connection, path, policy="other", nice=19),
            lambda: restore_thread(connection, path),
            lambda: connection.call(line, NAME + ".Irq", "SetAffinity", "sa{sv}", "0", {}),
            lambda: connection.call(line, NAME + ".Irq", "Restore", "a{sv}", {}),
            lambda: connection.manager("ApplyIrqPolicy", "a{sv}", {}),
            lambda: connection.manager("RestoreIrqPolicy", "a{sv}", {})]


@ROOT_ONLY
def test_without_polkit_only_root(irq_threads, make_daemon, caller, nobody):
    tid = irq_threads[0]
    irq = stat(tid)[0].split("-")[0].removeprefix("irq/")
    daemon = rules(make_daemon(), net='rules = ( { match = { irq = "%s"; }; policy = "rr"; priority = 33; } );' % irq)
    begin(daemon, caller)
    affinity = open(f"/proc/irq/{irq}/smp_affinity_list").read()
    subprocess.run(["chrt", "-f", "-p", "70", str(tid)], check=True)
    for call in changing_calls(nobody, tid):
        assert refused(call)[0] == "NotAuthorized"
        assert state(tid)[:2] == ("fifo", 70)
        assert open(f"/proc/irq/{irq}/smp_affinity_list").read() == affinity
        assert caller.get(MANAGER, "Manager", "IrqPaused") is False
    # what only says is open
    assert nobody.manager("ListThreads", "a{sv}", {}) and nobody.manager("ListIrqs", "a{sv}", {})
    assert nobody.manager("ListIrqRules", "a{sv}", {})
    assert [c["outcome"] for c in plain(nobody.manager("ApplyIrqPolicy", "a{sv}", {"dry_run": ("b", True)}))] \
        == ["would"]
    nobody.manager("RestoreIrqPolicy", "a{sv}", {"dry_run": ("b", True)})
    nobody.manager("OpenIrqCapture", "a{sv}", {})
    assert nobody.get(thread_path(tid), "Thread", "Tid") == tid
    assert state(tid)[:2] == ("fifo", 70)


@ROOT_ONLY
def test_another_users_process(irq_threads, make_daemon, bus, caller):
    """The same from a process that is another user's altogether."""
    begin(rules(make_daemon()), caller)
    tid = irq_threads[0]
    before = state(tid)
    out = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "busctl",
                          f"--address={bus.address}", "call", NAME, thread_path(tid), NAME + ".Thread", "Set",
                          "a{sv}a{sv}", "2", "policy", "s", "other", "nice", "i", "19", "0"],
                         capture_output=True, text=True)
    assert out.returncode != 0 and "polkit" in out.stderr
    assert state(tid) == before


@ROOT_ONLY
@pytest.mark.parametrize("answer", ["no", "challenge", "error", "nonsense"])
def test_polkit_does_not_allow(irq_threads, make_daemon, bus, caller, nobody, answer):
    begin(rules(make_daemon()), caller)
    service = Polkit(bus, set_irq_priority=answer, measure="yes", configure="yes", manage_results="yes")
    tid = irq_threads[0]
    before = state(tid)
    for call in changing_calls(nobody, tid):
        assert refused(call)[0] == "NotAuthorized"
    assert state(tid) == before
    assert {c[1] for c in service.called("CheckAuthorization")} == {ACTION}
    service.close()


@ROOT_ONLY
def test_polkit_allows(irq_threads, make_daemon, bus, caller, nobody):
    begin(rules(make_daemon()), caller)
    service = Polkit(bus, set_irq_priority="yes", measure="no", configure="no")
    tid = irq_threads[0]
    before = state(tid)
    set_thread(nobody, thread_path(tid), policy="other", nice=19)
    assert state(tid) == ("other", 0, 19)
    who = next(t for t in plain(caller.manager("ListThreads", "a{sv}", {})) if t["tid"] == tid)["rule"]
    assert str(NOBODY) in who
    restore_thread(nobody, thread_path(tid))
    assert state(tid) == before
    assert [c[1] for c in service.called("CheckAuthorization")] == [ACTION] * 2
    service.close()


@ROOT_ONLY
def test_the_thread_ends_while_polkit_is_asked(make_daemon, bus, caller, nobody, napi):
    """Its identity is checked when the change is made, not only when it was asked for."""
    begin(rules(make_daemon()), caller)
    service = Polkit(bus, set_irq_priority="hold")
    name, tid = napi.make()
    address = DBusAddress(thread_path(tid), bus_name=NAME, interface=NAME + ".Thread")
    nobody.raw.send(new_method_call(address, "Set", "a{sv}a{sv}",
                                    ({"policy": ("s", "rr"), "priority": ("u", 33)}, {})))
    wait_for(lambda: service.held, what="the question to polkit")
    napi.end(name)
    wait_for(lambda: not stat(tid), what="the thread's end")
    service.release("yes")
    reply = answer(nobody)
    assert reply.header.fields[HeaderFields.error_name] == "org.lrtbf1.Error.NoDevice"
    service.close()


def test_bad_arguments_are_refused_before_polkit_is_asked(make_daemon, bus, caller):
    service = Polkit(bus, set_irq_priority="yes")
    begin(rules(make_daemon()), caller)
    for method in ("ApplyIrqPolicy", "RestoreIrqPolicy"):
        for options in ({"dry": ("b", True)}, {"dry_run": ("s", "yes")}, {"dry_run": ("u", 1)}):
            name, text = refused(caller.manager, method, "a{sv}", options)
            assert name == "InvalidOption" and "dry" in text
    assert not service.called("CheckAuthorization")
    service.close()


def test_paths_of_nobody(make_daemon, caller):
    begin(rules(make_daemon()), caller)
    own = f"{os.getpid()}_{start_ticks(os.getpid())}"
    kthreadd = f"2_{start_ticks(2)}" if 2 in kernel_threads() else "2_0"
    threads = kernel_threads()
    tid = next(iter(threads), 2)
    names = ["1_1", f"{tid}_999", "abc", "_", "1", "1_", "_1", "50_50_50", "0_0", "-1_5", "4294967297_5", "1" * 300,
             "99999999999999999999_1", f"{tid}_99999999999999999999999", own, kthreadd, "1_" + "9" * 5000]
    names += [f"0{t}_{start_ticks(t)}" for t in list(threads)[:3] if stat(t)]
    names += [f"{t}_{start_ticks(t)}" for t, n in threads.items()
              if n.startswith(("migration/", "cpuhp/", "watchdogd")) and stat(t)]
    for name in names:
        path = f"{MANAGER}/thread/{name.replace('-', '_')}"
        for call in (lambda: set_thread(caller, path, nice=19), lambda: restore_thread(caller, path),
                     lambda: caller.get(path, "Thread", "Tid"), lambda: caller.get_all(path, "Thread")):
            assert refused(call)[0] == "NoDevice", name
    for name in ("abc", "0_1", "", "007", "99999", "4294967320", "1" * 300):
        if not name:
            continue
        path = f"{MANAGER}/irq/{name}"
        for call in (lambda: caller.call(path, NAME + ".Irq", "SetAffinity", "sa{sv}", "0", {}),
                     lambda: caller.call(path, NAME + ".Irq", "Restore", "a{sv}", {}),
                     lambda: caller.get(path, "Irq", "Irq")):
            assert refused(call)[0] == "NoDevice", name
    for path in (f"{MANAGER}/thread", f"{MANAGER}/thread/a/b", f"{MANAGER}/irq", f"{MANAGER}/irq/1/2"):
        assert refused(set_thread, caller, path, nice=19)[0].startswith("org.freedesktop.DBus.Error.Unknown")


def test_wrong_types_and_unknown_options(make_daemon, caller, folder):
    root = FakeRoot(folder + "/root").line(24, "eth0").thread(301, "irq/24-eth0", "fifo", 50).write()
    begin(rules(make_daemon(args=(f"--root={root}",))), caller)
    path, thread, line = f"{MANAGER}/thread/301_100", NAME + ".Thread", NAME + ".Irq"
    for attributes in ({"policy": ("u", 1)}, {"priority": ("i", 5)}, {"priority": ("s", "5")}, {"nice": ("u", 5)},
                       {"nice": ("x", 5)}, {"affinity": ("u", 1)}, {"reset_on_fork": ("u", 1)},
                       {"prioritty": ("u", 5)}, {"policy": ("v", ("s", "rr"))}, {"nice": ("ai", [1])},
                       {"x" * 100000: ("u", 1)}, {"affinity": ("s", "0" * 100000)}):
        assert refused(caller.call, path, thread, "Set", "a{sv}a{sv}", attributes, {})[0] == "InvalidOption"
    for options in ({"override": ("b", True)}, {"overide": ("s", "rcu")}, {"override": ("as", ["rcu"])}):
        assert refused(caller.call, path, thread, "Set", "a{sv}a{sv}", {"nice": ("i", 1)}, options)[0] \
            == "InvalidOption"
    assert refused(caller.call, path, thread, "Restore", "a{sv}", {"x": ("s", "")})[0] == "InvalidOption"
    assert refused(caller.call, f"{MANAGER}/irq/24", line, "Restore", "a{sv}", {"x": ("s", "")})[0] == "InvalidOption"
    for method in ("ListThreads", "ListIrqs", "ListIrqRules", "OpenIrqCapture"):
        assert refused(caller.manager, method, "a{sv}", {"cuonts": ("b", True)})[0] == "InvalidOption"
    assert refused(caller.manager, "ListIrqs", "a{sv}", {"counts": ("u", 1)})[0] == "InvalidOption"
    for method, signature, args in (("Set", "a{sv}", ({},)), ("Set", "", ()), ("Restore", "", ()),
                                    ("Set", "a{ss}a{sv}", ({}, {})), ("SetAll", "a{sv}", ({},))):
        assert refused(caller.call, path, thread, method, signature, *args)[0] \
            .startswith("org.freedesktop.DBus.Error.")
    for prop, value in (("Tid", ("u", 1)), ("Name", ("s", "x"))):
        assert refused(caller.call, path, "org.freedesktop.DBus.Properties", "Set", "ssv", thread, prop, value)[0] \
            .startswith("org.freedesktop.DBus.Error.")


PRETENDER = """
import ctypes, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode())
print("ready", flush=True)
time.sleep(600)
"""


@ROOT_ONLY
@pytest.mark.parametrize("how", ["rule", "reload", "set"])
def test_a_process_that_calls_itself_an_interrupt_thread(irq_threads, make_daemon, caller, how):
    """Neither named as a thread nor as a kernel thread is it touched, whoever asks."""
    name = stat(irq_threads[0])[0][:15]
    child = subprocess.Popen([sys.executable, "-c", PRETENDER, name], stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        assert stat(child.pid)[0] == name
        text = 'rules = ( { match = { thread = "%s"; }; policy = "rr"; priority = 33; },' \
               ' { match = { kthread = "irq/*"; }; nice = 7; } );' % name
        daemon = begin(rules(make_daemon(), **({"net": text} if how == "rule" else {})), caller)
        if how == "reload":
            rules(daemon, net=text)
            caller.manager("Reload", "a{sv}", {})
        if how == "set":
            assert refused(set_thread, caller, thread_path(child.pid), policy="rr", priority=33)[0] == "NoDevice"
        else:
            assert state(irq_threads[0])[:2] == ("rr", 33)
            caller.manager("ApplyIrqPolicy", "a{sv}", {})
        assert child.pid not in [t["tid"] for t in plain(caller.manager("ListThreads", "a{sv}", {}))]
        assert state(child.pid) == ("other", 0, 0)
        caller.manager("RestoreIrqPolicy", "a{sv}", {})
        assert state(child.pid) == ("other", 0, 0)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_daemon_without_the_right(make_daemon, bus, caller):
    """An ordinary user's daemon lists everything and sets nothing, and says what it lacks."""
    prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.getuid() == 0 else ()
    threads = [t for t, n in kernel_threads().items() if n.startswith(("irq/", "ksoftirqd/", "rcu_preempt"))]
    if not threads:
        pytest.skip("kernel threads cannot be seen from here")
    daemon = rules(make_daemon(prefix=prefix))
    for path in (daemon.state, daemon.runtime):
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o777)
    daemon.folder.chmod(0o777)
    begin(daemon, caller)
    before = state(threads[0])
    assert threads[0] in [t["tid"] for t in plain(caller.manager("ListThreads", "a{sv}", {}))]
    name, text = refused(set_thread, caller, thread_path(threads[0]), nice=5)
    assert name == "NotPermitted" and "CAP_SYS_NICE" in text
    assert state(threads[0]) == before


@ROOT_ONLY
def test_in_a_user_namespace(irq_threads, make_daemon, caller):
    """Its root owns kernel threads, may lower them and never raise them again: so nothing is set at all."""
    if subprocess.run(["unshare", "-U", "-r", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    tid = irq_threads[0]
    before = state(tid)
    text = 'rules = ( { match = { thread = "irq/*"; }; policy = "other"; nice = 19; } );'
    daemon = begin(rules(make_daemon(prefix=("unshare", "-U", "-r")), net=text), caller)
    assert caller.get(MANAGER, "Manager", "IrqWatching").startswith("captured")
    assert {c["outcome"] for c in plain(caller.manager("ApplyIrqPolicy", "a{sv}", {}))} == {"would"}
    assert "user namespace" in refused(set_thread, caller, thread_path(tid), nice=19)[1]
    assert state(tid) == before
    daemon.stop()
    assert state(tid) == before
