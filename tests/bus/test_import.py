# SPDX-License-Identifier: GPL-2.0-or-later
"""What other programs measured, kept as sessions."""
import json
import os
import subprocess
import threading
import time

import pytest
from client import run
from jeepney import DBusAddress, DBusErrorResponse, new_method_call
from lrtbf import CTL, MANAGER, NAME, ROOT, wait_for
from others import NOBODY, Listener, Polkit, connect_as

IMPORTS = ROOT / "tests" / "fixtures" / "imports"
PRINTED = ROOT / "tests" / "fixtures" / "lrtbf-2005-published.csv"
FILES = {"cyclictest-rt-hist.txt": "cyclictest", "cyclictest-rt-quiet.txt": "cyclictest",
         "cyclictest-rt.json": "cyclictest_json", "jitterdebugger-rt.json": "jitterdebugger",
         "rteval-summary.xml": "rteval", "rtla-osnoise-hist.txt": "rtla_osnoise",
         "rtla-timerlat-hist.txt": "rtla_timerlat"}
PLAN = """
instrument = "timer"; policy = "other"; interval = "1ms"; duration = "%s"; cpus = "0";
"""


def refused(name, call, *args):
    with pytest.raises(DBusErrorResponse) as error:
        call(*args)
    assert error.value.name.split(".")[-1] == name, error.value
    return error.value.data[0]


def hand_in(caller, content, fmt="", **options):
    content = content.encode() if isinstance(content, str) else content
    return caller.manager("Import", "saya{sv}", fmt, content, {k: ("s", v) for k, v in options.items()})


def fixture(name):
    return (IMPORTS / name).read_bytes()


def listed(caller, **filter):
    return [{k: v[1] for k, v in s.items()} for s in
            caller.manager("ListSessions", "a{sv}su", filter, "", 1000)[0]]


@pytest.mark.parametrize("name", FILES)
def test_every_program(daemon, caller, name):
    """Found out from the content, shown, reported in every format as any other is, and there after a restart."""
    ids = hand_in(caller, fixture(name), name=name, label="theirs")
    assert ids and sorted(ids) == sorted(s["id"] for s in listed(caller))
    for sid in ids:
        got = caller.session_all(sid)
        assert (got["State"], got["Verdict"], got["Label"]) == ("done", "none", "theirs")
        assert got["Plan"] == f"import_{FILES[name]}" and got["Owner"] == os.geteuid()
        assert got["Progress"] == 1.0 and got["FinishedUSec"] >= got["StartedUSec"] > 0
        report = caller.report(sid)
        assert report["session"]["instrument"] == "imported" and len(report["stages"]) == 1
        assert caller.report(sid, "text")
    first = {sid: (caller.session_all(sid), caller.report(sid)) for sid in ids}
    assert daemon.stop() == 0
    daemon.start()
    assert {sid: (caller.session_all(sid), caller.report(sid)) for sid in ids} == first
    assert f"{len(ids)} imported into plan import_{FILES[name]} by uid" in daemon.log()


def test_options_win(daemon, caller):
    name = "cyclictest-rt-hist.txt"
    plain, = hand_in(caller, fixture(name))
    sid, = hand_in(caller, fixture(name), fmt="cyclictest", name=name, load="hd", kernel="6.1.0-test", label="a b")
    assert caller.report(sid)["stages"][0]["load"] == "hd"
    assert caller.report(sid)["conditions"]["kernel"]["release"] == "6.1.0-test"
    assert caller.report(plain)["stages"][0]["all"] == caller.report(sid)["stages"][0]["all"]
    assert [s["id"] for s in listed(caller, label=("s", "a b"))] == [sid]
    assert caller.manager("GetSession", "s", "last:import_cyclictest").endswith(sid)
    # as any other: kept, deleted
    caller.session(sid, "SetKeep", "ba{sv}", True, {})
    refused("Refused", caller.manager, "DeleteSession", "sa{sv}", sid, {})
    caller.manager("DeleteSession", "sa{sv}", plain, {})
    assert [s["id"] for s in listed(caller)] == [sid]


