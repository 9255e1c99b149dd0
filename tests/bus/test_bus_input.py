# SPDX-License-Identifier: GPL-2.0-or-later
"""Input nobody should send: each gets an error of ours, costs nothing that stays, and ends nothing."""
import os
from pathlib import Path

import pytest
from jeepney import DBusErrorResponse
from lrtbf import MANAGER, NAME

PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""
NO_SESSION = "s20200101T000000Z_0000"
PROPERTIES = "org.freedesktop.DBus.Properties"
SESSION = NAME + ".Session"
UNKNOWN = "org.freedesktop.DBus.Error.Unknown"


@pytest.fixture
def ready(make_daemon):
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "200ms")
    daemon.plan("long", PLAN % "60s")
    return daemon.start()


def refused(call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert len(error.value.data[0]) < 2000
    return error.value.name.removeprefix("org.lrtbf1.Error."), error.value.data[0]


def resident(daemon):
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    return int(next(l for l in status.splitlines() if l.startswith("VmRSS")).split()[1])


@pytest.mark.parametrize("method, signature, args", [
    ("StartSession", "sa{sv}", ("brief",)),
    ("DeleteSession", "sa{sv}", (NO_SESSION,)),
    ("ListPlans", "a{sv}", ()),
    ("CheckPlan", "sa{sv}", ("",)),
    ("GetSchedule", "a{sv}", ()),
    ("SetSchedule", "ssa{sv}", ("brief", "daily")),
    ("CheckSystem", "a{sv}", ()),
    ("CheckIrqRules", "a{sv}", ()),
    ("Reload", "a{sv}", ()),
])
def test_unknown_option(ready, caller, method, signature, args):
    name, text = refused(caller.manager, method, signature, *args, {"durration": ("s", "1s")})
    assert name == "InvalidOption" and "durration" in text
    if method == "StartSession":
        assert "duration" in text and "dma_latency" in text


def test_unknown_filter(ready, caller):
    name, text = refused(caller.manager, "ListSessions", "a{sv}su", {"plam": ("s", "x")}, "", 0)
    assert name == "InvalidOption" and "plam" in text and "since_usec" in text


def test_option_of_a_wrong_type(ready, caller):
    for value in (("u", 5), ("as", ["1s"]), ("v", ("s", "1s")), ("a{sv}", {}), ("b", True)):
        name, text = refused(caller.manager, "StartSession", "sa{sv}", "brief", {"duration": value})
        assert name == "InvalidOption" and "duration" in text and value[0] in text
    assert refused(caller.manager, "StartSession", "sa{sv}", "brief", {"queue": ("s", "no")})[0] \
        == "InvalidOption"


def test_option_with_a_bad_value(ready, caller):
    for key, value in (("duration", "0"), ("duration", "ten"), ("interval", "-1ms"),
                       ("priority", "1000"), ("cpus", "9999"), ("policy", "fifoo"),
                       ("load", "nosuch"), ("limit", "max ~ 3"), ("duration", "\x01\x02")):
        name, text = refused(caller.manager, "StartSession", "sa{sv}", "brief", {key: ("s", value)})
        assert name in ("InvalidOption", "InvalidPlan"), (key, value, name)
        assert text


def test_characters_that_are_none(ready, caller):
    """The bus lets them through, libsystemd does not: no argument, wherever it stands."""
    for call in ((caller.start, "\ufffe"), (caller.manager, "StartSession", "sa{sv}", "brief", {"label": ("s", "\uffff")}),
                 (caller.manager, "StartSession", "sa{sv}", "brief", {"\ufffe": ("s", "")}),
                 (caller.manager, "CheckPlan", "sa{sv}", "# \ufffe", {}),
                 (caller.manager, "ListSessions", "a{sv}su", {}, "\ufffe", 0),
                 (caller.manager, "SetSchedule", "ssa{sv}", "brief", "\ufffe", {})):
        name, text = refused(*call)
        assert name == "InvalidOption" and "not valid text" in text, (call[1:], name, text)


def test_no_such_things(ready, caller):
    assert refused(caller.start, "nosuch")[0] == "NoSuchPlan"
    assert refused(caller.start, "../../etc/passwd")[0] == "NoSuchPlan"
    assert refused(caller.start, "")[0] == "NoSuchPlan"
    assert refused(caller.manager, "GetSession", "s", NO_SESSION)[0] == "NoSuchSession"
    assert refused(caller.manager, "GetSession", "s", "last")[0] == "NoSuchSession"
    assert refused(caller.manager, "GetSession", "s", "last:brief")[0] == "NoSuchSession"
    assert refused(caller.manager, "GetSession", "s", "")[0] == "NoSuchSession"
    assert refused(caller.manager, "DeleteSession", "sa{sv}", NO_SESSION, {})[0] == "NoSuchSession"
    assert refused(caller.manager, "DeleteSession", "sa{sv}", "last", {})[0] == "InvalidOption"


def test_no_such_objects(ready, caller):
    for sid in (NO_SESSION, "x", "a" * 300):
        assert refused(caller.session_get, sid, "State")[0] == "NoSuchSession"
        assert refused(caller.session_all, sid)[0] == "NoSuchSession"
        assert refused(caller.session, sid, "Stop", "a{sv}", {})[0] == "NoSuchSession"
        assert refused(caller.session, sid, "GetReport", "sa{sv}", "text", {})[0] == "NoSuchSession"
    for path in (f"{MANAGER}/session", f"{MANAGER}/session/a/b", f"{MANAGER}/port/a/b",
                     f"{MANAGER}/x", "/"):
        name, _ = refused(caller.call, path, PROPERTIES, "Get", "ss", "org.lrtbf1.Session", "State")
        assert name.startswith(UNKNOWN), (path, name)


@pytest.mark.parametrize("kind, name, error", (
    ("session", NO_SESSION, "NoSuchSession"), ("session", "x", "NoSuchSession"), ("port", "parport9", "NoDevice"),
    ("thread", "1_1", "NoDevice"), ("irq", "99999", "NoDevice")))
def test_no_such_member_of_no_such_object(ready, caller, kind, name, error):
    """What nobody has is an unknown object's; what the object would have is answered in our words."""
    path, interface = f"{MANAGER}/{kind}/{name}", f"{NAME}.{kind.capitalize()}"
    known = {"session": "Id", "port": "Name", "thread": "Name", "irq": "Irq"}[kind]
    for call in ((NAME + ".Wrong", "Stop", "a{sv}", {}), (interface, "Wrong", "a{sv}", {}),
                 (NAME + ".Manager", "Reload", "a{sv}", {}), (interface, known, ""), (PROPERTIES, "Wrong", ""),
                 (PROPERTIES, "Get", "ss", interface, "Wrong"), (PROPERTIES, "Get", "ss", NAME + ".Wrong", known),
                 (PROPERTIES, "Set", "ssv", interface, "Wrong", ("s", "x")),
                 ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "")):
        answer = refused(caller.call, path, *call)[0]
        assert answer.startswith(UNKNOWN), (call, answer)
    for call in ((PROPERTIES, "Get", "ss", interface, known), (PROPERTIES, "GetAll", "s", interface),
                 (PROPERTIES, "Set", "ssv", interface, known, ("s", "x"))):
        assert refused(caller.call, path, *call)[0] == error, call


