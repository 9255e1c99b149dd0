# SPDX-License-Identifier: GPL-2.0-or-later
"""The bus as an enemy: everything called at random, by many at once, by who does not listen or leaves. Each call
is answered in our words, a session that runs keeps its samples, and what the calls took is given back."""
import os
from pathlib import Path

import pytest
from enemy import STANDARD, Client, Enemy, storm
from jeepney import DBusAddress, MessageFlag, new_method_call
from kthreads import FakeRoot, begin, rules
from lrtbf import LRTBFD, MANAGER, NAME, Bus, children, wait_for
from others import NOBODY, connect_as

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""
CALLS, CLIENTS = 10000, 200
SLACK_KB = 1024
# as the policy that is installed has it
NO_DESCRIPTORS = f'<deny send_destination="{NAME}" min_fds="1"/>'
RAISED = {"max_message_size": 1 << 27, "max_incoming_bytes": 1 << 30, "max_outgoing_bytes": 1 << 30,
          "max_incoming_unix_fds": 4096, "max_outgoing_unix_fds": 4096, "max_message_unix_fds": 253,
          "max_connections_per_user": 4096, "max_completed_connections": 4096,
          "max_replies_per_connection": 50000, "max_match_rules_per_connection": 50000}
# what may be answered besides our own errors; the last two also by the bus itself
ANSWERS = {f"{STANDARD}.Error.{e}" for e in (
    "UnknownMethod", "UnknownObject", "UnknownInterface", "UnknownProperty", "PropertyReadOnly", "InvalidArgs",
    "LimitsExceeded", "AccessDenied")}
SANITIZED = b"__asan_init" in LRTBFD.read_bytes()  # it keeps for a while what is freed


def make_bus(folder, limits):
    folder = os.path.join(folder, "bus.d")
    return Bus(folder, **RAISED) if limits == "raised" else Bus(folder, NO_DESCRIPTORS)


@pytest.fixture(params=["default", "raised"])
def bus(request, folder):
    bus = make_bus(folder, request.param)
    yield bus
    bus.stop()


def held(daemon):
    """What a process can fail to give back."""
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    return {"KiB": int(next(l for l in status.splitlines() if l.startswith("VmRSS")).split()[1]),
            "descriptors": len(os.listdir(f"/proc/{daemon.pid}/fd")),
            "locks": sum(f" {daemon.pid} " in l for l in Path("/proc/locks").read_text().splitlines()),
            "children": len(children(daemon.pid)), "threads": len(os.listdir(f"/proc/{daemon.pid}/task"))}


def assert_given_back(daemon, before):
    """But for a MiB of memory, which malloc has in pieces."""
    def rest():
        now = held(daemon)
        slack = {"KiB": 1 << 30 if SANITIZED else SLACK_KB}
        return {k: (v, now[k]) for k, v in before.items() if now[k] > v + slack.get(k, 0)}
    try:
        wait_for(lambda: not rest(), step=0.2)
    except AssertionError:
        assert not rest()


