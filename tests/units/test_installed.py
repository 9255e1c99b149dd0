# SPDX-License-Identifier: GPL-2.0-or-later
"""What is installed, as systemd, D-Bus and polkit read it."""
import configparser
import json
import os
import re
import stat
import subprocess
import xml.etree.ElementTree as ET

import pytest

from lrtbf import NAME, ROOT

EXPOSURE_MAX = 3.0


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def verify(tree, *units):
    return run("systemd-analyze", "verify", "--man=no", f"--root={tree.root}", *units)


# --- units ---

def test_verify(tree):
    units = tree.ours(".service", ".slice", ".timer", ".socket", ".target")
    assert {"lrtbfd.service", "lrtbf-measure.slice", "lrtbf-load.slice"} <= set(units)
    done = verify(tree, *units)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("right, wrong, says", [
    ("WatchdogSec=", "WatchdogSecs=", "Unknown key 'WatchdogSecs'"),
    ("/lrtbfd\n", "/lrtbfdd\n", "is not executable"),
    ("Requires=dbus.socket", "Requires=nosuch.socket", "nosuch.socket"),
])
def test_verify_finds_faults(tree, right, wrong, says):
    unit = tree.units / "lrtbfd.service"
    text = unit.read_text()
    assert right in text
    unit.write_text(text.replace(right, wrong))
    done = verify(tree, "lrtbfd.service")
    assert says in done.stderr


def exposure(tree):
    done = run("systemd-analyze", "security", "--offline=true", "--no-pager", f"--root={tree.root}", "lrtbfd.service")
    return float(re.search(r"Overall exposure level for lrtbfd.service: ([0-9.]+)", done.stdout)[1])


def test_exposure(tree, figure):
    level = exposure(tree)
    figure(f"lrtbfd.service: exposure {level} of 10")
    assert level <= EXPOSURE_MAX
    done = run("systemd-analyze", "security", "--offline=true", f"--threshold={int(EXPOSURE_MAX * 10)}",
               f"--root={tree.root}", "lrtbfd.service")
    assert done.returncode == 0
    # it is the unit's settings that are judged
    unit = tree.units / "lrtbfd.service"
    unit.write_text(re.sub("^(CapabilityBoundingSet|SystemCallFilter|Protect.*)=.*$", "", unit.read_text(), flags=re.M))
    assert exposure(tree) > level + 1


def test_what_stays_open_says_why(tree):
    done = run("systemd-analyze", "security", "--offline=true", "--json=short", f"--root={tree.root}", "lrtbfd.service")
    text = (tree.units / "lrtbfd.service").read_text()
    comments = " ".join(re.findall(r"^# (.*)$", text, re.M))
    open_ = [e["name"] for e in json.loads(done.stdout) if e["set"] is False and float(e["exposure"] or 0) > 0]
    assert len(open_) > 5
    unsaid = []
    for name in open_:
        setting, _, value = name.partition("=~")
        words = re.findall(r"\w+=", name if not value else setting + "=") + re.findall(r"\w{6,}", value)
        # UMask= and DeviceAllow= are set, with their reason above them
        set_ = any(re.search(rf"^# .*\n(?:#.*\n|\w.*\n)*{re.escape(w)}", text, re.M) for w in words if w.endswith("="))
        if not set_ and not any(w in comments for w in words):
            unsaid.append(name)
    assert unsaid == []


def test_kernel_configuration_is_not_hidden(tree):
    """The folders that it is looked for in stay visible, see systemd.exec(5); and no module can be loaded."""
    unit = (tree.units / "lrtbfd.service").read_text()
    settings = dict(re.findall(r"^(\w+)=(.*)$", unit, re.M))
    source = (ROOT / "service" / "session" / "conditions-kernel.c").read_text()
    assert "lib/modules/%s/config" in source and "proc/config.gz" in source
    for hides in "ProtectKernelModules", "InaccessiblePaths", "TemporaryFileSystem", "ProcSubset", "RootDirectory":
        assert hides not in settings, hides
    assert "SYS_MODULE" not in settings["CapabilityBoundingSet"]
    assert "~@privileged" in unit  # @module is part of it