def test_many_at_once(make_daemon, bus, caller):
    """The tables of 2005: many sessions, each told of, and no more on ObjectManager than there may be."""
    daemon = make_daemon()
    (daemon.config / "lrtbfd.conf").write_text("ended_shown = 3;\n")
    daemon.start()
    heard = Listener(bus)
    ids = hand_in(caller, PRINTED.read_bytes(), name=PRINTED.name)
    assert len(set(ids)) == len(ids) > 10
    finished = heard.wait("SessionFinished", count=len(ids))
    assert [body[0] for _, body, _ in finished] == ids
    assert {(body[2], body[3]) for _, body, _ in finished} == {("done", "none")}
    assert [body[0] for _, body, _ in heard.of("SessionNew")] == ids
    assert {s["id"] for s in listed(caller)} == set(ids)
    wait_for(lambda: len([o for o in caller.call(MANAGER, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
                          if "/session/" in o]) == 3, what="three objects")
    assert all(caller.session_get(sid, "State") == "done" for sid in ids)
    heard.connection.close()


@pytest.mark.parametrize("content, says", [
    (b"", "empty"),
    (b"\xff\xfe\x00rubbish", "UTF-8"),
    (b"T: 0\0", "UTF-8"),
    (b"just words\n" * 1000, "cyclictest"),
    (b"[" * 100_000, ""),
    (b'{"a":' * 5000, ""),
    (b"<!DOCTYPE x [<!ENTITY a 'aaaa'>" + b"<!ENTITY b '&a;&a;'>" * 100 + b"]><rteval>&b;</rteval>", ""),
    (fixture("cyclictest-rt.json")[:700], ""),
    (fixture("rteval-summary.xml")[:2000], ""),
], ids=["empty", "bytes", "zero", "words", "deep", "deeper", "entities", "half", "half-xml"])
def test_rubbish(daemon, caller, content, says):
    for fmt in ("", *caller.get(MANAGER, "Manager", "ImportFormats")):
        sentence = refused("InvalidOption", hand_in, caller, content, fmt)
        assert says in sentence or fmt, sentence
        assert len(sentence) < 2000
    assert listed(caller) == [] and caller.get(MANAGER, "Manager", "Trouble") == ""


def test_bad_arguments(daemon, caller):
    good = fixture("cyclictest-rt-hist.txt")
    assert "cyclictest" in refused("InvalidOption", hand_in, caller, good, "cyclicfest")
    refused("InvalidOption", hand_in, caller, good, "x" * 5000)
    refused("InvalidOption", lambda: hand_in(caller, good, label="a\nb"))
    refused("InvalidOption", lambda: hand_in(caller, good, load=""))
    refused("InvalidOption", lambda: hand_in(caller, good, owner="0"))
    refused("InvalidOption", lambda: hand_in(caller, good, name="x" * 5000))
    refused("TooLarge", hand_in, caller, b" " * (8 * 1024 * 1024 + 1))
    # as large as it may be, and the bus answers meanwhile
    refused("InvalidOption", hand_in, caller, b"a\n" * (4 * 1024 * 1024))
    assert listed(caller) == []


def test_bus_is_not_kept_waiting(daemon, bus, caller):
    """8 MiB are read by a thread: whoever else calls has his answer."""
    other = bus.connect()
    head = fixture("cyclictest-rt-hist.txt")
    content = (b"# a comment that means nothing to anybody\n" * 200_000)[:8 * 1024 * 1024 - len(head) - 1] + b"\n" + head
    done = []

    def importer():
        try:
            done.append(hand_in(caller, content))
        except DBusErrorResponse as error:
            done.append(error)
    thread = threading.Thread(target=importer)
    thread.start()
    asked = 0
    while thread.is_alive():
        other.get(MANAGER, "Manager", "QueueLength")
        asked += 1
    thread.join()
    assert asked and done
    other.close()


@pytest.mark.root
def test_who_may(daemon, bus, caller):
    nobody = connect_as(bus, NOBODY)
    good = fixture("cyclictest-rt-hist.txt")
    refused("NotAuthorized", hand_in, nobody, good)
    polkit = Polkit(bus, measure="no")
    assert "org.lrtbf1.measure" in refused("NotAuthorized", hand_in, nobody, good)
    polkit.close()
    polkit = Polkit(bus, measure="yes")
    sid, = hand_in(nobody, good)
    assert caller.session_get(sid, "Owner") == NOBODY
    polkit.close()
    nobody.close()
    assert [s["id"] for s in listed(caller)] == [sid]


@pytest.mark.root
def test_limits_and_leaving(daemon, bus, caller):
    """Who waits for polkit holds memory: no more than two each; who leaves has imported nothing."""
    good = fixture("cyclictest-rt-hist.txt")
    polkit = Polkit(bus, measure="hold")
    nobody = connect_as(bus, NOBODY)
    send(nobody, good)
    send(nobody, good)
    wait_for(lambda: len(polkit.calls) >= 2, what="two questions")
    refused("LimitsExceeded", hand_in, nobody, good)
    # others are not kept from it
    assert len(hand_in(caller, good)) == 1
    nobody.close()
    again = connect_as(bus, NOBODY)
    # room again, once it is seen that he has left
    wait_for(lambda: room(again, good, polkit), what="room")
    again.close()
    polkit.close()
    assert len(listed(caller)) == 1


def send(connection, content):
    """Import, without waiting for the answer."""
    address = DBusAddress(MANAGER, bus_name=NAME, interface=NAME + ".Manager")
    connection.raw.send(new_method_call(address, "Import", "saya{sv}", ("", content, {})))


def room(connection, good, polkit):
    """Does an import get as far as polkit?"""
    before = len(polkit.calls)
    send(connection, good)
    end = time.monotonic() + 2
    while time.monotonic() < end and len(polkit.calls) == before:
        time.sleep(0.02)
    return len(polkit.calls) > before


@pytest.mark.root
def test_disk_full(make_daemon, bus, caller, folder):
    """All of a file or nothing, told at once, and nothing turns up when there is room again."""
    state = f"{folder}/small"
    os.mkdir(state)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", state], capture_output=True).returncode:
        pytest.skip("mounting is not permitted")
    try:
        daemon = make_daemon(args=(f"--state-dir={state}",)).start()
        first, = hand_in(caller, fixture("cyclictest-rt-hist.txt"))
        with open(f"{state}/filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        with pytest.raises(DBusErrorResponse) as error:
            while True:  # there may be some room in the log still
                hand_in(caller, PRINTED.read_bytes())
        assert "make room" in error.value.data[0]
        before = sorted(s["id"] for s in listed(caller))
        assert first in before
        os.unlink(f"{state}/filler")
        wait_for(lambda: caller.get(MANAGER, "Manager", "Trouble") == "", what="no trouble")
        time.sleep(1.5)
        assert sorted(s["id"] for s in listed(caller)) == before
        assert daemon.stop() == 0
        daemon.start()
        assert sorted(s["id"] for s in listed(caller)) == before
        assert hand_in(caller, PRINTED.read_bytes())
        daemon.stop()
    finally:
        subprocess.run(["umount", "-l", state], check=True)


def test_client(daemon, bus, caller, folder):
    path = IMPORTS / "rtla-timerlat-hist.txt"
    result = run(bus, "session", "import", path, "--label=two of them", "--kernel=6.1.0-x")
    assert result.returncode == 0 and result.stderr == ""
    ids = result.stdout.split()
    assert [s["id"] for s in listed(caller)][::-1] == ids and len(ids) == 2
    shown = run(bus, "session", "list", "--label=two of them").stdout
    assert all(sid in shown for sid in ids) and "import_rtla_timerlat" in shown
    assert run(bus, "session", "report", *ids).returncode == 0
    # as JSON, from standard input, and one bad file between good ones
    result = subprocess.run([str(CTL), f"--bus={bus.address}", "session", "import", "--json", "-"],
                            stdin=open(IMPORTS / "cyclictest-rt.json"), capture_output=True, text=True, timeout=30)
    (one,) = json.loads(result.stdout)
    assert one["file"] == "<stdin>" and len(one["ids"]) == 1
    bad = f"{folder}/bad"
    with open(bad, "w") as file:
        file.write("nothing\n")
    result = run(bus, "session", "import", IMPORTS / "cyclictest-rt-hist.txt", bad, f"{folder}/none", path)
    assert result.returncode == 1 and len(result.stdout.split()) == 3
    assert "bad" in result.stderr and "none" in result.stderr and folder not in result.stderr.split("\n")[0]
    with open(bad, "w") as file:
        file.truncate(8 * 1024 * 1024 + 1)
    result = run(bus, "session", "import", bad)
    assert result.returncode == 1 and "8 MiB" in result.stderr
    result = run(bus, "session", "import", "--format=help")
    assert result.stdout.split() == caller.get(MANAGER, "Manager", "ImportFormats")
    result = run(bus, "session", "import", "--format=cyclicfest", path)
    assert result.returncode == 1 and "cyclictest" in result.stderr
    assert run(bus, "session", "import").returncode == 64
    assert run(None, "--bus=unix:path=/nowhere", "session", "import", path).returncode == 5
