# SPDX-License-Identifier: GPL-2.0-or-later
"""The bash completion of lrtbfctl, called as readline calls it; and the man page beside the help."""
import re
import shutil
import subprocess

import pytest

from client import environment, run
from fake import Fake, SID
from lrtbf import CTL, ROOT

SCRIPT = ROOT / "client" / "completion" / "lrtbfctl"
COMMANDS = ["session start", "session stop", "session list", "session show", "session watch",
            "session report", "session import", "session keep", "session delete", "compare", "trend", "plan list", "plan show", "plan check", "plan schedule",
            "plan enable", "plan disable", "irq list",
            "irq set", "irq apply", "irq restore", "irq watch", "irq capture", "irq rules", "irq check",
            "port list", "port show", "port test", "check", "reload",
            "status"]


def complete(line, cwd="/"):
    """What Tab offers at the end of @line."""
    words = []
    for word in line.split(" "):
        # readline cuts at COMP_WORDBREAKS
        words += [w for w in re.split(r"([=:])", word) if w] or [""]
    program = f"""
        source {SCRIPT}
        COMP_WORDS=({" ".join(f"'{w}'" for w in words)})
        COMP_CWORD={len(words) - 1}
        COMPREPLY=(left over)
        _lrtbfctl 2>&1
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(["bash", "--norc", "-uc", program], capture_output=True, text=True,
                            cwd=cwd, timeout=30, env=environment(LC_ALL="C"))
    assert result.stderr == ""
    return result.stdout.split("\n")[:-1] if result.stdout != "\n" else []


def options_of(text):
    return {name + ("=" if value else "")
            for name, value in re.findall(r"^ +(?:-\w|  ) (--[a-z-]+)(=\S+)? ", text, re.M)}


def test_commands():
    ctl = str(CTL)
    assert complete(f"{ctl} ") == ["session", "compare", "trend", "plan", "irq", "port", "check", "reload", "status"]
    assert complete(f"{ctl} se") == ["session"]
    assert complete(f"{ctl} --json session st") == ["start", "stop"]
    assert complete(f"{ctl} --bus unix:path=/x plan ") == ["list", "show", "check", "schedule", "enable",
                                                          "disable"]
    assert complete(f"{ctl} status x") == []


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_those_of_the_help(command):
    offered = set(complete(f"{CTL} {command} --"))
    assert offered == options_of(run(None, *command.split(), "--help").stdout)
    assert {"--json", "--bus="} <= offered


def test_commands_are_those_of_the_help():
    text = run(None, "--help").stdout
    text = text[text.index("Commands:"):text.index("Options:")]
    named = [" ".join(w for w in line[2:33].split() if w.islower()) for line in text.splitlines()[1:]
             if line.startswith("  ")]
    assert named == COMMANDS
    offered = []
    for word in complete(f"{CTL} "):
        offered += [f"{word} {w}" for w in complete(f"{CTL} {word} ")] if word in ("session", "plan", "irq", "port") else [word]
    assert sorted(offered) == sorted(COMMANDS)


def test_values(folder):
    assert complete(f"{CTL} session report --format=j") == ["json"]
    assert complete(f"{CTL} session report --plot=m") == ["maxima"]
    assert complete(f"{CTL} session import --format=") == []
    assert complete(f"{CTL} trend --by ") == ["kernel"]
    assert complete(f"{CTL} session list --state=do") == ["done"]
    assert complete(f"{CTL} session start quick --label=") == []
    assert complete(f"{CTL} session start quick --policy=d") == ["deadline"]
    assert complete(f"{CTL} irq set 5 --policy=d") == []
    assert complete(f"{CTL} irq set 5 --policy ") == ["fifo", "rr", "other", "batch", "idle"]
    assert complete(f"{CTL} irq set 5 --override=s") == ["softirq"]
    assert complete(f"{CTL} irq set 5 --nice=") == []
    (open(f"{folder}/my report", "w")).close()
    assert complete(f"{CTL} session report -o my", cwd=folder) == ["my report"]


def test_names_come_from_the_service(bus):
    where = f"--bus={bus.address}"
    assert complete(f"{CTL} {where} session start ") == []  # it does not run, and is not started
    plans = [{"name": ("s", n), "valid": ("b", True)} for n in ("quick", "quiet", "hell")]
    fake = Fake(bus.address, ListPlans=lambda o: ("aa{sv}", (plans,)),
                ListSessions=lambda *a: ("aa{sv}s", ([{"id": ("s", SID)}], "")))
    try:
        assert complete(f"{CTL} {where} session start qui") == ["quick", "quiet"]
        assert complete(f"{CTL} {where} status --plan=h") == ["hell"]
        assert complete(f"{CTL} {where} session report ") == ["last", SID]
        assert complete(f"{CTL} {where} session delete s") == [SID]
        assert complete(f"{CTL} {where} session stop ") == [SID]
        assert fake.called("ListSessions")[0] == {"state": ("s", "queued,preparing,running")}
    finally:
        fake.stop()


def test_formats_come_from_the_service(daemon, bus):
    where = f"--bus={bus.address}"
    assert complete(f"{CTL} {where} session report --format=cyc") == ["cyclictest", "cyclictest-json"]
    assert complete(f"{CTL} {where} session report --format cs") == ["csv"]
    assert set(complete(f"{CTL} {where} session import --format=")) >= {"cyclictest", "lrtbf-2005", "rteval"}
    assert complete(f"{CTL} {where} compare --format=markd") == ["markdown"]
    assert set(complete(f"{CTL} {where} trend --format=")) >= {"text", "json", "csv"}
    assert "help" not in complete(f"{CTL} {where} compare --format=")


def test_ports_come_from_the_service(bus):
    where = f"--bus={bus.address}"
    assert complete(f"{CTL} {where} port show ") == []
    objects = {f"/org/lrtbf1/port/parport{n}": {"org.lrtbf1.Port": {"Name": ("s", f"parport{n}")}} for n in (0, 1)}
    fake = Fake(bus.address, GetManagedObjects=lambda: ("a{oa{sa{sv}}}", (objects,)))
    try:
        assert complete(f"{CTL} {where} port test --pulses 5 ") == ["parport0", "parport1"]
        assert complete(f"{CTL} {where} port show parport1") == ["parport1"]
    finally:
        fake.stop()


def test_selectors_come_from_the_service(bus):
    where = f"--bus={bus.address}"
    assert complete(f"{CTL} {where} irq set ") == []
    text = lambda **values: {k: ("s", v) for k, v in values.items()}
    lines = [{"irq": ("u", 24), "actions": ("as", ["ACPI:Ged"]), "devices": ("as", ["interface=eth0", "pci=0:1.2"])},
             {"irq": ("u", 43), "threaded": ("s", "no-thread"), "actions": ("as", ["PCIe PME"])},
             text(name="LOC", text="Local timer interrupts")]
    threads = [{"tid": ("u", 90), "irq": ("u", 24), **text(name="irq/24-ACPI:Ged", kind="irq")},
               {"tid": ("u", 91), "irq": ("u", 43), **text(name="irq/43-PCIe PME", kind="irq")},
               {"tid": ("u", 14), **text(name="ksoftirqd/0", kind="ksoftirqd")},
               {"tid": ("u", 15), **text(name='a"b\\c')}]
    fake = Fake(bus.address, ListIrqs=lambda o: ("aa{sv}", (lines,)), ListThreads=lambda o: ("aa{sv}", (threads,)))
    try:
        assert set(complete(f"{CTL} {where} irq set ")) == {
            "24", "43", "irq/24-ACPI:Ged", "irq/43-PCIe\\ PME", "ksoftirqd/0", "interface=eth0", "pci=0:1.2"}
        assert complete(f"{CTL} {where} irq restore ksoft") == ["ksoftirqd/0"]
        # readline keeps what stands before a ':' or '='
        assert complete(f"{CTL} {where} irq set irq/24-ACPI:G") == ["Ged"]
        assert complete(f"{CTL} {where} irq set --nice=5 interface=") == ["eth0"]
        assert complete(f"{CTL} {where} irq set --nice 5 2") == ["24"]
        assert not fake.called_on("Set")
    finally:
        fake.stop()


def man_page():
    return (ROOT / "docs" / "lrtbfctl.1").read_text().replace("\\-", "-")


def test_man_page_has_all_of_the_help():
    text = man_page()
    for command in COMMANDS:
        assert re.search(rf"^\.(TP\n)?.*\b{command}\b", text, re.M), command
        for option in options_of(run(None, *command.split(), "--help").stdout):
            assert option in text, option


def test_man_page_is_clean():
    if not shutil.which("groff"):
        pytest.skip("groff is not here")
    for page in sorted((ROOT / "docs").glob("*.[1578]")):
        result = subprocess.run(["groff", "-ww", "-t", "-man", "-Tutf8", str(page)], capture_output=True,
                                text=True, timeout=30)
        assert (result.returncode, result.stderr) == (0, ""), page