def test_no_such_member(ready, caller):
    path = f"{MANAGER}/session/{caller.start('brief')}"
    for interface, method in ((NAME + ".Wrong", "Stop"), (SESSION, "Wrong"), (NAME + ".Manager", "Reload")):
        assert refused(caller.call, path, interface, method, "a{sv}", {})[0] == UNKNOWN + "Method"
    for interface, name in ((SESSION, "Wrong"), (NAME + ".Wrong", "Id")):
        assert refused(caller.call, path, PROPERTIES, "Get", "ss", interface, name)[0] == UNKNOWN + "Property"
    assert refused(caller.call, path, PROPERTIES, "Set", "ssv", SESSION, "Id", ("s", "x"))[0].endswith("PropertyReadOnly")


def test_wrong_signatures(ready, caller):
    for method, signature, args in (("StartSession", "s", ("brief",)), ("StartSession", "", ()),
                                    ("StartSession", "ua{sv}", (1, {})),
                                    ("StartSession", "sa{ss}", ("brief", {})),
                                    ("ListSessions", "a{sv}s", ({}, "")),
                                    ("GetSession", "o", ("/x",)), ("NoSuchMethod", "", ())):
        name, _ = refused(caller.manager, method, signature, *args)
        assert name.startswith("org.freedesktop.DBus.Error."), name
    assert refused(caller.call, MANAGER, PROPERTIES, "Set", "ssv", "org.lrtbf1.Manager", "Version",
                   ("s", "9"))[0].startswith("org.freedesktop.DBus.Error.")
    assert caller.get(MANAGER, "Manager", "Version") != "9"


def test_pages(ready, caller):
    assert refused(caller.manager, "ListSessions", "a{sv}su", {}, "", 1001)[0] == "InvalidOption"
    for cursor in ("nonsense", "-1", "99999999999999999999", "é", "x" * 100000):
        assert refused(caller.manager, "ListSessions", "a{sv}su", {}, cursor, 10)[0] == "InvalidOption"
    for key, value in (("state", "running,sleeping"), ("verdict", "good")):
        name = refused(caller.manager, "ListSessions", "a{sv}su", {key: ("s", value)}, "", 0)[0]
        assert name == "InvalidOption", key
    assert refused(caller.manager, "ListSessions", "a{sv}su", {"since_usec": ("t", 2**64 - 1)}, "",
                   0)[0] == "InvalidOption"


