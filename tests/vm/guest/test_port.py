# SPDX-License-Identifier: GPL-2.0-or-later
"""The supervision of an emulated port: bound, unbound, held, tested; modules that come and go in every
order. The kernel modules are in the job's folder (tests/kmod/build)."""
import contextlib
import fcntl
import itertools
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from jeepney import DBusAddress, DBusErrorResponse, MessageType, new_method_call

import service
import threads
from lrtbf import NAME, ROOT, plain, wait_for
from measured import JOB, loaded, shipped, stage_of
from others import Listener
from ports import PORT, port_path, ports, state, udev_message

pytestmark = [pytest.mark.rt, pytest.mark.std]

P0 = port_path("parport0")
DRIVER = Path("/sys/bus/pnp/drivers/parport_pc")
NODE = Path("/dev/lrtbf-parport0")
SETTINGS = Path("/proc/sys/dev/parport/parport0")
PPCLAIM = 0x708b  # _IO('p', 0x8b)
LOOPBACK = """
instrument = "parport"; role = "loopback"; port = "parport0"; policy = "fifo"; priority = 80; cpus = "0";
interval = "20ms"; timeout = "10ms"; duration = "%s";
"""
# of the guest's modules those that can be away; each needs what stands before it
MODULES = ("parport_pc", "lp", "lrtbf")


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def insert(module):
    """As modprobe would, which does not know the job's modules."""
    done = command("modprobe", module) if module == "parport_pc" else command("insmod", JOB / f"{module}.ko")
    if module == "parport_pc" and done.returncode == 0:
        command("modprobe", "ppdev")
    return done


def remove(module):
    if module == "parport_pc":
        command("rmmod", "ppdev")
    return command("rmmod", module)


@pytest.fixture(autouse=True)
def as_before(kernel_messages):
    """parport_pc and ppdev are loaded and bound afterwards, nothing else."""
    yield
    for module in ("lp", "lrtbf"):
        if loaded(module):
            assert command("rmmod", module).returncode == 0
    if not DRIVER.is_dir():  # it was loaded with options, which make another device
        remove("parport_pc")
    for module in ("parport_pc", "ppdev"):
        command("modprobe", module)
    if not SETTINGS.exists():
        device = next(p.name for p in Path("/sys/bus/pnp/devices").iterdir()
                      if "PNP0400" in (p / "id").read_text())
        threads.bind("parport_pc", device)


@pytest.fixture
def claimed():
    """claimed(): ppdev has the port, until it is closed."""
    files = []

    def claim():
        file = open("/dev/parport0", "r+b", buffering=0)
        files.append(file)
        fcntl.ioctl(file, PPCLAIM)
        return file
    yield claim
    for file in files:
        file.close()


def become(caller, wanted):
    wait_for(lambda: state(caller) == wanted, timeout=30, what=f"parport0 {wanted}")


def test_port(caller, **options):
    return plain(caller.call(P0, PORT, "Test", "a{sv}", options, timeout=60))


test_port.__test__ = False


def ask(bus, **options):
    """A test that is not waited for: the caller's connection."""
    other = bus.connect()
    other.raw.send(new_method_call(DBusAddress(P0, bus_name=NAME, interface=PORT), "Test", "a{sv}",
                                   ({**options, **SLOWLY},)))
    return other


def answer(other):
    """(is it an error, what it says)"""
    while True:
        reply = other.raw.receive(timeout=60)
        if reply.header.message_type != MessageType.signal:
            other.close()
            return reply.header.message_type == MessageType.error, plain(reply.body[0])


SLOWLY = {"interval": ("s", "20ms")}  # a busy machine emulates the port


@pytest.mark.threadirqs
def test_states(daemon, caller, claimed):
    """As the kernel says, with the thread that chrt sees."""
    port = ports(caller)["parport0"]
    assert (port["State"], port["Irq"], port["Base"], port["Driver"]) == ("present", 7, 0x378, "parport_pc")
    assert port["Device"].startswith("/devices/pnp0/00:")
    found = threads.named("irq/7-parport0")
    assert port["Thread"] == ("irq/7-parport0" if found else "")
    assert port["ThreadId"] == (found[0] if found else 0)
    assert insert("lrtbf").returncode == 0
    become(caller, "ready")
    file = claimed()
    assert (state(caller), ports(caller)["parport0"]["Holder"]) == ("busy", "ppdev0")
    file.close()
    assert state(caller) == "ready"
    assert command("rmmod", "lrtbf").returncode == 0
    become(caller, "present")