class Victim:
    """An lrtbfd with a session that runs, one that is over, and as many as are listed that never began."""

    def __init__(self, daemon, caller):
        self.caller, self.daemon = caller, daemon
        daemon.plan("brief", PLAN % "100ms")
        daemon.plan("long", PLAN % "1h")
        begin(rules(daemon), caller)
        self.over = caller.start("brief", label="over")
        caller.wait_state(self.over)
        self.runs = caller.start("long", label="runs")
        self.count = 0
        caller.wait_state(self.runs, "running")
        for _ in range(2):
            for _ in range(12):
                caller.start("brief")
            self.end_queued()
        self.settle()

    @staticmethod
    def path(sid):
        return f"{MANAGER}/session/{sid}"

    def enemy(self, seed):
        print(f"seed {seed}")  # of a failed test it is shown
        return Enemy(self.caller, seed, [MANAGER, self.path(self.runs), self.path(self.over)], self.path(self.runs))

    def measures(self):
        """Whether it has taken samples since this was last asked."""
        old, self.count = self.count, self.caller.session_get(self.runs, "Figures").get("count", 0)
        return self.count > old

    def end_queued(self):
        for session in self.caller.manager("ListSessions", "a{sv}su", {"state": ("s", "queued")}, "", 1000)[0]:
            self.caller.session(session["id"][1], "Stop", "a{sv}", {})
        wait_for(lambda: self.caller.get(MANAGER, "Manager", "QueueLength") == 0, what="an empty queue")

    def settle(self):
        """What callers have begun is ended, but not what runs."""
        self.end_queued()
        assert self.caller.session_get(self.runs, "State") == "running"
        wait_for(self.measures, what="samples")

    def end(self):
        """The session that ran has every sample, nothing is left of it, and another one can be measured."""
        self.caller.session(self.runs, "Stop", "a{sv}", {})
        assert self.caller.wait_state(self.runs) == "stopped"
        stage = self.caller.report(self.runs)["stages"][0]
        figures = stage["all"]
        assert not figures["torn"] and figures["count"] >= self.count
        assert sum(n for *_, n in figures["histogram"]) == figures["count"]
        points, expected = figures["count"] + figures["missed"] + figures["migrated"], stage["duration_ns"] / 1e6
        assert abs(points - expected) <= 100 + expected / 100 + figures["pending_ns"] / 1e6
        assert self.caller.get(MANAGER, "Manager", "ActiveSession") == "/"
        wait_for(lambda: not children(self.daemon.pid), what="no process left")
        assert self.caller.wait_state(self.caller.start("brief")) == "done"


@pytest.fixture
def victim(make_daemon, caller):
    return Victim(make_daemon(), caller)


def assert_ours(names, denied):
    """No bare errno: every refusal is one that is documented, with a sentence, which is bounded where it is ours."""
    for name, texts in names.items():
        if name:
            ours = name.startswith(NAME + ".Error.")
            assert ours or name in ANSWERS and (denied or not name.endswith("AccessDenied")), (name, texts)
            assert all(0 < len(t) < (2000 if ours else 1 << 21) for t in texts.values()), (name, texts)
    assert "" in names and len(names) > 8, names


def test_everything_at_random(victim, bus, request):
    with victim.enemy(20261130) as enemy:
        storm(enemy, bus, 3000, CLIENTS)  # makes what is made once
        victim.settle()
        before = held(victim.daemon)
        names, called = storm(enemy, bus, CALLS, CLIENTS)
    victim.settle()
    assert_given_back(victim.daemon, before)
    assert_ours(names, "default" in request.node.name)
    assert min(called[str(m)] for m in enemy.members) >= CALLS // len(enemy.members) // 2
    victim.end()


