# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may change something: root and the daemon's own user; of others, whom polkit lets."""
import os
import time

import pytest
from jeepney import DBusAddress, DBusErrorResponse, MessageType, new_method_call
from lrtbf import ENDED, MANAGER, NAME, wait_for
from others import INTERACTIVE, NOBODY, Polkit, connect_as, several

pytestmark = pytest.mark.root
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""
OTHER = 1  # "daemon": the bus knows no uid without a name


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "200ms")
    daemon.plan("long", PLAN % "60s")
    return daemon.start()


@pytest.fixture
def nobody(bus):
    connection = connect_as(bus, NOBODY)
    yield connection
    connection.close()


@pytest.fixture
def other(bus):
    connection = connect_as(bus, OTHER)
    yield connection
    connection.close()


@pytest.fixture
def polkit(bus):
    with several(Polkit, bus) as make:
        yield make


def refused(call, *args, name="NotAuthorized", **kwargs):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args, **kwargs)
    assert error.value.name == f"org.lrtbf1.Error.{name}", error.value
    return error.value.data[0]


def start_message(plan="brief", interactive=False):
    address = DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager")
    message = new_method_call(address, "StartSession", "sa{sv}", (plan, {}))
    if interactive:
        message.header.flags |= INTERACTIVE
    return message


def sessions(caller):
    return [s["id"][1] for s in caller.manager("ListSessions", "a{sv}su", {}, "", 0)[0]]


def test_without_polkit_only_root(ready, caller, nobody):
    message = refused(nobody.start, "brief")
    assert "polkit" in message and "root" in message
    refused(nobody.manager, "Reload", "a{sv}", {})
    sid = caller.start("brief")
    refused(nobody.session, sid, "Stop", "a{sv}", {})
    caller.wait_state(sid)
    refused(nobody.manager, "DeleteSession", "sa{sv}", sid, {})
    assert sessions(caller) == [sid]


def test_reading_is_open(ready, caller, nobody):
    sid = caller.start("brief")
    assert nobody.wait_state(sid) == "done"
    assert nobody.report(sid)["session"]["id"] == sid
    assert nobody.session_all(sid)["Owner"] == 0
    assert sessions(nobody) == [sid]
    assert {p["name"][1] for p in nobody.manager("ListPlans", "a{sv}", {})} >= {"brief", "long"}
    nobody.manager("CheckSystem", "a{sv}", {})
    assert nobody.manager("CheckPlan", "sa{sv}", PLAN % "1s", {}) == []


def test_polkit_says_yes(ready, caller, nobody, polkit):
    service = polkit(measure="yes")
    sid = nobody.start("brief")
    assert caller.session_get(sid, "Owner") == NOBODY
    subject, action, details, flags, cancellation = service.called("CheckAuthorization")[0]
    assert subject == ("system-bus-name", {"name": ("s", nobody.unique_name)})
    assert action == "org.lrtbf1.measure"
    assert flags == 0
    assert cancellation
    assert nobody.wait_state(sid) == "done"


def test_root_is_not_asked_about(ready, caller, polkit):
    service = polkit(measure="no")
    caller.wait_state(caller.start("brief"))
    assert not service.called("CheckAuthorization")


def test_polkit_says_no(ready, caller, nobody, polkit):
    polkit(measure="no")
    assert "org.lrtbf1.measure" in refused(nobody.start, "brief")
    assert sessions(caller) == []


def test_polkit_wants_a_password(ready, nobody, polkit):
    """Refused when nobody may be asked; the flag of the call is handed on."""
    service = polkit(measure="challenge")
    assert "password" in refused(nobody.start, "brief")
    reply = nobody.raw.send_and_get_reply(start_message(interactive=True), timeout=10)
    assert reply.header.message_type == MessageType.error
    assert "password" not in reply.body[0]
    assert [c[3] for c in service.called("CheckAuthorization")] == [0, 1]


@pytest.mark.parametrize("answer", ["error", "nonsense"])
def test_polkit_is_broken(ready, caller, nobody, polkit, answer):
    polkit(measure=answer)
    assert "polkit" in refused(nobody.start, "brief")
    assert sessions(caller) == []