def test_jumper(daemon, caller, module, figure):
    """This machine's port has STROBE wired to its own ACK."""
    found = test_port(caller, pulses=("u", 50), **SLOWLY)
    assert found["verdict"] == "jumper", found
    assert found["role"] == "loopback" and found["pulses"] == 50
    assert found["answers"] + found["lost"] == 50 or found["lost"] > 0
    assert 25 <= found["answers"] <= found["interrupts"]
    assert 0 < found["access_ns"] and 0 < found["min_ns"] <= found["avg_ns"] <= found["max_ns"]
    assert state(caller) == "ready"
    figure(f"port test: {found['answers']} of {found['pulses']} pulses, {found['avg_ns'] / 1000:.0f} us on average")


def test_client(daemon, caller, module):
    text = service.ctl(daemon, "port", "test", "parport0", "--pulses=20", "--interval=20ms")
    assert "jumper" in text and "loopback" in text
    assert "ready" in service.ctl(daemon, "port", "list")


def test_test_is_seen_and_waited_for(daemon, bus, caller, module):
    """The event loop goes on meanwhile, the port says what it does, and a second test is refused."""
    other = ask(bus, pulses=("u", 100))
    become(caller, "measuring")
    assert ports(caller)["parport0"]["Role"] == "test"
    begin = time.monotonic()
    with pytest.raises(DBusErrorResponse) as error:
        test_port(caller)
    assert error.value.name.endswith("Error.Busy") and time.monotonic() - begin < 2
    failed, found = answer(other)
    assert not failed and found["verdict"] == "jumper"
    become(caller, "ready")


def test_held(daemon, caller, module, claimed):
    """The holder is named, and a session is refused at once."""
    daemon.plan("loop", LOOPBACK % "1s")
    caller.manager("Reload", "a{sv}", {})
    claimed()
    found = test_port(caller)
    assert found["verdict"] == "busy" and "ppdev0" in found["text"]
    done = daemon.ctl("session", "start", "loop")
    assert done.returncode == 1 and "held by the driver ppdev0" in done.stderr


def test_no_module(daemon, caller):
    """Nobody here may load it."""
    found = test_port(caller)
    assert found["verdict"] == "no-module" and "modprobe lrtbf" in found["text"]


def test_no_interrupt(daemon, caller, module):
    """A port without one can only be asked by polling; its device is known by the address then."""
    assert remove("parport_pc").returncode == 0
    assert command("modprobe", "parport_pc", "io=0x378", "irq=none").returncode == 0
    wait_for(lambda: ports(caller).get("parport0", {}).get("Irq") == -1, timeout=30)
    become(caller, "ready")
    assert ports(caller)["parport0"]["Device"] == "/devices/platform/parport_pc.888"
    found = test_port(caller, pulses=("u", 20), **SLOWLY)
    assert found["verdict"] == "no-irq" and found["receive"] == "poll"
    daemon.plan("loop", LOOPBACK % "1s")
    caller.manager("Reload", "a{sv}", {})
    assert "no interrupt" in daemon.ctl("session", "start", "loop").stderr
    # whoever polls needs none; here nobody answers him
    daemon.plan("logger", shipped("parport_logger", interval='"20ms"', timeout='"10ms"', warm_up='"0s"'))
    caller.manager("Reload", "a{sv}", {})
    sid = caller.start("logger")
    assert caller.wait_state(sid, timeout=60) == "done"
    stage = stage_of(caller.report(sid))
    assert (stage["port"]["irq"], stage["port"]["stop"], stage["port"]["lost"]) == (None, "losses", 16)
    assert "port-silent" in [f["id"] for f in stage["findings"]]


@pytest.mark.threadirqs
def test_unbound_and_bound(daemon, bus, caller, module):
    """Idle. Its object goes and comes, and nothing else does: no phantom is told of."""
    listener = Listener(bus)
    become(caller, "ready")
    device = threads.unbind("parport_pc")
    wait_for(lambda: ports(caller) == {}, timeout=30)
    threads.bind("parport_pc", device)
    become(caller, "ready")
    assert test_port(caller, pulses=("u", 20), **SLOWLY)["verdict"] == "jumper"
    seen = [(m.rsplit(".", 1)[1], body[0]) for _, m, body, _ in listener.read(0.2) if "Interfaces" in m]
    assert seen == [("InterfacesRemoved", P0), ("InterfacesAdded", P0)]
    listener.connection.close()


