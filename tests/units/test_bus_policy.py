# SPDX-License-Identifier: GPL-2.0-or-later
"""The bus policy, on a bus that denies what nobody allows, as the system's does."""
import os
import re
import subprocess
from pathlib import Path

import pytest
from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call

from lrtbf import LRTBFD, MANAGER, NAME, ROOT, Bus, Daemon
from others import NOBODY, Listener, connect_as

CONF = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
  </policy>
  <include>{policy}</include>
</busconfig>
"""
STANDARD = ["org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Peer",
            "org.freedesktop.DBus.Properties"]
OURS = sorted(i for path in (ROOT / "dbus").glob("*.xml")
              for i in re.findall(r'<interface name="(org\.lrtbf1\.\w+)"', path.read_text()))
DENIED = "org.freedesktop.DBus.Error.AccessDenied"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the policy lets root alone have the name")


@pytest.fixture
def bus(installed, tmp_path, monkeypatch):
    folder = Path("/tmp") / f"lrtbf-{os.getpid()}-{id(tmp_path)}"
    policy = installed.at("share", "dbus-1", "system.d", f"{NAME}.conf")
    monkeypatch.setattr("lrtbf.BUS_CONF", CONF.replace("{policy}", str(policy)))
    bus = Bus(folder)
    yield bus
    bus.stop()
    for path in sorted(folder.iterdir()):
        path.unlink()
    folder.rmdir()


@pytest.fixture
def daemon(bus, tmp_path):
    daemon = Daemon(bus, tmp_path / "d")
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.fixture
def caller(bus):
    caller = bus.connect()
    yield caller
    caller.close()


def error(caller, interface, method, path=MANAGER):
    """Name of the error that a call ends with; "" without one."""
    message = new_method_call(DBusAddress(path, bus_name=NAME, interface=interface), method)
    reply = caller.raw.send_and_get_reply(message, timeout=20)
    if reply.header.message_type != MessageType.error:
        return ""
    return reply.header.fields[HeaderFields.error_name]


def test_what_is_documented_may_be_called(daemon, caller):
    assert len(OURS) >= 5
    for interface in [*OURS, *STANDARD]:
        # whoever answered, it was the service
        assert error(caller, interface, "NoSuchMethod").startswith("org.freedesktop.DBus.Error.Unknown"), interface
    assert caller.get(MANAGER, "Manager", "Version")
    assert error(caller, STANDARD[2], "Ping") == ""
    assert error(caller, STANDARD[1], "GetManagedObjects") == ""


@pytest.mark.parametrize("interface", [None, "org.lrtbf1", "org.lrtbf1.Manager2", "org.lrtbf2.Manager",
                                       "org.freedesktop.LogControl1", "org.freedesktop.DBus.Debug.Stats"])
def test_nothing_else(daemon, caller, interface):
    assert error(caller, interface, "GetManagedObjects" if interface is None else "NoSuchMethod") == DENIED


def test_no_descriptors(daemon, caller):
    """They would fill the service's queue in the bus, whose own answers to it are then dropped."""
    null = os.open(os.devnull, os.O_RDONLY)
    for interface in [*OURS, *STANDARD]:
        address = DBusAddress(MANAGER, bus_name=NAME, interface=interface)
        message = new_method_call(address, "NoSuchMethod", "h", (null,))
        reply = caller.raw.send_and_get_reply(message, timeout=20)
        assert reply.header.fields[HeaderFields.error_name] == DENIED, interface
    os.close(null)


def test_everybody_reads_and_hears(daemon, bus, monkeypatch):
    nobody = connect_as(bus, NOBODY)
    assert nobody.get(MANAGER, "Manager", "Version")
    monkeypatch.setattr(bus, "connect", lambda: connect_as(bus, NOBODY))
    listener = Listener(bus)
    daemon.ctl("session", "start", "quick", "--policy=other", "--duration=100ms", "--wait")
    assert listener.wait("SessionNew") and listener.wait("SessionFinished")
    # what changes something is the service's to refuse, and no matter of the bus
    assert error(nobody, f"{NAME}.Manager", "Reload") != DENIED
    nobody.close()
    listener.connection.close()


def test_nobody_else_is_the_service(bus, tmp_path):
    os.chmod(tmp_path, 0o777)
    done = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", LRTBFD, f"--bus={bus.address}", f"--state-dir={tmp_path}/s",
                           f"--runtime-dir={tmp_path}/r", f"--lock-file={tmp_path}/lock",
                           f"--config-dir={ROOT / 'conf'}"], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 1 and NAME in done.stderr