def test_exit_statuses_of_the_unit(tree):
    """Those of the program, which the manual names, are those that the unit acts on."""
    settings = dict(re.findall(r"^(\w+)=(.*)$", (tree.units / "lrtbfd.service").read_text(), re.M))
    again = re.search(r"DAEMON_EXIT_AGAIN (\d+)", (ROOT / "service" / "daemon.c").read_text())[1]
    usage = re.search(r"EXIT_USAGE (\d+)", (ROOT / "service" / "main.c").read_text())[1]
    assert settings["RestartForceExitStatus"] == settings["SuccessExitStatus"] == again
    assert settings["RestartPreventExitStatus"] == usage
    assert {again, usage} <= set(re.findall(r"^\.B (\d+)$", (ROOT / "docs" / "lrtbfd.8").read_text(), re.M))


def test_programs_of_the_units_are_installed(tree):
    for name in tree.ours(".service"):
        text = (tree.units / name.replace("@quick.", "@.")).read_text()
        for path in re.findall(r"^Exec\w+=[-+!:@|]*(\S+)", text, re.M):
            if path.startswith(str(tree.prefix)):
                assert os.access(tree.root / path[1:], os.X_OK), (name, path)


# --- what goes with them ---

def test_started_by_the_bus(tree):
    files = list(tree.at("share", "dbus-1", "system-services").iterdir())
    assert [f.name for f in files] == [f"{NAME}.service"]
    service = configparser.ConfigParser(interpolation=None)
    service.read(files[0])
    section = service["D-BUS Service"]
    assert (section["Name"], section["User"]) == (NAME, "root")
    unit = (tree.units / section["SystemdService"]).read_text()
    assert f"\nBusName={NAME}\n" in unit and f"\nExecStart={section['Exec']}\n" in unit


def test_catalog(installed, tmp_path):
    """Every id of the code is explained, in the catalog and in the manual, and no other."""
    catalog = tmp_path / "usr" / "lib" / "systemd" / "catalog"
    catalog.mkdir(parents=True)
    (tmp_path / "var" / "lib" / "systemd" / "catalog").mkdir(parents=True)
    source = installed.at("lib", "systemd", "catalog", "lrtbfd.catalog")
    (catalog / "lrtbfd.catalog").write_text(source.read_text())
    update = run("journalctl", f"--root={tmp_path}", "--update-catalog")
    assert (update.returncode, update.stderr) == (0, "")
    listed = run("journalctl", f"--root={tmp_path}", "--list-catalog", "--no-pager").stdout
    known = re.findall(r"^([0-9a-f]{32}) lrtbfd: \S", listed, re.M)
    code = re.findall(r'"([0-9a-f]{32})"', (ROOT / "service" / "core" / "logevent.c").read_text())
    manual = (ROOT / "docs" / "lrtbfd.8").read_text()
    assert len(set(code)) == len(code) > 5
    assert sorted(known) == sorted(code)
    assert set(re.findall(r"^\.B ([0-9a-f]{32})$", manual, re.M)) == set(code)


def test_fields_of_the_code_are_in_the_manual():
    fields = set()
    for path in (ROOT / "service").rglob("*.c"):
        fields |= set(re.findall(r'\{ "(LRTBF_[A-Z_]+)",', path.read_text()))
    manual = set(re.findall(r"^\.B (LRTBF_[A-Z_]+)$", (ROOT / "docs" / "lrtbfd.8").read_text(), re.M))
    assert len(fields) > 5 and fields == manual