def test_unbound_in_a_session(daemon, bus, caller, module):
    """The session fails with its samples; until then the port is there to be seen as absent."""
    daemon.plan("loop", LOOPBACK % "60s")
    caller.manager("Reload", "a{sv}", {})
    become(caller, "ready")
    listener = Listener(bus)
    sid = caller.start("loop")
    caller.wait_state(sid, "running")
    become(caller, "measuring")
    assert ports(caller)["parport0"]["Role"] == "loopback"
    time.sleep(1)
    threads.unbind("parport_pc")
    assert caller.wait_state(sid, timeout=60) == "failed"
    wait_for(lambda: ports(caller) == {}, timeout=30)
    states = [plain(body[1])["State"] for path, body, _ in listener.of("PropertiesChanged", P0)
              if "State" in body[1]]
    assert states[0] == "measuring" and states[-1] == "absent"
    report = caller.report(sid)
    assert report["stages"][0]["all"]["count"] > 0
    listener.connection.close()


def test_unbound_in_a_test(daemon, bus, caller, module):
    other = ask(bus, pulses=("u", 500))
    become(caller, "measuring")
    time.sleep(1.5)
    threads.unbind("parport_pc")
    failed, text = answer(other)
    assert failed and "taken away" in text
    wait_for(lambda: ports(caller) == {}, timeout=30)


def test_events_lost(daemon, caller):
    """More of them than the socket holds, and the one that matters is among the lost."""
    assert state(caller) == "present"
    out = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
    message = udev_message(ACTION="add", DEVPATH="/devices/virtual/misc/none", SUBSYSTEM="misc", SEQNUM=1,
                           PADDING="x" * 4000)
    daemon.process.send_signal(signal.SIGSTOP)
    for _ in range(20000):
        out.sendto(message, (0, 2))  # as udevd does
    drops = [line.split()[8] for line in Path("/proc/net/netlink").read_text().splitlines()
             if line.split()[2] == str(daemon.pid)]
    threads.unbind("parport_pc")
    time.sleep(1)
    daemon.process.send_signal(signal.SIGCONT)
    wait_for(lambda: ports(caller) == {}, timeout=30)
    assert any(int(d) > 0 for d in drops), drops
    assert daemon.process.poll() is None


@pytest.mark.parametrize("order", list(itertools.permutations(MODULES)), ids="-".join)
def test_modules_in_every_order(daemon, caller, order):
    """Each is removed or in use; the port is always what the kernel says."""
    for module in ("lp", "lrtbf"):
        assert insert(module).returncode == 0
    become(caller, "ready")
    for module in order:
        done = remove(module)
        assert done.returncode == 0 or "in use" in done.stderr, (module, done.stderr)
        assert (done.returncode == 0) == (not loaded(module))
        become(caller, None if not SETTINGS.exists() else "ready" if NODE.exists() else "present")
    for module in order:
        if not loaded(module):
            assert insert(module).returncode == 0
    become(caller, "ready")
    assert test_port(caller, pulses=("u", 10), **SLOWLY)["verdict"] == "jumper"


@pytest.fixture
def uevents():
    """uevents(): (action, path) of all that the kernel told since the last time."""
    listening = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
    listening.bind((0, 1))

    def read():
        told = []
        with contextlib.suppress(BlockingIOError):
            while True:
                told.append(tuple(listening.recv(8192, socket.MSG_DONTWAIT).split(b"\0")[0].decode().split("@")))
        return told
    yield read
    listening.close()


def test_phantom(daemon, bus, caller, module, uevents):
    """parport_pc, when it is loaded, makes a parport1 of the same address and takes it away. Nobody is told."""
    become(caller, "ready")
    listener = Listener(bus)
    for module in ("parport_pc", "lrtbf"):
        assert remove(module).returncode == 0
    wait_for(lambda: ports(caller) == {}, timeout=30)
    uevents()
    for module in ("lrtbf", "parport_pc"):
        assert insert(module).returncode == 0
    become(caller, "ready")
    command("udevadm", "settle")
    told = uevents()
    assert {"add", "remove"} <= {action for action, path in told if path == "/devices/parport1"}, told
    assert test_port(caller, pulses=("u", 20), **SLOWLY)["verdict"] == "jumper"
    assert list(ports(caller)) == ["parport0"]
    assert sorted(Path("/dev").glob("lrtbf-*")) == [NODE]
    assert {body[0] for _, m, body, _ in listener.read(0.2) if "Interfaces" in m} == {P0}
    assert "parport1" not in daemon.log()
    listener.connection.close()


