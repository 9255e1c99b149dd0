# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfctl port ..., against a service that answers as it likes."""
import json

import pytest

from client import run
from fake import Fake, Refuse
from ports import PORT, port_path

KEYS = ["name", "state", "holder", "base", "irq", "thread", "tid", "driver", "device", "role"]


def port(name="parport0", **changes):
    values = {"Name": ("s", name), "State": ("s", "ready"), "Holder": ("s", ""), "Base": ("t", 0x378),
              "Irq": ("i", 7), "Thread": ("s", "irq/7-parport0"), "ThreadId": ("u", 121),
              "Driver": ("s", "parport_pc"), "Device": ("s", "/devices/pnp0/00:04"), "Role": ("s", "")}
    for key, value in changes.items():
        values[key] = (values[key][0], value)
    return {port_path(name): {PORT: values, "org.freedesktop.DBus.Peer": {}}}


JUMPER = {"verdict": ("s", "jumper"), "text": ("s", "A jumper is there."), "role": ("s", "loopback"),
          "pulses": ("t", 100), "answers": ("t", 99), "lost": ("t", 1), "late": ("t", 0), "strays": ("t", 2),
          "interrupts": ("t", 101), "access_ns": ("t", 1210), "min_ns": ("t", 4200), "avg_ns": ("t", 5300),
          "max_ns": ("t", 123456)}


@pytest.fixture
def serve(bus):
    made = []

    def serve(*ports, test=None):
        objects = {"/org/lrtbf1/session/s1": {"org.lrtbf1.Session": {}}}
        for one in ports:
            objects.update(one)

        def answer(options):
            if isinstance(test, Exception):
                raise test
            return "a{sv}", (test or JUMPER,)
        made.append(Fake(bus.address, Test=answer,
                         GetManagedObjects=lambda: ("a{oa{sa{sv}}}", (objects,))))
        return made[-1]
    yield serve
    for fake in made:
        fake.stop()


# --- list and show ---

def test_list(bus, serve):
    serve(port("parport10", State="busy", Holder="lp", Irq=-1, Thread="", ThreadId=0),
          port("parport2", State="present"), port())
    result = run(bus, "port", "list")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["NAME", "STATE", "BASE", "IRQ", "THREAD", "DRIVER", "MEANS"]
    assert [line.split()[0] for line in lines[1:]] == ["parport0", "parport2", "parport10"]
    assert lines[1].split()[1:6] == ["ready", "0x378", "7", "irq/7-parport0", "parport_pc"]
    assert "modprobe lrtbf" in lines[2]
    assert lines[3].split()[3:5] == ["-", "-"] and "the driver lp has it" in lines[3]


def test_list_json(bus, serve):
    serve(port(), port("parport1", Base=0, Irq=-1, Thread="", ThreadId=0, Driver="", Device="",
                       State="measuring", Holder="lrtbf", Role="target"))
    rows = json.loads(run(bus, "--json", "port", "list").stdout)
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert rows[0] == {"name": "parport0", "state": "ready", "holder": None, "base": 888, "irq": 7,
                       "thread": "irq/7-parport0", "tid": 121, "driver": "parport_pc",
                       "device": "/devices/pnp0/00:04", "role": None}
    assert rows[1] == {"name": "parport1", "state": "measuring", "holder": "lrtbf", "base": None, "irq": None,
                       "thread": None, "tid": None, "driver": None, "device": None, "role": "target"}


def test_none(bus, serve):
    serve()
    result = run(bus, "port", "list")
    assert (result.returncode, result.stdout) == (0, "") and "no parallel port" in result.stderr
    assert json.loads(run(bus, "port", "list", "--json").stdout) == []
    for words in (["show"], ["test"], ["show", "parport0"]):
        result = run(bus, "port", *words)
        assert result.returncode == 1 and "no parallel port" in result.stderr and not result.stdout


@pytest.mark.parametrize("changes, words", [
    ({}, "ready: it can be measured with"), ({"State": "absent"}, "absent: it was taken away"),
    ({"State": "present"}, "modprobe lrtbf"), ({"State": "busy", "Holder": "lp"}, "the driver lp has it"),
    ({"State": "measuring", "Role": "loopback"}, "a session measures, role loopback"),
    ({"State": "measuring", "Role": "test"}, "it is being tested"),
    ({"State": "measuring", "Holder": "lrtbf"}, "another program"),
    ({"Irq": -1}, "only a logger that polls"), ({"Irq": -1, "Base": 0}, "behind USB"),
    ({"State": "odd\033[31m"}, "odd?[31m")])