@pytest.mark.root
def test_users_and_files(tree):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    (tree.root / "etc").mkdir(exist_ok=True)
    (tree.root / "run" / "lock").mkdir(parents=True)
    sysusers, tmpfiles = [tree.at("lib", kind, "lrtbf.conf") for kind in ("sysusers.d", "tmpfiles.d")]
    done = run("systemd-sysusers", f"--root={tree.root}", sysusers)
    assert done.returncode == 0, done.stderr
    groups = {line.split(":")[0] for line in (tree.root / "etc" / "group").read_text().splitlines()}
    users = {line.split(":")[0]: line.split(":") for line in (tree.root / "etc" / "passwd").read_text().splitlines()}
    assert {"lrtbf", "lrtbf-load"} <= groups and "lrtbf" not in users
    assert users["lrtbf-load"][6].endswith("nologin") and users["lrtbf-load"][2] != "0"
    done = run("systemd-tmpfiles", "--create", f"--root={tree.root}", tmpfiles)
    assert done.returncode == 0, done.stderr
    lock = (tree.root / "run" / "lock" / "lrtbfd").stat()
    assert (stat.S_IMODE(lock.st_mode), lock.st_uid) == (0o644, 0)


@pytest.mark.root
def test_left_by_loads(tree):
    """What a load wrote before the power went is removed at the boot, and only then."""
    scratch = tree.root / "var" / "lib" / "lrtbfd" / "scratch"
    left, other = scratch / "lrtbf-disk.a1b2c3d4e5f6g7h2i3j4" / "tmp-stress" / "data", scratch / "mine"
    left.parent.mkdir(parents=True)
    left.write_text("x")
    other.write_text("x")
    tmpfiles = tree.at("lib", "tmpfiles.d", "lrtbf.conf")
    for boot in [], ["--boot"]:
        assert left.exists()
        done = run("systemd-tmpfiles", "--remove", *boot, f"--root={tree.root}", tmpfiles)
        assert done.returncode == 0, done.stderr
    assert [p.name for p in scratch.iterdir()] == ["mine"]
    prefix = re.search('SCRATCH_PREFIX "(.*)"', (ROOT / "service" / "core" / "scratch.c").read_text())[1]
    assert left.parts[-3].startswith(prefix)


def test_actions(installed):
    """What the service asks polkit for is there, and costs an administrator's password."""
    policy = ET.parse(installed.at("share", "polkit-1", "actions", f"{NAME}.policy")).getroot()
    actions = {a.get("id"): a for a in policy.iter("action")}
    code = set()
    for path in (ROOT / "service" / "bus").glob("*.[ch]"):
        code |= set(re.findall(r'"(org\.lrtbf1\.[a-z][a-z-]+)"', path.read_text()))
    assert set(actions) == code
    for action in actions.values():
        assert action.findtext("message") and action.findtext("description")
        defaults = {d.tag: d.text for d in action.find("defaults")}
        assert set(defaults) == {"allow_any", "allow_inactive", "allow_active"}
        assert set(defaults.values()) <= {"auth_admin", "auth_admin_keep"}


def test_rule_of_the_group(installed):
    rules = list(installed.at("share", "polkit-1", "rules.d").iterdir())
    text = "".join(r.read_text() for r in rules)
    code = re.sub("//.*", "", text)
    assert re.findall(r'"(org\.lrtbf1\.[^"]+)"', code) == [f"{NAME}.measure"]
    assert 'isInGroup("lrtbf")' in code and "polkit.Result.YES" in code


# --- modes ---

def test_nobody_else_can_write(installed):
    """Whoever could would be root with the next start."""
    seen = 0
    for folder, names, files in os.walk(installed.root):
        for name in [*names, *files]:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            if stat.S_ISLNK(st.st_mode):
                continue
            seen += 1
            assert not st.st_mode & (stat.S_IWGRP | stat.S_IWOTH), path
            assert not st.st_mode & (stat.S_ISUID | stat.S_ISGID), path
            assert st.st_mode & stat.S_IROTH, path
    assert seen > 50


def test_programs_only_where_programs_are(installed):
    places = [installed.at(installed.options[o]) for o in ("bindir", "sbindir", "libexecdir")]
    places.append(installed.at("lib", "systemd", "system-generators"))
    places.append(installed.at("share", "doc", "lrtbfd", "examples"))  # plugins, called where they are
    for folder, _, files in os.walk(installed.root):
        for name in files:
            path = os.path.join(folder, name)
            program = any(path.startswith(f"{p}/") for p in places)
            assert bool(os.stat(path).st_mode & stat.S_IXUSR) == program, path
