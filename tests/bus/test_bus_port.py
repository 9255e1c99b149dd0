# SPDX-License-Identifier: GPL-2.0-or-later
"""Parallel ports that come, go, are taken and given back, in umockdev's test bed."""
import contextlib
import signal
import threading
import time

import pytest
from jeepney import DBusAddress, DBusErrorResponse, new_method_call
from lrtbf import MANAGER, NAME, plain, wait_for
from others import Listener, NOBODY, Polkit, connect_as
from ports import Bed, PORT, Systemd, available, port_path, ports, state, udev_message

pytestmark = pytest.mark.skipif(not available(), reason="umockdev is not installed")
P0 = port_path("parport0")

PLAN = """
instrument = "parport"; role = "loopback"; port = "parport0"; policy = "fifo"; priority = 80;
interval = "1ms"; duration = "1s"; cpus = "0";
"""


@pytest.fixture
def bed():
    bed = Bed()
    yield bed
    bed.close()


@pytest.fixture
def serve(make_daemon, bed, caller):
    """serve(): an lrtbfd in the bed, that has begun to listen."""
    def serve(**kwargs):
        daemon = make_daemon(env=bed.env(), **kwargs)
        daemon.plan("loop", PLAN)
        daemon.start()
        ports(caller)
        return daemon
    return serve


@pytest.fixture
def signals(bus):
    listener = Listener(bus)
    yield listener
    listener.connection.close()


def port_signals(signals):
    """[(what, name, value)]: all that was told of ports."""
    told = []
    for path, member, body, _ in signals.read(0.3):
        member = member.rsplit(".", 1)[1]
        if member == "InterfacesAdded" and PORT in body[1]:
            told.append(("added", body[0].rsplit("/", 1)[1], plain(body[1][PORT])["State"]))
        elif member == "InterfacesRemoved" and PORT in body[1]:
            told.append(("removed", body[0].rsplit("/", 1)[1], None))
        elif member == "PropertiesChanged" and body[0] == PORT:
            told.append(("changed", path.rsplit("/", 1)[1], plain(body[1])))
    return told


@contextlib.contextmanager
def paused(daemon):
    """What happens meanwhile happens at once, however slow this machine is."""
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        daemon.process.send_signal(signal.SIGCONT)