def test_show(bus, serve, changes, words):
    serve(port(**changes))
    for name in ([], ["parport0"]):
        result = run(bus, "port", "show", *name)
        assert result.returncode == 0 and words in result.stdout
        assert "\033" not in result.stdout
    assert json.loads(run(bus, "port", "show", "--json").stdout)["name"] == "parport0"


def test_which(bus, serve):
    serve(port(), port("parport1"))
    result = run(bus, "port", "show")
    assert result.returncode == 1 and "2 ports" in result.stderr
    result = run(bus, "port", "test", "lp0")
    assert result.returncode == 1 and "no parallel port 'lp0'" in result.stderr
    assert run(bus, "port", "show", "parport1").stdout.splitlines()[0] == "      Name: parport1"
    assert run(bus, "port", "show", "a", "b").returncode == 64


def test_gaps(bus, serve):
    """A port of another service's idea."""
    serve({port_path("parport0"): {PORT: {"State": ("u", 7), "Base": ("s", "x")}},
           port_path("parport1"): {PORT: {}}})
    rows = json.loads(run(bus, "--json", "port", "list").stdout)
    assert all(list(row) == KEYS and not any(row.values()) for row in rows) and len(rows) == 2
    assert run(bus, "port", "list").returncode == 0
    assert run(bus, "port", "test", "parport0").returncode == 1


# --- test ---

def test_test(bus, serve):
    fake = serve(port())
    result = run(bus, "port", "test")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == """parport0: jumper
    A jumper is there.
Role loopback: 100 pulses, 99 answers, 1 lost, 0 late, 2 strays, 101 interrupts.
Latency: minimum 4.2 us, average 5.3 us, maximum 123.5 us.
One access to the port takes 1.2 us.
"""
    assert fake.called_on("Test") == [("port/parport0", ({},))]


def test_test_wishes(bus, serve):
    fake = serve(port())
    result = run(bus, "--json", "port", "test", "parport0", "--pulses=500", "--interval", "1ms")
    assert json.loads(result.stdout)["max_ns"] == 123456
    assert fake.called("Test") == ({"pulses": ("u", 500), "interval": ("s", "1ms")},)


@pytest.mark.parametrize("verdict, status", [
    ("jumper", 0), ("cable", 0), ("silent", 1), ("interrupts-only", 1), ("no-interrupts", 1), ("no-module", 1),
    ("busy", 1), ("no-irq", 1), ("something-new", 1)])
def test_test_status(bus, serve, verdict, status):
    serve(port(), test={"verdict": ("s", verdict), "text": ("s", "The sentence.")})
    result = run(bus, "port", "test")
    assert result.returncode == status
    assert result.stdout == f"parport0: {verdict}\n    The sentence.\n"


def test_test_logger(bus, serve):
    serve(port(), test={"verdict": ("s", "cable"), "text": ("s", "Yes."), "role": ("s", "logger"),
                        "receive": ("s", "poll"), "pulses": ("t", 3)})
    assert "Role logger, receive poll: 3 pulses.\n" in run(bus, "port", "test").stdout


@pytest.mark.parametrize("words", [["--pulses=0"], ["--pulses=x"], ["--interval=2"], ["--interval=soon"],
                                   ["--pulses=4294967296"]])
def test_test_usage(bus, serve, words):
    fake = serve(port())
    result = run(bus, "port", "test", *words)
    assert result.returncode == 64 and not result.stdout and not fake.called_on("Test")


@pytest.mark.parametrize("name, status", [("Busy", 1), ("NotAuthorized", 4), ("InvalidOption", 1)])
def test_test_refused(bus, serve, name, status):
    serve(port(), test=Refuse(name, "The sentence."))
    result = run(bus, "port", "test")
    assert result.returncode == status and "The sentence." in result.stderr and not result.stdout


def test_no_service(bus):
    for words in (["list"], ["show"], ["test"]):
        assert run(bus, "port", *words).returncode == 5