@pytest.mark.parametrize("bus", ["raised"], indirect=True)
def test_ports_threads_and_lines_at_random(make_daemon, caller, bus, folder):
    """A captured machine's: nothing that a call sets is set."""
    root = FakeRoot(folder + "/root").line(7, "parport0").line(24, "eth0").thread(301, "irq/24-eth0", "fifo", 50)
    port = root.folder / "proc/sys/dev/parport/parport0"
    (port / "devices").mkdir(parents=True)
    for name, text in (("irq", "7"), ("base-addr", "888\t0"), ("devices/active", "none")):
        (port / name).write_text(text + "\n")
    daemon = begin(rules(make_daemon(args=(f"--root={root.write()}",))), caller)
    paths = [f"{MANAGER}/{p}" for p in ("port/parport0", "thread/301_100", "irq/24")]
    with Enemy(caller, 1707, [MANAGER, *paths]) as enemy:
        storm(enemy, bus, 2000, CLIENTS)
        before = held(daemon)
        names, called = storm(enemy, bus, CALLS // 2, CLIENTS)
    assert_given_back(daemon, before)
    assert_ours(names, False)
    assert {f"{NAME}.Port.Test", f"{NAME}.Thread.Set", f"{NAME}.Irq.SetAffinity"} <= set(called)


def test_who_does_not_listen_and_who_leaves(victim, bus):
    """Three that never read, with all the signals and answers they can have; then hundreds that are gone before
    they are answered, some of them in the middle of a call."""
    deaf = [Client(bus.address) for _ in range(3)]
    report = new_method_call(DBusAddress(victim.path(victim.over), bus_name=NAME, interface=NAME + ".Session"),
                             "GetReport", "sa{sv}", ("json", {}))
    for client in deaf:
        for i in range(100):
            client.subscribe(path=f"/x{i}")
        client.subscribe()
        for _ in range(100):
            client.send(report, "GetReport")
    with victim.enemy(8128) as enemy:
        for i in range(300):
            leave_early(enemy, bus, i)  # makes what is made once
        victim.settle()
        before = held(victim.daemon)
        for i in range(300):
            leave_early(enemy, bus, i)
    victim.settle()
    assert_given_back(victim.daemon, before)
    for client in deaf:
        client.close()
    victim.end()


def leave_early(enemy, bus, i):
    gone = connect_as(bus, NOBODY, Client) if i % 2 and os.geteuid() == 0 else Client(bus.address)
    for _ in range(5):
        message, *rest = enemy.call()
        if enemy.rng.random() < 0.3:
            message.header.flags |= MessageFlag.no_reply_expected
        gone.send(message, *rest)
    if i % 3 == 0:
        gone.raw.sock.send(report_head(enemy.rng))
    gone.close()


def report_head(rng):
    """The beginning of a call."""
    call = new_method_call(DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager"), "CheckPlan", "sa{sv}",
                           ("x" * 2000, {}))
    return call.serialise(serial=4711)[:rng.randint(1, 2000)]


def largest(limits):
    """Messages that the bus just lets through: a text, a dictionary, an array of arrays."""
    most = (1 << 25 if limits == "default" else 1 << 27) - 4096
    yield "CheckPlan", "sa{sv}", ("x" * most, {})
    yield "StartSession", "sa{sv}", ("brief", {"label": ("ay", bytes(min(most, 1 << 26) - 4096))})
    yield "StartSession", "sa{sv}", ("brief", {f"option{i}": ("s", "x" * 80) for i in range(1 << 16)})
    yield "GetSession", "aas", ([["x"] * 1000] * 300,)


@pytest.mark.memory  # and a sanitizer copies the whole message for each piece of it that comes
def test_largest_messages(victim, bus, request):
    limits = "default" if "default" in request.node.name else "raised"
    for _ in range(2):  # the first makes what is made once
        victim.settle()
        before = held(victim.daemon)
        for method, signature, args in largest(limits):
            client = Client(bus.address)
            client.send(new_method_call(DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager"), method,
                                        signature, args), method)
            (answer,) = client.answers()
            assert answer[1] in (f"{NAME}.Error.TooLarge", f"{NAME}.Error.InvalidOption",
                                 f"{STANDARD}.Error.InvalidArgs")
            client.close()
    assert_given_back(victim.daemon, before)
    victim.end()


@pytest.mark.parametrize("bus", ["raised"], indirect=True)
def test_more_descriptors_than_a_process_may_have(victim, bus, caller):
    """They are closed again, wherever they stand in a call."""
    before = held(victim.daemon)
    null = os.open(os.devnull, os.O_RDONLY)
    manager = DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager")
    client = Client(bus.address)
    for _ in range(100):
        client.send(new_method_call(manager, "ListPlans", "a{sv}", ({},)), "beside", [null] * 16)
        client.send(new_method_call(manager, "CheckSystem", "a{sv}", ({"x": ("ah", [null] * 16)},)), "option")
        client.send(new_method_call(manager, "NoSuch", "ah", ([null] * 16,)), "unknown")
    os.close(null)
    assert {name for _, name, _ in client.answers()} == {
        "", f"{NAME}.Error.InvalidOption", f"{STANDARD}.Error.UnknownMethod"}
    client.close()
    assert_given_back(victim.daemon, {"descriptors": before["descriptors"]})
    victim.end()