def refused(call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    return error.value.name.removeprefix(f"{NAME}.Error."), error.value.data[0]


def test(caller, **options):
    return plain(caller.call(P0, PORT, "Test", "a{sv}", options))


test.__test__ = False


# --- what there is ---

def test_at_start(bed, serve, caller):
    bed.plug()
    bed.plug("parport1", irq="none", base=0xd010, device="pci0000:00/0000:05:00.0")
    bed.module("parport1")
    serve()
    assert ports(caller) == {
        "parport0": {"Name": "parport0", "State": "present", "Holder": "", "Base": 0x378, "Irq": 7,
                     "Thread": "", "ThreadId": 0, "Driver": "parport_pc", "Device": "/devices/pnp0/00:04",
                     "Role": ""},
        "parport1": {"Name": "parport1", "State": "ready", "Holder": "", "Base": 0xd010, "Irq": -1,
                     "Thread": "", "ThreadId": 0, "Driver": "parport_pc",
                     "Device": "/devices/pci0000:00/0000:05:00.0", "Role": ""}}


def test_none(bed, serve, caller):
    serve()
    assert ports(caller) == {}
    name, text = refused(caller.start, "loop")
    assert name == "NoDevice" and "no parallel port parport0" in text and "USB" in text
    assert refused(caller.call, P0, PORT, "Test", "a{sv}", {})[0] == "NoDevice"
    for path in ("parport1", "lp_2e0", "default"):
        assert refused(caller.call, port_path(path), "org.freedesktop.DBus.Properties", "GetAll", "s",
                       PORT)[0] == "NoDevice"


# --- what comes and goes ---

def test_comes_and_goes(bed, serve, caller, signals):
    daemon = serve()
    for _ in range(2):
        with paused(daemon):
            bed.event("add", *bed.plug())
        wait_for(lambda: state(caller) == "present")
        with paused(daemon):
            bed.event("add", *bed.module("parport0"))
        wait_for(lambda: state(caller) == "ready")
        with paused(daemon):
            bed.unload("parport0")
        wait_for(lambda: state(caller) == "present")
        with paused(daemon):
            bed.pull()
        wait_for(lambda: ports(caller) == {})
    once = [("added", "parport0", "present"), ("changed", "parport0", {"State": "ready"}),
            ("changed", "parport0", {"State": "present"}), ("changed", "parport0", {"State": "absent"}),
            ("removed", "parport0", None)]
    assert port_signals(signals) == once * 2
    log = daemon.log()
    assert log.count("parport0 came: 0x378, interrupt line 7, driver parport_pc") == 2
    assert log.count("parport0 was taken away.") == 2


def test_at_once_gone_is_never_told(bed, serve, caller, signals):
    """As the parport1 that parport_pc's legacy probe makes."""
    daemon = serve()
    with paused(daemon):
        bed.event("add", *bed.plug("parport1", device="platform/parport_pc.888"))
        bed.pull("parport1", device="platform/parport_pc.888")
        bed.event("add", *bed.plug("parport0"))
    signals.wait("InterfacesAdded")
    time.sleep(0.5)
    assert port_signals(signals) == [("added", "parport0", "present")]
    assert "parport1" not in daemon.log()


def test_burst_is_told_once(bed, serve, caller, signals):
    """A thousand events while the port comes, and again while it goes; none of them is waited for."""
    daemon = serve()
    paths = bed.plug()
    for path in paths:
        bed.event("add", path, times=500)
    signals.wait("InterfacesAdded")
    bed.event("move", paths[0], times=500)
    bed.event("bind", paths[1], times=500)
    time.sleep(0.6)
    assert port_signals(signals) == [("added", "parport0", "present")]
    with paused(daemon):
        bed.pull()
    signals.wait("InterfacesRemoved")
    assert [t[:2] for t in port_signals(signals)] == [("added", "parport0"), ("changed", "parport0"),
                                                      ("removed", "parport0")]


def test_events_without_an_end(bed, serve, caller, signals):
    """The port is there within the time that they may put it off."""
    serve()
    paths = bed.plug()
    end = time.monotonic() + 20
    while not signals.of("InterfacesAdded"):
        assert time.monotonic() < end
        bed.event("add", paths[0])
        time.sleep(0.01)


def test_moved(bed, serve, caller):
    """Another number and address, told of by a move only."""
    daemon = serve()
    bed.event("add", *bed.plug())
    wait_for(lambda: state(caller) == "present")
    with paused(daemon):
        bed.pull(send=False)
        path, _ = bed.plug("parport3", base=0x278, irq="5")
        bed.event("move", path)
    wait_for(lambda: list(ports(caller)) == ["parport3"])
    assert ports(caller)["parport3"]["Base"] == 0x278 and ports(caller)["parport3"]["Irq"] == 5


def test_event_before_the_settings(bed, serve, caller, signals):
    """The kernel tells of the port first, asks who is at its other end, and then has its settings."""
    daemon = serve()
    bed.event("add", bed.device("devices/parport0", "DEVTYPE=parport\n", "bus/parport/devices"))
    time.sleep(0.6)
    assert ports(caller) == {}
    with paused(daemon):
        bed.drop("devices/parport0", "bus/parport/devices")
        bed.plug()
    wait_for(lambda: ports(caller).get("parport0", {}).get("Irq") == 7)


def test_odd_messages(bed, serve, caller):
    """Without properties, without a subsystem, cut short, of other things: nothing comes of them."""
    bed.plug()
    daemon = serve()
    whole = udev_message(ACTION="add", DEVPATH="/devices/parport0", SUBSYSTEM="parport")
    for message in (udev_message(), udev_message(ACTION="add"), whole[:20], whole[:50], b"", b"libudev", b"add@/x",
                    udev_message(ACTION="", DEVPATH="", SUBSYSTEM=""),
                    udev_message(ACTION="add", DEVPATH="/devices/none", SUBSYSTEM="parport"),
                    udev_message(ACTION="change", DEVPATH="/devices/parport0", SUBSYSTEM="parport"), whole):
        bed.send(message)
    time.sleep(0.3)
    assert state(caller) == "present"
    bed.pull()
    wait_for(lambda: ports(caller) == {})
    assert daemon.process.poll() is None


def test_line_changes(bed, serve, caller, signals):
    bed.plug(irq="none")
    serve()
    bed.write("proc/sys/dev/parport/parport0/irq", "7\n")
    bed.event("bind", "/sys/devices/parport0")
    signals.wait("PropertiesChanged")
    assert port_signals(signals) == [("changed", "parport0", {"Irq": 7})]


def test_idle_sleeps(bed, serve, caller):
    """No wake-up while nothing happens."""
    bed.plug()
    daemon = serve()
    assert state(caller) == "present"

    def switches():
        with open(f"/proc/{daemon.pid}/status") as status:
            return sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    time.sleep(1)
    before = switches()
    time.sleep(2)
    assert switches() - before <= 2


# --- who has it ---

def test_holder(bed, serve, caller, signals):
    """It is looked at when somebody asks, and that is told of."""
    bed.plug()
    bed.module("parport0")
    serve()
    bed.hold("parport0", "lp")
    time.sleep(0.3)
    assert port_signals(signals) == []
    assert caller.get(P0, "Port", "Holder") == "lp"
    assert caller.get(P0, "Port", "State") == "busy"
    bed.hold("parport0", "lrtbf")
    assert state(caller) == "measuring"
    bed.hold("parport0", "none")
    assert state(caller) == "ready"
    assert port_signals(signals) == [
        ("changed", "parport0", {"State": "busy", "Holder": "lp"}),
        ("changed", "parport0", {"State": "measuring", "Holder": "lrtbf"}),
        ("changed", "parport0", {"State": "ready", "Holder": ""})]


@pytest.mark.root
def test_session_is_refused(bed, serve, caller):
    bed.plug()
    daemon = serve()
    name, text = refused(caller.start, "loop")
    assert name == "NoDevice" and "modprobe lrtbf" in text
    bed.event("add", *bed.module("parport0"))
    wait_for(lambda: state(caller) == "ready")
    bed.hold("parport0", "ppdev0")
    assert refused(caller.start, "loop") == (
        "Busy", "parport0 is held by the driver ppdev0: end what uses it, or unload that driver.")
    bed.hold("parport0", "none")
    name, text = refused(lambda: caller.start("loop", port="parport1"))
    assert name == "NoDevice" and "there is parport0 (ready)" in text
    bed.write("proc/sys/dev/parport/parport0/irq", "none\n")
    bed.event("bind", "/sys/devices/parport0")
    wait_for(lambda: ports(caller)["parport0"]["Irq"] == -1)
    assert "no interrupt" in refused(caller.start, "loop")[1]
    assert daemon.stop() == 0


# --- the module ---

def test_module_is_loaded_for_a_test(bed, serve, caller, bus):
    """PID 1 is asked once, and what it loaded is tried: a device without a file, here."""
    bed.plug()
    systemd = Systemd(bus, lambda: bed.module("parport0") and "done")
    serve()
    found = test(caller)
    assert found["verdict"] == "no-module" and "although" not in found["text"]
    assert systemd.called("StartUnit") == [("modprobe@lrtbf.service", "replace")]
    assert state(caller) == "ready"
    systemd.close()


@pytest.mark.parametrize("result, words", [
    ("failed", "modprobe@lrtbf.service could not load it"), ("refuse", "no systemd that would load it"),
    ("done", "although it was loaded")])
def test_module_cannot_be_loaded(bed, serve, caller, bus, result, words):
    bed.plug()
    systemd = Systemd(bus, lambda: result)
    serve()
    found = test(caller)
    assert found["verdict"] == "no-module" and words in found["text"] and "modprobe lrtbf" in found["text"]
    assert set(found) == {"verdict", "text"}
    # and again: nothing is left of it
    assert test(caller)["verdict"] == "no-module"
    systemd.close()


def test_no_systemd(bed, serve, caller):
    bed.plug()
    serve()
    assert "no systemd" in test(caller)["text"]


@pytest.mark.root
def test_module_is_loaded_for_a_session(bed, serve, caller, bus):
    bed.plug()
    systemd = Systemd(bus, lambda: bed.module("parport0") and "done")
    serve()
    sid = caller.start("loop")
    assert systemd.called("StartUnit") == [("modprobe@lrtbf.service", "replace")]
    # there is no file of the device here
    assert caller.wait_state(sid) == "failed"
    assert caller.session_get(sid, "ReasonId") == "NoDevice"
    wait_for(lambda: state(caller) == "ready")
    systemd.close()


@pytest.mark.root
def test_caller_leaves_before_his_session(bed, serve, caller, bus):
    """He is gone before there is something that could be tied to him."""
    bed.plug()
    loading, gone = threading.Event(), threading.Event()
    systemd = Systemd(bus, lambda: loading.set() or (gone.wait(8), bed.module("parport0")) and "done")
    daemon = serve()
    daemon.plan("long", PLAN.replace("parport", "timer", 1).replace('role = "loopback"; port = "parport0";', "")
                .replace('"fifo"; priority = 80', '"other"').replace('"1s"', '"60s"'))
    caller.manager("Reload", "a{sv}", {})
    first = caller.start("long")
    caller.wait_state(first, "running")
    other = bus.connect()
    other.raw.send(new_method_call(DBusAddress(MANAGER, bus_name=NAME, interface=f"{NAME}.Manager"), "StartSession",
                                   "sa{sv}", ("loop", {"tied": ("b", True)})))
    assert loading.wait(10)
    other.close()
    gone.set()
    wait_for(lambda: "has left the bus" in daemon.log())
    assert caller.get(MANAGER, "Manager", "QueueLength") == 0
    assert caller.session_get(first, "State") == "running"
    systemd.close()


def test_stop_while_it_is_loaded(bed, serve, caller, bus):
    """The daemon ends; the caller has his error."""
    bed.plug()
    systemd = Systemd(bus, lambda: "hold")
    daemon = serve()
    other = bus.connect()
    other.raw.send(new_method_call(DBusAddress(P0, bus_name=NAME, interface=PORT), "Test", "a{sv}", ({},)))
    wait_for(lambda: systemd.called("StartUnit"))
    # a second one is told who has the machine
    assert refused(caller.call, P0, PORT, "Test", "a{sv}", {})[0] == "Busy"
    assert daemon.stop() == 0
    other.close()
    systemd.close()


# --- the test ---

def test_busy_port(bed, serve, caller):
    bed.plug()
    bed.module("parport0")
    bed.hold("parport0", "lp")
    serve()
    assert test(caller) == {"verdict": "busy", "text": "parport0 is held by the driver lp: end what uses "
                            "it, or unload that driver."}


@pytest.mark.parametrize("options, words", [
    ({"pulses": ("u", 0)}, "1 to 10000"), ({"pulses": ("u", 10001)}, "1 to 10000"),
    ({"pulses": ("s", "many")}, "pulses"), ({"interval": ("s", "2")}, "interval"),
    ({"interval": ("s", "10us")}, "100us to 1s"), ({"pulses": ("u", 30), "interval": ("s", "1s")}, "20 s"),
    ({"pulses": ("t", 2 ** 63)}, "pulses"), ({"pulses": ("i", -1)}, "pulses"), ({"pulses": ("v", ("u", 5))}, "pulses"),
    ({"interval": ("t", 2000000)}, "interval"), ({"interval": ("s", "-2ms")}, "interval"),
    ({"interval": ("s", "99999999999999999999h")}, "interval"), ({"interval": ("ay", b"2ms")}, "interval"),
    ({"pulses": ("u", 2 ** 32 - 1), "interval": ("s", "1s")}, "1 to 10000"),
    ({"frob": ("b", True)}, "frob")])
def test_options(bed, serve, caller, options, words):
    bed.plug()
    serve()
    name, text = refused(caller.call, P0, PORT, "Test", "a{sv}", options)
    assert name == "InvalidOption"
    assert words in text or "unit" in text


def test_busy_while_measuring(bed, serve, caller, make_daemon):
    bed.plug()
    bed.module("parport0")
    daemon = make_daemon(env=bed.env())
    daemon.plan("long", 'instrument = "timer"; policy = "other"; interval = "1ms"; duration = "30s"; cpus = "0";')
    daemon.start()
    sid = caller.start("long")
    name, text = refused(caller.call, P0, PORT, "Test", "a{sv}", {})
    assert name == "Busy" and sid in text


def test_caller_leaves_while_the_module_is_loaded(bed, serve, caller, bus):
    """Nobody waits for an answer: the port is not tested, and the machine is the next one's."""
    bed.plug()
    loading = []
    systemd = Systemd(bus, lambda: loading.append(1) or ("hold" if len(loading) == 1 else "failed"))
    daemon = serve()
    other = bus.connect()
    other.raw.send(new_method_call(DBusAddress(P0, bus_name=NAME, interface=PORT), "Test", "a{sv}", ({},)))
    wait_for(lambda: loading)
    other.close()
    # the first one is given up when nothing has come of it for long: until then the machine is taken
    assert refused(caller.call, P0, PORT, "Test", "a{sv}", {})[0] == "Busy"
    systemd.close()
    wait_for(lambda: daemon.process.poll() is None and test_or_busy(caller) == "no-module", timeout=60)


def test_or_busy(caller):
    try:
        return test(caller)["verdict"]
    except DBusErrorResponse as error:
        return error.name


test_or_busy.__test__ = False


# --- what a session may not wish ---

@pytest.mark.root
@pytest.mark.parametrize("wish, error, words", [
    ({"interval": "0s"}, "InvalidOption", "interval"), ({"interval": "-1ms"}, "InvalidOption", "interval"),
    ({"interval": "1"}, "InvalidOption", "unit"), ({"interval": "19us"}, "InvalidOption", "20us"),
    ({"interval": "11s"}, "InvalidOption", "10s"), ({"interval": "9" * 30 + "h"}, "InvalidOption", "interval"),
    # the plan's time-out is more than half of it
    ({"interval": "500us"}, "InvalidOption", "half"), ({"duration": "0s"}, "InvalidOption", "duration"),
    ({"policy": "other"}, "InvalidOption", "fifo"), ({"priority": "0"}, "InvalidOption", "priority"),
    ({"priority": "99"}, "InvalidOption", "priority"), ({"cpus": "4095"}, "InvalidOption", "1023"),
    ({"cpus": "1023"}, "InvalidOption", "1023"),
    ({"cpus": "-1"}, "InvalidOption", "cpus"), ({"cpus": ""}, "InvalidOption", "cpus"),
    ({"port": ""}, "InvalidOption", "port"), ({"port": "../parport0"}, "InvalidOption", "path"),
    ({"port": "/dev/parport0"}, "InvalidOption", "path"), ({"port": "parport0/"}, "InvalidOption", "path"),
    ({"port": "p" * 32}, "InvalidOption", "31"), ({"port": "parport\u0660"}, "InvalidOption", "letters"),
    ({"port": "parport0 "}, "InvalidOption", "letters"), ({"port": "parport00"}, "NoDevice", "parport00"),
    ({"port": "parport-1"}, "NoDevice", "parport-1"), ({"port": "lrtbf"}, "NoDevice", "lrtbf")])
def test_wishes(bed, make_daemon, caller, wish, error, words):
    bed.plug()
    bed.module("parport0")
    daemon = make_daemon(env=bed.env())
    daemon.plan("loop", PLAN + 'timeout = "400us";')
    daemon.start()
    name, text = refused(lambda: caller.start("loop", **wish))
    assert name == error and words in text, (name, text)
    assert state(caller) == "ready"


@pytest.mark.root
def test_two_cpus(bed, make_daemon, caller):
    bed.plug()
    bed.module("parport0")
    daemon = make_daemon(env=bed.env())
    daemon.plan("loop", PLAN)
    daemon.start()
    name, text = refused(lambda: caller.start("loop", cpus="0,1"))
    assert name == "InvalidOption" and "one CPU" in text


@pytest.mark.root
def test_pulled_while_queued(bed, make_daemon, caller):
    """A session that waits does not hold the port: when its turn comes the port is gone, or back again."""
    bed.plug()
    bed.module("parport0")
    daemon = make_daemon(env=bed.env())
    daemon.plan("long", 'instrument = "timer"; policy = "other"; interval = "1ms"; duration = "1h"; cpus = "0";')
    daemon.plan("loop", PLAN)
    daemon.start()
    first = caller.start("long")
    waiting = [caller.start("loop") for _ in range(2)]
    bed.unload("parport0")
    bed.pull()
    wait_for(lambda: ports(caller) == {})
    caller.session(first, "Stop", "a{sv}", {})
    for sid in waiting:
        assert caller.wait_state(sid) == "failed"
        assert caller.session_get(sid, "ReasonId") == "NoDevice"
        assert "parport0" in caller.session_get(sid, "Reason")
    assert ports(caller) == {}
    assert daemon.stop() == 0


def test_calls_of_odd_types(bed, serve, caller):
    """Of a port's object: refused each, and nothing comes of it."""
    bed.plug()
    serve()
    for signature, args in (("", ()), ("s", ("x",)), ("a{ss}", ({},)), ("a{sv}s", ({}, "x")), ("av", ([],))):
        assert refused(caller.call, P0, PORT, "Test", signature, *args)[0].endswith("InvalidArgs")
    assert refused(caller.call, P0, PORT, "Tests", "", )[0].endswith("UnknownMethod")
    for name in ("State", "Holder", "Role", "Irq"):
        with pytest.raises(DBusErrorResponse):
            caller.call(P0, "org.freedesktop.DBus.Properties", "Set", "ssv", PORT, name, ("s", "ready"))
    for name in ("parport0/x", "parport0/Test", "_", "a" * 200):
        assert refused(caller.call, port_path(name), PORT, "Test", "a{sv}", {})[0] != ""
    assert state(caller) == "present"


@pytest.mark.root
def test_authority(bed, serve, bus, caller):
    bed.plug()
    polkit = Polkit(bus, measure="no")
    serve()
    stranger = connect_as(bus, NOBODY)
    assert state(stranger) == "present"  # reading is open
    assert refused(stranger.call, P0, PORT, "Test", "a{sv}", {})[0] == "NotAuthorized"
    polkit.answers["org.lrtbf1.measure"] = "yes"
    assert test(stranger)["verdict"] == "no-module"
    stranger.close()
    polkit.close()