@pytest.mark.memory
def test_megabytes(ready, caller):
    before = resident(ready)
    big = "x" * (1024 * 1024)
    assert refused(caller.start, big)[0] == "NoSuchPlan"
    assert refused(caller.manager, "GetSession", "s", big)[0] == "NoSuchSession"
    assert refused(caller.manager, "DeleteSession", "sa{sv}", big, {})[0] == "NoSuchSession"
    for key in ("label", "duration", "limit"):
        assert refused(caller.manager, "StartSession", "sa{sv}", "brief", {key: ("s", big)})[0] \
            == "InvalidOption"
    assert refused(caller.manager, "StartSession", "sa{sv}", "brief", {big: ("s", "")})[0] == "InvalidOption"
    assert refused(caller.manager, "CheckPlan", "sa{sv}", big + "x", {})[0] == "TooLarge"
    assert caller.manager("CheckPlan", "sa{sv}", "# " + big[:-2], {}) != []
    sid = caller.start("brief")
    assert refused(caller.session, sid, "GetReport", "sa{sv}", big, {})[0] == "InvalidOption"
    assert refused(caller.session, sid, "GetReport", "sa{sv}", "nosuch", {})[0] == "InvalidOption"
    assert refused(caller.session, sid, "GetReport", "sa{sv}", "text", {"width": ("u", 100000)})[0] \
        == "InvalidOption"
    caller.wait_state(sid)
    assert resident(ready) < before + 4096


def test_as_many_problems_as_letters(ready, caller):
    """The answer to thousands of mistakes stays small."""
    keys = "".join(f"k{i}=1;\n" for i in range(4000))
    problems = caller.manager("CheckPlan", "sa{sv}", keys, {})
    assert len(problems) <= 501 and "more" in problems[-1]["text"][1]
    long = caller.manager("CheckPlan", "sa{sv}", "x" * 500000 + " = 1;", {})
    assert long and all(len(p["text"][1]) <= 1000 for p in long)


def test_too_many_options(ready, caller):
    options = {f"option{i}": ("s", "x" * 1000) for i in range(5000)}
    assert refused(caller.manager, "StartSession", "sa{sv}", "brief", options)[0] == "InvalidOption"


def test_labels_of_any_letters(ready, caller):
    label = "\u2603 \"quoted\", <tag> & back\\slash\t\U0001f600"
    try:
        sid = caller.start("brief", label=label)
    except DBusErrorResponse as error:
        assert error.name.endswith("InvalidOption") and error.data[0]
        return
    assert caller.session_get(sid, "Label") == label
    caller.wait_state(sid)
    assert caller.report(sid)["session"]["label"] == label


def test_bytes_that_are_no_utf8_in_plan_files(make_daemon, caller):
    """They are quoted in problems and would make the bus disconnect us if sent on as they are."""
    daemon = make_daemon()
    daemon.plan("brief", PLAN % "200ms")
    for name, data in (("latin", b'description = "caf\xe9";\n'), ("binary", bytes(range(256)) * 20),
                       ("key", b'\xff\xfe = 3;\n'), ("nul", b'interval = "1\0ms";\n')):
        path = daemon.plan(name, "")
        path.write_bytes(data)
    os.link(daemon.plan("odd", PLAN % "1s"), str(daemon.config / "plans.d").encode() + b"/caf\xe9.conf")
    daemon.start()
    plans = caller.manager("ListPlans", "a{sv}", {})
    found = {p["name"][1]: p for p in plans}
    assert found["brief"]["valid"][1] is True
    for name in ("latin", "binary", "key", "nul"):
        assert found[name]["valid"][1] is False and found[name]["problems"][1]
    assert caller.wait_state(caller.start("brief")) == "done"


def test_queue_is_bounded(ready, caller):
    queued = [caller.start("long")]
    with pytest.raises(DBusErrorResponse) as error:
        for _ in range(100):
            queued.append(caller.start("long"))
    assert error.value.name == "org.lrtbf1.Error.QueueFull"
    assert 10 <= len(queued) <= 70
    assert caller.get(MANAGER, "Manager", "QueueLength") == len(queued) - 1
    for sid in reversed(queued):
        caller.session(sid, "Stop", "a{sv}", {})
    for sid in queued:
        assert caller.wait_state(sid) == "stopped"
    assert caller.get(MANAGER, "Manager", "QueueLength") == 0
