# SPDX-License-Identifier: GPL-2.0-or-later
"""The XML files are the contract: every member has prose, and the daemon offers just that."""
import re
import xml.etree.ElementTree as ET

import pytest
from kthreads import FakeRoot
from lrtbf import MANAGER, ROOT

# how many members each has at least
FILES = {"org.lrtbf1.Manager": 10, "org.lrtbf1.Session": 10, "org.lrtbf1.Thread": 5, "org.lrtbf1.Irq": 3,
         "org.lrtbf1.Port": 8}
EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "30s"; cpus = "0";
"""


def parse(text):
    return ET.fromstring(text, parser=ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))


def contract(interface):
    return next(e for e in parse((ROOT / "dbus" / f"{interface}.xml").read_text()).iter("interface"))


def shape(interface):
    """Every member with all that a caller can see of it."""
    members = {}
    for e in interface:
        if not isinstance(e.tag, str) or e.tag == "annotation":
            continue
        name = e.get("name")
        notes = {a.get("name"): a.get("value") for a in e.findall("annotation")}
        if e.tag == "property":
            members[e.tag, name] = (e.get("type"), e.get("access"), notes.get(EMITS, "true"))
        else:
            default = "in" if e.tag == "method" else "out"
            members[e.tag, name] = [(a.get("name"), a.get("type"), a.get("direction", default))
                                    for a in e.findall("arg")]
    return members


def introspect(caller, path):
    text = caller.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
    # its DOCTYPE would be fetched by nobody
    return {i.get("name"): i for i in parse(text).iter("interface")}, parse(text)


@pytest.mark.parametrize("interface", FILES)
def test_every_member_has_prose(interface):
    before = None
    found = 0
    for e in contract(interface):
        if not isinstance(e.tag, str):
            before = e.text
            continue
        name = e.get("name")
        assert before, f"{name} has no comment"
        assert re.search(rf"^\s*{name}:", before), f"the comment before {name} is not about it"
        prose = re.sub(rf"^\s*{name}:|@\w+:", "", before)
        assert len(prose.split()) >= 3, f"{name}: too few words"
        for arg in e.findall("arg"):
            assert re.search(rf"@{arg.get('name')}:\s+\S", before), f"{name}: nothing about {arg.get('name')}"
        for mentioned in re.findall(r"^\s*@(\w+):", before, re.M):
            assert mentioned in [a.get("name") for a in e.findall("arg")], f"{name}: no {mentioned}"
        before = None
        found += 1
    assert found >= FILES[interface]


def test_manager_is_as_written(daemon, caller):
    interfaces, _ = introspect(caller, MANAGER)
    assert shape(interfaces["org.lrtbf1.Manager"]) == shape(contract("org.lrtbf1.Manager"))
    assert "org.freedesktop.DBus.ObjectManager" in interfaces
    assert not [i for i in interfaces if i.startswith("org.lrtbf1.") and i not in FILES]


def test_session_is_as_written(make_daemon, bus, caller):
    daemon = make_daemon()
    daemon.plan("long", PLAN)
    daemon.start()
    sid = caller.start("long")
    interfaces, _ = introspect(caller, f"{MANAGER}/session/{sid}")
    assert shape(interfaces["org.lrtbf1.Session"]) == shape(contract("org.lrtbf1.Session"))
    # and it is found by who walks the tree
    _, node = introspect(caller, f"{MANAGER}/session")
    assert sid in [n.get("name") for n in node.findall("node")]
    _, node = introspect(caller, MANAGER)
    assert "session" in [n.get("name").split("/")[0] for n in node.findall("node")]


@pytest.mark.parametrize("path, interface", [("thread/301_100", "org.lrtbf1.Thread"), ("irq/24", "org.lrtbf1.Irq")])
def test_interrupts_are_as_written(make_daemon, caller, folder, path, interface):
    """They answer by path, and are found by nobody who walks the tree."""
    root = FakeRoot(folder + "/root").line(24, "eth0").thread(301, "irq/24-eth0", "fifo", 50).write()
    make_daemon(args=(f"--root={root}",)).start()
    interfaces, _ = introspect(caller, f"{MANAGER}/{path}")
    assert shape(interfaces[interface]) == shape(contract(interface))
    got = caller.call(f"{MANAGER}/{path}", "org.freedesktop.DBus.Properties", "GetAll", "s", interface)
    written = {name: s[0] for (tag, name), s in shape(contract(interface)).items() if tag == "property"}
    assert {k: v[0] for k, v in got.items()} == written
    _, node = introspect(caller, f"{MANAGER}/{path.split('/')[0]}")
    assert not node.findall("node")
    assert f"{MANAGER}/{path}" not in caller.call(MANAGER, "org.freedesktop.DBus.ObjectManager",
                                                  "GetManagedObjects")


def test_port_is_as_written(make_daemon, caller, folder):
    """It is enumerated; in a captured tree too, where nothing can be tested."""
    root = FakeRoot(folder + "/root").line(7, "parport0").thread(301, "irq/7-parport0", "fifo", 50)
    settings = root.folder / "proc/sys/dev/parport/parport0"
    (settings / "devices").mkdir(parents=True)
    for name, text in (("irq", "7"), ("base-addr", "888\t0"), ("devices/active", "none")):
        (settings / name).write_text(text + "\n")
    make_daemon(args=(f"--root={root.write()}",)).start()
    path = f"{MANAGER}/port/parport0"
    interfaces, _ = introspect(caller, path)
    assert shape(interfaces["org.lrtbf1.Port"]) == shape(contract("org.lrtbf1.Port"))
    objects = caller.call(MANAGER, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    got = objects[path]["org.lrtbf1.Port"]
    written = {name: s[0] for (tag, name), s in shape(contract("org.lrtbf1.Port")).items() if tag == "property"}
    assert {k: v[0] for k, v in got.items()} == written
    assert (got["State"][1], got["Base"][1], got["Thread"][1], got["ThreadId"][1]) == (
        "present", 888, "irq/7-parport0", 301)


def test_every_file_is_installed():
    """And every file of the folder is one of those here."""
    assert {p.stem for p in (ROOT / "dbus").glob("*.xml")} == set(FILES)
    listed = (ROOT / "dbus" / "meson.build").read_text()
    assert all(f"'{interface}.xml'" in listed for interface in FILES)


def test_properties_have_the_types_written(make_daemon, caller):
    daemon = make_daemon()
    daemon.plan("long", PLAN)
    daemon.start()
    sid = caller.start("long")
    for path, interface in ((MANAGER, "org.lrtbf1.Manager"),
                            (f"{MANAGER}/session/{sid}", "org.lrtbf1.Session")):
        got = caller.call(path, "org.freedesktop.DBus.Properties", "GetAll", "s", interface)
        written = {name: s[0] for (tag, name), s in shape(contract(interface)).items()
                   if tag == "property"}
        assert {k: v[0] for k, v in got.items()} == written


def test_formats(daemon, caller):
    formats = caller.get(MANAGER, "Manager", "Formats")
    assert {"text", "json", "csv", "cyclictest", "cyclictest-json"} <= set(formats)


def test_constants(daemon, caller):
    import os
    assert caller.get(MANAGER, "Manager", "KernelRelease") == os.uname().release
    assert re.fullmatch(r"\d+\.\d+.*", caller.get(MANAGER, "Manager", "Version"))
    assert caller.get(MANAGER, "Manager", "Realtime") == ("PREEMPT_RT" in os.uname().version)
    assert caller.get(MANAGER, "Manager", "ActiveSession") == "/"
    assert caller.get(MANAGER, "Manager", "QueueLength") == 0
    assert caller.get(MANAGER, "Manager", "Trouble") == ""