def test_session_waits_for_a_test(daemon, bus, caller, module):
    """Begun during a test of the port: its turn comes when the test has ended, and both are whole."""
    daemon.plan("loop", LOOPBACK % "1s")
    caller.manager("Reload", "a{sv}", {})
    other = ask(bus, pulses=("u", 100))
    become(caller, "measuring")
    sid = caller.start("loop")
    assert caller.session_get(sid, "State") == "queued"
    failed, found = answer(other)
    assert not failed and found["verdict"] == "jumper"
    assert caller.wait_state(sid, timeout=60) == "done"
    assert caller.report(sid)["stages"][0]["all"]["count"] > 25
    become(caller, "ready")


def test_killed_in_a_test(daemon, bus, caller, module):
    """What tests is the daemon itself: the port and the module are free at once, and for the next daemon."""
    ask(bus, pulses=("u", 500))
    become(caller, "measuring")
    wait_for(lambda: "lrtbf" in (SETTINGS / "devices/active").read_text(), timeout=30)
    daemon.kill()
    assert (SETTINGS / "devices/active").read_text().strip() == "none"
    assert command("rmmod", "lrtbf").returncode == 0
    daemon.start()
    assert insert("lrtbf").returncode == 0
    become(caller, "ready")
    assert test_port(caller, pulses=("u", 20), **SLOWLY)["verdict"] == "jumper"


def test_asker_leaves(daemon, bus, caller, module):
    """Whoever asked for a test and went away does not keep the machine from the others."""
    other = ask(bus, pulses=("u", 800))
    become(caller, "measuring")
    other.close()
    wait_for(lambda: state(caller) == "ready", timeout=5)


@pytest.fixture
def rules():
    """The rules of udev, and the module where modprobe looks for it."""
    release = os.uname().release
    folder = Path("/run/udev/rules.d")
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "units/60-lrtbf.rules", folder)
    extra = Path("/lib/modules", release, "extra")
    extra.mkdir()
    shutil.copy(JOB / "lrtbf.ko", extra)
    command("groupadd", "-f", "lrtbf")
    udevadm = {**os.environ, "SYSTEMD_IGNORE_CHROOT": "1"}
    for words in (["depmod", release], ["udevadm", "control", "--reload"]):
        subprocess.run(words, check=True, env=udevadm, capture_output=True)
    yield
    (folder / "60-lrtbf.rules").unlink()
    shutil.rmtree(extra)
    for words in (["depmod", release], ["udevadm", "control", "--reload"]):
        subprocess.run(words, check=True, env=udevadm, capture_output=True)


def test_udev_loads_the_module(daemon, caller, rules):
    """With the port, and gives its devices to the group."""
    assert state(caller) == "present"
    device = threads.unbind("parport_pc")
    threads.bind("parport_pc", device)
    become(caller, "ready")
    for node in (NODE, Path("/dev/lrtbf")):
        wait_for(lambda: (node.group(), node.stat().st_mode & 0o777) == ("lrtbf", 0o660), timeout=30)


def test_module_in_use(daemon, caller, module):
    """A session holds the module and the port's driver; both go when it has ended."""
    daemon.plan("loop", LOOPBACK % "60s")
    caller.manager("Reload", "a{sv}", {})
    become(caller, "ready")
    sid = caller.start("loop")
    caller.wait_state(sid, "running")
    become(caller, "measuring")
    wait_for(lambda: "lrtbf" in (SETTINGS / "devices/active").read_text(), timeout=30)
    for name in ("lrtbf", "parport_pc"):
        done = remove(name)
        assert done.returncode and "in use" in done.stderr
    service.ctl(daemon, "session", "stop", sid)
    caller.wait_state(sid)
    become(caller, "ready")
    assert command("rmmod", "lrtbf").returncode == 0
    assert os.path.exists("/proc/sys/dev/parport/parport0")
    become(caller, "present")