def test_bad_arguments_are_refused_first(ready, nobody, polkit):
    service = polkit(measure="yes")
    refused(nobody.manager, "StartSession", "sa{sv}", "brief", {"durration": ("s", "1s")},
            name="InvalidOption")
    refused(nobody.manager, "DeleteSession", "sa{sv}", "s20200101T000000Z_0000", {}, name="NoSuchSession")
    assert not service.called("CheckAuthorization")


def test_own_and_others_sessions(ready, caller, nobody, other, polkit):
    service = polkit(measure="yes", manage_results="no")
    sid = nobody.start("long")
    caller.wait_state(sid, "running")
    refused(other.session, sid, "Stop", "a{sv}", {})
    assert caller.session_get(sid, "State") == "running"
    nobody.session(sid, "Stop", "a{sv}", {})
    assert caller.wait_state(sid) == "stopped"
    refused(other.manager, "DeleteSession", "sa{sv}", sid, {})
    actions = [c[1] for c in service.called("CheckAuthorization")]
    assert actions == ["org.lrtbf1.measure", "org.lrtbf1.manage-results", "org.lrtbf1.measure",
                       "org.lrtbf1.manage-results"]
    service.answers["org.lrtbf1.manage-results"] = "yes"
    other.manager("DeleteSession", "sa{sv}", sid, {})
    assert sessions(caller) == []


def test_reload_has_an_action_of_its_own(ready, nobody, polkit):
    service = polkit(measure="yes", configure="no")
    assert "org.lrtbf1.configure" in refused(nobody.manager, "Reload", "a{sv}", {})
    service.answers["org.lrtbf1.configure"] = "yes"
    nobody.manager("Reload", "a{sv}", {})


def test_others_are_served_meanwhile(ready, caller, nobody, polkit):
    """Nothing waits for a dialogue but the call it is about."""
    service = polkit(measure="hold")
    with nobody.raw.filter_replies() if hasattr(nobody.raw, "filter_replies") else open(os.devnull):
        nobody.raw.send(start_message(interactive=True))
        wait_for(lambda: service.held, what="the question to polkit")
        start = time.monotonic()
        sid = caller.start("brief")
        assert caller.wait_state(sid) in ENDED
        assert time.monotonic() - start < 10
        service.release("yes")
        wait_for(lambda: len(sessions(caller)) == 2, what="the call that had to wait")


def test_two_wait_at_once(ready, caller, nobody, other, polkit):
    service = polkit(measure="hold")
    nobody.raw.send(start_message())
    other.raw.send(start_message())
    wait_for(lambda: len(service.held) == 2, what="two questions to polkit")
    service.release("yes")
    wait_for(lambda: len(sessions(caller)) == 2, what="two sessions")
    owners = {caller.session_get(s, "Owner") for s in sessions(caller)}
    assert owners == {NOBODY, OTHER}


def test_caller_vanishes_while_waiting(ready, bus, caller, polkit):
    service = polkit(measure="hold")
    gone = connect_as(bus, NOBODY)
    gone.raw.send(start_message(interactive=True))
    wait_for(lambda: service.held, what="the question to polkit")
    gone.close()
    cancelled = wait_for(lambda: service.called("CancelCheckAuthorization"), what="cancellation")
    assert cancelled[0][0] == service.called("CheckAuthorization")[0][4]
    service.release("yes")
    time.sleep(0.3)
    assert sessions(caller) == []
    assert caller.manager("ListSessions", "a{sv}su", {}, "", 0) == ([], "")


def test_waiting_calls_are_bounded(ready, bus, caller, nobody, polkit):
    """One user cannot fill the daemon with calls that wait for polkit, nor keep another one out."""
    service = polkit(measure="hold")
    count = 100
    for _ in range(count):
        nobody.raw.send(start_message())
    errors = 0
    while errors < count - 16:
        message = nobody.raw.receive(timeout=10)
        if message.header.message_type == MessageType.error:
            from jeepney import HeaderFields
            assert message.header.fields[HeaderFields.error_name] \
                == "org.freedesktop.DBus.Error.LimitsExceeded"
            errors += 1
    wait_for(lambda: len(service.held) == 16, what="16 questions to polkit")
    service.answers["org.lrtbf1.measure"] = "yes"
    someone = connect_as(bus, OTHER)
    assert someone.start("brief")
    someone.close()
    service.release("no")
    wait_for(lambda: nobody.start("brief"), what="room for another one")
